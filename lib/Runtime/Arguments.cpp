//===- Arguments.cpp - Arguments of host functions, and running them (C++) --===//
//
// LibTorch's C++ interface, because the checks run for every argument of every call (a shim call per property would
// cost ten times as much), and because the stable ABI has no guard for dispatching below autograd.
//
//===----------------------------------------------------------------------===//
#include "Context.h"
#include "Device.h"
#include "Guarded.h"
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <sstream>

using namespace trace_rt;

/// Where the arguments have to be.
static c10::Device expectedDevice() {
  const Place &place = here();
  return place.kind == TRACE_DEVICE_CUDA
             ? c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(place.index))
             : c10::Device(c10::DeviceType::CPU);
}

/// The argument is one of the expected element type and shape, wherever it is.
static bool isExpected(const at::Tensor &tensor, const TraceTensorDesc &desc) {
  return tensor.defined() && tensor.layout() == c10::kStrided &&
         static_cast<int32_t>(tensor.scalar_type()) == torchType(desc.element_type) &&
         tensor.sizes() == at::IntArrayRef(desc.sizes, desc.rank);
}

static bool isOn(const at::Tensor &tensor, c10::Device device) {
  return tensor.device().type() == device.type() && (!device.has_index() || tensor.device().index() == device.index());
}

/// Why an argument is not what was expected.
static std::string describeMismatch(const at::Tensor *tensor, const TraceTensorDesc &desc, int64_t position,
                                    c10::Device device) {
  std::ostringstream text;
  text << "argument " << position << " should be a " << elementTypeName(desc.element_type) << " tensor of shape "
       << at::IntArrayRef(desc.sizes, desc.rank) << " on " << device << ", but ";
  if (!tensor || !tensor->defined())
    text << "is missing";
  else if (!isOn(*tensor, device) || tensor->layout() != c10::kStrided)
    text << "is on " << tensor->device() << " with layout " << tensor->layout();
  else
    text << "is a " << tensor->scalar_type() << " tensor of shape " << tensor->sizes();
  if (tensor && tensor->defined() && device.is_cuda() && !isOn(*tensor, device))
    text << "; a compiled function runs on one device, that of its first argument on a GPU, and takes only numbers "
            "(tensors of rank 0) from the CPU";
  return text.str();
}

/// The tensor can be read through its data pointer with the strides of `desc`.
static bool fits(const at::Tensor &tensor, const TraceTensorDesc &desc) {
  const int64_t *strides = tensor.strides().data();
  for (int32_t d = 0; d < desc.rank; ++d)
    if (strides[d] != desc.strides[d] && desc.sizes[d] != 1 && tensor.numel() != 0)
      return false;
  return !tensor.is_neg() && !tensor.is_conj() && !tensor._is_zerotensor();
}

int trace_rt_adapt(const TraceTensor *args, const TraceTensorDesc *const *descs, int64_t count, TraceTensor *adapted) {
  return guardedTorch([&] {
    for (int64_t i = 0; i < count; ++i)
      adapted[i] = nullptr;
    const c10::Device device = expectedDevice();
    for (int64_t i = 0; i < count; ++i) {
      const auto *tensor = static_cast<const at::Tensor *>(args[i]);
      int failed = 0;
      bool there = tensor && tensor->defined() && isOn(*tensor, device);
      // As eager does: a number on the CPU goes with tensors on a GPU.
      bool isNumber = tensor && tensor->defined() && tensor->device().is_cpu() && tensor->dim() == 0;
      if (!tensor || !isExpected(*tensor, *descs[i]) || (!there && !isNumber))
        failed = fail(describeMismatch(tensor, *descs[i], i, device));
      else if (there && fits(*tensor, *descs[i]))
        adapted[i] = args[i];
      else
        failed = trace_rt_copy(args[i], descs[i], &adapted[i]);
      if (failed) {
        trace_rt_free_adapted(args, adapted, i);
        return 1;
      }
    }
    return 0;
  });
}

/// The number of the device of the first argument on a GPU; the current device's where there is none.
static int deviceOf(const TraceTensor *args, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (const auto *tensor = static_cast<const at::Tensor *>(args[i]); tensor && tensor->defined() && tensor->is_cuda())
      return tensor->device().index();
  return currentCudaDevice();
}

int trace_rt_run(TraceHostFunction function, void *context, TraceTensor *args, int64_t num_args, TraceTensor *results) {
  return guardedTorch([&] {
    DeviceScope device;
    // Tests run functions that need no context.
    if (context && getContextDevice(context) != TRACE_DEVICE_CPU) {
      int index = getContextDevice(context) == TRACE_DEVICE_CUDA ? deviceOf(args, num_args) : -1;
      if (!(context = enterContext(context, index, device)))
        return 1;
    }
    PoolScope scope;
    at::NoGradGuard noGrad;
    at::AutoDispatchBelowADInplaceOrView belowAutograd;
    trace_rt_set_error("");
    return static_cast<int>(function(context, args, results));
  });
}
