//===- Products.cpp - Matrix products into planned buffers (stable C ABI) ---===//
//
// The generated `_out` functions cost half of a boxed call and write where we say.
//
//===----------------------------------------------------------------------===//
#include "Support.h"
#include <string>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/inductor/aoti_torch/generated/c_shim_cpu.h>
#include <torch/csrc/stable/c/shim.h>

using namespace trace_rt;

static AtenTensorHandle handle(TraceTensor tensor) { return static_cast<AtenTensorHandle>(tensor); }

template <typename Call> static int into(const TraceTensorDesc *desc, TraceTensor *out, const char *name, Call &&call) {
  if (trace_rt_empty(desc, out, nullptr))
    return 1;
  if (call(handle(*out)) == AOTI_TORCH_SUCCESS)
    return 0;
  trace_rt_delete(*out);
  *out = nullptr;
  return fail(std::string(name) + ": " + lastTorchError());
}

int trace_rt_mm(TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out) {
  return into(desc, out, "aten.mm",
              [&](AtenTensorHandle to) { return aoti_torch_cpu_mm_out(to, handle(lhs), handle(rhs)); });
}

int trace_rt_bmm(TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out) {
  return into(desc, out, "aten.bmm",
              [&](AtenTensorHandle to) { return aoti_torch_cpu_bmm_out(to, handle(lhs), handle(rhs)); });
}

int trace_rt_addmm(TraceTensor bias, TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out) {
  return into(desc, out, "aten.addmm", [&](AtenTensorHandle to) {
    return aoti_torch_cpu_addmm_out(to, handle(bias), handle(lhs), handle(rhs), 1.0, 1.0);
  });
}
