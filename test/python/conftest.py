"""Shared by all Python tests: determinism, and helpers to look at captured IR."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
sys.path.insert(0, os.path.dirname(__file__))

import pytest
import torch
import torch._dynamo

torch.set_num_threads(1)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: left out by ./dev test --quick")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Every test starts with an empty Dynamo cache and the same seed."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


@pytest.fixture
def captured() -> Callable[..., list[str]]:
    """captured(f, *args) -> the captured IR of each of f's graphs, as text (nothing is run compiled)."""
    from torch_trace.capture import capture
    from torch_trace.translate import Translator

    def run(function: Callable[..., Any], *args: Any, locations: bool = False, dynamic: bool | None = False) -> list[str]:
        texts: list[str] = []

        def backend(gm: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
            texts.append(Translator(capture(gm, example_inputs, [])).module().text(locations))
            return gm.forward

        torch.compile(function, backend=backend, dynamic=dynamic)(*args)
        return texts

    return run
