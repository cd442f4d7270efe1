"""The CUDA driver by ctypes: load a module, find a kernel, launch it. No CUDA toolkit, no compiled extension."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES = 5, 6  # CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES


class DriverError(RuntimeError):
    """A call of the CUDA driver that failed, with the kernel or file that it was for."""


class Kernel:
    """A kernel of a loaded module, ready to be launched."""

    def __init__(self, driver: Driver, function: Any, name: str) -> None:
        self.driver, self.function, self.name = driver, function, name
        self.launches = 0

    def launch(self, grid: Sequence[int], block: Sequence[int], shared: int, stream: int,
               pointers: Sequence[int]) -> None:
        """Enqueues the kernel on `stream` (a CUstream as an integer) with the addresses as its parameters."""
        values = (ctypes.c_uint64 * len(pointers))(*pointers)
        start = ctypes.addressof(values)
        parameters = (ctypes.c_void_p * len(pointers))(*range(start, start + 8 * len(pointers), 8))
        self.launches += 1
        self.driver.check(
            self.driver.library.cuLaunchKernel(self.function, *grid, *block, shared, ctypes.c_void_p(stream),
                                               parameters, None),
            f"launching {self.name} with grid {tuple(grid)} and block {tuple(block)}",
        )


class Driver:
    """libcuda.so.1, or a library with the same functions. Whoever loads or launches has called `enter` in that thread."""

    def __init__(self, path: str = "libcuda.so.1") -> None:
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            raise DriverError(f"the CUDA driver cannot be loaded: {error}") from None
        launch = self.library.cuLaunchKernel
        launch.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        for name in ("cuModuleLoadDataEx", "cuModuleGetFunction", "cuGetErrorString", "cuGetErrorName"):
            getattr(self.library, name).restype = ctypes.c_int
        #: The library runs kernels itself, and looks at what they access.
        self.emulated = hasattr(self.library, "trace_emulated_cuda_register")
        self.contexts: dict[int, int | None] = {}
        self.check(self.library.cuInit(0), "initialising the driver")

    def check(self, status: int, what: str) -> None:
        if status == 0:
            return
        name, text = ctypes.c_char_p(), ctypes.c_char_p()
        self.library.cuGetErrorName(status, ctypes.byref(name))
        self.library.cuGetErrorString(status, ctypes.byref(text))
        detail = ""
        if self.emulated:
            self.library.trace_emulated_cuda_error.restype = ctypes.c_char_p
            detail = (self.library.trace_emulated_cuda_error() or b"").decode()
        names = [x.value.decode() for x in (name, text) if x.value]
        raise DriverError(f"{what}: {': '.join(names) or status}{chr(10) + detail if detail else ''}")

    def enter(self, device: int = 0) -> None:
        """Makes the device's primary context, which is PyTorch's, this thread's current one. In a thread of autograd's no
        context need be current before PyTorch's first call of the CUDA runtime there."""
        if device not in self.contexts:
            handle, context = ctypes.c_int(), ctypes.c_void_p()
            self.check(self.library.cuDeviceGet(ctypes.byref(handle), device), f"device {device}")
            self.check(self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), handle), f"device {device}")
            self.contexts[device] = context.value
        current = ctypes.c_void_p()
        self.check(self.library.cuCtxGetCurrent(ctypes.byref(current)), "the current context")
        if current.value != self.contexts[device]:
            self.check(self.library.cuCtxSetCurrent(ctypes.c_void_p(self.contexts[device])), f"device {device}")

    @contextlib.contextmanager
    def bounds(self, filled: Sequence[tuple[int, int]], fresh: Sequence[tuple[int, int]]) -> Iterator[None]:
        """Tells the emulated driver which memory (address, bytes) launches inside may use, and of which of it (`fresh`)
        nothing is to be read before it is written. Needs the attribute `emulated`."""
        merged: list[list[int]] = []
        for start, size in sorted([*filled, *fresh]):
            if merged and start < merged[-1][0] + merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], start + size - merged[-1][0])
            elif size:
                merged.append([start, size])
        for start, size in merged:
            self.library.trace_emulated_cuda_register(ctypes.c_void_p(start), ctypes.c_size_t(size))
        for start, size in fresh:
            self.library.trace_emulated_cuda_mark_uninitialised(ctypes.c_void_p(start), ctypes.c_size_t(size))
        try:
            yield
        finally:
            for start, _ in merged:
                self.library.trace_emulated_cuda_unregister(ctypes.c_void_p(start))

    def load(self, images: Sequence[bytes], name: str) -> Any:
        """The module of the first image that the device takes: a cubin for its architecture, then PTX."""
        failures = []
        for image in images:
            module = ctypes.c_void_p()
            log = ctypes.create_string_buffer(8192)
            options = (ctypes.c_int * 2)(_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES)
            values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
            # PTX is read up to a zero byte.
            data = ctypes.create_string_buffer(image, len(image) + 1)
            status = self.library.cuModuleLoadDataEx(ctypes.byref(module), data, 2, options, values)
            if status == 0:
                return module
            try:
                self.check(status, f"loading {name}")
            except DriverError as error:
                failures.append(f"{error}{chr(10) + log.value.decode(errors='replace') if log.value else ''}")
        raise DriverError("\n".join(failures) or f"loading {name}: there is no image")

    def kernel(self, module: Any, name: str) -> Kernel:
        """The kernel called `name`."""
        function = ctypes.c_void_p()
        self.check(self.library.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), f"kernel {name}")
        return Kernel(self, function, name)
