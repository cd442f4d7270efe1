//===- DescribeHost.h - A host function as data ----------------------------===//
#ifndef TRACE_CODEGEN_HOST_DESCRIBEHOST_H
#define TRACE_CODEGEN_HOST_DESCRIBEHOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::trace {

/// What a host function does, for a reader without a compiler: the steps in order, on numbered tensors. `func` is a
/// host function on which trace-assign-layouts has run. Fails, with an error at the op, on an op without a host form.
///
///   {"name": "f_forward", "values": [tensor...], "arguments": [value...], "results": [value...], "roles": [text...],
///    "steps": [step...]}
///
///   tensor  {"dtype": "float32", "shape": [..], "strides": [..]} in elements
///   step    {"op": "constant", "result": v, "data": base64 of its elements in memory order (one for a splat)}
///           {"op": "view", "of": v, "result": v, "offset": n}           as_strided, the offset relative to `of`'s
///           {"op": "fusion", "name": "fused_add", "operands": [v..], "results": [v..], "where": "model.py:12"}
///           {"op": "library", "call": text as trace_rt_call_create takes it, "operands", "results" (null where nobody
///            reads it), "where"}
///           {"op": "check_index", "of": v, "result": v, "size": n, "wrap": bool, "ignore": n or null}
///
/// A value is dead behind the last step that names it or a view of it.
FailureOr<llvm::json::Object> describeHostFunction(func::FuncOp func);

} // namespace mlir::trace

#endif
