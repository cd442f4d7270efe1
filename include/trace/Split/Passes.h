//===- Passes.h - Forward and backward from a joint function  ---*- C++ -*-===//
#ifndef TRACE_SPLIT_PASSES_H
#define TRACE_SPLIT_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "trace/IR/TraceDialect.h"

namespace mlir::trace {

#define GEN_PASS_DECL
#include "trace/Split/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Split/Passes.h.inc"

} // namespace mlir::trace

#endif
