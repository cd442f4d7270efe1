//===- RuntimeLibrary.h - libtrace_runtime.so, loaded at run time -----------===//
//
// The compiler does not link LibTorch: whoever wants to run code loads the runtime from a path. Loading also tells the
// JIT the addresses of the functions that compiled code calls.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_DRIVER_RUNTIMELIBRARY_H
#define TRACE_DRIVER_RUNTIMELIBRARY_H

#include "trace/Runtime/Runtime.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::trace {

/// The functions of the runtime that the driver itself calls, not only compiled code.
struct RuntimeLibrary {
  decltype(&::trace_rt_error) error;
  decltype(&::trace_rt_context_create) contextCreate;
  decltype(&::trace_rt_context_free) contextFree;
  decltype(&::trace_rt_run) run;
  decltype(&::trace_rt_delete) deleteTensor;
  decltype(&::trace_rt_empty) empty;
  decltype(&::trace_rt_copy) copy;
  decltype(&::trace_rt_data) data;
};

/// Loads the library (the first call of a process; later ones return what was loaded) with local symbol visibility, so
/// that its symbols and ours never meet those of other users of LLVM in the process. An empty path means
/// TORCH_TRACE_RUNTIME from the environment, then libtrace_runtime.so by the loader's rules. Returns null and sets
/// `error` where it cannot be loaded or lacks a function. Thread safe.
const RuntimeLibrary *loadRuntimeLibrary(llvm::StringRef path, std::string &error);

/// The loaded library, or null.
const RuntimeLibrary *getRuntimeLibrary();

} // namespace mlir::trace

#endif
