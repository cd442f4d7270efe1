"""./dev gpu-check: packages compiled here, and run as on another machine: by a copy of the runner, in processes of its
own, without torch_trace. The GPU is the emulated driver."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GPU_CHECK = ROOT / "benchmarks" / "gpu_check"
EMULATED = ROOT / "python" / "torch_trace" / "libtrace_emulated_cuda.so"


def gpu_check(*options: Any) -> subprocess.CompletedProcess:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    return subprocess.run([sys.executable, GPU_CHECK, *map(str, options)], capture_output=True, text=True, env=env)


def run(package: Path, *options: Any) -> tuple[subprocess.CompletedProcess, dict[str, Any]]:
    """A package's own runner, as where nothing of this repository is; and the numbers that it writes."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    numbers = package.parent / "numbers.json"
    done = subprocess.run([sys.executable, "run.py", "--json", numbers, *map(str, options)], cwd=package,
                          capture_output=True, text=True, env=env)
    return done, json.loads(numbers.read_text()) if numbers.exists() else {}


def emulated(package: Path, *options: Any) -> tuple[subprocess.CompletedProcess, dict[str, Any]]:
    return run(package, "--emulated", "--driver", EMULATED, *options)


def built(tmp_path: Path, *options: Any) -> Path:
    done = gpu_check("--build", tmp_path / "package", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path / "package"


def test_all_blocks_and_models_on_the_simulator(tmp_path: Path) -> None:
    package = built(tmp_path, "--emulated", "--sizes", "small")
    info = json.loads((package / "package.json").read_text())
    assert info["missing"] == {} and len(info["cases"]) == 33
    assert {c["name"] for c in info["cases"] if c["model"]} == {"mlp", "convnet", "vit", "gpt"}
    done, numbers = emulated(package)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(numbers["passed"]) == 33 and numbers["failed"] == []
    assert numbers["not_run"] == [line for line in numbers["not_run"] if "a GPU's speed" in line]
    # Every kernel of the package has been launched, and timed.
    kernels = {(c["folder"], k["name"]) for c in info["cases"]
               for m in [json.loads((package / "packages/small" / c["folder"] / "manifest.json").read_text())]
               for g in m["graphs"] for side in g["fusions"].values() for f in side.values() for k in f["kernels"]}
    assert len(kernels) > 150
    assert {(k["case"], k["name"]) for k in numbers["kernels"]} == kernels
    assert {(t["case"], t["how"]) for t in numbers["timed"]} == {(c["folder"], "called") for c in info["cases"]}
    assert all(set(t["backends"]) == {"eager", "trace"} for t in numbers["timed"])
    assert re.search(r"^33 passed, 0 failed, 1 not run$", done.stdout, re.M)


@pytest.mark.slow
def test_rows_and_columns_of_many_blocks_on_the_simulator(tmp_path: Path) -> None:
    package = built(tmp_path, "--emulated", "--sizes", "medium")
    done, numbers = emulated(package, "--no-timing")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(numbers["passed"]) == 33 and numbers["failed"] == []
    manifest = json.loads((package / "packages/medium/layer_norm-f32/manifest.json").read_text())
    assert any(max(k["grid"]) > 8 for f in manifest["graphs"][0]["fusions"]["backward"].values() for k in f["kernels"])


@pytest.mark.slow
def test_inductor_takes_its_turn(tmp_path: Path) -> None:
    package = built(tmp_path, "--emulated", "--sizes", "small", "--cases", "adamw", "--dtypes", "f32")
    done, numbers = emulated(package, "--backends", "eager,trace,inductor", "--rounds", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    timed, = numbers["timed"]
    assert set(timed["backends"]) == {"eager", "trace", "inductor"}
    assert all(b["ms"] > 0 and b["ratio"] > 0 and b["rate"] > 0 for b in timed["backends"].values())
    # p, g, m, v are read, and three results written.
    elements = 1003
    assert timed["backends"]["trace"]["rate"] * timed["backends"]["trace"]["ms"] / 1e3 == pytest.approx(28 * elements)


# ---- what must not go unnoticed


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("gpu_check"), "--emulated", "--sizes", "small", "--cases", "layer_norm,rotary",
                 "--dtypes", "f32")


def test_a_wrong_kernel_fails(small: Path, tmp_path: Path) -> None:
    manifest = small / "packages/small/rotary-f32/manifest.json"
    before = manifest.read_text()
    changed = json.loads(before)
    fusion, = changed["graphs"][0]["fusions"]["forward"].values()
    slots = fusion["kernels"][0]["slots"]
    slots[0], slots[1] = slots[1], slots[0]
    try:
        manifest.write_text(json.dumps(changed))
        done, numbers = emulated(small, "--no-timing")
    finally:
        manifest.write_text(before)
    assert done.returncode == 1
    failure, = numbers["failed"]
    assert "rotary-f32" in failure
    assert len(numbers["passed"]) == 1 and "1 passed, 1 failed" in done.stdout


def test_a_kernel_out_of_bounds_fails_with_its_name(small: Path) -> None:
    manifest = small / "packages/small/rotary-f32/manifest.json"
    before = manifest.read_text()
    changed = json.loads(before)
    (name, fusion), = changed["graphs"][0]["fusions"]["forward"].items()
    # The result has fewer elements than the kernel writes.
    plan = changed["graphs"][0]["forward"]
    step, = [s for s in plan["steps"] if s.get("name") == name]
    value = plan["values"][step["results"][0]]
    value["shape"], value["strides"] = [1] * len(value["shape"]), [1] * len(value["shape"])
    try:
        manifest.write_text(json.dumps(changed))
        done, numbers = emulated(small, "--no-timing", "--cases", "rotary")
    finally:
        manifest.write_text(before)
    assert done.returncode == 1
    failure, = numbers["failed"]
    assert fusion["kernels"][0]["name"] in failure and "CUDA_ERROR_LAUNCH_FAILED" in failure


def test_a_process_that_dies_is_a_failure_and_the_rest_still_runs(small: Path) -> None:
    cases = small / "cases.py"
    before = cases.read_text()
    try:
        cases.write_text(before + "\nimport os\nPROBLEMS['layer_norm'] = lambda dtype, shape: os._exit(7)\n")
        done, numbers = emulated(small, "--no-timing")
    finally:
        cases.write_text(before)
    assert done.returncode == 1
    failure, = numbers["failed"]
    assert "layer_norm-f32" in failure and "status 7" in failure
    passed, = numbers["passed"]
    assert "rotary-f32" in passed


def test_what_there_is_no_time_for_is_said(small: Path) -> None:
    done, numbers = emulated(small, "--budget", 0.01)
    assert done.returncode == 1 and numbers["passed"] == []
    assert sum("the time was over" in line for line in numbers["not_run"]) >= 4
    assert "check, layer_norm-f32" in done.stdout


def test_no_driver_is_said(small: Path, tmp_path: Path) -> None:
    done, numbers = run(small)
    assert done.returncode == 1
    assert any("for the simulator" in line for line in numbers["not_run"])


#: worker.py's parts for a GPU, with what they use of torch.cuda replaced: that no line of them fails by itself.
PRETENDED = """
import contextlib, io, json, sys, types
import torch, worker

class Stream:
    cuda_stream = 0
    def wait_stream(self, other): pass

class Event:
    def __init__(self, enable_timing): assert enable_timing
    def record(self): pass
    def synchronize(self): pass
    def elapsed_time(self, other): return 0.5

class Graph:
    def replay(self): replayed.append(self)

@contextlib.contextmanager
def within(value):
    entered.append(value)
    yield

class Torch:
    def __getattr__(self, name): return getattr(torch, name)
    def device(self, name): return torch.device("cpu")
    cuda = types.SimpleNamespace(
        init=lambda: None, synchronize=lambda: None, empty_cache=lambda: None, Stream=Stream, Event=Event,
        CUDAGraph=Graph, current_stream=Stream, stream=within, graph=within, get_device_capability=lambda: (9, 0),
        get_device_properties=lambda d: types.SimpleNamespace(name="a GPU", total_memory=1))

worker.torch, replayed, entered, events = Torch(), [], [], []
options = {"emulated": False, "driver": sys.argv[1], "rounds": 3, "seconds": 0.0001}
made = worker.Worker(options, lambda **event: events.append(event))
common = {"case": "layer_norm-f32", "size": "small"}
for number, task in enumerate([{"kind": "facts"}, {"kind": "check"}, {"kind": "kernels"},
                               {"kind": "time", "backends": ["eager", "trace"]}]):
    made.run({"number": number, **common, **task})
assert len([g for g in entered if isinstance(g, Graph)]) == 2 and replayed
print(json.dumps(events))
"""


def test_the_parts_for_a_gpu(small: Path) -> None:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"PYTHONPATH": str(small)}
    done = subprocess.run([sys.executable, "-c", PRETENDED, EMULATED], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    events = json.loads(done.stdout.splitlines()[-1])
    kinds = [e["event"] for e in events if e["event"] not in ("begin", "end")]
    assert kinds == ["facts", "checked", "kernels", "timed", "timed"]
    assert [e["how"] for e in events if e["event"] == "timed"] == ["called", "graph"]
    kernels, = [e["kernels"] for e in events if e["event"] == "kernels"]
    assert all(k["us"] == pytest.approx(25.0) for k in kernels)


# ---- packages for a GPU


@pytest.mark.slow
def test_a_package_for_a_gpu(tmp_path: Path) -> None:
    package = built(tmp_path, "--target", "sm_80", "--cases", "layer_norm,mlp", "--dtypes", "f32", "--table",
                    tmp_path / "kernels.md")
    info = json.loads((package / "package.json").read_text())
    assert info["target"] == "sm_80" and info["sizes"] == ["small", "large"]
    assert sum(f.stat().st_size for f in package.rglob("*") if f.is_file()) < 60 << 20
    for size in info["sizes"]:
        for case in info["cases"]:
            folder = package / "packages" / size / case["folder"]
            cubins, ptx = ({p.with_suffix("") for p in folder.rglob(f"*.{s}")} for s in ("cubin", "ptx"))
            assert cubins and cubins == ptx
            assert not list(folder.rglob("*.mlir"))
    kernels = sum(case["summary"]["large"]["kernels"] for case in info["cases"])
    page = (tmp_path / "kernels.md").read_text()
    assert "for sm_80" in page and f"\n{kernels} kernels; " in page
    row = r"^\| (layer_norm|mlp)-f32 \| \w+ \| \w+__kernel\d+ \| [\d,]+ x \d+ \| \d+ \|"
    assert len(re.findall(row, page, re.M)) == kernels
    done, numbers = run(package, "--driver", "/nowhere/libcuda.so.1")
    assert done.returncode == 1
    assert any("the CUDA driver cannot be loaded" in line for line in numbers["not_run"])
    assert "0 passed, 0 failed" in done.stdout


def test_directories_and_names(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("the user's")
    done = gpu_check("--build", tmp_path, "--cases", "adamw")
    assert done.returncode and "not empty" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]
    done = gpu_check("--build", tmp_path / "package", "--cases", "adam")
    assert done.returncode and "no case adam" in done.stderr
    done = gpu_check("--run", tmp_path)
    assert done.returncode and "no package" in done.stderr
