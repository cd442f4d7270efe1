//===- Barrier.h - Forward, get_grads, backward -------------------*- C++ -*-===//
//
// What grouping, rematerialisation, fusion, split and the stage verifiers ask about the barrier of a joint function.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_SCHEDULE_BARRIER_H
#define TRACE_SCHEDULE_BARRIER_H

#include "trace/IR/TraceOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::trace {

namespace attrs {
/// On a backward function: the forward's symbol.
inline constexpr llvm::StringLiteral forwardSymbol = "trace.forward_symbol";
/// On a backward function (DenseI64ArrayAttr): the outputs whose cotangents it does without.
inline constexpr llvm::StringLiteral absentCotangents = "trace.absent_cotangents";
} // namespace attrs

/// The get_grads of a function whose get_grads stand together.
struct Barrier {
  SmallVector<GetGradOp> getGrads;

  bool exists() const { return !getGrads.empty(); }
  /// `op` stands at the function's top level, before the first get_grad. Without a barrier all is forward.
  bool isForward(Operation *op) const { return getGrads.empty() || op->isBeforeInBlock(getGrads.front()); }
  /// `op` stands at the function's top level, after the last get_grad.
  bool isBackward(Operation *op) const { return !getGrads.empty() && getGrads.back()->isBeforeInBlock(op); }
};

/// The barrier of `func`, which has one block. Where a get_grad is apart from the others this is an error at the first
/// op between them, with a note at the get_grad that came too late.
FailureOr<Barrier> findBarrier(func::FuncOp func);

/// The ops of `func`'s top level that depend on a get_grad (which do themselves).
DenseSet<Operation *> dependentOnGetGrads(func::FuncOp func);

/// A function that the schedule's passes work on: it has a body of one block that ends in trace.return, is neither an
/// outlined fusion nor a private gradient rule.
bool isHostFunction(func::FuncOp func);

/// The value of which `value` is a view, through any number of views.
Value getViewBase(Value value);

/// Bytes of a tensor with a static shape (a row of bits is a row of bytes); 0 where a size is not known.
int64_t getByteSize(Type type);

} // namespace mlir::trace

#endif
