//===- TraceOps.h - The ops of the trace dialect ----------------------------===//
#ifndef TRACE_IR_TRACEOPS_H
#define TRACE_IR_TRACEOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "trace/IR/TraceDialect.h"
#include "trace/IR/TraceTraits.h"

#define GET_OP_CLASSES
#include "trace/IR/TraceOps.h.inc"

namespace mlir::trace {

/// The trace.return of a function with one block; null where it ends otherwise.
ReturnOp getReturn(func::FuncOp func);

/// The value of a splat constant as a float or integer attribute; null where `value` is no splat constant.
TypedAttr getSplatValue(Value value);

/// A splat constant of `type` (static shape; float, integer or i1 elements) made from a double.
Value createSplat(OpBuilder &builder, Location loc, RankedTensorType type, double value);

/// Row-major strides, in elements, of a static shape.
SmallVector<int64_t> contiguousStrides(ArrayRef<int64_t> shape);

/// The op may stand in a trace.fusion: elementwise, view, data movement, reduction, indexing read, random or constant.
bool isFusible(Operation *op);

} // namespace mlir::trace

#endif
