"""Element types: PyTorch's dtypes and the names that the IR uses for them."""

from __future__ import annotations

import torch

_NAMES: dict[torch.dtype, str] = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "ui8",
    torch.bool: "i1",
    torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2: "f8E5M2",
    torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>",
}

#: What prims compute with; tensors of other dtypes only go through LibTorch.
PRIM_DTYPES = frozenset(d for d in _NAMES if not d.is_complex and d.itemsize >= 1 and "float8" not in str(d))


def element_name(dtype: torch.dtype) -> str | None:
    """The IR's name of an element type, or None where the IR has none for it."""
    return _NAMES.get(dtype)


def is_low_precision(dtype: torch.dtype) -> bool:
    """f16 and bf16: PyTorch's kernels compute them in f32."""
    return dtype in (torch.float16, torch.bfloat16)


def compute_dtype(dtype: torch.dtype) -> torch.dtype:
    """The type that PyTorch's CPU kernels compute in (`at::opmath_type`)."""
    return torch.float32 if is_low_precision(dtype) else dtype
