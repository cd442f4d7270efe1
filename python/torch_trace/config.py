"""The switches of torch_trace, in one typed registry.

Each switch is an attribute of this module (`torch_trace.config.fuse_limit = 3`) and is set at import from the
environment variable of the same name (`TORCH_TRACE_FUSE_LIMIT=3`). A variable that starts with TORCH_TRACE_ and names
no switch is an error, and so is a value that a switch cannot take.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from .errors import ConfigError

_PREFIX = "TORCH_TRACE_"
# Variables with our prefix that are no switches: of the repository's own tooling, and libraries and programs that the
# C++ parts look for.
_OTHERS = ("TORCH_TRACE_CUDA_DRIVER", "TORCH_TRACE_DEV_", "TORCH_TRACE_PTXAS", "TORCH_TRACE_RUNTIME", "TORCH_TRACE_TEST_")


class Switch(NamedTuple):
    """One switch: its type, default and meaning."""

    type: type
    default: Any
    help: str
    #: Whether compiled code depends on it.
    cache_relevant: bool
    choices: tuple[str, ...] = ()


SWITCHES: dict[str, Switch] = {
    "fallback": Switch(
        str, "eager", "What to do with a graph that cannot be compiled: 'eager' runs it in eager PyTorch and warns "
        "once, 'error' raises.", False, ("eager", "error"),
    ),
    "dump": Switch(str, "", "A directory: every stage of every graph is written there.", False),
    "cudagraphs": Switch(
        bool, False, "Capture forwards and backwards in CUDA graphs, as torch.compile's mode 'reduce-overhead' does.",
        False,
    ),
    "device_emulation": Switch(
        bool, False, "Run the fusions of CPU tensors as a GPU's kernels in the simulator: slow, for tests of the kernels "
        "and of how they are launched.", True,
    ),
    "exact_rounding": Switch(
        bool, False, "Round f16 and bf16 after every operation inside a fusion, as eager does, instead of keeping f32.",
        True,
    ),
    "fuse_limit": Switch(int, -1, "Stop fusing after so many regions, for bisection; negative: no limit.", True),
    "vector_bits": Switch(int, 0, "Widest vector in bits; 0: what the machine has.", True),
    "verify_stages": Switch(bool, False, "Run each stage's verifier after every pass.", False),
    "locations": Switch(bool, False, "Print source locations in the IR of the stages.", False),
}

_values: dict[str, Any] = {}


def _parse(name: str, text: str) -> Any:
    switch = SWITCHES[name]
    if switch.type is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off", ""):
            return False
        raise ConfigError(f"{_PREFIX}{name.upper()}={text!r}: 1 or 0 is wanted")
    if switch.type is int:
        try:
            return int(text)
        except ValueError:
            raise ConfigError(f"{_PREFIX}{name.upper()}={text!r}: an integer is wanted") from None
    return text


def _check(name: str, value: Any) -> Any:
    switch = SWITCHES[name]
    if type(value) is not switch.type:
        raise ConfigError(f"config.{name} must be {switch.type.__name__}, not {value!r}")
    if switch.choices and value not in switch.choices:
        raise ConfigError(f"config.{name} must be one of {', '.join(map(repr, switch.choices))}, not {value!r}")
    return value


def _unknown(name: str) -> ConfigError:
    near = difflib.get_close_matches(name, SWITCHES, 1)
    return ConfigError(f"torch_trace has no switch {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def load_environment(environment: dict[str, str] | None = None) -> None:
    """Sets every switch from the environment, or to its default."""
    environment = dict(os.environ) if environment is None else environment
    fresh = {name: switch.default for name, switch in SWITCHES.items()}
    for variable, text in environment.items():
        if not variable.startswith(_PREFIX) or variable.startswith(_OTHERS):
            continue
        name = variable[len(_PREFIX):].lower()
        if name not in SWITCHES:
            raise ConfigError(f"environment variable {variable}: {_unknown(name)}")
        fresh[name] = _check(name, _parse(name, text))
    _values.update(fresh)


@contextlib.contextmanager
def patch(**values: Any) -> Iterator[None]:
    """Sets switches for a while: `with torch_trace.config.patch(fallback="error"): ...`."""
    before = dict(_values)
    try:
        for name, value in values.items():
            setattr(sys.modules[__name__], name, value)
        yield
    finally:
        _values.update(before)


def describe() -> str:
    """All switches with their values, as a table."""
    rows = [f"{name:16} {_values[name]!r:10} {switch.help}" for name, switch in SWITCHES.items()]
    return "\n".join(rows)


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name in SWITCHES:
            return _values[name]
        raise AttributeError(_unknown(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in SWITCHES:
            _values[name] = _check(name, value)
        elif name.startswith("__"):
            super().__setattr__(name, value)
        else:
            raise _unknown(name)


load_environment()
sys.modules[__name__].__class__ = _Module
