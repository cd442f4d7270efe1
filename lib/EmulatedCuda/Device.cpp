//===- Device.cpp - The emulated device, its contexts and errors ------------===//
#include "State.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <cstring>
#include <dlfcn.h>

using namespace mlir::trace::emulated;

static thread_local std::string lastError;
static thread_local std::vector<CUcontext> contexts;
static bool initialised = false;
static char primaryContext;

CUresult mlir::trace::emulated::fail(CUresult code, const llvm::Twine &why) {
  lastError = why.str();
  return code;
}

/// What the last failed call of this thread has to say, in one line; empty: none failed yet.
extern "C" __attribute__((visibility("default"))) const char *trace_emulated_cuda_error() { return lastError.c_str(); }

static CUresult checkDevice(CUdevice device) {
  if (!initialised)
    return fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called");
  if (device != 0)
    return fail(CUDA_ERROR_INVALID_DEVICE, "there is one emulated device, number 0");
  return CUDA_SUCCESS;
}

TRACE_CUDA cuInit(unsigned flags) {
  if (flags != 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuInit: flags must be 0");
  initialised = true;
  return CUDA_SUCCESS;
}

TRACE_CUDA cuDriverGetVersion(int *version) {
  *version = 12040;
  return CUDA_SUCCESS;
}

TRACE_CUDA cuDeviceGet(CUdevice *device, int ordinal) {
  *device = 0;
  return checkDevice(ordinal);
}

TRACE_CUDA cuDeviceGetCount(int *count) {
  *count = 1;
  return checkDevice(0);
}

TRACE_CUDA cuDeviceGetName(char *name, int length, CUdevice device) {
  if (CUresult result = checkDevice(device))
    return result;
  if (length > 0) {
    std::strncpy(name, "torch-trace emulated device", length - 1);
    name[length - 1] = '\0';
  }
  return CUDA_SUCCESS;
}

TRACE_CUDA cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  std::memset(uuid->bytes, 0, sizeof(uuid->bytes));
  return checkDevice(device);
}
TRACE_CUDA cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) { return cuDeviceGetUuid(uuid, device); }

TRACE_CUDA cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  *bytes = size_t(8) << 30;
  return checkDevice(device);
}

/// The attributes by their numbers in cuda.h, as of a device of compute capability 9.0.
TRACE_CUDA cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  using namespace mlir::trace::simulator;
  if (CUresult result = checkDevice(device))
    return result;
  static const std::pair<int, int> attributes[] = {{1, maxThreadsPerBlock},
                                                   {2, 1024},
                                                   {3, 1024},
                                                   {4, 64},
                                                   {5, 0x7fffffff},
                                                   {6, 65535},
                                                   {7, 65535},
                                                   {8, 48 * 1024},
                                                   {9, 64 * 1024},
                                                   {10, 32},
                                                   {11, 0x7fffffff},
                                                   {12, 65536},
                                                   {13, 1755000},
                                                   {14, 512},
                                                   {15, 1},
                                                   {16, 132},
                                                   {17, 0},
                                                   {18, 0},
                                                   {19, 1},
                                                   {20, 0},
                                                   {31, 1},
                                                   {32, 0},
                                                   {33, 0},
                                                   {34, 0},
                                                   {35, 0},
                                                   {36, 2619000},
                                                   {37, 5120},
                                                   {38, 50 << 20},
                                                   {39, 2048},
                                                   {40, 3},
                                                   {41, 1},
                                                   {75, 9},
                                                   {76, 0},
                                                   {78, 1},
                                                   {79, 1},
                                                   {80, 1},
                                                   {81, 233472},
                                                   {82, 65536},
                                                   {83, 0},
                                                   {84, 0},
                                                   {88, 0},
                                                   {89, 1},
                                                   {95, 1},
                                                   {97, int(maxSharedBytes)},
                                                   {106, 32},
                                                   {111, 1024},
                                                   {115, 0}};
  for (auto [key, number] : attributes)
    if (key == attribute) {
      *value = number;
      return CUDA_SUCCESS;
    }
  return fail(CUDA_ERROR_INVALID_VALUE, "device attribute " + llvm::Twine(attribute) + " is not emulated");
}

//===----------------------------------------------------------------------===//
// Contexts: the primary one only
//===----------------------------------------------------------------------===//

TRACE_CUDA cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = reinterpret_cast<CUcontext>(&primaryContext);
  return checkDevice(device);
}
TRACE_CUDA cuDevicePrimaryCtxRelease_v2(CUdevice device) { return checkDevice(device); }
TRACE_CUDA cuDevicePrimaryCtxRelease(CUdevice device) { return checkDevice(device); }
TRACE_CUDA cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  *flags = 0;
  *active = 1;
  return checkDevice(device);
}

TRACE_CUDA cuCtxSetCurrent(CUcontext context) {
  if (!contexts.empty())
    contexts.pop_back();
  if (context)
    contexts.push_back(context);
  return CUDA_SUCCESS;
}
TRACE_CUDA cuCtxGetCurrent(CUcontext *context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return CUDA_SUCCESS;
}
TRACE_CUDA cuCtxPushCurrent_v2(CUcontext context) {
  contexts.push_back(context);
  return CUDA_SUCCESS;
}
TRACE_CUDA cuCtxPopCurrent_v2(CUcontext *context) {
  if (contexts.empty())
    return fail(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
  if (context)
    *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}
TRACE_CUDA cuCtxPushCurrent(CUcontext context) { return cuCtxPushCurrent_v2(context); }
TRACE_CUDA cuCtxPopCurrent(CUcontext *context) { return cuCtxPopCurrent_v2(context); }
TRACE_CUDA cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return checkDevice(0);
}
TRACE_CUDA cuCtxSynchronize() { return CUDA_SUCCESS; }

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

struct ErrorText {
  CUresult code;
  const char *name, *text;
};
static const ErrorText errorTexts[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"}};

static CUresult lookupError(CUresult code, const char **result, const char *ErrorText::*field) {
  for (const ErrorText &entry : errorTexts)
    if (entry.code == code) {
      *result = entry.*field;
      return CUDA_SUCCESS;
    }
  *result = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
TRACE_CUDA cuGetErrorName(CUresult code, const char **name) { return lookupError(code, name, &ErrorText::name); }
TRACE_CUDA cuGetErrorString(CUresult code, const char **text) { return lookupError(code, text, &ErrorText::text); }

/// A function by cuda.h's name without a version, or with one.
void *mlir::trace::emulated::lookupFunction(llvm::StringRef name) {
  // This library's own symbols: the process may also have the real driver's.
  static void *self = [] {
    Dl_info info;
    dladdr(reinterpret_cast<void *>(&lookupFunction), &info);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL);
  }();
  if (!self)
    return nullptr;
  for (llvm::StringRef suffix : {"_v2", ""})
    if (void *address = dlsym(self, (name + suffix).str().c_str()))
      return address;
  return nullptr;
}

TRACE_CUDA cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
  *function = lookupFunction(symbol);
  if (status)
    *status = *function ? 0 : 1;
  return *function ? CUDA_SUCCESS : fail(CUDA_ERROR_NOT_FOUND, llvm::Twine(symbol) + " is not emulated");
}
TRACE_CUDA cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
