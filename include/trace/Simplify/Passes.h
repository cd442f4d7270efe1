//===- Passes.h - Simplification --------------------------------------------===//
#ifndef TRACE_SIMPLIFY_PASSES_H
#define TRACE_SIMPLIFY_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::trace {

#define GEN_PASS_DECL
#include "trace/Simplify/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Simplify/Passes.h.inc"

} // namespace mlir::trace

#endif
