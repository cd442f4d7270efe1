"""What can go wrong, as exceptions a user can act on."""

from __future__ import annotations


class TraceError(RuntimeError):
    """Base class of torch_trace's errors."""


class Unsupported(TraceError):
    """The graph has something that this compiler cannot express.

    With `config.fallback = "eager"` (the default) the graph runs in eager PyTorch instead, with one warning; with
    "error" this exception reaches the user. The message names the operator and the user's source line.
    """

    def __init__(self, what: str, where: str = "") -> None:
        self.what = what
        self.where = where
        super().__init__(f"unsupported: {what}" + (f" ({where})" if where else ""))


class CompileError(TraceError):
    """The compiler rejected the program: a fault of torch_trace.

    The message has the diagnostics with the user's source lines, where the IR was saved, and the `trace-opt` command
    that reproduces the failure.
    """


class DoubleBackwardError(TraceError):
    """A gradient of a gradient was asked for where it cannot be had."""


class ConfigError(TraceError, ValueError):
    """An unknown switch, or a value that it cannot take."""
