//===- FakeTorchCuda.cpp - A PyTorch with two GPUs that are not there -------===//
//
// libtrace_fake_torch_cuda.so, for tests on machines without a GPU: where it is loaded, with global visibility, before
// torch is imported, and installed afterwards, PyTorch has two CUDA devices whose memory is the host's. It takes the
// places that the runtime and PyTorch's autograd reach a GPU by: the device guard, the caching allocator, the current
// stream, and the kernels of the few operators that tests need. What is asked of guard and allocator is a log.
//
// With the emulated driver, compiled programs on "cuda" tensors run; with the fake driver, calls can be looked at.
//
//===----------------------------------------------------------------------===//
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <atomic>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <torch/library.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int numDevices = 2;
thread_local int currentDevice = 0;
thread_local int64_t currentStreams[numDevices] = {};

std::mutex mutex;
std::string log_;
/// Memory that is given back is not used again: a graph that is being captured will.
std::atomic<bool> holding = false;
/// The driver's handles of streams.
std::map<int64_t, void *> handles;

void note(const std::string &line) {
  std::lock_guard<std::mutex> lock(mutex);
  log_ += line + "\n";
}

//===----------------------------------------------------------------------===//
// Devices and streams
//===----------------------------------------------------------------------===//

class Guard final : public c10::impl::DeviceGuardImplInterface {
public:
  c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
  c10::Device getDevice() const override { return make(currentDevice); }
  c10::Device exchangeDevice(c10::Device device) const override {
    c10::Device previous = getDevice();
    setDevice(device);
    return previous;
  }
  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.index() < numDevices, "there is no device ", device);
    if (device.index() >= 0)
      currentDevice = device.index();
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override { currentDevice = device.index(); }
  c10::Stream getStream(c10::Device device) const override {
    int index = device.index() < 0 ? currentDevice : device.index();
    return c10::Stream(c10::Stream::UNSAFE, make(index), currentStreams[index]);
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::UNSAFE, device, 0);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    c10::Stream previous = getStream(stream.device());
    currentStreams[stream.device_index()] = stream.id();
    return previous;
  }
  c10::DeviceIndex deviceCount() const noexcept override { return numDevices; }
  // Everything is done at once, so there is nothing to wait for.
  void record(void **event, const c10::Stream &, const c10::DeviceIndex, const c10::EventFlag) const override {
    *event = const_cast<Guard *>(this);
  }
  void block(void *, const c10::Stream &) const override {}
  bool queryEvent(void *) const override { return true; }
  void destroyEvent(void *, const c10::DeviceIndex) const noexcept override {}
  bool queryStream(const c10::Stream &) const override { return true; }
  void synchronizeStream(const c10::Stream &) const override {}
  void synchronizeEvent(void *) const override {}
  void synchronizeDevice(const c10::DeviceIndex) const override {}
  void recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const override {
    note("record_stream(device " + std::to_string(data.device().index()) + ", stream " + std::to_string(stream.id()) +
         ")");
  }

private:
  static c10::Device make(int index) {
    return c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
  }
};

/// What autograd's engine asks about devices.
class FakeHooks final : public at::CUDAHooksInterface {
public:
  explicit FakeHooks(at::CUDAHooksArgs) {}
  void init() const override {}
  bool hasCUDA() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return numDevices; }
  c10::DeviceIndex getCurrentDevice() const override { return static_cast<c10::DeviceIndex>(currentDevice); }
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

class FakeAllocator final : public c10::Allocator {
public:
  c10::DataPtr allocate(size_t bytes) override {
    void *data = bytes ? std::aligned_alloc(512, (bytes + 511) / 512 * 512) : nullptr;
    if (bytes)
      note("allocate(" + std::to_string(bytes) + ", device " + std::to_string(currentDevice) + ", stream " +
           std::to_string(currentStreams[currentDevice]) + ")");
    return {data, data, release, c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(currentDevice))};
  }
  c10::DeleterFnPtr raw_deleter() const override { return release; }
  void copy_data(void *to, const void *from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

private:
  static void release(void *data) {
    if (data)
      note("free()");
    if (!holding)
      std::free(data);
  }
};

FakeAllocator allocator;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The same memory as a tensor of the CPU.
at::Tensor onCpu(const at::Tensor &tensor) {
  if (tensor.is_cpu())
    return tensor;
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
}

at::Tensor emptyStrided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                        std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
  c10::DeviceGuard guard(device.value_or(c10::Device(c10::DeviceType::CUDA)));
  return at::detail::empty_strided_generic(size, stride, &allocator, c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                           dtype.value_or(at::kFloat));
}

at::Tensor emptyOf(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                   std::optional<at::Device> device, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  c10::DeviceGuard guard(device.value_or(c10::Device(c10::DeviceType::CUDA)));
  return at::detail::empty_generic(size, &allocator, c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                   dtype.value_or(at::kFloat), format);
}

at::Tensor &copyInto(at::Tensor &self, const at::Tensor &source, bool) {
  onCpu(self).copy_(onCpu(source));
  return self;
}

at::Tensor &fill(at::Tensor &self, const at::Scalar &value) {
  onCpu(self).fill_(value);
  return self;
}

at::Tensor &mmOut(const at::Tensor &lhs, const at::Tensor &rhs, at::Tensor &out) {
  at::Tensor to = onCpu(out);
  at::mm_out(to, onCpu(lhs), onCpu(rhs));
  return out;
}

at::Tensor &bmmOut(const at::Tensor &lhs, const at::Tensor &rhs, at::Tensor &out) {
  at::Tensor to = onCpu(out);
  at::bmm_out(to, onCpu(lhs), onCpu(rhs));
  return out;
}

at::Tensor &addmmOut(const at::Tensor &bias, const at::Tensor &lhs, const at::Tensor &rhs, const at::Scalar &beta,
                     const at::Scalar &alpha, at::Tensor &out) {
  at::Tensor to = onCpu(out);
  at::addmm_out(to, onCpu(bias), onCpu(lhs), onCpu(rhs), beta, alpha);
  return out;
}

at::Scalar localScalar(const at::Tensor &self) { return onCpu(self).item(); }

/// Any other operator: its tensors seen as the CPU's, its results copied.
void onHost(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  size_t count = op.schema().arguments().size();
  std::optional<c10::Device> device;
  for (size_t i = stack->size() - count; i < stack->size(); ++i)
    if (c10::IValue &value = (*stack)[i]; value.isTensor() && value.toTensor().defined()) {
      if (value.toTensor().is_cuda())
        device = value.toTensor().device();
      value = onCpu(value.toTensor());
    }
  op.callBoxed(stack);
  for (size_t i = 0; i < op.schema().returns().size(); ++i) {
    c10::IValue &value = (*stack)[stack->size() - 1 - i];
    if (value.isTensor() && value.toTensor().defined())
      value = value.toTensor().to(*device);
  }
}

} // namespace

// PyTorch asks for them once, when it is imported.
namespace at {
C10_REGISTER_TYPED_CLASS_WITH_PRIORITY(CUDAHooksRegistry, "CUDAHooks", c10::REGISTRY_PREFERRED, FakeHooks)
} // namespace at

static void registerOperators(torch::Library &m) {
  m.impl("empty_strided", emptyStrided);
  m.impl("empty.memory_format", emptyOf);
  m.impl("copy_", copyInto);
  m.impl("fill_.Scalar", fill);
  m.impl("mm.out", mmOut);
  m.impl("bmm.out", bmmOut);
  m.impl("addmm.out", addmmOut);
  m.impl("_local_scalar_dense", localScalar);
  for (const char *name : {"ge.Scalar", "lt.Scalar", "eq.Scalar", "ne.Scalar", "all", "where.self", "add.Tensor",
                           "equal", "embedding_dense_backward"})
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&onHost>());
  m.impl("_foreach_copy_", [](at::TensorList self, at::TensorList sources, bool) {
    for (size_t i = 0; i < self.size(); ++i)
      onCpu(self[i]).copy_(onCpu(sources[i]));
  });
  m.impl("logical_and_", [](at::Tensor &self, const at::Tensor &other) -> at::Tensor & {
    onCpu(self).logical_and_(onCpu(other));
    return self;
  });
  m.impl("logical_or_", [](at::Tensor &self, const at::Tensor &other) -> at::Tensor & {
    onCpu(self).logical_or_(onCpu(other));
    return self;
  });
  m.impl("_assert_async.msg", [](const at::Tensor &self, c10::string_view message) {
    TORCH_CHECK(onCpu(self).item<bool>(), std::string(message));
  });
  m.impl("random_", [](at::Tensor &self, std::optional<at::Generator>) -> at::Tensor & {
    onCpu(self).random_();
    return self;
  });
}

//===----------------------------------------------------------------------===//
// For tests, and for the runtime
//===----------------------------------------------------------------------===//

/// Takes PyTorch's places. The library has to be loaded before torch is imported, and this comes after.
EXPORT void fake_torch_install() {
  static const Guard guard;
  c10::impl::device_guard_impl_registry[static_cast<size_t>(c10::DeviceType::CUDA)].store(&guard);
  c10::SetAllocator(c10::DeviceType::CUDA, &allocator, /*priority=*/255);
  static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  registerOperators(library);
}
EXPORT const char *fake_torch_log() { return log_.c_str(); }
EXPORT void fake_torch_reset() {
  std::lock_guard<std::mutex> lock(mutex);
  log_.clear();
}
EXPORT int fake_torch_device() { return currentDevice; }
EXPORT void fake_torch_set_device(int index) { currentDevice = index; }
EXPORT void fake_torch_set_stream(int index, int64_t stream) { currentStreams[index] = stream; }

EXPORT void fake_torch_hold(int hold) { holding = hold; }
EXPORT void fake_torch_set_handle(int64_t stream, void *handle) { handles[stream] = handle; }

/// The native handle of another stream than the default one is a number that tells device and stream.
EXPORT int32_t aoti_torch_get_current_cuda_stream(int32_t index, void **stream) {
  int64_t id = currentStreams[index];
  auto known = handles.find(id);
  *stream = known != handles.end() ? known->second : reinterpret_cast<void *>(id ? 1000 * (index + 1) + id : 0);
  return 0;
}
