//===- HostModule.h - A lowered module in memory ----------------------------===//
#ifndef TRACE_DRIVER_HOSTMODULE_H
#define TRACE_DRIVER_HOSTMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "trace/Driver/RuntimeLibrary.h"
#include "trace/Target/JitModule.h"
#include <memory>
#include <string>

namespace mlir::trace {

/// What the kernels of a module are for: a TraceDevice and its number.
struct HostDevice {
  int32_t kind = TRACE_DEVICE_CPU;
  int32_t index = 0;
};

/// Machine code of a lowered module with the runtime context it was loaded with. The runtime must have been loaded.
class HostModule {
public:
  /// Compiles `lowered` (host functions and kernels in the LLVM dialect). Failure is a diagnostic at the module.
  static FailureOr<std::unique_ptr<HostModule>> create(ModuleOp lowered, const JitOptions &options,
                                                       const HostDevice &device = {});
  ~HostModule();

  /// Runs a host function on arrays of AtenTensorHandles: `arguments` stay the caller's, `results` are new references.
  /// On failure no result is set and `error` says why.
  LogicalResult run(StringRef function, MutableArrayRef<void *> arguments, void **results, std::string &error);

private:
  HostModule() = default;
  std::unique_ptr<JitModule> jit;
  const RuntimeLibrary *runtime = nullptr;
  void *context = nullptr;
};

} // namespace mlir::trace

#endif
