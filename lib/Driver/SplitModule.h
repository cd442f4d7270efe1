//===- SplitModule.h - What the split stage says of itself ------------------===//
#ifndef TRACE_LIB_DRIVER_SPLITMODULE_H
#define TRACE_LIB_DRIVER_SPLITMODULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "trace/Driver/CompiledGraph.h"
#include "trace/Pipelines/Pipelines.h"

namespace mlir::trace {

/// The module with `function` and the fusions that it calls, directly or not; everything else is left out.
OwningOpRef<ModuleOp> extractFunction(ModuleOp module, func::FuncOp function);

/// Reads the arguments of a backward function from their roles. Fails with an error at the function.
LogicalResult readBackwardArguments(func::FuncOp backward, SmallVectorImpl<BackwardArgument> &arguments);

/// The forward's argument of which each result is the gradient, from the results' roles.
LogicalResult readGradientArguments(func::FuncOp backward, SmallVectorImpl<int64_t> &arguments);

/// Makes of a module with a backward (and its fusions) one for fewer cotangents: those in `absent` are structural
/// zeros, what only they needed is gone, and the rest is fused anew.
LogicalResult dropCotangents(ModuleOp module, ArrayRef<int64_t> absent, const PipelineSettings &settings);

/// Bytes of a static tensor; bool is one byte per element.
int64_t getTensorBytes(Type type);

} // namespace mlir::trace

#endif
