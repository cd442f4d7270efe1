//===- RepeatedSum.cpp - Sums of repeated values, sums with 0.0 -------------===//
#include "Patterns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::trace;

namespace {
/// sum over dimensions that a broadcast repeats -> a multiple of the operand. In any order of summing, the partial sums
/// of 2^k equal floats include ones that may round, but their pairwise sum, 2^k x, is exact: the better result.
struct SumOfBroadcast : OpRewritePattern<ReduceSumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceSumOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getInput().getDefiningOp<BroadcastInDimOp>();
    if (!broadcast || !broadcast.getType().hasStaticShape() || !op.getType().hasStaticShape())
      return rewriter.notifyMatchFailure(op, "operand is no static broadcast");
    Type element = op.getType().getElementType();
    if (!isa<FloatType, IntegerType>(element) || element.isInteger(1))
      return rewriter.notifyMatchFailure(op, "not a sum of numbers");
    Value value = broadcast.getResult();
    int64_t count = 1;
    SmallVector<int64_t> rest;
    // From the last dimension on, so that the numbers of those before stay.
    for (int64_t dim : llvm::reverse(op.getDims())) {
      if (withoutDimension(nullptr, broadcast, dim))
        count *= broadcast.getType().getDimSize(dim);
      else
        rest.push_back(dim);
    }
    if (rest.size() == op.getDims().size())
      return rewriter.notifyMatchFailure(op, "no summed dimension is repeated");
    if (auto type = dyn_cast<FloatType>(element)) {
      if (!llvm::isPowerOf2_64(count) ||
          llvm::Log2_64(count) > static_cast<unsigned>(APFloat::semanticsMaxExponent(type.getFloatSemantics())))
        return rewriter.notifyMatchFailure(op, "the number of repetitions is no power of two of the type");
      // A sum that is rounded to a subnormal first has lost digits that the multiple would have.
      if (!rest.empty() && type.getWidth() < 32)
        return rewriter.notifyMatchFailure(op, "would round before it multiplies");
    }
    SmallVector<int64_t> dims(op.getDims()), kept;
    int64_t removed = 0;
    for (int64_t dim : dims) {
      if (llvm::is_contained(rest, dim)) {
        kept.push_back(dim - removed);
        continue;
      }
      value = withoutDimension(&rewriter, value, dim - removed);
      ++removed;
    }
    Location loc = op.getLoc();
    if (!kept.empty()) // sums first, as the order of the ops that are left says
      value = ReduceSumOp::create(rewriter, loc, value, kept);
    value = MulOp::create(rewriter, loc, op.getType(), value, makeCount(rewriter, loc, op.getType(), count));
    if (isa<FloatType>(element) && kept.empty())
      value = AddOp::create(rewriter, loc, op.getType(), value, createSplat(rewriter, loc, op.getType(), 0));
    rewriter.replaceOp(op, value);
    return success();
  }

  /// Wrapped to the type, as an integer sum wraps.
  static Value makeCount(PatternRewriter &rewriter, Location loc, RankedTensorType type, int64_t count) {
    if (isa<FloatType>(type.getElementType()))
      return createSplat(rewriter, loc, type, static_cast<double>(count));
    APInt wrapped = APInt(64, static_cast<uint64_t>(count)).trunc(type.getElementTypeBitWidth());
    return ConstantOp::create(rewriter, loc, type, cast<ElementsAttr>(DenseElementsAttr::get(type, wrapped)));
  }
};

/// x + 0.0 -> x, where x is never -0.0.
struct AddOfZero : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    auto attr = dyn_cast_or_null<FloatAttr>(getSplatValue(op.getRhs()));
    if (!attr || !attr.getValue().isPosZero())
      return rewriter.notifyMatchFailure(op, "does not add 0.0");
    if (!isNeverNegativeZero(op.getLhs()))
      return rewriter.notifyMatchFailure(op, "the operand may be -0.0");
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};
} // namespace

void mlir::trace::populateRepeatedSumPatterns(RewritePatternSet &patterns) {
  patterns.add<SumOfBroadcast, AddOfZero>(patterns.getContext());
}
