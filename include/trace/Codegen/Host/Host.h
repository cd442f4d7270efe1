//===- Host.h - Host functions: what they are and how to run them -----------===//
//
// For the driver. The passes run in the order
//
//   trace-lower-to-library, trace-assign-layouts, trace-lower-fusions-to-cpu, trace-lower-host, trace-lower-to-llvm
//
// on a module with a forward, a backward, or both. A backward that is compiled later, in a module of its own, must
// know the layouts that the forward chose for what it saves: call `copyForwardLayouts` before `trace-assign-layouts`.
//
// Then, with the JIT's addresses (all functions of libtrace_runtime.so that compiled code calls are in
// trace/Runtime/RuntimeFunctions.def; resolve them by dlsym and registerRuntimeSymbol):
//
//   int64_t size;
//   auto *table = lookupAs<void *(int64_t *)>("trace_get_table")(&size);       // TraceTableEntry *
//   void *ctx;
//   trace_rt_context_create(table, size, &ctx);                                // once per loaded module
//   trace_rt_run(lookup("f_forward"), ctx, args, results);                     // 0, or 1 and trace_rt_error()
//   trace_rt_context_free(ctx);                                                // before the code is unloaded
//
// `args` and `results` are arrays of AtenTensorHandles: the host function's arguments and results, in order. Arguments
// stay the caller's; results are new handles.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_HOST_HOST_H
#define TRACE_CODEGEN_HOST_HOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace mlir::trace {

class CallLibraryOp;

/// On ops of a host function: ArrayAttr with the strides (DenseI64ArrayAttr) of each result.
inline constexpr llvm::StringLiteral layoutsAttr = "trace.layouts";

/// Gives the arguments of `backward` (a function made by trace-split, maybe in another module, maybe with fewer
/// cotangents) the strides of what they stand for in `forward`, on which trace-assign-layouts has run: saved results,
/// arguments, outputs; a cotangent gets its output's.
void copyForwardLayouts(func::FuncOp forward, func::FuncOp backward);

/// Where a view's elements lie, relative to the tensor it is a view of.
struct ViewLayout {
  SmallVector<int64_t> strides;
  int64_t offset = 0; // in elements
};

/// The layout of the result of a view op (broadcast_in_dim, reshape, transpose, slice) on an operand with `strides`;
/// nullopt for a reshape that strides cannot express, and for ops that are no views.
std::optional<ViewLayout> getViewLayout(Operation *op, ArrayRef<int64_t> strides);

/// Two strides of `shape` address the same elements: those of dimensions of size 1 and of empty tensors do not count.
bool sameLayout(ArrayRef<int64_t> shape, ArrayRef<int64_t> a, ArrayRef<int64_t> b);

/// `strides` visit each of the shape's elements once and leave no gaps (a permuted contiguous layout).
bool isDense(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides);

/// The text of a library call, as trace_rt_call_create takes it. Fails, with an error at the op, on an argument that
/// has no form there.
FailureOr<std::string> getCallText(CallLibraryOp op);

/// "model.py:12" of the innermost file location; empty where there is none.
std::string describeLocation(Location loc);

} // namespace mlir::trace

#endif
