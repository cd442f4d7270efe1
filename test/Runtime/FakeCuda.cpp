//===- FakeCuda.cpp - A CUDA driver that computes nothing -------------------===//
//
// libtrace_fake_cuda.so, for tests of the calls that the runtime makes: it has the driver's functions that are used,
// two devices, and memory that is the host's. Every call is a line of its log; any call can be told to fail.
//
// An image is text: "fake", the form that it claims to be ("cubin" or "ptx"), then a line "name parameters" for each
// kernel. Bitcode and PTX are taken too, with any kernel name and without known parameters.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

using CUresult = int;
using CUdeviceptr = unsigned long long;

namespace {

struct Module {
  int number, device;
  bool known; // by an image of our own form
  std::map<std::string, int> kernels;
};
struct Function {
  std::string name;
  int parameters;
};
struct Failure {
  int skip;
  CUresult code;
};

std::mutex mutex;
std::string log_;
std::map<std::string, Failure> failures;
int modules = 0;
thread_local void *currentContext = nullptr;
// A context is the address of one of these.
char contexts[2];

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string contextName(const void *context) {
  return context ? "context" + std::to_string(static_cast<const char *>(context) - contexts) : "null";
}

/// Notes a call; its result, where it is to fail.
CUresult note(const std::string &function, const std::string &arguments) {
  std::lock_guard<std::mutex> lock(mutex);
  log_ += function + "(" + arguments + ")\n";
  auto found = failures.find(function);
  if (found == failures.end() || found->second.skip-- > 0)
    return 0;
  CUresult code = found->second.code;
  failures.erase(found);
  return code;
}

} // namespace

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

EXPORT const char *fake_cuda_log() { return log_.c_str(); }
EXPORT void fake_cuda_reset() {
  std::lock_guard<std::mutex> lock(mutex);
  log_.clear();
  failures.clear();
  modules = 0;
}
/// The call of `function` after `skip` more returns `code`.
EXPORT void fake_cuda_fail(const char *function, int skip, int code) {
  std::lock_guard<std::mutex> lock(mutex);
  failures[function] = {skip, code};
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

EXPORT CUresult cuInit(unsigned flags) { return note("cuInit", std::to_string(flags)); }

EXPORT CUresult cuDeviceGet(int *device, int ordinal) {
  if (CUresult code = note("cuDeviceGet", std::to_string(ordinal)))
    return code;
  *device = ordinal;
  return ordinal < 0 || ordinal > 1 ? 101 : 0;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &contexts[device];
  return note("cuDevicePrimaryCtxRetain", std::to_string(device));
}

EXPORT CUresult cuCtxGetCurrent(void **context) {
  *context = currentContext;
  return 0; // asked at every call, so it is not in the log
}

EXPORT CUresult cuCtxSetCurrent(void *context) {
  if (CUresult code = note("cuCtxSetCurrent", contextName(context)))
    return code;
  currentContext = context;
  return 0;
}

EXPORT CUresult cuCtxSynchronize() { return note("cuCtxSynchronize", ""); }

EXPORT CUresult cuModuleLoadDataEx(Module **module, const void *image, unsigned count, int *options, void **values) {
  const char *text = static_cast<const char *>(image);
  auto loaded = std::string(text, strnlen(text, 4)) == "fake" ? text : "";
  std::istringstream lines(loaded);
  std::string word, form = "code";
  lines >> word >> form;
  std::string arguments = form;
  if (CUresult code = note("cuModuleLoadDataEx", arguments)) {
    // The log of the JIT: option 5 is the buffer, 6 its size.
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "ptxas says no\n");
    return code;
  }
  if (!currentContext)
    return 201;
  std::lock_guard<std::mutex> lock(mutex);
  auto *result =
      new Module{modules++, static_cast<int>(static_cast<char *>(currentContext) - contexts), *loaded != 0, {}};
  int parameters;
  while (lines >> word >> parameters)
    result->kernels[word] = parameters;
  *module = result;
  return 0;
}

EXPORT CUresult cuModuleUnload(Module *module) {
  CUresult code =
      note("cuModuleUnload", "module" + std::to_string(module->number) + " in " + contextName(currentContext));
  if (!code)
    delete module;
  return code;
}

EXPORT CUresult cuModuleGetFunction(Function **function, Module *module, const char *name) {
  if (CUresult code = note("cuModuleGetFunction", "module" + std::to_string(module->number) + ", " + name))
    return code;
  if (module->known && !module->kernels.count(name))
    return 500;
  *function = new Function{name, module->known ? module->kernels[name] : 0};
  return 0;
}

EXPORT CUresult cuLaunchKernel(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                               unsigned blockY, unsigned blockZ, unsigned shared, void *stream, void **parameters,
                               void **extra) {
  std::ostringstream text;
  text << function->name << ", grid " << gridX << " " << gridY << " " << gridZ << ", block " << blockX << " " << blockY
       << " " << blockZ << ", shared " << shared << ", stream " << reinterpret_cast<uintptr_t>(stream) << ", "
       << contextName(currentContext);
  for (int i = 0; i < function->parameters; ++i)
    text << ", " << hex(*static_cast<uint64_t *>(parameters[i]));
  return note("cuLaunchKernel", text.str());
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, void *stream) {
  if (CUresult code = note("cuMemcpyDtoDAsync", hex(to) + ", " + hex(from) + ", " + std::to_string(bytes)))
    return code;
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
  return 0;
}

//===----------------------------------------------------------------------===//
// Streams and graphs
//===----------------------------------------------------------------------===//

EXPORT CUresult cuStreamCreate(void **stream, unsigned flags) {
  static uintptr_t next = 0x100;
  *stream = reinterpret_cast<void *>(next++);
  return note("cuStreamCreate", std::to_string(flags));
}

static std::string number(const void *handle) { return std::to_string(reinterpret_cast<uintptr_t>(handle)); }

EXPORT CUresult cuStreamBeginCapture_v2(void *stream, int mode) {
  return note("cuStreamBeginCapture", number(stream) + ", " + std::to_string(mode));
}

EXPORT CUresult cuStreamEndCapture(void *stream, void **graph) {
  *graph = reinterpret_cast<void *>(7);
  return note("cuStreamEndCapture", number(stream));
}

EXPORT CUresult cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
  *executable = reinterpret_cast<void *>(8);
  return note("cuGraphInstantiate", number(graph));
}

EXPORT CUresult cuGraphDestroy(void *graph) { return note("cuGraphDestroy", number(graph)); }
EXPORT CUresult cuGraphExecDestroy(void *executable) { return note("cuGraphExecDestroy", number(executable)); }

EXPORT CUresult cuGraphLaunch(void *executable, void *stream) {
  return note("cuGraphLaunch", number(executable) + ", " + number(stream));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

EXPORT CUresult cuGetErrorName(CUresult code, const char **name) {
  switch (code) {
  case 101:
    *name = "CUDA_ERROR_INVALID_DEVICE";
    return 0;
  case 209:
    *name = "CUDA_ERROR_NO_BINARY_FOR_GPU";
    return 0;
  case 500:
    *name = "CUDA_ERROR_NOT_FOUND";
    return 0;
  case 701:
    *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
    return 0;
  default:
    return 1;
  }
}

EXPORT CUresult cuGetErrorString(CUresult code, const char **text) {
  *text = "so the test says";
  return 0;
}
