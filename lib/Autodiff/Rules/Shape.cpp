//===- Shape.cpp - Gradient rules of index maps -----------------------------===//
#include "Rules.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

/// Sums over the dimensions that the broadcast added or stretched.
static LogicalResult broadcastRule(BroadcastInDimOp op, Vjp vjp) {
  RankedTensorType from = op.getInput().getType(), to = op.getType();
  SmallVector<int64_t> summed = otherDims(to.getRank(), op.getDims());
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    if (from.getDimSize(i) == 1 && to.getDimSize(dim) != 1)
      summed.push_back(dim);
  llvm::sort(summed);
  vjp.grads[0] = reshape(reduceSum(vjp.g(), summed), from).value;
  return success();
}

static LogicalResult reshapeRule(ReshapeOp op, Vjp vjp) {
  RankedTensorType from = op.getInput().getType();
  auto made = vjp.cotangents[0].getDefiningOp<TransposeOp>();
  // matmul's rule made it by a transposition: keep that outside, where transpose's rule undoes it.
  if (made && isMatrixTransposition(made) && keepsMatrices(from, op.getType()))
    vjp.grads[0] = matrixTransposed(reshape(vjp.expr(made.getInput()), matrixTransposed(from))).value;
  else
    vjp.grads[0] = reshape(vjp.g(), from).value;
  return success();
}

static LogicalResult transposeRule(TransposeOp op, Vjp vjp) {
  SmallVector<int64_t> inverse(op.getPerm().size());
  for (auto [i, p] : llvm::enumerate(op.getPerm()))
    inverse[p] = i;
  // A rule may have made the cotangent by the transposition that is now undone.
  auto made = vjp.cotangents[0].getDefiningOp<TransposeOp>();
  bool undone = made && made.getPerm() == op.getPerm() && made.getInput().getType() == op.getInput().getType();
  vjp.grads[0] = undone ? made.getInput() : build<TransposeOp>(vjp.g(), inverse).value;
  return success();
}

/// The elements that the slice left out get zeros.
static LogicalResult sliceRule(SliceOp op, Vjp vjp) {
  RankedTensorType from = op.getInput().getType(), to = op.getType();
  SmallVector<int64_t> low, high, interior;
  for (int64_t i = 0; i < from.getRank(); ++i) {
    int64_t count = to.getDimSize(i), start = op.getStarts()[i], stride = op.getStrides()[i];
    if (count == 0)
      return success();
    if (from.isDynamicDim(i))
      return op.emitOpError("has no gradient rule for a dynamic dimension");
    low.push_back(start);
    high.push_back(from.getDimSize(i) - (start + (count - 1) * stride + 1));
    interior.push_back(stride - 1);
  }
  E g = vjp.g();
  E zero = constantOf(g, RankedTensorType::get({}, from.getElementType()), 0.0);
  vjp.grads[0] = build<PadOp>(g, zero.value, low, high, interior).value;
  return success();
}

/// The operand gets what stands at its places (zeros where the padding cut it), the padding value the sum of the rest.
static LogicalResult padRule(PadOp op, Vjp vjp) {
  RankedTensorType from = op.getInput().getType(), to = op.getType();
  if (!from.hasStaticShape())
    return op.emitOpError("has no gradient rule for a dynamic shape");
  int64_t rank = from.getRank();
  E g = vjp.g();
  if (vjp.needed[0]) {
    E whole = g;
    SmallVector<int64_t> cutLow(rank), cutHigh(rank), none(rank), starts, limits, strides;
    for (int64_t i = 0; i < rank; ++i) {
      cutLow[i] = std::max<int64_t>(-op.getLow()[i], 0);
      cutHigh[i] = std::max<int64_t>(-op.getHigh()[i], 0);
      int64_t start = std::max<int64_t>(op.getLow()[i], 0), count = from.getDimSize(i),
              stride = op.getInterior()[i] + 1;
      starts.push_back(start);
      limits.push_back(count == 0 ? start : start + (count - 1) * stride + 1);
      strides.push_back(stride);
    }
    if (cutLow != none || cutHigh != none) {
      E zero = constantOf(g, RankedTensorType::get({}, from.getElementType()), 0.0);
      whole = build<PadOp>(g, zero.value, cutLow, cutHigh, none);
    }
    vjp.grads[0] = build<SliceOp>(whole, starts, limits, strides).value;
  }
  if (vjp.needed[1]) {
    Type i1 = vjp.builder.getI1Type();
    E inside = constantOf(g, from.clone(i1), 0.0), padding = constantOf(g, RankedTensorType::get({}, i1), 1.0);
    E isPadding = build<PadOp>(inside, padding.value, op.getLow(), op.getHigh(), op.getInterior());
    vjp.grads[1] = reduceSum(where(isPadding, g, 0.0), allDims(to.getRank())).value;
  }
  return success();
}

/// Each operand gets its piece.
static LogicalResult catRule(CatOp op, Vjp vjp) {
  RankedTensorType to = op.getType();
  if (!to.hasStaticShape())
    return op.emitOpError("has no gradient rule for a dynamic shape");
  int64_t dim = op.getDim(), at = 0;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (vjp.needed[i]) {
      SmallVector<int64_t> starts(to.getRank(), 0), limits(to.getShape()), strides(to.getRank(), 1);
      starts[dim] = at;
      limits[dim] = at + size;
      vjp.grads[i] = build<SliceOp>(vjp.g(), starts, limits, strides).value;
    }
    at += size;
  }
  return success();
}

static LogicalResult reverseRule(ReverseOp op, Vjp vjp) {
  vjp.grads[0] = reverse(vjp.g(), op.getDims()).value;
  return success();
}

void autodiff::addShapeRules(RuleTable &rules) {
  rules.custom<BroadcastInDimOp>(broadcastRule);
  rules.custom<ReshapeOp>(reshapeRule);
  rules.custom<TransposeOp>(transposeRule);
  rules.custom<SliceOp>(sliceRule);
  rules.custom<PadOp>(padRule);
  rules.custom<CatOp>(catRule);
  rules.custom<ReverseOp>(reverseRule);
}
