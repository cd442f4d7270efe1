//===- Tensors.cpp - New tensors, views, copies (stable C ABI) --------------===//
#include "Device.h"
#include "Support.h"
#include <array>
#include <cstring>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/c/shim.h>

using namespace trace_rt;

static AtenTensorHandle handle(TraceTensor tensor) { return static_cast<AtenTensorHandle>(tensor); }
static AtenTensorHandle *handle(TraceTensor *tensor) { return reinterpret_cast<AtenTensorHandle *>(tensor); }

// In torch 2.13 and later; weak, so that the library loads without.
extern "C" __attribute__((weak)) const char *torch_exception_get_what_without_backtrace();

std::string trace_rt::lastTorchError() {
  return torch_exception_get_what_without_backtrace ? torch_exception_get_what_without_backtrace()
                                                    : "the operator failed";
}

int32_t trace_rt::torchType(int32_t type) {
  // Getters, because the numbers are not part of the ABI.
  static const std::array<int32_t, TRACE_NUM_ELEMENT_TYPES> types = {
      aoti_torch_dtype_bool(),      aoti_torch_dtype_uint8(),         aoti_torch_dtype_int8(),
      aoti_torch_dtype_int16(),     aoti_torch_dtype_int32(),         aoti_torch_dtype_int64(),
      aoti_torch_dtype_float16(),   aoti_torch_dtype_bfloat16(),      aoti_torch_dtype_float32(),
      aoti_torch_dtype_float64(),   aoti_torch_dtype_float8_e4m3fn(), aoti_torch_dtype_float8_e5m2(),
      aoti_torch_dtype_complex64(), aoti_torch_dtype_complex128()};
  return types[type];
}

const char *trace_rt::elementTypeName(int32_t type) {
  static const std::array<const char *, TRACE_NUM_ELEMENT_TYPES> names = {
      "bool",     "uint8",   "int8",    "int16",         "int32",       "int64",     "float16",
      "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "complex64", "complex128"};
  return names[type];
}

int trace_rt_empty(const TraceTensorDesc *desc, TraceTensor *out, void **data) {
  static const int32_t cpu = aoti_torch_device_type_cpu(), cuda = aoti_torch_device_type_cuda();
  const Place &place = here();
  bool onCuda = place.kind == TRACE_DEVICE_CUDA;
  PoolScope scope;
  if (aoti_torch_empty_strided(desc->rank, desc->sizes, desc->strides, torchType(desc->element_type),
                               onCuda ? cuda : cpu, onCuda ? place.index : 0, handle(out)))
    return fail("cannot allocate " + std::to_string(desc->bytes) + " bytes: " + lastTorchError());
  if (data)
    *data = trace_rt_data(*out);
  return 0;
}

int trace_rt_view(TraceTensor base, const TraceTensorDesc *desc, TraceTensor *out) {
  if (aoti_torch__reinterpret_tensor(handle(base), desc->rank, desc->sizes, desc->strides, desc->offset, handle(out)))
    return fail("cannot make a view: " + lastTorchError());
  return 0;
}

int trace_rt_copy(TraceTensor source, const TraceTensorDesc *desc, TraceTensor *out) {
  if (trace_rt_empty(desc, out, nullptr))
    return 1;
  if (aoti_torch_copy_(handle(*out), handle(source), 0)) {
    trace_rt_delete(*out);
    *out = nullptr;
    return fail("cannot copy a tensor: " + lastTorchError());
  }
  return 0;
}

int trace_rt_new_handle(TraceTensor tensor, TraceTensor *out) {
  if (aoti_torch_new_tensor_handle(handle(tensor), handle(out)))
    return fail("cannot make a handle: " + lastTorchError());
  return 0;
}

void trace_rt_delete(TraceTensor tensor) {
  if (tensor)
    aoti_torch_delete_tensor_object(handle(tensor));
}

void *trace_rt_data(TraceTensor tensor) {
  void *data = nullptr;
  aoti_torch_get_data_ptr(handle(tensor), &data);
  return data;
}

void *trace_rt_frame(void *memory, int64_t bytes) { return std::memset(memory, 0, bytes); }

void trace_rt_unwind(TraceTensor *handles, int64_t num_handles, void **buffers, int64_t num_buffers) {
  for (int64_t i = 0; i < num_handles; ++i) {
    trace_rt_delete(handles[i]);
    handles[i] = nullptr;
  }
  trace_rt_buffers_free(buffers, num_buffers);
}

void trace_rt_free_adapted(const TraceTensor *args, TraceTensor *adapted, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (adapted[i] != args[i])
      trace_rt_delete(adapted[i]);
    adapted[i] = nullptr;
  }
}

/// Calls visit(offset in elements) for every element of a layout, in row-major order.
template <typename Visit>
static void forEachOffset(int64_t rank, const int64_t *sizes, const int64_t *strides, int64_t offset, Visit &&visit) {
  if (rank == 0) {
    visit(offset);
    return;
  }
  for (int64_t i = 0; i < sizes[0]; ++i) {
    if (rank == 1)
      visit(offset + i * strides[0]);
    else
      forEachOffset(rank - 1, sizes + 1, strides + 1, offset + i * strides[0], visit);
  }
}

int trace_rt_check_index(TraceTensor index, int64_t size, int32_t wrap, int32_t has_ignore, int64_t ignore,
                         const TraceTensorDesc *desc, TraceTensor *out) {
  if (here().kind == TRACE_DEVICE_CUDA)
    return checkIndexOnDevice(index, size, wrap, has_ignore, ignore, out);
  int64_t rank = 0, *sizes = nullptr, *strides = nullptr;
  if (aoti_torch_get_dim(handle(index), &rank) || aoti_torch_get_sizes(handle(index), &sizes) ||
      aoti_torch_get_strides(handle(index), &strides))
    return fail("check_index: not a tensor");
  auto *data = static_cast<const int64_t *>(trace_rt_data(index));
  const int64_t low = wrap ? -size : 0;
  bool wrong = false;
  int64_t culprit = 0;
  forEachOffset(rank, sizes, strides, 0, [&](int64_t at) {
    int64_t value = data[at];
    if (!wrong && (value < low || value >= size) && !(has_ignore && value == ignore)) {
      wrong = true;
      culprit = value;
    }
  });
  if (wrong)
    return fail("index " + std::to_string(culprit) + " is out of bounds for dimension 0 with size " +
                std::to_string(size));
  if (!out)
    return 0;
  void *to = nullptr;
  if (trace_rt_empty(desc, out, &to))
    return 1;
  auto *write = static_cast<int64_t *>(to);
  forEachOffset(rank, sizes, strides, 0, [&](int64_t at) {
    int64_t value = data[at];
    *write++ = value < 0 && !(has_ignore && value == ignore) ? value + size : value;
  });
  return 0;
}
