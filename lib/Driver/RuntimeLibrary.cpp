//===- RuntimeLibrary.cpp - libtrace_runtime.so, loaded at run time ---------===//
#include "trace/Driver/RuntimeLibrary.h"
#include "trace/Target/JitModule.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace mlir::trace;

static std::mutex mutex;
static RuntimeLibrary library;
static bool loaded = false;

const RuntimeLibrary *mlir::trace::getRuntimeLibrary() {
  std::lock_guard<std::mutex> lock(mutex);
  return loaded ? &library : nullptr;
}

const RuntimeLibrary *mlir::trace::loadRuntimeLibrary(llvm::StringRef path, std::string &error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (loaded)
    return &library;
  std::string file = path.str();
  if (file.empty())
    if (const char *variable = std::getenv("TORCH_TRACE_RUNTIME"))
      file = variable;
  if (file.empty())
    file = "libtrace_runtime.so";
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    error = std::string("cannot load the runtime: ") + dlerror();
    return nullptr;
  }
  auto resolve = [&](const char *name) {
    void *address = dlsym(handle, name);
    if (!address)
      error = file + " has no function " + name;
    return address;
  };
#define TRACE_RT_FUNCTION(name)                                                                                        \
  if (void *address = resolve(#name))                                                                                  \
    registerRuntimeSymbol(#name, address);                                                                             \
  else                                                                                                                 \
    return nullptr;
#include "trace/Runtime/RuntimeFunctions.def"
#define RESOLVE(member, name)                                                                                          \
  if (!(library.member = reinterpret_cast<decltype(library.member)>(resolve(#name))))                                  \
    return nullptr;
  RESOLVE(error, trace_rt_error)
  RESOLVE(contextCreate, trace_rt_context_create)
  RESOLVE(contextFree, trace_rt_context_free)
  RESOLVE(run, trace_rt_run)
  RESOLVE(deleteTensor, trace_rt_delete)
  RESOLVE(empty, trace_rt_empty)
  RESOLVE(copy, trace_rt_copy)
  RESOLVE(data, trace_rt_data)
#undef RESOLVE
  loaded = true;
  return &library;
}
