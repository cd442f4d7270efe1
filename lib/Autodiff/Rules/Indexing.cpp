//===- Indexing.cpp - Gradient rules of indexing and sorting ----------------===//
#include "Rules.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

/// Of one index per row, the gradient is a comparison with the position, which fuses (cross entropy's target); in
/// general a scatter_add.
static LogicalResult gatherRule(GatherOp op, Vjp vjp) {
  E x = vjp.expr(op.getInput()), index = vjp.expr(op.getIndex()), g = vjp.g();
  int64_t dim = op.getDim();
  RankedTensorType type = x.type();
  bool onePerRow = type.hasStaticShape() && index.type().hasStaticShape() && index.type().getDimSize(dim) == 1;
  for (int64_t i = 0; onePerRow && i < type.getRank(); ++i)
    onePerRow = i == dim || type.getDimSize(i) == index.type().getDimSize(i);
  if (onePerRow) {
    SmallVector<int64_t> dims = allDims(type.getRank());
    E chosen = eq(iota(g, type, dim), broadcastInDim(index, dims, type.clone(index.type().getElementType())));
    vjp.grads[0] = where(chosen, broadcastInDim(g, dims, type), 0.0).value;
    return success();
  }
  vjp.grads[0] = build<ScatterAddOp>(constantLike(x, 0.0), index.value, g.value, dim).value;
  return success();
}

static LogicalResult takeRule(TakeOp op, Vjp vjp) {
  E zeros = constantLike(vjp.expr(op.getInput()), 0.0);
  vjp.grads[0] = build<IndexAddOp>(zeros, op.getIndex(), vjp.cotangents[0], op.getDim()).value;
  return success();
}

static LogicalResult indexAddRule(IndexAddOp op, Vjp vjp) {
  if (vjp.needed[0])
    vjp.grads[0] = vjp.cotangents[0];
  if (vjp.needed[2])
    vjp.grads[2] = build<TakeOp>(vjp.g(), op.getIndex(), op.getDim()).value;
  return success();
}

static LogicalResult scatterAddRule(ScatterAddOp op, Vjp vjp) {
  if (vjp.needed[0])
    vjp.grads[0] = vjp.cotangents[0];
  if (vjp.needed[2])
    vjp.grads[2] = build<GatherOp>(vjp.g(), op.getIndex(), op.getDim()).value;
  return success();
}

/// What was overwritten gets nothing. Of equal indices every source gets the cotangent, as in eager.
static LogicalResult scatterRule(ScatterOp op, Vjp vjp) {
  if (vjp.needed[0]) {
    E zeros = constantLike(vjp.expr(op.getSource()), 0.0);
    vjp.grads[0] = build<ScatterOp>(vjp.g(), op.getIndex(), zeros.value, op.getDim()).value;
  }
  if (vjp.needed[2])
    vjp.grads[2] = build<GatherOp>(vjp.g(), op.getIndex(), op.getDim()).value;
  return success();
}

static LogicalResult indexRule(IndexOp op, Vjp vjp) {
  E zeros = constantLike(vjp.expr(op.getInput()), 0.0);
  vjp.grads[0] = build<IndexPutOp>(zeros, vjp.cotangents[0], op.getIndices(), op.getDims(), true).value;
  return success();
}

static LogicalResult indexPutRule(IndexPutOp op, Vjp vjp) {
  E g = vjp.g();
  if (vjp.needed[0]) {
    if (op.getAccumulate()) {
      vjp.grads[0] = g.value;
    } else {
      E zeros = constantLike(vjp.expr(op.getSource()), 0.0);
      vjp.grads[0] = build<IndexPutOp>(g, zeros.value, op.getIndices(), op.getDims(), false).value;
    }
  }
  if (vjp.needed[1])
    vjp.grads[1] = vjp.expr(IndexOp::create(vjp.builder, vjp.loc, op.getSource().getType(), g.value, op.getIndices(),
                                            op.getDims()))
                       .value;
  return success();
}

/// The cotangents go back to where the values came from; no place is named twice.
template <typename Op> static LogicalResult sortRule(Op op, Vjp vjp) {
  E x = vjp.expr(op.getInput());
  if (x.type().getRank() == 0) {
    vjp.grads[0] = vjp.cotangents[0];
    return success();
  }
  vjp.grads[0] = build<ScatterOp>(constantLike(x, 0.0), op.getIndices(), vjp.cotangents[0], op.getDim()).value;
  return success();
}

void autodiff::addIndexingRules(RuleTable &rules) {
  rules.custom<GatherOp>(gatherRule);
  rules.custom<TakeOp>(takeRule);
  rules.custom<IndexAddOp>(indexAddRule);
  rules.custom<ScatterAddOp>(scatterAddRule);
  rules.custom<ScatterOp>(scatterRule);
  rules.custom<IndexOp>(indexRule);
  rules.custom<IndexPutOp>(indexPutRule);
  rules.custom<SortOp>(sortRule<SortOp>);
  rules.custom<TopkOp>(sortRule<TopkOp>);
}
