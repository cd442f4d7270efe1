"""Checks that trace's run is eager's run, and the tables and files that show it."""

from __future__ import annotations

import csv
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from train import Run, Task

FIRST_STEPS = 20
FIRST_STEPS_TOLERANCE = 1e-4  # relative, each of the first steps' losses
FINAL_TOLERANCE = 1e-2  # relative, the final loss


def relative(a: float, b: float) -> float:
    """|a - b| / |b|; not a number when either is not finite."""
    return abs(a - b) / abs(b) if b else abs(a - b)


def complaints(eager: Run, run: Run) -> list[str]:
    """What does not agree with eager; empty when all does. Written so that NaN does not pass."""
    if run.error:
        return [run.error.splitlines()[0]]
    found = []
    for step, (a, b) in enumerate(zip(run.losses[:FIRST_STEPS], eager.losses[:FIRST_STEPS]), 1):
        if not relative(a, b) <= FIRST_STEPS_TOLERANCE:
            found.append(f"step {step}: loss {a:.7f}, eager's {b:.7f} ({relative(a, b):.1e} relative)")
            break
    for what, a, b in [
        ("final training loss", final_loss(run), final_loss(eager)),
        ("held-out loss", run.held_out_loss, eager.held_out_loss),
    ]:
        if not relative(a, b) <= FINAL_TOLERANCE:
            found.append(f"{what} {a:.5f}, eager's {b:.5f} ({100 * relative(a, b):.2f} %)")
    return found


def final_loss(run: Run) -> float:
    """The mean of the last ten steps' losses."""
    last = run.losses[-10:]
    return sum(last) / len(last)


def shown_steps(count: int) -> list[int]:
    """Steps (from 1) of the step-by-step table: each of the first five, then ever fewer, and the last."""
    steps = {1, 2, 3, 4, 5, 10, 15, 20, 50, 100, 200, 400, 800, count}
    return sorted(s for s in steps if s <= count)


def steps_table(task: Task, eager: Run, run: Run) -> Table:
    table = Table(title=f"{task.name}: {task.data.what}")
    names = ("step", "loss, eager", f"loss, {run.backend}", "relative", "accuracy, eager", f"accuracy, {run.backend}")
    for column in names:
        table.add_column(column, justify="right")
    for step in (s for s in shown_steps(len(eager.losses)) if s <= len(run.losses)):
        a, b = eager.losses[step - 1], run.losses[step - 1]
        table.add_row(str(step), f"{a:.6f}", f"{b:.6f}", f"{relative(b, a):.0e}",
                      f"{eager.accuracies[step - 1]:.4f}", f"{run.accuracies[step - 1]:.4f}")  # fmt: skip
    if not run.error:
        a, b = eager.held_out_loss, run.held_out_loss
        table.add_row("held out", f"{a:.6f}", f"{b:.6f}", f"{relative(b, a):.0e}",
                      f"{eager.held_out_accuracy:.4f}", f"{run.held_out_accuracy:.4f}")  # fmt: skip
    return table


def number(value, unit: float = 1, digits: int = 0) -> str:
    return "-" if value is None else f"{value / unit:,.{digits}f}"


def summary_table(results: list[tuple[Task, list[Run]]], fusions: dict[tuple[str, str], int]) -> Table:
    # Nine columns in a terminal of 80.
    table = Table(title="all models: median time per step, and what is saved for backward", box=box.SIMPLE_HEAD,
                  padding=0, collapse_padding=True)  # fmt: skip
    for column in ("model", "backend", "ms per\nstep", "vs\neager", "tensors\nsaved", "kB\nsaved", "\nfusions", "first\nstep, s",
                   "held-out\naccuracy"):  # fmt: skip
        table.add_column(column, justify="left" if column in ("model", "backend") else "right")
    for task, runs in results:
        eager = runs[0].seconds_per_step()
        for run in runs:
            if run.error:
                table.add_row(task.name, run.backend, "failed")
                continue
            time = run.seconds_per_step()
            table.add_row(
                task.name, run.backend, f"{1e3 * time:.2f}", f"{eager / time:.2f}x", number(run.saved_tensors),
                number(run.saved_bytes, 1e3), number(fusions.get((task.name, run.backend))),
                f"{run.seconds[0]:.1f}", f"{run.held_out_accuracy:.4f}",
            )  # fmt: skip
        table.add_section()
    return table


def write_csv(folder: Path, task: Task, runs: list[Run]) -> None:
    """Every step of every run."""
    with open(folder / f"{task.name}.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["step", *(f"{what} {r.backend}" for r in runs for what in ("loss", "accuracy", "seconds"))])
        for step in range(max(len(r.losses) for r in runs)):
            row = [step + 1]
            for r in runs:
                row += [c[step] if step < len(c) else "" for c in (r.losses, r.accuracies, r.seconds)]
            out.writerow(row)


def write_picture(path: Path, results: list[tuple[Task, list[Run]]]) -> None:
    """Above the loss curves, below the relative distance of each to eager's."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(results), figsize=(4.2 * len(results), 6.4), squeeze=False, sharex="col",
                                height_ratios=(3, 1.6), constrained_layout=True)  # fmt: skip
    styles = {"eager": ("#3b4cc0", "-", 2.6), "inductor": ("#888888", ":", 1.6)}
    for column, (task, runs) in enumerate(results):
        above, below = axes[0][column], axes[1][column]
        above.set_title(f"{task.name}\n{task.data.what}", fontsize=9)
        for run in runs:
            color, line, width = styles.get(run.backend, ("#d1495b", "--", 1.4))
            steps = range(1, len(run.losses) + 1)
            above.plot(steps, run.losses, line, color=color, linewidth=width, label=run.backend)
            if run is not runs[0]:
                distance = [max(relative(a, b), 1e-9) for a, b in zip(run.losses, runs[0].losses)]
                below.plot(steps, distance, line, color=color, linewidth=1)
        below.axhline(FIRST_STEPS_TOLERANCE, color="black", linewidth=0.6)
        below.set_yscale("log")
        below.set_xlabel("step")
        above.legend(fontsize=8)
    axes[0][0].set_ylabel("training loss")
    axes[1][0].set_ylabel("relative to eager")
    figure.savefig(path, dpi=130)


def print_verdict(console: Console, results: list[tuple[Task, list[Run]]], backend: str) -> bool:
    """One line per model; False when one does not agree with eager."""
    good = True
    for task, runs in results:
        for run in runs[1:]:
            wrong = complaints(runs[0], run)
            if run.backend != backend:
                # Inductor is here for its times; its failure is told and is not ours.
                if run.error:
                    console.print(f"[yellow]{task.name}: {run.backend} failed: {wrong[0]}", highlight=False)
                continue
            good &= not wrong
            for line in wrong:
                console.print(f"[red]{task.name}: {run.backend} differs from eager: {line}", highlight=False)
            if not wrong:
                worst = max(relative(a, b) for a, b in zip(run.losses[:FIRST_STEPS], runs[0].losses))
                final = relative(final_loss(run), final_loss(runs[0]))
                console.print(
                    f"[green]{task.name}: {run.backend} agrees with eager: first {FIRST_STEPS} steps within {worst:.0e}, "
                    f"final loss within {100 * final:.3f} %",
                    highlight=False,
                )
    return good
