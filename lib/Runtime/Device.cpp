//===- Device.cpp - Where the thread's compiled function runs (C++) ---------===//
//
// LibTorch's C++ interface, as the stable ABI of a CPU-only LibTorch knows of no device guards. Nothing here is linked
// with CUDA: guards and the allocator are reached through c10's registries, which PyTorch's CUDA library fills, and the
// native handle of a stream through a stable function of that library, where it is loaded.
//
//===----------------------------------------------------------------------===//
#include "Device.h"
#include "CudaDriver.h"
#include "Guarded.h"
#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

using namespace trace_rt;

static thread_local const Place *current = nullptr;

const Place &trace_rt::here() {
  static const Place cpu;
  return current ? *current : cpu;
}

//===----------------------------------------------------------------------===//
// Captures of the emulated device
//===----------------------------------------------------------------------===//

namespace {
struct EmulatedCapture {
  CUstream stream;
  std::vector<void *> buffers;
};
} // namespace

static thread_local std::unique_ptr<EmulatedCapture> emulatedCapture;

void trace_rt_emulated_capture_begin(void *stream) {
  emulatedCapture.reset(new EmulatedCapture{static_cast<CUstream>(stream), {}});
}

void trace_rt_emulated_capture_end(void **memory) { *memory = emulatedCapture.release(); }

void trace_rt_emulated_capture_free(void *memory) {
  std::unique_ptr<EmulatedCapture> capture(static_cast<EmulatedCapture *>(memory));
  if (capture)
    for (void *buffer : capture->buffers)
      poolFree(buffer);
}

//===----------------------------------------------------------------------===//
// PyTorch's device and stream
//===----------------------------------------------------------------------===//

static c10::Device cudaDevice(int index) {
  return c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
}

int trace_rt::currentCudaDevice() {
  if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA))
    return 0;
  return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).getDevice().index();
}

/// aoti_torch_get_current_cuda_stream of libtorch_cuda.so, which lies beside libtorch_cpu.so and is loaded with local
/// visibility by Python's import of torch; null where torch has no CUDA.
using GetStream = AOTITorchError (*)(int32_t, void **);
static GetStream findGetStream() {
  const char *name = "aoti_torch_get_current_cuda_stream";
  if (void *symbol = dlsym(RTLD_DEFAULT, name))
    return reinterpret_cast<GetStream>(symbol);
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&aoti_torch_empty_strided), &info) || !info.dli_fname)
    return nullptr;
  std::string path = info.dli_fname;
  path = path.substr(0, path.rfind('/') + 1) + "libtorch_cuda.so";
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  return library ? reinterpret_cast<GetStream>(dlsym(library, name)) : nullptr;
}

struct DeviceScope::Guard {
  Place place;
  const Place *previous = current;
  c10::OptionalDeviceGuard device;

  ~Guard() { current = previous; }
};

DeviceScope::DeviceScope() = default;
DeviceScope::~DeviceScope() = default;

int DeviceScope::enter(int32_t kind, int index) {
  auto entered = std::make_unique<Guard>();
  if (kind == TRACE_DEVICE_CUDA) {
    static const GetStream getStream = findGetStream();
    if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA) || !getStream)
      return fail("the function is for CUDA devices, and this PyTorch has no CUDA");
    entered->device.reset_device(cudaDevice(index));
    entered->place.streamId = c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).getStream(cudaDevice(index)).id();
    void *stream = nullptr;
    if (getStream(index, &stream) != AOTI_TORCH_SUCCESS)
      return fail("cuda:" + std::to_string(index) + " has no current stream: " + lastTorchError());
    entered->place.stream = static_cast<CUstream>(stream);
  }
  if (kind == TRACE_DEVICE_EMULATED && emulatedCapture)
    entered->place.stream = emulatedCapture->stream;
  entered->place.kind = kind;
  entered->place.index = index;
  std::string error;
  const CudaDevice *device = CudaDevice::get(kind, index, error);
  if (!device)
    return fail(error);
  entered->place.device = device;
  // A thread that has run nothing yet, as autograd's, has no context.
  if (CUresult code = device->makeCurrent())
    return fail("device " + std::to_string(index) + ": cuCtxSetCurrent: " + device->driver->describe(code));
  guard = std::move(entered);
  current = &guard->place;
  return 0;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *trace_rt_buffer(int64_t bytes) {
  if (here().kind != TRACE_DEVICE_CUDA)
    return poolAllocate(bytes);
  void *buffer = nullptr;
  // The caching allocator gives no address for nothing.
  guardedTorch([&] {
    buffer = c10::GetAllocator(c10::DeviceType::CUDA)->raw_allocate(std::max<int64_t>(bytes, 1));
    return 0;
  });
  return buffer;
}

void trace_rt_buffer_free(void *buffer) {
  if (here().kind == TRACE_DEVICE_EMULATED && emulatedCapture && buffer)
    emulatedCapture->buffers.push_back(buffer);
  else if (here().kind != TRACE_DEVICE_CUDA)
    poolFree(buffer);
  else if (buffer)
    guardedTorch([&] {
      c10::GetAllocator(c10::DeviceType::CUDA)->raw_deallocate(buffer);
      return 0;
    });
}

void trace_rt_buffers_free(void **buffers, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    trace_rt_buffer_free(buffers[i]);
    buffers[i] = nullptr;
  }
}

int trace_rt::copyFromHost(TraceTensor tensor, const void *bytes, int64_t count) {
  // Only the bytes count: they are seen as one dense vector, as the layout may have any strides.
  return guardedTorch([&] {
    at::Tensor to = *static_cast<at::Tensor *>(tensor);
    int64_t elements = count / static_cast<int64_t>(to.element_size());
    at::Tensor from = at::from_blob(const_cast<void *>(bytes), {elements}, to.options().device(at::kCPU));
    to.as_strided({elements}, {1}).copy_(from);
    return 0;
  });
}

void trace_rt::recordStream(TraceTensor tensor, int64_t streamId, int index) {
  guardedTorch([&] {
    auto &storage = static_cast<at::Tensor *>(tensor)->storage();
    c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA)
        .recordDataPtrOnStream(storage.data_ptr(), c10::Stream(c10::Stream::UNSAFE, cudaDevice(index), streamId));
    return 0;
  });
}

//===----------------------------------------------------------------------===//
// Operators, where the CPU has functions of its own
//===----------------------------------------------------------------------===//

static at::Tensor &tensorOf(void *handle) { return *static_cast<at::Tensor *>(handle); }

int trace_rt::dispatchMm(void *out, void *lhs, void *rhs) {
  return guardedTorch([&] {
    at::_ops::mm_out::call(tensorOf(lhs), tensorOf(rhs), tensorOf(out));
    return 0;
  });
}

int trace_rt::dispatchBmm(void *out, void *lhs, void *rhs) {
  return guardedTorch([&] {
    at::_ops::bmm_out::call(tensorOf(lhs), tensorOf(rhs), tensorOf(out));
    return 0;
  });
}

int trace_rt::dispatchAddmm(void *out, void *bias, void *lhs, void *rhs) {
  return guardedTorch([&] {
    at::_ops::addmm_out::call(tensorOf(bias), tensorOf(lhs), tensorOf(rhs), 1, 1, tensorOf(out));
    return 0;
  });
}

int trace_rt::checkIndexOnDevice(TraceTensor handle, int64_t size, bool wrap, bool hasIgnore, int64_t ignore,
                                 TraceTensor *out) {
  return guardedTorch([&] {
    const at::Tensor &index = tensorOf(handle);
    at::Tensor allowed = (index >= (wrap ? -size : int64_t(0))).logical_and_(index < size);
    if (hasIgnore)
      allowed.logical_or_(index == ignore);
    // On a GPU nobody waits for the answer. Eager's kernels stop the device in the same way.
    at::_ops::_assert_async_msg::call(allowed.all(),
                                      "index is out of bounds for dimension with size " + std::to_string(size));
    if (!out)
      return 0;
    at::Tensor negative = index < 0;
    if (hasIgnore)
      negative.logical_and_(index != ignore);
    // An index of any strides; the result is dense.
    at::Tensor result = at::empty(index.sizes(), index.options().memory_format(at::MemoryFormat::Contiguous));
    result.copy_(at::where(negative, index + size, index));
    *out = new at::Tensor(std::move(result));
    return 0;
  });
}
