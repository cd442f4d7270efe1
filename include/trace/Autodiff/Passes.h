//===- Passes.h - Differentiation -------------------------------------------===//
#ifndef TRACE_AUTODIFF_PASSES_H
#define TRACE_AUTODIFF_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::trace {

#define GEN_PASS_DECL
#include "trace/Autodiff/Passes.h.inc"

/// Attaches the gradient rules to the ops of the dialect, in every context made from `registry`.
void registerAutodiffRules(DialectRegistry &registry);

#define GEN_PASS_REGISTRATION
#include "trace/Autodiff/Passes.h.inc"

} // namespace mlir::trace

#endif
