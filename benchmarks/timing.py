"""Timing steps in turns: for blocks.py and gpu_check, which take this file with them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any

Step = Callable[[], Any]
Clock = Callable[[], float]


def calls_for(step: Step, seconds: float, clock: Clock) -> int:
    """How many calls take about that long."""
    step()
    start = clock()
    step()
    return max(1, min(2000, int(seconds / max(clock() - start, 1e-7))))


def take_turns(steps: Mapping[str, Step], rounds: int, clock: Clock, seconds: float = 0.025,
               limit: float = 40.0) -> dict[str, list[float]]:
    """Seconds per call of each backend in each round."""
    names = list(steps)
    counts = {name: calls_for(steps[name], seconds, clock) for name in names}
    times: dict[str, list[float]] = {name: [] for name in names}
    begin = time.perf_counter()
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds):
            order = names[turn % len(names) :] + names[: turn % len(names)]
            for name in order if turn % 2 == 0 else reversed(order):
                step, count = steps[name], counts[name]
                step()
                start = clock()
                for _ in range(count):
                    step()
                times[name].append((clock() - start) / count)
            if time.perf_counter() - begin > limit and turn >= 2:
                break
    finally:
        gc.enable()
    return times
