//===- MatmulCanonicalization.cpp - One matrix for all batches --------------===//
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

namespace {

/// matmul(a, broadcast(w)) with one matrix w for all batches is one product of a's rows:
/// reshape(matmul(reshape(a), w)). Each element is the same sum. It is what torch.matmul does for a tensor that needs
/// a gradient; on other tensors (as at capture) it may take the batched form, whose gradient of w would be one matrix
/// per batch, and a sum over them.
struct FlattenSharedMatrix : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType(), lhsType = op.getLhs().getType();
    int64_t rank = type.getRank();
    auto broadcast = op.getRhs().getDefiningOp<BroadcastInDimOp>();
    if (rank < 3 || !broadcast || !lhsType.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "no batches of one matrix");
    RankedTensorType matrix = broadcast.getInput().getType();
    if (matrix.getRank() != 2 || broadcast.getDims() != ArrayRef<int64_t>{rank - 2, rank - 1} ||
        matrix.getShape() != broadcast.getType().getShape().take_back(2))
      return rewriter.notifyMatchFailure(op, "the batches' matrices differ");
    int64_t rows = 1;
    for (int64_t size : lhsType.getShape().drop_back())
      rows *= size;
    Value flat =
        ReshapeOp::create(rewriter, op.getLoc(), lhsType.clone({rows, lhsType.getShape().back()}), op.getLhs());
    Value product = MatmulOp::create(rewriter, op.getLoc(), flat, broadcast.getInput());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, product);
    return success();
  }
};

} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FlattenSharedMatrix>(context);
}
