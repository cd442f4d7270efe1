"""torch_trace: an MLIR compiler for PyTorch training.

Use it as `torch.compile(model, backend="trace")`; no import is needed. This module is for looking inside (`stages`,
`report`), for the switches (`config`), and for lowering for a GPU on a machine without one (`lower`).
"""

from typing import TYPE_CHECKING, Any

from . import config
from .errors import CompileError, ConfigError, DoubleBackwardError, TraceError, Unsupported
from .inspection import report, stages

if TYPE_CHECKING:
    from .lowering import lower

__all__ = [
    "CompileError", "ConfigError", "DoubleBackwardError", "TraceError", "Unsupported", "config", "lower", "report",
    "stages",
]


def __getattr__(name: str) -> Any:
    # The compiler is loaded when it is wanted: `torch_trace.standalone` does without it.
    if name == "lower":
        from .lowering import lower

        return lower
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
