//===- Memory.cpp - Device memory of the emulated driver --------------------===//
#include "State.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cstring>

using namespace mlir::trace;
using namespace mlir::trace::emulated;

static void *toPointer(CUdeviceptr pointer) { return reinterpret_cast<void *>(pointer); }

TRACE_CUDA cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  if (bytes == 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuMemAlloc of no bytes");
  void *allocated = simulator::allocate(bytes);
  *pointer = reinterpret_cast<CUdeviceptr>(allocated);
  return allocated ? CUDA_SUCCESS : fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for " + llvm::Twine(bytes) + " bytes");
}
TRACE_CUDA cuMemFree_v2(CUdeviceptr pointer) {
  if (pointer == 0 || simulator::release(toPointer(pointer)))
    return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE, "cuMemFree of a pointer that cuMemAlloc did not return");
}
TRACE_CUDA cuMemAlloc(CUdeviceptr *pointer, size_t bytes) { return cuMemAlloc_v2(pointer, bytes); }
TRACE_CUDA cuMemFree(CUdeviceptr pointer) { return cuMemFree_v2(pointer); }
TRACE_CUDA cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream) { return cuMemAlloc_v2(pointer, bytes); }
TRACE_CUDA cuMemFreeAsync(CUdeviceptr pointer, CUstream) { return cuMemFree_v2(pointer); }

TRACE_CUDA cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = *total = size_t(8) << 30;
  return CUDA_SUCCESS;
}

/// Whether [pointer, pointer + bytes) stays within the range that it begins in; unknown memory is not judged.
static CUresult checkSpan(CUdeviceptr pointer, size_t bytes, const char *what) {
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (pointer == 0)
    return fail(CUDA_ERROR_INVALID_VALUE, llvm::Twine(what) + ": a null pointer");
  void *start;
  uint64_t size;
  if (!simulator::findRange(toPointer(pointer), &start, &size))
    return CUDA_SUCCESS;
  uint64_t offset = pointer - reinterpret_cast<uintptr_t>(start);
  if (offset + bytes > size)
    return fail(CUDA_ERROR_INVALID_VALUE, llvm::Twine(what) + ": " + llvm::Twine(bytes) + " bytes from byte " +
                                              llvm::Twine(offset) + " of " + llvm::Twine(size));
  return CUDA_SUCCESS;
}

static CUresult copyBytes(CUdeviceptr to, CUdeviceptr from, size_t bytes, const char *what) {
  if (CUresult result = checkSpan(to, bytes, what))
    return result;
  if (CUresult result = checkSpan(from, bytes, what))
    return result;
  simulator::copy(toPointer(to), toPointer(from), bytes);
  return CUDA_SUCCESS;
}

static CUdeviceptr toDevice(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

TRACE_CUDA cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return copyBytes(to, toDevice(from), bytes, "cuMemcpyHtoD");
}
TRACE_CUDA cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return copyBytes(toDevice(to), from, bytes, "cuMemcpyDtoH");
}
TRACE_CUDA cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copyBytes(to, from, bytes, "cuMemcpyDtoD");
}
TRACE_CUDA cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return copyBytes(to, from, bytes, "cuMemcpy"); }

TRACE_CUDA cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return enqueue(stream, [=] { return cuMemcpyHtoD_v2(to, from, bytes); });
}
TRACE_CUDA cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return enqueue(stream, [=] { return cuMemcpyDtoH_v2(to, from, bytes); });
}
TRACE_CUDA cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return enqueue(stream, [=] { return cuMemcpyDtoD_v2(to, from, bytes); });
}
TRACE_CUDA cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return enqueue(stream, [=] { return cuMemcpy(to, from, bytes); });
}
TRACE_CUDA cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) { return cuMemcpyHtoD_v2(to, from, bytes); }
TRACE_CUDA cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) { return cuMemcpyDtoH_v2(to, from, bytes); }
TRACE_CUDA cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return cuMemcpyDtoD_v2(to, from, bytes); }
TRACE_CUDA cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, stream);
}
TRACE_CUDA cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, stream);
}
TRACE_CUDA cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

template <typename T> static CUresult fill(CUdeviceptr pointer, T value, size_t count, const char *what) {
  if (pointer % sizeof(T) != 0)
    return fail(CUDA_ERROR_INVALID_VALUE, llvm::Twine(what) + ": the pointer is misaligned");
  if (CUresult result = checkSpan(pointer, count * sizeof(T), what))
    return result;
  std::fill_n(static_cast<T *>(toPointer(pointer)), count, value);
  simulator::markInitialised(toPointer(pointer), count * sizeof(T));
  return CUDA_SUCCESS;
}
TRACE_CUDA cuMemsetD8_v2(CUdeviceptr pointer, unsigned char value, size_t count) {
  return fill<uint8_t>(pointer, value, count, "cuMemsetD8");
}
TRACE_CUDA cuMemsetD16_v2(CUdeviceptr pointer, unsigned short value, size_t count) {
  return fill<uint16_t>(pointer, value, count, "cuMemsetD16");
}
TRACE_CUDA cuMemsetD32_v2(CUdeviceptr pointer, unsigned value, size_t count) {
  return fill<uint32_t>(pointer, value, count, "cuMemsetD32");
}
TRACE_CUDA cuMemsetD8(CUdeviceptr pointer, unsigned char value, size_t count) {
  return cuMemsetD8_v2(pointer, value, count);
}
TRACE_CUDA cuMemsetD32(CUdeviceptr pointer, unsigned value, size_t count) {
  return cuMemsetD32_v2(pointer, value, count);
}
TRACE_CUDA cuMemsetD8Async(CUdeviceptr pointer, unsigned char value, size_t count, CUstream stream) {
  return enqueue(stream, [=] { return cuMemsetD8_v2(pointer, value, count); });
}
TRACE_CUDA cuMemsetD32Async(CUdeviceptr pointer, unsigned value, size_t count, CUstream stream) {
  return enqueue(stream, [=] { return cuMemsetD32_v2(pointer, value, count); });
}

//===----------------------------------------------------------------------===//
// Memory of somebody else's. Not of CUDA's interface.
//===----------------------------------------------------------------------===//

#define TRACE_EXPORT extern "C" __attribute__((visibility("default")))

/// Kernels may use these bytes and, through pointers into them, no others.
TRACE_EXPORT void trace_emulated_cuda_register(void *pointer, size_t bytes) {
  simulator::registerRange(pointer, bytes);
}
/// The range that was registered from `pointer` is no more; null: no range is.
TRACE_EXPORT void trace_emulated_cuda_unregister(void *pointer) {
  if (pointer)
    simulator::forgetRange(pointer);
  else
    simulator::forgetAllRanges();
}
/// Nobody is to read these bytes before a kernel or a copy has written them.
TRACE_EXPORT void trace_emulated_cuda_mark_uninitialised(void *pointer, size_t bytes) {
  simulator::markUninitialised(pointer, bytes);
}
