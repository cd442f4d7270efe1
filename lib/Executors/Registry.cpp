//===- Registry.cpp - The executors of the process --------------------------===//
#include "trace/Executors/Registry.h"

using namespace mlir;
using namespace mlir::trace;

/// namespace.operator.overload, no part empty.
static bool isSchemaName(StringRef name) {
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  return parts.size() == 3 && llvm::none_of(parts, [](StringRef part) { return part.empty(); });
}

ExecutorRegistry::ExecutorRegistry() {
  // The code generator works on prims: it wants decompositions, so that they fuse with what stands around them.
  add({"fusion", 100, [](BsymOp) { return false; }});
  add({"aten", 0,
       [](BsymOp op) { return op.getBody().empty() && op.getArgumentsAttr() && isSchemaName(op.getName()); }});
}

ExecutorRegistry &ExecutorRegistry::get() {
  static ExecutorRegistry registry;
  return registry;
}

void ExecutorRegistry::add(Executor executor) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::erase_if(executors, [&](const Executor &other) { return other.name == executor.name; });
  auto at = llvm::find_if(executors, [&](const Executor &other) { return other.priority < executor.priority; });
  executors.insert(at, std::move(executor));
}

std::vector<Executor> ExecutorRegistry::ordered() const {
  std::lock_guard<std::mutex> lock(mutex);
  return executors;
}
