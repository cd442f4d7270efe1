//===- Runtime.h - What compiled code calls ---------------------------------===//
//
// The C interface of libtrace_runtime.so, the only part of torch-trace that is built against LibTorch. Compiled host
// functions, the driver and the Python module call it; nothing here needs a torch header.
//
// Tensors are AtenTensorHandles of LibTorch's stable C ABI, so they go to and from Python without conversion. Buffers,
// views, copies, matrix products and threads use that stable ABI. Two things it cannot do are done with LibTorch's C++
// interface, each in a file of its own: boxed calls of any operator (lib/Runtime/Dispatcher.cpp; the stable ABI's
// torch_call_dispatcher converts neither Scalar arguments nor their lists, and looks the operator up by name at each
// call), and letting LibTorch's own allocations come from the pool (lib/Runtime/Allocator.cpp).
//
// Errors: a function that returns an int gives 0, or 1 after having set the calling thread's message
// (trace_rt_error). No C++ exception leaves the library.
//
// Devices: a context is made for the CPU, for a CUDA device, or for the emulated device, whose memory is the CPU's.
// While trace_rt_run runs one of its functions, tensors and buffers of the calling thread are made there, and kernels
// are launched on PyTorch's current stream of the device.
//
// Threads: everything may be called from several threads at once; one context may be used by several threads.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_RUNTIME_RUNTIME_H
#define TRACE_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACE_RT_EXPORT __attribute__((visibility("default")))

/// An AtenTensorHandle.
typedef void *TraceTensor;

/// Element types, numbered by us. bool is one byte, 0 or 1.
enum TraceElementType {
  TRACE_BOOL = 0,
  TRACE_UINT8 = 1,
  TRACE_INT8 = 2,
  TRACE_INT16 = 3,
  TRACE_INT32 = 4,
  TRACE_INT64 = 5,
  TRACE_FLOAT16 = 6,
  TRACE_BFLOAT16 = 7,
  TRACE_FLOAT32 = 8,
  TRACE_FLOAT64 = 9,
  TRACE_FLOAT8_E4M3FN = 10,
  TRACE_FLOAT8_E5M2 = 11,
  TRACE_COMPLEX64 = 12,
  TRACE_COMPLEX128 = 13,
  TRACE_NUM_ELEMENT_TYPES = 14
};

/// What a context is made for.
enum TraceDevice {
  TRACE_DEVICE_CPU = 0,
  TRACE_DEVICE_CUDA = 1,
  /// Kernels run in libtrace_emulated_cuda.so, on CPU tensors.
  TRACE_DEVICE_EMULATED = 2
};

/// The type and layout of a tensor. Compiled code holds them as constants.
typedef struct TraceTensorDesc {
  int32_t element_type; // TraceElementType
  int32_t rank;
  int64_t offset;         // in elements, from the first element of the tensor it is a view of; 0 otherwise
  int64_t bytes;          // from the first to the last element
  const int64_t *sizes;   // rank of them
  const int64_t *strides; // in elements
} TraceTensorDesc;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The message of this thread's last failure; never null. Valid until the thread's next failure.
TRACE_RT_EXPORT const char *trace_rt_error(void);
/// Sets the message, for callers that fail on their own.
TRACE_RT_EXPORT void trace_rt_set_error(const char *message);
/// Puts "where: " in front of the message; compiled code names the operation and the user's source line so.
TRACE_RT_EXPORT void trace_rt_error_at(const char *where);

//===----------------------------------------------------------------------===//
// Buffers, and the pool that the CPU's come from
//===----------------------------------------------------------------------===//

typedef struct TracePoolStats {
  int64_t allocated; // bytes in buffers that are in use
  int64_t reserved;  // bytes that the pool has from the system, in use or kept for reuse
  int64_t peak;      // greatest `allocated` since the last reset
  int64_t cap;       // most bytes kept for reuse; negative: no limit but the pool's own
  int64_t requests;  // buffers asked for
  int64_t hits;      // of these, served from kept buffers
} TracePoolStats;

/// A buffer of at least `bytes` bytes, 64-byte aligned; null when memory is exhausted. Zero bytes give a buffer too.
/// For a CUDA device it comes from PyTorch's caching allocator, and belongs to the current stream: what is launched
/// there after it was given back may use it at once, another stream's kernels may not.
TRACE_RT_EXPORT void *trace_rt_buffer(int64_t bytes);
/// Gives it back; null is allowed.
TRACE_RT_EXPORT void trace_rt_buffer_free(void *buffer);
/// Scratch memory of the CPU's kernels: the pool.
TRACE_RT_EXPORT void *trace_rt_scratch(int64_t bytes);
TRACE_RT_EXPORT void trace_rt_scratch_free(void *buffer);
TRACE_RT_EXPORT void trace_rt_pool_stats(TracePoolStats *stats);
/// Sets `peak` to `allocated`.
TRACE_RT_EXPORT void trace_rt_pool_reset_peak(void);
/// Returns all kept buffers to the system.
TRACE_RT_EXPORT void trace_rt_pool_empty(void);
/// Limits the bytes kept for reuse (negative: no limit).
TRACE_RT_EXPORT void trace_rt_pool_set_cap(int64_t bytes);

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

typedef void (*TraceKernel)(void **args, int64_t lo, int64_t hi, int64_t tid);

/// Runs kernel(args, lo, hi, tid) over [0, extent) in ranges of at least `grain`, on ATen's threads
/// (torch.set_num_threads counts). Directly in the caller where extent <= grain, with one thread, or inside another
/// parallel region.
TRACE_RT_EXPORT void trace_rt_parallel_for(TraceKernel kernel, void **args, int64_t extent, int64_t grain);
TRACE_RT_EXPORT int64_t trace_rt_num_threads(void);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A new tensor on a pool buffer, uninitialised. `data`, where not null, receives its data pointer.
TRACE_RT_EXPORT int trace_rt_empty(const TraceTensorDesc *desc, TraceTensor *out, void **data);
/// A view of `base` with the shape, strides and offset of `desc`.
TRACE_RT_EXPORT int trace_rt_view(TraceTensor base, const TraceTensorDesc *desc, TraceTensor *out);
/// A new tensor of desc's layout with the elements of `source` (of the same shape).
TRACE_RT_EXPORT int trace_rt_copy(TraceTensor source, const TraceTensorDesc *desc, TraceTensor *out);
/// Another handle to the same tensor.
TRACE_RT_EXPORT int trace_rt_new_handle(TraceTensor tensor, TraceTensor *out);
/// Deletes a handle; null is allowed.
TRACE_RT_EXPORT void trace_rt_delete(TraceTensor tensor);
/// The address of the first element (storage offset included).
TRACE_RT_EXPORT void *trace_rt_data(TraceTensor tensor);
/// Zeroes a function's frame and returns its address.
TRACE_RT_EXPORT void *trace_rt_frame(void *memory, int64_t bytes);
/// Frees what a failing function still holds: `handles` and `buffers` may have null entries, which stay.
TRACE_RT_EXPORT void trace_rt_unwind(TraceTensor *handles, int64_t num_handles, void **buffers, int64_t num_buffers);

/// Makes arguments fit: for each of `count` arguments, `adapted[i]` becomes `args[i]` itself where it has the element
/// type, shape and strides of `descs[i]` (strides of dimensions of size 1 do not count), or a new tensor of that layout
/// where only strides differ (or where the argument is lazily negated, conjugated or zero; or where it is a number on
/// the CPU, a tensor of rank 0, and the function runs on a CUDA device). Fails, naming the argument, where element
/// type, shape or device differ. On failure nothing is held.
TRACE_RT_EXPORT int trace_rt_adapt(const TraceTensor *args, const TraceTensorDesc *const *descs, int64_t count,
                                   TraceTensor *adapted);
/// Deletes those of `adapted` that are not the argument itself.
TRACE_RT_EXPORT void trace_rt_free_adapted(const TraceTensor *args, TraceTensor *adapted, int64_t count);

/// Fails unless every element of the int64 tensor is in [0, size), with `wrap` in [-size, size), or equal to `ignore`
/// where `has_ignore`. The message is eager's: "index 12 is out of bounds for dimension 0 with size 10".
/// `out`, where not null, receives a new contiguous tensor with `size` added to negative elements. On a CUDA device the
/// check is made there, as eager makes it: a failure is the device's, and is reported by a later call.
TRACE_RT_EXPORT int trace_rt_check_index(TraceTensor index, int64_t size, int32_t wrap, int32_t has_ignore,
                                         int64_t ignore, const TraceTensorDesc *desc, TraceTensor *out);

//===----------------------------------------------------------------------===//
// Library operators
//===----------------------------------------------------------------------===//

/// Matrix products into a new tensor of desc's layout; operands of any strides.
TRACE_RT_EXPORT int trace_rt_mm(TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out);
TRACE_RT_EXPORT int trace_rt_bmm(TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out);
/// Any number of batch dimensions, the same for both operands (aten.matmul without broadcasting). Operands whose batch
/// dimensions do not lie in memory as one are not copied: one trace_rt_bmm per slice of the outer ones.
TRACE_RT_EXPORT int trace_rt_matmul(TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc, TraceTensor *out);
/// bias + lhs * rhs.
TRACE_RT_EXPORT int trace_rt_addmm(TraceTensor bias, TraceTensor lhs, TraceTensor rhs, const TraceTensorDesc *desc,
                                   TraceTensor *out);

/// A call of any operator, prepared from a text so that nothing is looked up by name when it runs.
///
/// The text is `namespace::name|overload|arguments`, the arguments in the schema's order, each one of
///   T<i>     the i-th tensor handed to trace_rt_call        N        None
///   I<n>     an integer                                     D<x>     a float (decimal or C hexadecimal; inf, -inf,
///   nan) B0, B1   a bool                                         [ .. ]   a list of these S<n>:..  a string of n
///   bytes: a string, or the name of a dtype ("torch.float32"), a layout ("torch.strided"), a memory
///            format ("torch.contiguous_format") or a device ("cpu"), as the schema's type asks
/// separated by blanks. Missing trailing arguments take the schema's defaults. In a context for a CUDA device, every
/// device, and none where no tensor says it, is that one.
TRACE_RT_EXPORT int trace_rt_call_create(const char *text, void **call);
TRACE_RT_EXPORT void trace_rt_call_free(void *call);
/// Runs a prepared call. `results` has one entry per tensor that the operator returns (lists of tensors are flattened,
/// other results left out) and gets new handles. `descs`, where not null, says what is expected of each: null for a
/// result that is not wanted (it gets a null handle); otherwise another element type or shape, or an undefined tensor,
/// is an error, and other strides are copied into the wanted ones. Without `descs` an undefined tensor is a null
/// handle.
TRACE_RT_EXPORT int trace_rt_call(void *call, const TraceTensor *operands, const TraceTensorDesc *const *descs,
                                  int64_t num_results, TraceTensor *results);

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

/// The code of a fusion's kernels in one form, and all of them; the first that a device takes is loaded.
typedef struct TraceDeviceImage {
  const char *kind; // "cubin", "ptx" or "bitcode", for messages
  const void *data; // followed by a zero byte
  int64_t bytes;
} TraceDeviceImage;
typedef struct TraceDeviceModule {
  int64_t num_images;
  const TraceDeviceImage *images;
} TraceDeviceModule;

/// A kernel of a module. Its parameters are pointers: slots[i] is the place of parameter i in the fusion's array.
typedef struct TraceDeviceKernel {
  int64_t module; // number of the module's entry, which comes before this one
  int64_t grid[3];
  int64_t block[3];
  int64_t num_slots;
  const int64_t *slots;
} TraceDeviceKernel;

/// A compiled module has a function `trace_get_table` that gives an array of these. Compiled functions take the context
/// made from it, an array with what was prepared for each entry.
typedef struct TraceTableEntry {
  int64_t kind;                // 0: a library call, 1: a constant, 2: a device module, 3: a kernel
  const char *text;            // of a call; a name
  const TraceTensorDesc *desc; // of a constant
  const void *data;            // desc->bytes bytes; a TraceDeviceModule; a TraceDeviceKernel
} TraceTableEntry;

/// Prepares a table for a device (TraceDevice) and its number; 0 for the CPU. The entries must live as long as the
/// context. One of a CUDA device prepares itself for others when it runs there.
TRACE_RT_EXPORT int trace_rt_context_create(const TraceTableEntry *entries, int64_t count, int32_t device,
                                            int32_t index, void **context);
/// Kernels that still run keep what they use: constants go back when the streams that used them are done, and modules
/// are unloaded after the device has been waited for.
TRACE_RT_EXPORT void trace_rt_context_free(void *context);

/// A compiled host function. `args` stay the caller's; `results` get new handles.
typedef int32_t (*TraceHostFunction)(void *context, TraceTensor *args, TraceTensor *results);

/// Runs a host function as compiled code must run: below autograd, with LibTorch's own allocations coming from the
/// pool; for a CUDA device, with the device of the arguments as the current one, on its current stream. On failure
/// returns 1, with no handle left behind.
TRACE_RT_EXPORT int trace_rt_run(TraceHostFunction function, void *context, TraceTensor *args, int64_t num_args,
                                 TraceTensor *results);

//===----------------------------------------------------------------------===//
// Kernels of a GPU
//===----------------------------------------------------------------------===//

/// Replaces those of `count` pointers that are not 16-byte aligned by the addresses of copies, of bytes[i] bytes; they
/// are left alone where bytes[i] is negative. copies[i], null before, receives the buffer.
TRACE_RT_EXPORT int trace_rt_align(void **pointers, int64_t count, const int64_t *bytes, void **copies);
/// Launches a kernel (the context's slot of its entry) on the pointers of its fusion.
TRACE_RT_EXPORT int trace_rt_launch(void *kernel, void **pointers);
/// Gives buffers back and makes them null; null entries are allowed.
TRACE_RT_EXPORT void trace_rt_buffers_free(void **buffers, int64_t count);

/// Until the end, functions of the emulated device that this thread runs launch on `stream`, which is being captured,
/// and the buffers that they give back are kept: the graph uses them at each launch. PyTorch does the same for CUDA.
TRACE_RT_EXPORT void trace_rt_emulated_capture_begin(void *stream);
TRACE_RT_EXPORT void trace_rt_emulated_capture_end(void **memory);
TRACE_RT_EXPORT void trace_rt_emulated_capture_free(void *memory);

#ifdef __cplusplus
} // extern "C"
#endif

#endif
