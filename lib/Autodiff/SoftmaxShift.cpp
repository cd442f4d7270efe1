//===- SoftmaxShift.cpp - The maximum that softmax subtracts ----------------===//
//
//   softmax       t = x - m;  e = exp t;  s = sum e;  y = e / s
//   log_softmax   t = x - m;  e = exp t;  s = sum e;  y = t - log s
//
// where m is constant along the reduced dimensions. Both are the same function of x whatever m is, if t and e have no
// other use.
//
//===----------------------------------------------------------------------===//
#include "SoftmaxShift.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

/// `value` and what is only `value` spread or reshaped: the uses that do something else, in `uses`.
static void collectUses(Value value, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : value.getUses()) {
    if (isa<BroadcastInDimOp, ReshapeOp>(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
  }
}

static bool isOperand(OpOperand *use, unsigned number) { return use->getOperandNumber() == number; }

bool autodiff::isSoftmaxShift(Operation *op) {
  auto max = dyn_cast<ReduceMaxOp>(op);
  if (!max)
    return false;
  SmallVector<OpOperand *> uses;
  collectUses(max.getResult(), uses);
  if (uses.size() != 1 || !isa<SubOp>(uses[0]->getOwner()) || !isOperand(uses[0], 1))
    return false;
  auto shifted = cast<SubOp>(uses[0]->getOwner());
  if (shifted.getLhs() != max.getInput())
    return false;

  // t: one exp, and in log_softmax a subtraction of the logarithm of the sum.
  ExpOp exp;
  SubOp logSoftmax;
  for (Operation *user : shifted->getUsers()) {
    if (auto e = dyn_cast<ExpOp>(user); e && !exp)
      exp = e;
    else if (auto sub = dyn_cast<SubOp>(user); sub && !logSoftmax && sub.getLhs() == shifted.getResult())
      logSoftmax = sub;
    else
      return false;
  }
  if (!exp)
    return false;

  // e: one sum over the maximum's dimensions, and in softmax the division by it.
  ReduceSumOp sum;
  DivOp softmax;
  for (Operation *user : exp->getUsers()) {
    if (auto s = dyn_cast<ReduceSumOp>(user); s && !sum && s.getDims() == max.getDims())
      sum = s;
    else if (auto div = dyn_cast<DivOp>(user); div && !softmax && div.getLhs() == exp.getResult())
      softmax = div;
    else
      return false;
  }
  if (!sum || bool(softmax) == bool(logSoftmax))
    return false;

  // s: only what normalises.
  uses.clear();
  collectUses(sum.getResult(), uses);
  if (uses.size() != 1)
    return false;
  if (softmax)
    return uses[0]->getOwner() == softmax && isOperand(uses[0], 1);
  auto log = dyn_cast<LogOp>(uses[0]->getOwner());
  if (!log)
    return false;
  uses.clear();
  collectUses(log.getResult(), uses);
  return uses.size() == 1 && uses[0]->getOwner() == logSoftmax && isOperand(uses[0], 1);
}
