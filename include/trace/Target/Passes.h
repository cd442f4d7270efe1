//===- Passes.h - From device modules to binaries ---------------------------===//
#ifndef TRACE_TARGET_PASSES_H
#define TRACE_TARGET_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::trace {

#define GEN_PASS_DECL
#include "trace/Target/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Target/Passes.h.inc"

} // namespace mlir::trace

#endif
