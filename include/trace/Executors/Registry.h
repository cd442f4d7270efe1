//===- Registry.h - Who may run a bound symbol whole ------------------------===//
//
// An executor is a name, a priority and a function that says whether it takes a given bound symbol, from the symbol's
// name, types, shapes and attributes. Users register their own before they compile:
//
//   ExecutorRegistry::get().add({"mine", /*priority=*/200, [](BsymOp op) { return op.getName() == "mylib.attention";
//   }});
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_EXECUTORS_REGISTRY_H
#define TRACE_EXECUTORS_REGISTRY_H

#include "trace/IR/TraceOps.h"
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace mlir::trace {

namespace attrs {
/// On a trace.bsym: the name of the executor that runs it.
inline constexpr llvm::StringLiteral executor = "trace.executor";
} // namespace attrs

struct Executor {
  std::string name;
  /// Higher ones are asked first; of equals, the one registered first.
  int priority = 0;
  /// Takes the bound symbol whole. Called from several threads if several modules are compiled at once.
  std::function<bool(BsymOp)> claims;
};

/// The executors of the process: `fusion` (priority 100) and `aten` (priority 0), and what users add.
class ExecutorRegistry {
public:
  static ExecutorRegistry &get();

  /// Adds an executor, or replaces the one of that name.
  void add(Executor executor);
  /// All, in the order in which they are asked.
  std::vector<Executor> ordered() const;

private:
  ExecutorRegistry();

  mutable std::mutex mutex;
  std::vector<Executor> executors;
};

} // namespace mlir::trace

#endif
