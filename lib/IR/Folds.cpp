//===- Folds.cpp - Folders and canonicalisations ----------------------------===//
//
// Only what is exact for every value of the element type: x + 0 is not x for x = -0.0, x * 0 is not 0 for NaN.
//
//===----------------------------------------------------------------------===//
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
OpFoldResult AbsOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult NegOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult ExpOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult LogOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult BitwiseNotOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult AddOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult SubOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult MulOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult DivOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult BitwiseAndOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult BitwiseOrOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult WhereOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult SliceOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult PadOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult CatOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) { return {}; }
void AddOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {}
void MulOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {}
void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {}
void ReduceSumOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {}
