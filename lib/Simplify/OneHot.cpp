//===- OneHot.cpp - Sums over a dimension with one element that counts ------===//
#include "Patterns.h"

using namespace mlir;
using namespace mlir::trace;

namespace {
/// sum over d of where(iota(d) == t, v, 0), t and v not changing along d -> where(0 <= t < size, v + 0.0, 0).
/// Exact: the other terms are zeros, and the sum starts at 0.0, which makes a -0.0 positive.
struct SumOfOneHot : OpRewritePattern<ReduceSumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceSumOp op, PatternRewriter &rewriter) const override {
    auto where = op.getInput().getDefiningOp<WhereOp>();
    if (!where || !where.getType().hasStaticShape() || !isa<FloatType, IntegerType>(where.getType().getElementType()))
      return rewriter.notifyMatchFailure(op, "operand is no where of a static shape");
    if (where.getType().getElementType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "a sum of booleans");
    auto equal = where.getCondition().getDefiningOp<EqOp>();
    if (!equal)
      return rewriter.notifyMatchFailure(op, "condition is no eq");
    if (!isZero(where.getOnFalse()))
      return rewriter.notifyMatchFailure(op, "the other arm is not 0");
    for (bool swapped : {false, true}) {
      auto iota = (swapped ? equal.getRhs() : equal.getLhs()).getDefiningOp<IotaOp>();
      Value target = swapped ? equal.getLhs() : equal.getRhs();
      if (!iota || !iota.getType().getElementType().isSignlessInteger(64))
        continue;
      int64_t dim = iota.getDim();
      if (!llvm::is_contained(op.getDims(), dim) || !withoutDimension(nullptr, target, dim) ||
          !withoutDimension(nullptr, where.getOnTrue(), dim))
        continue;
      rewriteAt(op, where, target, dim, rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no comparison with the iota of a summed dimension");
  }

  static bool isZero(Value value) {
    TypedAttr attr = getSplatValue(value);
    if (auto number = dyn_cast_or_null<FloatAttr>(attr))
      return number.getValue().isZero();
    auto integer = dyn_cast_or_null<IntegerAttr>(attr);
    return integer && integer.getValue().isZero();
  }

  static void rewriteAt(ReduceSumOp op, WhereOp where, Value target, int64_t dim, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    Value t = withoutDimension(&rewriter, target, dim);
    Value v = withoutDimension(&rewriter, where.getOnTrue(), dim);
    auto indexType = cast<RankedTensorType>(t.getType()), type = cast<RankedTensorType>(v.getType());
    int64_t size = where.getType().getDimSize(dim);
    auto i1 = indexType.clone(rewriter.getI1Type());
    Value low = GeOp::create(rewriter, loc, i1, t, createSplat(rewriter, loc, indexType, 0));
    Value high = LtOp::create(rewriter, loc, i1, t, createSplat(rewriter, loc, indexType, static_cast<double>(size)));
    Value inside = BitwiseAndOp::create(rewriter, loc, i1, low, high);
    Value zero = createSplat(rewriter, loc, type, 0);
    // With further dimensions to sum, that sum has its own 0.0.
    if (isa<FloatType>(type.getElementType()) && op.getDims().size() == 1 && !isNeverNegativeZero(v))
      v = AddOp::create(rewriter, loc, type, v, zero);
    Value result = WhereOp::create(rewriter, loc, type, inside, v, zero);
    SmallVector<int64_t> rest;
    for (int64_t other : op.getDims())
      if (other != dim)
        rest.push_back(other < dim ? other : other - 1);
    if (!rest.empty())
      result = ReduceSumOp::create(rewriter, loc, op.getType(), result, rest);
    rewriter.replaceOp(op, result);
  }
};
} // namespace

void mlir::trace::populateOneHotPatterns(RewritePatternSet &patterns) {
  patterns.add<SumOfOneHot>(patterns.getContext());
}
