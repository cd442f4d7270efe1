//===- Verify.h - The contracts of the stages ---------------------*- C++ -*-===//
#ifndef TRACE_PIPELINES_VERIFY_H
#define TRACE_PIPELINES_VERIFY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "trace/Pipelines/Stages.h"

namespace mlir::trace {

/// Each emits one error, at the op, with a note at the cause, where the stage's contract (the description of the pass
/// --trace-verify-<stage>) does not hold.
LogicalResult verifyCaptured(func::FuncOp func);
LogicalResult verifyJoint(func::FuncOp func);
LogicalResult verifyScheduled(func::FuncOp func);
LogicalResult verifySplit(ModuleOp module);

/// The contract of a stage on all functions of a module. The lowered stage is verified by the dialects it is in.
LogicalResult verifyStage(ModuleOp module, Stage stage);

} // namespace mlir::trace

#endif
