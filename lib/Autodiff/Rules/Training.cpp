//===- Training.cpp - Gradient rules of the ops that only training has ------===//
//
// The region ops (custom_grad, checkpoint) and stop_gradient are the differentiation pass's own.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

/// The identity; `after` says only when.
static LogicalResult recomputeBarrierRule(RecomputeBarrierOp op, Vjp vjp) {
  if (vjp.needed[0])
    vjp.grads[0] = vjp.cotangents[0];
  return success();
}

void autodiff::addTrainingRules(RuleTable &rules) { rules.custom<RecomputeBarrierOp>(recomputeBarrierRule); }
