"""Numbers of the GPU kernels against eager PyTorch: every test of the CPU kernels again, with the LLVM IR that goes to the
NVPTX code generator run on the simulator, whose checks (bounds, races, barriers, uninitialised memory) are on."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Codegen"))
from kernels import Fusion  # noqa: E402
from test_cpu_kernels import *  # noqa: E402, F403
from test_cpu_kernels_random import *  # noqa: E402, F403


@pytest.fixture(autouse=True)
def on_the_simulator(monkeypatch):
    monkeypatch.setattr(Fusion, "device", "sm_90")
