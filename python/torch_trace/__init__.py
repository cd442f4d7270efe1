"""torch_trace: an MLIR compiler for PyTorch training.

Use it as `torch.compile(model, backend="trace")`; no import is needed. This module is for looking inside (`stages`,
`report`) and for the switches (`config`).
"""

from . import config
from .errors import CompileError, ConfigError, DoubleBackwardError, TraceError, Unsupported
from .inspection import report, stages

__all__ = [
    "CompileError", "ConfigError", "DoubleBackwardError", "TraceError", "Unsupported", "config", "report", "stages",
]
