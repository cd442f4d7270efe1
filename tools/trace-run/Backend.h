//===- Backend.h - The ways of running a function ---------------------------===//
#ifndef TRACE_TOOLS_TRACERUN_BACKEND_H
#define TRACE_TOOLS_TRACERUN_BACKEND_H

#include "trace/IR/TraceOps.h"
#include "trace/Interpreter/Interpreter.h"
#include <memory>

namespace mlir::trace {

/// How a function's arguments become its results: by the reference interpreter, or compiled.
class Backend {
public:
  virtual ~Backend() = default;
  /// The results of the function's trace.return. `cotangents` are a joint's, by output number. Fails with a diagnostic.
  virtual FailureOr<SmallVector<Tensor>> run(func::FuncOp func, ArrayRef<Tensor> arguments,
                                             const llvm::DenseMap<int64_t, Tensor> &cotangents) = 0;
  /// The same of a host function of a module at the lowered stage; `declaration` is its signature.
  virtual FailureOr<SmallVector<Tensor>> runLowered(ModuleOp lowered, func::FuncOp declaration,
                                                    ArrayRef<Tensor> arguments) = 0;
};

std::unique_ptr<Backend> createInterpreterBackend(bool f64);

/// Code generation as the product does it, run on LibTorch's runtime: captured functions, joints, and what the split
/// makes of them. `runtimePath` as for loadRuntimeLibrary; null, with `error` set, where the runtime cannot be loaded.
std::unique_ptr<Backend> createCompiledBackend(StringRef runtimePath, bool exactRounding, std::string &error);

} // namespace mlir::trace

#endif
