//===- CudaDriver.cpp - The CUDA driver, opened at run time -----------------===//
#include "CudaDriver.h"
#include "Device.h"
#include "Support.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

using namespace trace_rt;

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_NOT_SUPPORTED = 801
};

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

/// libtrace_emulated_cuda.so in the folder of this library.
static std::string emulatedPath() {
  const char *name = "libtrace_emulated_cuda.so";
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&emulatedPath), &info) || !info.dli_fname)
    return name;
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

static bool openDriver(const std::string &path, CudaDriver &driver, std::string &error) {
  // Not global, and bound at once: a driver that lacks something is found out here.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error = std::string("the CUDA driver cannot be loaded: ") + dlerror();
    return false;
  }
#define RESOLVE(name)                                                                                                  \
  if (!(driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name)))) {                               \
    error = path + ", the CUDA driver, has no function " #name;                                                        \
    dlclose(library);                                                                                                  \
    return false;                                                                                                      \
  }
  RESOLVE(cuInit)
  RESOLVE(cuDeviceGet)
  RESOLVE(cuDevicePrimaryCtxRetain)
  RESOLVE(cuCtxGetCurrent)
  RESOLVE(cuCtxSetCurrent)
  RESOLVE(cuCtxSynchronize)
  RESOLVE(cuModuleLoadDataEx)
  RESOLVE(cuModuleUnload)
  RESOLVE(cuModuleGetFunction)
  RESOLVE(cuLaunchKernel)
  RESOLVE(cuMemcpyDtoDAsync_v2)
  RESOLVE(cuGetErrorName)
  RESOLVE(cuGetErrorString)
#undef RESOLVE
#define RESOLVE(name) driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));
  RESOLVE(trace_emulated_cuda_error)
  RESOLVE(trace_emulated_cuda_register)
#undef RESOLVE
  if (CUresult code = driver.cuInit(0)) {
    error = path + ": cuInit: " + driver.describe(code);
    dlclose(library);
    return false;
  }
  return true;
}

const CudaDriver *CudaDriver::get(int32_t device, std::string &error) {
  static std::mutex mutex;
  // Never destroyed: tensors and modules may outlive every static object.
  static auto *drivers = new std::map<std::string, std::unique_ptr<CudaDriver>>;
  const char *variable = std::getenv("TORCH_TRACE_CUDA_DRIVER");
  std::string path = variable && *variable             ? variable
                     : device == TRACE_DEVICE_EMULATED ? emulatedPath()
                                                       : "libcuda.so.1";
  std::lock_guard<std::mutex> lock(mutex);
  auto found = drivers->find(path);
  if (found != drivers->end())
    return found->second.get();
  auto driver = std::make_unique<CudaDriver>();
  if (!openDriver(path, *driver, error))
    return nullptr;
  return ((*drivers)[path] = std::move(driver)).get();
}

std::string CudaDriver::describe(CUresult code) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &text);
  std::string result = (name ? name : "error") + std::string(" (") + std::to_string(code) + ")";
  if (text)
    result += std::string(": ") + text;
  const char *more = trace_emulated_cuda_error ? trace_emulated_cuda_error() : nullptr;
  if (more && *more)
    result += std::string(": ") + more;
  return result;
}

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

const CudaDevice *CudaDevice::get(int32_t kind, int index, std::string &error) {
  const CudaDriver *driver = CudaDriver::get(kind, error);
  if (!driver)
    return nullptr;
  static std::mutex mutex;
  static auto *devices = new std::map<std::pair<const CudaDriver *, std::pair<int32_t, int>>, CudaDevice>;
  std::lock_guard<std::mutex> lock(mutex);
  auto key = std::make_pair(driver, std::make_pair(kind, index));
  if (auto found = devices->find(key); found != devices->end())
    return &found->second;
  CudaDevice device{driver, kind, index, nullptr};
  CUdevice number = 0;
  CUresult code = driver->cuDeviceGet(&number, index);
  const char *what = "cuDeviceGet";
  if (code == CUDA_SUCCESS) {
    what = "cuDevicePrimaryCtxRetain";
    code = driver->cuDevicePrimaryCtxRetain(&device.context, number);
  }
  if (code != CUDA_SUCCESS) {
    error = "device " + std::to_string(index) + ": " + what + ": " + driver->describe(code);
    return nullptr;
  }
  return &(devices->emplace(key, device).first->second);
}

CUresult CudaDevice::makeCurrent() const {
  CUcontext current = nullptr;
  if (driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context)
    return CUDA_SUCCESS;
  return driver->cuCtxSetCurrent(context);
}

ContextScope::ContextScope(const CudaDevice &device) : driver(*device.driver) {
  current = driver.cuCtxGetCurrent(&previous) == CUDA_SUCCESS && device.makeCurrent() == CUDA_SUCCESS;
}

ContextScope::~ContextScope() {
  if (current)
    driver.cuCtxSetCurrent(previous);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The image is not for this device or this driver; another may be.
static bool isRefused(CUresult code) {
  switch (code) {
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
  case CUDA_ERROR_INVALID_SOURCE:
  case CUDA_ERROR_NOT_SUPPORTED:
    return true;
  default:
    return false;
  }
}

int trace_rt::loadModule(const CudaDevice &device, const char *name, const TraceDeviceModule &images,
                         CUmodule *module) {
  constexpr int errorLog = 5, errorLogBytes = 6; // CU_JIT_ERROR_LOG_BUFFER, .._SIZE_BYTES
  std::string failures;
  for (int64_t i = 0; i < images.num_images; ++i) {
    const TraceDeviceImage &image = images.images[i];
    // What ptxas inside the driver says of PTX.
    std::string log(8192, '\0');
    int options[] = {errorLog, errorLogBytes};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
    *module = nullptr;
    CUresult code = device.driver->cuModuleLoadDataEx(module, image.data, 2, options, values);
    if (code == CUDA_SUCCESS)
      return 0;
    failures += std::string(failures.empty() ? "" : "\n") + "  " + image.kind + ": " + device.driver->describe(code);
    log.resize(std::strlen(log.c_str()));
    while (!log.empty() && (log.back() == '\n' || log.back() == ' '))
      log.pop_back();
    if (!log.empty())
      failures += "\n" + log;
    if (!isRefused(code))
      break;
  }
  return fail(std::string("device module ") + name + " cannot be loaded on device " + std::to_string(device.index) +
              (failures.empty() ? ": it has no image" : ":\n" + failures));
}

int trace_rt::findKernel(const CudaDevice &device, CUmodule module, const char *name, CUfunction *function) {
  if (CUresult code = device.driver->cuModuleGetFunction(function, module, name))
    return fail(std::string("kernel ") + name + ": cuModuleGetFunction: " + device.driver->describe(code));
  return 0;
}

void trace_rt::unloadModule(const CudaDevice &device, CUmodule module) {
  ContextScope scope(device);
  if (scope.isCurrent() && device.driver->cuCtxSynchronize() == CUDA_SUCCESS)
    device.driver->cuModuleUnload(module);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

int trace_rt_launch(void *kernel, void **pointers) {
  const auto &entry = *static_cast<CudaKernel *>(kernel);
  const TraceDeviceKernel &launch = *entry.launch;
  // A parameter is given by the address of its value, here of a pointer in the fusion's array.
  constexpr int64_t few = 32;
  void *onStack[few];
  std::unique_ptr<void *[]> onHeap;
  void **parameters = onStack;
  if (launch.num_slots > few) {
    onHeap = std::make_unique<void *[]>(launch.num_slots);
    parameters = onHeap.get();
  }
  for (int64_t i = 0; i < launch.num_slots; ++i)
    parameters[i] = &pointers[launch.slots[i]];
  CUresult code = entry.device->driver->cuLaunchKernel(
      entry.function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
      /*dynamicShared=*/0, here().stream, parameters, /*extra=*/nullptr);
  if (code == CUDA_SUCCESS)
    return 0;
  auto triple = [](const int64_t (&sizes)[3]) {
    return "(" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " + std::to_string(sizes[2]) + ")";
  };
  return fail(std::string("kernel ") + entry.name + " with grid " + triple(launch.grid) + " and block " +
              triple(launch.block) + ": cuLaunchKernel: " + entry.device->driver->describe(code));
}

int trace_rt_align(void **pointers, int64_t count, const int64_t *bytes, void **copies) {
  constexpr uintptr_t alignment = 16;
  for (int64_t i = 0; i < count; ++i) {
    if (bytes[i] < 0 || reinterpret_cast<uintptr_t>(pointers[i]) % alignment == 0)
      continue;
    if (!(copies[i] = trace_rt_buffer(bytes[i])))
      return fail("cannot allocate " + std::to_string(bytes[i]) + " bytes: " + trace_rt_error());
    const CudaDriver &driver = *here().device->driver;
    if (CUresult code =
            driver.cuMemcpyDtoDAsync_v2(reinterpret_cast<CUdeviceptr>(copies[i]),
                                        reinterpret_cast<CUdeviceptr>(pointers[i]), bytes[i], here().stream))
      return fail("cuMemcpyDtoDAsync of " + std::to_string(bytes[i]) + " bytes: " + driver.describe(code));
    pointers[i] = copies[i];
  }
  return 0;
}
