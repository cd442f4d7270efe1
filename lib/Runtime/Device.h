//===- Device.h - Where the thread's compiled function runs -----------------===//
#ifndef TRACE_LIB_RUNTIME_DEVICE_H
#define TRACE_LIB_RUNTIME_DEVICE_H

#include "trace/Runtime/Runtime.h"
#include <memory>

namespace trace_rt {

struct CudaDevice;
using CUstream = struct CUstream_st *;

struct Place {
  int32_t kind = TRACE_DEVICE_CPU;
  int index = 0;
  const CudaDevice *device = nullptr; // null for the CPU
  CUstream stream = nullptr;
  int64_t streamId = 0; // PyTorch's number of it
};

/// The calling thread's; the CPU where nothing was entered.
const Place &here();

/// From `enter` on until the end of its life, the thread is on a device: for CUDA, PyTorch's current device is set, and
/// `here().stream` is its current stream.
class DeviceScope {
public:
  DeviceScope();
  ~DeviceScope();
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;
  /// Once. Sets the thread's message and returns 1 where there is no such device or driver.
  int enter(int32_t kind, int index);

private:
  struct Guard;
  std::unique_ptr<Guard> guard;
};

/// PyTorch's; 0 where it has no CUDA.
int currentCudaDevice();

/// `tensor`, dense on the current device, gets the bytes.
int copyFromHost(TraceTensor tensor, const void *bytes, int64_t count);
/// The memory of `tensor` is not used for another before what is on the stream now is done.
void recordStream(TraceTensor tensor, int64_t streamId, int index);

/// trace_rt_check_index by operators of LibTorch, on tensors of any device.
int checkIndexOnDevice(TraceTensor index, int64_t size, bool wrap, bool hasIgnore, int64_t ignore, TraceTensor *out);
/// Products through the dispatcher; 1 and the thread's message on failure.
int dispatchMm(void *out, void *lhs, void *rhs);
int dispatchBmm(void *out, void *lhs, void *rhs);
int dispatchAddmm(void *out, void *bias, void *lhs, void *rhs);

} // namespace trace_rt

#endif
