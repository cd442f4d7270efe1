//===- Execution.cpp - Modules, launches, streams and graphs ----------------===//
#include "State.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SHA256.h"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace mlir::trace;
using namespace mlir::trace::emulated;
using simulator::Kernel;
using simulator::LaunchShape;
using simulator::Program;

static bool readChecks() {
  const char *value = std::getenv("TRACE_EMULATED_CUDA_CHECKS");
  return !value || llvm::StringRef(value) != "0";
}

static uint64_t readSeed() {
  const char *value = std::getenv("TRACE_EMULATED_CUDA_SEED");
  return value ? std::strtoull(value, nullptr, 10) : 0;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Where bitcode ends: its length is not given to cuModuleLoadData, so it is read from the blocks themselves.
static size_t findBitcodeSize(const char *data) {
  auto word = [&](size_t at) {
    uint32_t value;
    std::memcpy(&value, data + at, 4);
    return value;
  };
  // After the magic come top-level blocks: abbreviation ENTER_SUBBLOCK (2 bits wide), block number, width, padding to a
  // word, and the block's length in words. Anything else is padding or not ours.
  size_t at = 4;
  while (true) {
    uint32_t head = word(at);
    if ((head & 3) != 1)
      return at;
    uint32_t number = head >> 2 & 0xff;
    // Identification, module, string table and symbol table; numbers are one variable-width chunk of 8 bits.
    if (number != 13 && number != 8 && number != 23 && number != 25)
      return at;
    at += 8 + 4 * size_t(word(at + 4));
    if (number == 23) // The string table comes last; what is behind it may not be there to be read.
      return at;
  }
}

static CUresult loadModule(CUmodule *module, const void *image) {
  const char *data = static_cast<const char *>(image);
  if (std::memcmp(data, "BC\xC0\xDE", 4) != 0) {
    llvm::StringRef what = std::memcmp(data,
                                       "\x7f"
                                       "ELF",
                                       4) == 0
                               ? "a cubin"
                           : std::memcmp(data, "\x50\xed\x55\xba", 4) == 0 ? "a fat binary"
                                                                           : "PTX, or something else";
    return fail(CUDA_ERROR_INVALID_IMAGE,
                "the image is " + what + "; the emulated driver loads LLVM bitcode of NVPTX modules only");
  }
  llvm::StringRef bitcode(data, findBitcodeSize(data));
  static std::mutex mutex;
  static llvm::StringMap<std::weak_ptr<Program>> cache;
  simulator::Options options;
  options.checks = readChecks();
  auto digest = llvm::SHA256::hash(llvm::ArrayRef<uint8_t>(bitcode.bytes_begin(), bitcode.size()));
  std::string key(digest.begin(), digest.end());
  key += options.checks ? 'c' : 'u';

  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Program> program = cache[key].lock();
  // A module that has globals of its own that kernels change is made anew each time, as a driver does.
  if (!program || program->hasVariables()) {
    llvm::Expected<std::shared_ptr<Program>> loaded = Program::load(bitcode, options);
    if (!loaded)
      return fail(CUDA_ERROR_INVALID_IMAGE, llvm::toString(loaded.takeError()));
    program = *loaded;
    cache[key] = program;
  }
  *module = new CUmod_st{program, {}};
  return CUDA_SUCCESS;
}

TRACE_CUDA cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned, int *, void **) {
  return loadModule(module, image);
}
TRACE_CUDA cuModuleLoadData(CUmodule *module, const void *image) { return loadModule(module, image); }

TRACE_CUDA cuModuleUnload(CUmodule module) {
  for (CUfunction function : module->functions)
    delete function;
  delete module;
  return CUDA_SUCCESS;
}

TRACE_CUDA cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  const Kernel *kernel = module->program->lookupKernel(name);
  if (!kernel)
    return fail(CUDA_ERROR_NOT_FOUND, "the module has no kernel '" + llvm::Twine(name) + "'");
  for (CUfunction known : module->functions)
    if (known->kernel == kernel) {
      *function = known;
      return CUDA_SUCCESS;
    }
  *function = new CUfunc_st{module, kernel, int(simulator::maxStaticSharedBytes - kernel->sharedBytes)};
  module->functions.push_back(*function);
  return CUDA_SUCCESS;
}

TRACE_CUDA cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name) {
  const simulator::Global *global = module->program->lookupGlobal(name);
  if (!global)
    return fail(CUDA_ERROR_NOT_FOUND, "the module has no global '" + llvm::Twine(name) + "'");
  if (pointer)
    *pointer = reinterpret_cast<CUdeviceptr>(global->address);
  if (bytes)
    *bytes = global->size;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name) {
  return cuModuleGetGlobal_v2(pointer, bytes, module, name);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// By the numbers in cuda.h. Registers are not known here.
TRACE_CUDA cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  const Kernel &kernel = *function->kernel;
  switch (attribute) {
  case 0:
    *value = kernel.maxThreads ? kernel.maxThreads : simulator::maxThreadsPerBlock;
    return CUDA_SUCCESS;
  case 1:
    *value = kernel.sharedBytes;
    return CUDA_SUCCESS;
  case 2: // Constant memory, local memory, registers.
  case 3:
  case 7:
    *value = 0;
    return CUDA_SUCCESS;
  case 4:
    *value = 32;
    return CUDA_SUCCESS;
  case 5: // Versions of PTX and of the binary.
  case 6:
    *value = 90;
    return CUDA_SUCCESS;
  case 8:
    *value = function->maxDynamicShared;
    return CUDA_SUCCESS;
  case 9:
    *value = -1;
    return CUDA_SUCCESS;
  default:
    return fail(CUDA_ERROR_INVALID_VALUE, "function attribute " + llvm::Twine(attribute) + " is not emulated");
  }
}

TRACE_CUDA cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  if (attribute == 9) // The preferred carve-out of shared memory: a hint.
    return CUDA_SUCCESS;
  if (attribute != 8)
    return fail(CUDA_ERROR_INVALID_VALUE, "function attribute " + llvm::Twine(attribute) + " cannot be set");
  if (value < 0 || function->kernel->sharedBytes + value > simulator::maxSharedBytes)
    return fail(CUDA_ERROR_INVALID_VALUE, llvm::Twine(value) + " bytes of dynamic shared memory are too many");
  function->maxDynamicShared = value;
  return CUDA_SUCCESS;
}

/// Blocks on one multiprocessor by threads and shared memory; registers are not known.
TRACE_CUDA cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared) {
  if (threads <= 0 || threads > int(simulator::maxThreadsPerBlock))
    return fail(CUDA_ERROR_INVALID_VALUE, "a block of " + llvm::Twine(threads) + " threads");
  uint64_t perBlock = function->kernel->sharedBytes + shared + 1024;
  uint64_t byShared = 233472 / perBlock, byThreads = 2048 / llvm::alignTo(threads, 32);
  *blocks = std::min<uint64_t>({byShared, byThreads, 32});
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// A launch with its own copy of the parameters.
struct Launch {
  std::shared_ptr<Program> program;
  const Kernel *kernel;
  LaunchShape shape;
  std::vector<std::vector<char>> values;

  CUresult run() {
    std::vector<void *> parameters;
    for (std::vector<char> &value : values)
      parameters.push_back(value.data());
    shape.seed = readSeed();
    if (llvm::Error error = simulator::launch(*kernel, shape, parameters.data()))
      return fail(CUDA_ERROR_LAUNCH_FAILED, llvm::toString(std::move(error)));
    return CUDA_SUCCESS;
  }
};
} // namespace

TRACE_CUDA cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                          unsigned blockY, unsigned blockZ, unsigned dynamicShared, CUstream stream, void **parameters,
                          void **extra) {
  if (!function)
    return fail(CUDA_ERROR_INVALID_HANDLE, "cuLaunchKernel without a function");
  const Kernel &kernel = *function->kernel;
  if (extra)
    return fail(CUDA_ERROR_NOT_SUPPORTED, "kernel '" + kernel.name + "': parameters in one buffer are not emulated");
  if (!parameters && !kernel.parameters.empty())
    return fail(CUDA_ERROR_INVALID_VALUE, "kernel '" + kernel.name + "': no parameters are given");
  if (int64_t(dynamicShared) > function->maxDynamicShared)
    return fail(CUDA_ERROR_INVALID_VALUE, "kernel '" + kernel.name + "': " + llvm::Twine(dynamicShared) +
                                              " bytes of dynamic shared memory, allowed are " +
                                              llvm::Twine(function->maxDynamicShared));
  Launch launch{function->module->program, &kernel, {}, {}};
  launch.shape.grid = {gridX, gridY, gridZ};
  launch.shape.block = {blockX, blockY, blockZ};
  launch.shape.dynamicShared = dynamicShared;
  if (llvm::Error error = simulator::checkLaunch(kernel, launch.shape))
    return fail(CUDA_ERROR_INVALID_VALUE, llvm::toString(std::move(error)));
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): checked above, where the kernel has parameters.
    const char *value = static_cast<const char *>(parameters[i]);
    launch.values.emplace_back(value, value + kernel.parameters[i].size);
  }
  return enqueue(stream, [launch]() mutable { return launch.run(); });
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

/// 1 and 2 stand for the default streams.
CUstream_st *mlir::trace::emulated::getStream(CUstream stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2 ? nullptr : stream;
}

CUresult mlir::trace::emulated::enqueue(CUstream stream, std::function<CUresult()> work) {
  CUstream_st *state = getStream(stream);
  if (!state || !state->capture)
    return work();
  state->capture->nodes.push_back(std::move(work));
  return CUDA_SUCCESS;
}

TRACE_CUDA cuStreamCreate(CUstream *stream, unsigned) {
  *stream = new CUstream_st;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int) { return cuStreamCreate(stream, flags); }
TRACE_CUDA cuStreamDestroy_v2(CUstream stream) {
  delete getStream(stream);
  return CUDA_SUCCESS;
}
TRACE_CUDA cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
TRACE_CUDA cuStreamSynchronize(CUstream stream) {
  CUstream_st *state = getStream(stream);
  return state && state->capture ? fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the stream is being captured")
                                 : CUDA_SUCCESS;
}
TRACE_CUDA cuStreamQuery(CUstream) { return CUDA_SUCCESS; }
TRACE_CUDA cuStreamWaitEvent(CUstream, CUevent, unsigned) { return CUDA_SUCCESS; }

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
TRACE_CUDA cuEventCreate(CUevent *event, unsigned) {
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuEventDestroy_v2(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }
TRACE_CUDA cuEventRecord(CUevent event, CUstream stream) {
  return enqueue(stream, [event] {
    event->seconds = now();
    return CUDA_SUCCESS;
  });
}
TRACE_CUDA cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
TRACE_CUDA cuEventQuery(CUevent) { return CUDA_SUCCESS; }
/// The simulator's time, which says nothing of a device's.
TRACE_CUDA cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  if (start->seconds < 0 || end->seconds < 0)
    return fail(CUDA_ERROR_INVALID_HANDLE, "an event has not been recorded");
  *milliseconds = float((end->seconds - start->seconds) * 1e3);
  return CUDA_SUCCESS;
}
TRACE_CUDA cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

//===----------------------------------------------------------------------===//
// Graphs: lists of what a stream was asked to do
//===----------------------------------------------------------------------===//

TRACE_CUDA cuStreamBeginCapture_v2(CUstream stream, int) {
  CUstream_st *state = getStream(stream);
  if (!state)
    return fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the default stream cannot be captured");
  if (state->capture)
    return fail(CUDA_ERROR_INVALID_VALUE, "the stream is being captured already");
  state->capture = new CUgraph_st;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuStreamBeginCapture(CUstream stream, int mode) { return cuStreamBeginCapture_v2(stream, mode); }
TRACE_CUDA cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  CUstream_st *state = getStream(stream);
  if (!state || !state->capture)
    return fail(CUDA_ERROR_INVALID_VALUE, "the stream is not being captured");
  *graph = state->capture;
  state->capture = nullptr;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuStreamIsCapturing(CUstream stream, int *status) {
  CUstream_st *state = getStream(stream);
  *status = state && state->capture ? 1 : 0;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long) {
  *executable = new CUgraphExec_st{graph->nodes};
  return CUDA_SUCCESS;
}
TRACE_CUDA cuGraphInstantiate(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
  return cuGraphInstantiateWithFlags(executable, graph, flags);
}
TRACE_CUDA cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  for (const std::function<CUresult()> &node : executable->nodes)
    if (CUresult result = enqueue(stream, node))
      return result;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}
TRACE_CUDA cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return CUDA_SUCCESS;
}
