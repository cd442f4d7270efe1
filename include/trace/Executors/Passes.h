//===- Passes.h - Claims ----------------------------------------------------===//
#ifndef TRACE_EXECUTORS_PASSES_H
#define TRACE_EXECUTORS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::trace {

#define GEN_PASS_DECL
#include "trace/Executors/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Executors/Passes.h.inc"

} // namespace mlir::trace

#endif
