//===- CudaDriver.h - The CUDA driver, opened at run time -------------------===//
//
// Nothing of CUDA is needed to build: the few types and functions of the driver's C interface that kernels are launched
// with are declared here, under the names that libcuda.so.1 exports. Tensors, streams and memory are PyTorch's own.
//
// The library is TORCH_TRACE_CUDA_DRIVER from the environment or libcuda.so.1; for the emulated device,
// TORCH_TRACE_CUDA_DRIVER or the libtrace_emulated_cuda.so beside this library. Each is opened once, at first use.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_RUNTIME_CUDADRIVER_H
#define TRACE_LIB_RUNTIME_CUDADRIVER_H

#include "trace/Runtime/Runtime.h"
#include <string>

namespace trace_rt {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;

/// The driver's functions.
struct CudaDriver {
  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuDeviceGet)(CUdevice *device, int ordinal);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *context, CUdevice device);
  CUresult (*cuCtxGetCurrent)(CUcontext *context);
  CUresult (*cuCtxSetCurrent)(CUcontext context);
  CUresult (*cuCtxSynchronize)();
  CUresult (*cuModuleLoadDataEx)(CUmodule *module, const void *image, unsigned count, int *options, void **values);
  CUresult (*cuModuleUnload)(CUmodule module);
  CUresult (*cuModuleGetFunction)(CUfunction *function, CUmodule module, const char *name);
  CUresult (*cuLaunchKernel)(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned dynamicShared, CUstream stream,
                             void **parameters, void **extra);
  CUresult (*cuMemcpyDtoDAsync_v2)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
  CUresult (*cuGetErrorName)(CUresult code, const char **name);
  CUresult (*cuGetErrorString)(CUresult code, const char **text);

  // Of the emulated driver only, null otherwise. What went wrong in a kernel; memory that kernels may use.
  const char *(*trace_emulated_cuda_error)();
  void (*trace_emulated_cuda_register)(void *pointer, size_t bytes);

  /// "CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure", and what the emulated driver says of it.
  std::string describe(CUresult code) const;

  /// The driver of TRACE_DEVICE_CUDA or TRACE_DEVICE_EMULATED, initialised. Null, with the reason in `error`, where it
  /// cannot be had; the next call tries again. Thread safe.
  static const CudaDriver *get(int32_t device, std::string &error);
};

/// A device with its primary context, the one that PyTorch uses. It is retained once for the life of the process, as
/// PyTorch retains it; modules of it may be unloaded at any time until then.
struct CudaDevice {
  const CudaDriver *driver = nullptr;
  int32_t kind = 0; // TRACE_DEVICE_CUDA or TRACE_DEVICE_EMULATED
  int index = 0;
  CUcontext context = nullptr;

  /// Makes the context the thread's current one. A thread that has run nothing yet (autograd's) has none.
  CUresult makeCurrent() const;

  static const CudaDevice *get(int32_t kind, int index, std::string &error);
};

/// The context of a device is current as long as one lives, and the one before it afterwards.
class ContextScope {
public:
  explicit ContextScope(const CudaDevice &device);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  bool isCurrent() const { return current; }

private:
  const CudaDriver &driver;
  CUcontext previous = nullptr;
  bool current = false;
};

/// Loads the first image that the device takes. Where one is of a wrong form or architecture the next is tried; another
/// failure is one at once. Sets the thread's message, with the JIT's log, and returns 1 where none is taken.
int loadModule(const CudaDevice &device, const char *name, const TraceDeviceModule &images, CUmodule *module);

/// A kernel of a loaded module. Sets the thread's message and returns 1 where there is none of that name.
int findKernel(const CudaDevice &device, CUmodule module, const char *name, CUfunction *function);

/// Waits for the device and unloads the module. Where that is not possible (the process ends, a graph is being
/// captured) it stays loaded: code that may still run is never unloaded.
void unloadModule(const CudaDevice &device, CUmodule module);

/// What trace_rt_launch takes.
struct CudaKernel {
  const CudaDevice *device = nullptr;
  CUfunction function = nullptr;
  const char *name = nullptr;
  const TraceDeviceKernel *launch = nullptr;
};

} // namespace trace_rt

#endif
