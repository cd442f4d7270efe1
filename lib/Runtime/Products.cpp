//===- Products.cpp - Matrix products into planned buffers (stable C ABI) ---===//
//
// The generated `_out` functions cost half of a boxed call and write where we say.
//
//===----------------------------------------------------------------------===//
#include "Device.h"
#include "Support.h"
#include <string>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/inductor/aoti_torch/generated/c_shim_cpu.h>
#include <torch/csrc/stable/c/shim.h>

using namespace trace_rt;

static AtenTensorHandle handle(TraceTensor tensor) { return static_cast<AtenTensorHandle>(tensor); }

// The CPU's functions are called without the dispatcher. A GPU's are in a library that torch may not have.
static AOTITorchError multiply(AtenTensorHandle out, AtenTensorHandle lhs, AtenTensorHandle rhs) {
  return here().kind == TRACE_DEVICE_CUDA ? dispatchMm(out, lhs, rhs) : aoti_torch_cpu_mm_out(out, lhs, rhs);
}
static AOTITorchError multiplyBatch(AtenTensorHandle out, AtenTensorHandle lhs, AtenTensorHandle rhs) {
  return here().kind == TRACE_DEVICE_CUDA ? dispatchBmm(out, lhs, rhs) : aoti_torch_cpu_bmm_out(out, lhs, rhs);
}
static AOTITorchError multiplyAdd(AtenTensorHandle out, AtenTensorHandle bias, AtenTensorHandle lhs,
                                  AtenTensorHandle rhs) {
  return here().kind == TRACE_DEVICE_CUDA ? dispatchAddmm(out, bias, lhs, rhs)
                                          : aoti_torch_cpu_addmm_out(out, bias, lhs, rhs, 1.0, 1.0);
}

/// Runs `call` on a new tensor. It says why it failed, or LibTorch does.
template <typename Call> static int into(const TraceTensorDesc *desc, TraceTensor *out, const char *name, Call &&call) {
  if (trace_rt_empty(desc, out, nullptr))
    return 1;
  trace_rt_set_error("");
  if (call(handle(*out)) == AOTI_TORCH_SUCCESS)
    return 0;
  trace_rt_delete(*out);
  *out = nullptr;
  std::string reason = trace_rt_error();
  return fail(std::string(name) + ": " + (reason.empty() ? lastTorchError() : reason));
}

int trace_rt_mm(TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out) {
  return into(desc, out, "aten.mm", [&](AtenTensorHandle to) { return multiply(to, handle(lhs), handle(rhs)); });
}

int trace_rt_bmm(TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out) {
  return into(desc, out, "aten.bmm", [&](AtenTensorHandle to) { return multiplyBatch(to, handle(lhs), handle(rhs)); });
}

namespace {

/// A tensor of [batch.., rows, columns] seen as slices of [inner batch, rows, columns].
struct Batched {
  TraceTensor tensor = nullptr;
  const int64_t *sizes = nullptr, *strides = nullptr;

  explicit Batched(TraceTensor tensor) : tensor(tensor) {
    int64_t *borrowed = nullptr;
    aoti_torch_get_sizes(handle(tensor), &borrowed);
    sizes = borrowed;
    aoti_torch_get_strides(handle(tensor), &borrowed);
    strides = borrowed;
  }

  /// Batch dimensions d and d + 1 lie in memory as one.
  bool joins(int64_t d) const { return sizes[d] == 1 || strides[d] == strides[d + 1] * sizes[d + 1]; }

  /// The slice at `offset` elements; dimensions from `first` on are the inner batch, of `count` matrices.
  int slice(int64_t rank, int64_t first, int64_t count, int64_t offset, TraceTensor *out) const {
    int64_t shape[] = {count, sizes[rank - 2], sizes[rank - 1]};
    int64_t steps[] = {first < rank - 2 ? strides[rank - 3] : 0, strides[rank - 2], strides[rank - 1]};
    TraceTensorDesc desc = {0, 3, offset, 0, shape, steps};
    return trace_rt_view(tensor, &desc, out);
  }
};

/// Three handles that are deleted at the end.
struct Slices {
  TraceTensor lhs = nullptr, rhs = nullptr, out = nullptr;
  ~Slices() {
    trace_rt_delete(lhs);
    trace_rt_delete(rhs);
    trace_rt_delete(out);
  }
};

} // namespace

static AOTITorchError multiplySlices(const Batched &lhs, const Batched &rhs, const Batched &out, int64_t rank) {
  // The innermost batch dimensions that are one in all three.
  int64_t first = rank - 3;
  while (first > 0 && lhs.joins(first - 1) && rhs.joins(first - 1) && out.joins(first - 1))
    --first;
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < rank - 2; ++d)
    (d < first ? outer : inner) *= out.sizes[d];
  if (inner == 0)
    return AOTI_TORCH_SUCCESS;
  for (int64_t i = 0; i < outer; ++i) {
    int64_t left = 0, right = 0, to = 0, rest = i;
    for (int64_t d = first - 1; d >= 0; --d) {
      int64_t position = rest % out.sizes[d];
      rest /= out.sizes[d];
      left += position * lhs.strides[d];
      right += position * rhs.strides[d];
      to += position * out.strides[d];
    }
    Slices slices;
    if (lhs.slice(rank, first, inner, left, &slices.lhs) || rhs.slice(rank, first, inner, right, &slices.rhs) ||
        out.slice(rank, first, inner, to, &slices.out) ||
        multiplyBatch(handle(slices.out), handle(slices.lhs), handle(slices.rhs)) != AOTI_TORCH_SUCCESS)
      return AOTI_TORCH_FAILURE;
  }
  return AOTI_TORCH_SUCCESS;
}

int trace_rt_matmul(TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out) {
  return into(desc, out, "aten.matmul",
              [&](AtenTensorHandle to) { return multiplySlices(Batched(lhs), Batched(rhs), Batched(to), desc->rank); });
}

int trace_rt_addmm(TraceTensor bias, TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out) {
  return into(desc, out, "aten.addmm",
              [&](AtenTensorHandle to) { return multiplyAdd(to, handle(bias), handle(lhs), handle(rhs)); });
}
