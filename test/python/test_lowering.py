"""torch_trace.lower: what it writes, and that torch_trace.standalone computes with it what eager does.

Without a GPU: the library calls of a package run on the CPU; test_standalone.py has kernels, on the emulated device.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import torch_trace
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch_trace.errors import CompileError, ConfigError, TraceError, Unsupported
from torch_trace.standalone import Package

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import models  # noqa: E402


class NoDriver:
    """For packages without kernels."""

    emulated = True

    def enter(self, device: int) -> None:
        pass


def package(directory: Path) -> Package:
    return Package(str(directory), NoDriver(), torch.device("cpu"))


def linear() -> torch.nn.Module:
    return torch.nn.Linear(8, 16, bias=False)


# ---- what is written


def test_manifest_of_a_package_without_kernels(tmp_path: Path) -> None:
    model, x = linear(), torch.randn(4, 8)
    lowered = torch_trace.lower(model, x, out=tmp_path, train=True)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest == lowered.manifest
    assert (manifest["format"], manifest["target"], manifest["train"]) == (1, "sm_90", True)
    graph, = manifest["graphs"]
    assert [(a["kind"], a["shape"]) for a in graph["arguments"]] == [("parameter", [16, 8]), ("input", [4, 8])]
    assert graph["arguments"][0]["name"] == "weight"
    assert graph["gradient_arguments"] == [0]
    for stage in ("captured", "joint", "scheduled", "forward", "backward", "gpu"):
        assert (tmp_path / graph["stages"][stage]).read_text().strip()
    assert lowered.summary["library_calls"] == 2


@pytest.mark.parametrize("target", ["sm_80", "sm_100"])
def test_manifest_of_kernels(tmp_path: Path, target: str) -> None:
    model = models.MLP(inputs=12, hidden=200, depth=1, classes=5)
    lowered = torch_trace.lower(model, torch.randn(9, 12), target=target, out=tmp_path, train=True)
    assert {k["side"] for k in lowered.kernels} == {"forward", "backward"}
    for kernel in lowered.kernels:
        assert len(kernel["grid"]) == len(kernel["block"]) == 3 and min(kernel["grid"] + kernel["block"]) > 0
        assert 0 < kernel["registers"] <= 255 and kernel["spills"] == 0 and kernel["stack"] == 0
        assert 0 <= kernel["shared"] <= 48 * 1024
        fusion = lowered.graphs[0]["fusions"][kernel["side"]][kernel["fusion"]]
        cubin, ptx = (tmp_path / path for path in fusion["images"])
        assert cubin.read_bytes()[:4] == b"\x7fELF"
        text = ptx.read_text()
        assert f".target {target}" in text and f".entry {kernel['name']}(" in text
        assert text.count(".param .u64 .ptr") == sum(len(k["slots"]) for k in fusion["kernels"])
        # The pointers are those of operands, results and scratch.
        step = next(s for s in lowered.graphs[0][kernel["side"]]["steps"] if s.get("name") == kernel["fusion"])
        pointers = len(step["operands"]) + len(step["results"]) + len(fusion["scratch"])
        assert max(kernel["slots"]) < pointers
    assert any(k["shared"] for k in lowered.kernels)
    assert lowered.summary["kernels"] == len(lowered.kernels) and lowered.summary["spills"] == 0
    table = str(lowered)
    assert all(k["name"] in table for k in lowered.kernels) and f"code for {target}" in table


@pytest.mark.parametrize("name", ["gpt", "convnet"])
def test_models_on_fake_tensors(tmp_path: Path, name: str) -> None:
    with FakeTensorMode():
        if name == "gpt":
            model = models.GPT(vocabulary=32000, context=256, dim=1024, depth=1, heads=8, hidden=2816)
            batch = torch.zeros((4, 256), dtype=torch.int64)
        else:
            model, batch = models.ConvNet(width=64), torch.empty(256, 1, 28, 28)
    lowered = torch_trace.lower(model, batch, out=tmp_path, train=True)
    assert lowered.summary["graphs"] == 1 and lowered.summary["spills"] == 0
    assert {"forward", "backward"} == {k["side"] for k in lowered.kernels}
    assert [a["name"] for a in lowered.graphs[0]["arguments"] if a["kind"] == "parameter"]


def test_formats(tmp_path: Path) -> None:
    torch_trace.lower(lambda x: x.sin(), torch.randn(4), out=tmp_path, formats="ptx")
    assert {p.suffix for p in tmp_path.rglob("forward/*")} == {".ptx"}
    torch_trace.lower(lambda x: x.sin(), torch.randn(4), out=tmp_path, formats=("bitcode", "cubin"))
    assert {p.suffix for p in tmp_path.rglob("forward/*")} == {".bc", ".cubin"}
    image, = tmp_path.rglob("*.bc")
    assert image.read_bytes()[:2] == b"BC"


def test_no_tool_for_machine_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_TRACE_PTXAS", "/nowhere/ptxas")
    with pytest.raises(CompileError, match="/nowhere/ptxas"):
        torch_trace.lower(lambda x: x.sin(), torch.randn(4), out=tmp_path)
    assert not list(tmp_path.iterdir())


def test_package_of_library_calls_runs_and_differentiates(tmp_path: Path) -> None:
    model, x = linear(), torch.randn(4, 8)
    torch_trace.lower(model, x, out=tmp_path, train=True)
    graph, = package(tmp_path).graphs
    result, = graph(model.weight, x)
    torch.testing.assert_close(result, model(x))
    cotangent = torch.randn_like(result)
    got, = torch.autograd.grad(result, model.weight, cotangent)
    want, = torch.autograd.grad(model(x), model.weight, cotangent)
    torch.testing.assert_close(got, want)


def test_without_train_there_is_no_backward(tmp_path: Path) -> None:
    lowered = torch_trace.lower(linear(), torch.randn(4, 8), out=tmp_path)
    assert lowered.graphs[0]["backward"] is None
    assert "backward" not in lowered.graphs[0]["fusions"]


def test_an_earlier_package_is_replaced(tmp_path: Path) -> None:
    torch_trace.lower(linear(), torch.randn(4, 8), out=tmp_path, train=True)
    (tmp_path / "notes.txt").write_text("the user's")
    torch_trace.lower(linear(), torch.randn(2, 8), out=tmp_path)
    assert (tmp_path / "notes.txt").exists()
    assert not (tmp_path / "graph0" / "bwd.mlir").exists()


def test_the_example_of_the_documentation() -> None:
    done = subprocess.run([sys.executable, Path(models.__file__).parents[1] / "offline.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "5 library calls" in done.stdout and done.stdout.endswith("results as eager's: True\n")


# ---- fake tensors


def test_parameters_on_the_meta_device(tmp_path: Path) -> None:
    with torch.device("meta"):
        model, x = linear(), torch.empty(4, 8)
    lowered = torch_trace.lower(model, x, out=tmp_path, train=True)
    assert lowered.graphs[0]["backward"]["steps"]


def test_fake_tensors_of_the_callers_mode(tmp_path: Path) -> None:
    mode = FakeTensorMode()
    with mode:
        model, x = linear(), torch.empty(4, 8)
    torch_trace.lower(model, x, out=tmp_path)
    assert isinstance(x, FakeTensor) and not mode.allow_non_fake_inputs


def test_nothing_is_computed_and_nothing_written_to(tmp_path: Path) -> None:
    x = torch.randn(3, 3)
    before = x.clone()

    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.copy_(y.mm(y))
        return x.mm(y)

    lowered = torch_trace.lower(f, x, torch.randn(3, 3), out=tmp_path)
    assert torch.equal(x, before)
    assert lowered.graphs[0]["mutations"]


def test_the_users_compiled_code_survives(tmp_path: Path) -> None:
    compiled_graphs: list[Any] = []

    def backend(gm: torch.fx.GraphModule, inputs: Any) -> Callable[..., Any]:
        compiled_graphs.append(gm)
        return gm.forward

    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x.mm(y)

    compiled = torch.compile(f, backend=backend)
    x, y = torch.randn(3, 4), torch.randn(4, 5)
    compiled(x, y)
    for i in range(12):  # more than Dynamo's limit of recompilations
        torch_trace.lower(f, x, y, out=tmp_path / str(i))
    torch.testing.assert_close(compiled(x, y), x.mm(y))
    assert len(compiled_graphs) == 1
    compiled(torch.randn(7, 4), y)
    assert len(compiled_graphs) == 2


# ---- attention


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [32, 40])
def test_attention_is_the_gpus_operator(tmp_path: Path, causal: bool, length: int) -> None:
    def f(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    args = [torch.randn(2, 4, length, 16, requires_grad=True) for _ in range(3)]
    lowered = torch_trace.lower(f, *args, out=tmp_path, train=True)
    calls = [s["call"].split("|")[0] for side in ("forward", "backward") for s in lowered.graphs[0][side]["steps"]
             if s["op"] == "library"]
    assert "aten::_scaled_dot_product_efficient_attention" in calls
    assert "aten::_scaled_dot_product_efficient_attention_backward" in calls
    assert not any("cpu" in call for call in calls)
    result, = package(tmp_path).graphs[0](*args)
    cotangent = torch.randn_like(result)
    torch.testing.assert_close(result, f(*args))
    for got, want in zip(torch.autograd.grad(result, args, cotangent), torch.autograd.grad(f(*args), args, cotangent),
                         strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


# ---- errors


def test_a_directory_that_is_the_users(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("the user's")
    with pytest.raises(ConfigError, match="not empty"):
        torch_trace.lower(linear(), torch.randn(4, 8), out=tmp_path)
    with pytest.raises(ConfigError, match="is a file"):
        torch_trace.lower(linear(), torch.randn(4, 8), out=tmp_path / "notes.txt")
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_formats_that_are_none(tmp_path: Path) -> None:
    for formats in ([], ["ptx", "hsaco"]):
        with pytest.raises(ConfigError, match="formats="):
            torch_trace.lower(linear(), torch.randn(4, 8), out=tmp_path, formats=formats)


def test_nothing_to_compute(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no graph"):
        torch_trace.lower(lambda n: n + 1, 3, out=tmp_path)


def test_the_functions_own_error(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="mat1 and mat2|a and b must have same reduction"):
        torch_trace.lower(lambda x, y: x.mm(y), torch.randn(3, 4), torch.randn(3, 4), out=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("target", ["sm_70", "sm90", "gfx942", ""])
def test_targets_that_are_none(tmp_path: Path, target: str) -> None:
    with pytest.raises(ConfigError, match="target="):
        torch_trace.lower(linear(), torch.randn(4, 8), target=target, out=tmp_path)


def test_an_unknown_chip(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="sm_83"):
        torch_trace.lower(linear(), torch.randn(4, 8), target="sm_83", out=tmp_path)
    assert not os.path.exists(tmp_path / "manifest.json")


def test_a_value_of_a_tensor_is_wanted(tmp_path: Path) -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if x.mm(y)[0, 0].item() > 0:
            return x
        return y

    with pytest.raises(TraceError, match=r"value of a tensor.*test_lowering.py:\d+"):
        torch_trace.lower(f, torch.randn(3, 3), torch.randn(3, 3), out=tmp_path)


def test_nothing_requires_grad(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="require grad"):
        torch_trace.lower(lambda x, y: x.mm(y), torch.randn(3, 3), torch.randn(3, 3), out=tmp_path, train=True)


def test_autocast_for_the_gpu(tmp_path: Path) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return x.mm(x)

    with pytest.raises(Unsupported, match=r"autocast.*test_lowering.py:\d+"):
        torch_trace.lower(f, torch.randn(3, 3), out=tmp_path)


def test_graph_breaks_are_graphs_of_their_own(tmp_path: Path) -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = x.mm(y)
        torch._dynamo.graph_break()
        return z.mm(y)

    lowered = torch_trace.lower(f, torch.randn(3, 3), torch.randn(3, 3), out=tmp_path)
    assert len(lowered.graphs) == 2
    lines = [int(g["where"].rsplit(":", 1)[1]) for g in lowered.graphs]
    assert lines[1] == lines[0] + 2
    assert "graphs begin at" in str(lowered)
