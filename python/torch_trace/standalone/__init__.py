"""Running lowered graphs without the compiler: PyTorch, Python and a CUDA driver are all that it needs.

`torch_trace.lower(..., out=directory)` writes a directory that `Package` reads. This package imports nothing of
torch_trace, so that it can be copied to a machine where neither torch-trace nor LLVM is installed.
"""

from .cuda import Driver, DriverError
from .package import Graph, Package
from .plan import Program

__all__ = ["Driver", "DriverError", "Graph", "Package", "Program"]
