//===- TraceDialect.h - The trace dialect, its attributes and interfaces ----===//
#ifndef TRACE_IR_TRACEDIALECT_H
#define TRACE_IR_TRACEDIALECT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

#include "trace/IR/TraceDialect.h.inc"
#include "trace/IR/TraceEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "trace/IR/TraceAttributes.h.inc"

#include "trace/IR/TraceInterfaces.h.inc"

namespace mlir::trace {

/// Names of the attributes that functions, arguments and results carry.
namespace attrs {
/// On an argument or result: a RoleAttr.
inline constexpr llvm::StringLiteral role = "trace.role";
/// On an argument (unit): its gradient is wanted.
inline constexpr llvm::StringLiteral requiresGrad = "trace.requires_grad";
/// On an argument or result: DenseI64ArrayAttr of strides in elements; absent where contiguous.
inline constexpr llvm::StringLiteral strides = "trace.strides";
/// On a result (unit): it does not depend on a differentiable input; eager's requires_grad is False.
inline constexpr llvm::StringLiteral nonDifferentiable = "trace.non_differentiable";
/// On a gradient: DenseI64ArrayAttr of the outputs whose cotangents reach the argument, where not all do. With none of
/// them present, eager's gradient is None; with one, it is a tensor, be it of zeros.
inline constexpr llvm::StringLiteral reachedBy = "trace.reached_by";
/// On a backward's argument (i64): the forward's argument, or output, that it is.
inline constexpr llvm::StringLiteral forwardArgument = "trace.forward_argument";
inline constexpr llvm::StringLiteral forwardOutput = "trace.forward_output";
/// On a function (unit): forward and backward together, with get_grads.
inline constexpr llvm::StringLiteral joint = "trace.joint";
/// On a function: a fusion's kernel (unit).
inline constexpr llvm::StringLiteral fusion = "trace.fusion";
/// On a function: "forward" or "backward", after the split; the backward also has trace.forward_symbol.
inline constexpr llvm::StringLiteral side = "trace.side";
/// On a lowered host function, which itself takes pointers only: the function on tensors that it was, as a dictionary
/// of `type` (a FunctionType), `arguments` and `results` (their attributes, a dictionary each), and `side` where it has
/// one.
inline constexpr llvm::StringLiteral signature = "trace.signature";
} // namespace attrs

} // namespace mlir::trace

#endif
