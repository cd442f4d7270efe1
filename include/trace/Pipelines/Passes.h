//===- Passes.h - The contracts of the stages                 ---*- C++ -*-===//
#ifndef TRACE_PIPELINES_PASSES_H
#define TRACE_PIPELINES_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "trace/IR/TraceDialect.h"

namespace mlir::trace {

#define GEN_PASS_DECL
#include "trace/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Pipelines/Passes.h.inc"

} // namespace mlir::trace

#endif
