"""Training one model by several backends in lockstep: the same initial weights, the same batches, turns step by step.

That one loop gives both comparisons: the losses belong to the same step of the same run, and the times were taken under
the same load."""

from __future__ import annotations

import copy
import statistics
import time
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from data import Data
from torch import Tensor, nn

MIN_STEPS = 40


@dataclass
class Task:
    """One model of the demo."""

    name: str
    model: nn.Module
    data: Data
    steps: int
    weight: float  # its share of the demo's time
    learning_rate: float
    weight_decay: float = 0.01


class WithLoss(nn.Module):
    """What is compiled: the model and its loss, in one graph. -> (mean cross-entropy, share of right predictions)"""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.model(x)
        logits, y = logits.reshape(-1, logits.shape[-1]), y.reshape(-1)
        return F.cross_entropy(logits, y), (logits.argmax(-1) == y).float().mean()


@dataclass
class Run:
    """One backend's training run and what was measured in it."""

    backend: str
    module: WithLoss
    function: object
    optimizer: torch.optim.Optimizer
    losses: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    saved_tensors: int | None = None
    saved_bytes: int | None = None
    held_out_loss: float = float("nan")
    held_out_accuracy: float = float("nan")
    error: str = ""

    def step(self, x: Tensor, y: Tensor) -> None:
        start = time.perf_counter()
        self.optimizer.zero_grad(set_to_none=True)
        loss, accuracy = self.function(x, y)
        loss.backward()
        self.optimizer.step()
        self.seconds.append(time.perf_counter() - start)
        self.losses.append(loss.item())
        self.accuracies.append(accuracy.item())

    def seconds_per_step(self) -> float:
        """The median after the steps in which things are compiled and warmed up."""
        return statistics.median(self.seconds[5:] or self.seconds)


def start_run(task: Task, backend: str) -> Run:
    module = WithLoss(copy.deepcopy(task.model))
    function = module if backend == "eager" else torch.compile(module, backend=backend)
    # foreach is the default on GPUs only; here it saves the loop over parameters in all runs alike.
    optimizer = torch.optim.AdamW(
        module.parameters(), lr=task.learning_rate, weight_decay=task.weight_decay, foreach=True
    )
    return Run(backend, module, function, optimizer)


def count_saved(run: Run, x: Tensor, y: Tensor) -> None:
    """What the backward keeps alive that would otherwise be freed: saved tensors, each storage once, without parameters,
    buffers and the batch."""
    alive = [*run.module.parameters(), *run.module.buffers(), x, y]
    known = {t.untyped_storage().data_ptr() for t in alive}
    kept: dict[int, int] = {}

    def pack(t: Tensor) -> Tensor:
        storage = t.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage.nbytes()
        return t

    state = copy.deepcopy(run.module.state_dict())
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        loss, _ = run.function(x, y)
        run.saved_tensors, run.saved_bytes = len(kept), sum(kept.values())
    del loss
    run.module.load_state_dict(state)


def train(task: Task, backends: list[str], budget: float, tick) -> list[Run]:
    """Trains with each backend; one that raises is kept with its error and takes no further part. After `budget` seconds
    training stops early, but not before MIN_STEPS."""
    runs = [start_run(task, backend) for backend in backends]
    torch.manual_seed(0)
    start = time.perf_counter()
    for step in range(task.steps):
        x, y = task.data.batch(step)
        live = [r for r in runs if not r.error]
        turn = step % len(live)
        for run in live[turn:] + live[:turn]:
            try:
                run.step(x, y)
            except Exception as error:  # noqa: BLE001  (reported in the table; eager's own errors are raised below)
                if run.backend == "eager":
                    raise
                run.error = f"{type(error).__name__}: {error}"
        tick(task, step, live)
        if step + 1 >= MIN_STEPS and time.perf_counter() - start > budget:
            break
    for run in runs:
        if not run.error:
            x, y = task.data.batch(0)
            if run.backend != "trace":
                count_saved(run, x, y)
            evaluate(run, task)
    return runs


def evaluate(run: Run, task: Task) -> None:
    """Loss and accuracy on the held-out data, computed by eager from the run's weights."""
    run.module.eval()
    with torch.no_grad():
        loss, accuracy = run.module(*task.data.held_out)
    run.module.train()
    run.held_out_loss, run.held_out_accuracy = loss.item(), accuracy.item()
