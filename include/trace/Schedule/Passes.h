//===- Passes.h - Grouping, rematerialisation, fusion, releases ---*- C++ -*-===//
#ifndef TRACE_SCHEDULE_PASSES_H
#define TRACE_SCHEDULE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "trace/IR/TraceDialect.h"

namespace mlir::trace {

#define GEN_PASS_DECL
#include "trace/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Schedule/Passes.h.inc"

} // namespace mlir::trace

#endif
