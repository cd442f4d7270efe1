"""./dev demo: trains four models on real data, eager against trace (and inductor, for the times), in lockstep.

It ends with status 1 unless trace's training is eager's: each of the first 20 losses within 1e-4, the final loss within
1 %. demo-out/ receives loss-curves.png, one CSV file per model, and the IR of every stage of one model."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))

# Threads that wait give way instead of spinning: beside other programs, two spinning teams stand in each other's way.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# A graph that runs eagerly instead of compiled would agree with eager and show nothing.
os.environ.setdefault("TORCH_TRACE_FALLBACK", "error")

import torch  # noqa: E402
from data import digits, python_source  # noqa: E402
from models import GPT, MLP, ConvNet, ViT  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: E402
from train import MIN_STEPS, Run, Task, train  # noqa: E402
from verdict import print_verdict, steps_table, summary_table, write_csv, write_picture  # noqa: E402


def make_task(name: str, scale: float) -> Task:
    """The demo's models; `scale` shortens or lengthens the training."""
    torch.manual_seed(0)

    def steps(n: int) -> int:
        return max(MIN_STEPS, int(n * scale))

    if name == "mlp":
        return Task(name, MLP(), digits(flat=True, batch_size=256), steps(300), 1, 3e-4)
    if name == "convnet":
        return Task(name, ConvNet(), digits(flat=False, batch_size=128), steps(200), 1.5, 3e-4)
    if name == "vit":
        return Task(name, ViT(), digits(flat=False, batch_size=128), steps(200), 2, 5e-4)
    data, vocabulary = python_source(context=128, batch_size=16)
    return Task(name, GPT(vocabulary), data, steps(200), 4, 1e-3)


def inspect(run: Run) -> dict:
    """What torch_trace says of a compiled model: its numbers, and every stage's IR."""
    import torch_trace

    report = torch_trace.report(run.function)
    run.saved_tensors = sum(graph["saved_tensors"] for graph in report)
    run.saved_bytes = sum(graph["saved_bytes"] for graph in report)
    fusions = sum(graph["fusions"] for graph in report)
    return {"fusions": fusions, "report": str(report), "stages": torch_trace.stages(run.function)}


def write_stages(folder: Path, name: str, found: dict) -> None:
    """One file per stage and graph: demo-out/ir/mlp.captured.mlir …"""
    folder.mkdir(parents=True, exist_ok=True)
    for number, graph in enumerate(found["stages"]):
        suffix = f".{number}" if len(found["stages"]) > 1 else ""
        for stage, text in graph.items():
            (folder / f"{name}{suffix}.{stage}.mlir").write_text(text)
    (folder / f"{name}.report.txt").write_text(found["report"] + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__)
    parser.add_argument("--models", default="mlp,convnet,vit,gpt", help="which, in which order")
    parser.add_argument("--backend", default="trace", help="the torch.compile backend that must agree with eager")
    parser.add_argument("--no-inductor", action="store_true", help="leave inductor's times out")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the number of steps")
    parser.add_argument("--minutes", type=float, default=7.5,
                        help="after these, training stops early (a busy machine), but for each model's first steps")  # fmt: skip
    parser.add_argument("--threads", type=int, help="threads of every backend (default: torch's, all cores)")
    parser.add_argument("--ir-of", default="mlp", help="the model whose stages are written")
    parser.add_argument("--out", type=Path, default=ROOT / "demo-out")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)  # Inductor's: there is no GPU
    if options.threads:
        torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    console = Console(width=None if sys.stdout.isatty() else 130)
    backends = ["eager", options.backend] + ([] if options.no_inductor else ["inductor"])

    columns = (TextColumn("{task.description:8s}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TextColumn("{task.fields[loss]}"))  # fmt: skip
    results: list[tuple[Task, list[Run]]] = []
    fusions: dict[tuple[str, str], int] = {}
    with Progress(*columns, console=console) as progress:
        tasks = [make_task(name, options.scale) for name in options.models.split(",")]
        bars = {t.name: progress.add_task(t.name, total=t.steps, loss="", start=False) for t in tasks}
        for number, task in enumerate(tasks):
            # A share of the time that is left: what one model does not use is the next ones'.
            left = max(0.0, options.minutes * 60 - (time.perf_counter() - start))
            seconds = left * task.weight / sum(t.weight for t in tasks[number:])
            progress.start_task(bars[task.name])

            def tick(task: Task, step: int, live: list[Run]) -> None:
                losses = "  ".join(f"{r.backend} {r.losses[-1]:.4f}" for r in live if r.losses)
                progress.update(bars[task.name], advance=1, loss=losses)

            torch.compiler.reset()
            runs = train(task, backends, seconds, tick)
            progress.stop_task(bars[task.name])
            results.append((task, runs))
            write_csv(options.out, task, runs)
            for run in runs:
                if run.backend == "trace" and not run.error:
                    found = inspect(run)
                    fusions[task.name, run.backend] = found["fusions"]
                    if task.name == options.ir_of:
                        write_stages(options.out / "ir", task.name, found)

    for task, runs in results:
        console.print(steps_table(task, runs[0], runs[1]))
    console.print(summary_table(results, fusions))
    write_picture(options.out / "loss-curves.png", results)
    good = print_verdict(console, results, options.backend)
    try:
        shown = options.out.relative_to(Path.cwd())
    except ValueError:
        shown = options.out
    console.print(f"{shown}/ has the loss curves, every step's numbers and the IR; {time.perf_counter() - start:.0f} s in all")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
