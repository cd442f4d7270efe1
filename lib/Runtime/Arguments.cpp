//===- Arguments.cpp - Arguments of host functions, and running them (C++) --===//
//
// LibTorch's C++ interface, because the checks run for every argument of every call (a shim call per property would
// cost ten times as much), and because the stable ABI has no guard for dispatching below autograd.
//
//===----------------------------------------------------------------------===//
#include "Support.h"
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <sstream>

using namespace trace_rt;

/// The argument is one of the expected element type and shape, whose memory we may read.
static bool isExpected(const at::Tensor &tensor, const TraceTensorDesc &desc) {
  return tensor.defined() && tensor.device().type() == c10::DeviceType::CPU && tensor.layout() == c10::kStrided &&
         static_cast<int32_t>(tensor.scalar_type()) == torchType(desc.element_type) &&
         tensor.sizes() == at::IntArrayRef(desc.sizes, desc.rank);
}

/// Why it is not.
static std::string describeMismatch(const at::Tensor *tensor, const TraceTensorDesc &desc, int64_t position) {
  std::ostringstream text;
  text << "argument " << position << " should be a " << elementTypeName(desc.element_type) << " tensor of shape "
       << at::IntArrayRef(desc.sizes, desc.rank) << " on cpu, but ";
  if (!tensor || !tensor->defined())
    text << "is missing";
  else if (tensor->device().type() != c10::DeviceType::CPU || tensor->layout() != c10::kStrided)
    text << "is on " << tensor->device() << " with layout " << tensor->layout();
  else
    text << "is a " << tensor->scalar_type() << " tensor of shape " << tensor->sizes();
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
  return guarded([&] {
    for (int64_t i = 0; i < count; ++i)
      adapted[i] = nullptr;
    for (int64_t i = 0; i < count; ++i) {
      const auto *tensor = static_cast<const at::Tensor *>(args[i]);
      int failed = 0;
      if (!tensor || !isExpected(*tensor, *descs[i]))
        failed = fail(describeMismatch(tensor, *descs[i], i));
      else if (fits(*tensor, *descs[i]))
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

int trace_rt_run(TraceHostFunction function, void *context, TraceTensor *args, TraceTensor *results) {
  return guarded([&] {
    PoolScope scope;
    at::NoGradGuard noGrad;
    at::AutoDispatchBelowADInplaceOrView belowAutograd;
    trace_rt_set_error("");
    return static_cast<int>(function(context, args, results));
  });
}
