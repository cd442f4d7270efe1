//===- ShapeCanonicalize.cpp - Canonicalisations of index maps, reductions --===//
#include "mlir/IR/PatternMatch.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static RankedTensorType withShape(RankedTensorType type, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type.getElementType());
}

//===----------------------------------------------------------------------===//
// broadcast_in_dim, reshape, transpose
//===----------------------------------------------------------------------===//

/// A broadcast that repeats nothing is a reshape (it only adds dimensions of size 1).
static LogicalResult broadcastToReshape(BroadcastInDimOp op, PatternRewriter &rewriter) {
  RankedTensorType from = op.getInput().getType(), to = op.getType();
  if (!from.hasStaticShape() || !to.hasStaticShape() || to.getNumElements() == 0 ||
      from.getNumElements() != to.getNumElements())
    return rewriter.notifyMatchFailure(op, "repeats elements");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, to, op.getInput());
  return success();
}

/// broadcast(reshape(x)) -> broadcast(x), where the reshape adds dimensions of size 1 only.
static LogicalResult broadcastOfUnsqueeze(BroadcastInDimOp op, PatternRewriter &rewriter) {
  auto reshape = op.getInput().getDefiningOp<ReshapeOp>();
  if (!reshape || !reshape.getInput().getType().hasStaticShape() || !reshape.getType().hasStaticShape())
    return rewriter.notifyMatchFailure(op, "operand is no static reshape");
  RankedTensorType from = reshape.getInput().getType(), middle = reshape.getType();
  SmallVector<int64_t> dims;
  int64_t next = 0;
  for (int64_t i = 0; i < middle.getRank(); ++i) {
    if (next < from.getRank() && from.getDimSize(next) == middle.getDimSize(i)) {
      dims.push_back(op.getDims()[i]);
      ++next;
    } else if (middle.getDimSize(i) != 1) {
      return rewriter.notifyMatchFailure(op, "the reshape does more than adding dimensions of size 1");
    }
  }
  if (next != from.getRank() || from.getRank() == middle.getRank())
    return rewriter.notifyMatchFailure(op, "the reshape does more than adding dimensions of size 1");
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), reshape.getInput(), dims);
  return success();
}

/// broadcast(iota) -> iota, where the counted dimension is not the one that is repeated.
static LogicalResult broadcastOfIota(BroadcastInDimOp op, PatternRewriter &rewriter) {
  auto iota = op.getInput().getDefiningOp<IotaOp>();
  if (!iota || !op.getType().hasStaticShape())
    return rewriter.notifyMatchFailure(op, "operand is no iota");
  int64_t dim = op.getDims()[iota.getDim()];
  if (op.getType().getDimSize(dim) != iota.getType().getDimSize(iota.getDim()))
    return rewriter.notifyMatchFailure(op, "repeats the counted dimension");
  rewriter.replaceOpWithNewOp<IotaOp>(op, op.getType(), dim);
  return success();
}

/// A transpose that moves only dimensions of size 1 is a reshape.
static LogicalResult transposeToReshape(TransposeOp op, PatternRewriter &rewriter) {
  if (!op.getType().hasStaticShape())
    return rewriter.notifyMatchFailure(op, "dynamic shape");
  int64_t previous = -1;
  for (int64_t p : op.getPerm()) {
    if (op.getInput().getType().getDimSize(p) == 1)
      continue;
    if (p < previous)
      return rewriter.notifyMatchFailure(op, "moves elements");
    previous = p;
  }
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

/// transpose(broadcast(x)) -> broadcast(x), where x's dimensions keep their order.
static LogicalResult transposeOfBroadcast(TransposeOp op, PatternRewriter &rewriter) {
  auto broadcast = op.getInput().getDefiningOp<BroadcastInDimOp>();
  if (!broadcast)
    return rewriter.notifyMatchFailure(op, "operand is no broadcast");
  SmallVector<int64_t> place(op.getPerm().size()), dims;
  for (auto [i, p] : llvm::enumerate(op.getPerm()))
    place[p] = i;
  for (int64_t dim : broadcast.getDims())
    dims.push_back(place[dim]);
  for (size_t i = 1; i < dims.size(); ++i)
    if (dims[i - 1] > dims[i])
      return rewriter.notifyMatchFailure(op, "changes the order of the broadcast's operand");
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), broadcast.getInput(), dims);
  return success();
}

//===----------------------------------------------------------------------===//
// slice, pad, cat
//===----------------------------------------------------------------------===//

/// slice(broadcast(x)) -> broadcast(slice(x)): of a repeated dimension fewer repetitions, of another the slice.
static LogicalResult sliceOfBroadcast(SliceOp op, PatternRewriter &rewriter) {
  auto broadcast = op.getInput().getDefiningOp<BroadcastInDimOp>();
  if (!broadcast || !broadcast.getInput().getType().hasStaticShape() || !op.getType().hasStaticShape())
    return rewriter.notifyMatchFailure(op, "operand is no static broadcast");
  SmallVector<int64_t> starts, limits, strides;
  RankedTensorType from = broadcast.getInput().getType();
  for (auto [i, dim] : llvm::enumerate(broadcast.getDims())) {
    bool repeated = from.getDimSize(i) == 1;
    starts.push_back(repeated ? 0 : op.getStarts()[dim]);
    limits.push_back(repeated ? 1 : op.getLimits()[dim]);
    strides.push_back(repeated ? 1 : op.getStrides()[dim]);
  }
  Value slice = SliceOp::create(rewriter, op.getLoc(), broadcast.getInput(), starts, limits, strides);
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), slice, broadcast.getDims());
  return success();
}

/// A slice of a cat that lies within one operand is a slice of that operand.
static LogicalResult sliceOfCat(SliceOp op, PatternRewriter &rewriter) {
  auto cat = op.getInput().getDefiningOp<CatOp>();
  if (!cat || !op.getType().hasStaticShape() || op.getType().getNumElements() == 0)
    return rewriter.notifyMatchFailure(op, "operand is no cat");
  int64_t dim = cat.getDim(), base = 0;
  int64_t first = op.getStarts()[dim], last = first + (op.getType().getDimSize(dim) - 1) * op.getStrides()[dim];
  for (Value input : cat.getInputs()) {
    int64_t size = typeOf(input).getDimSize(dim);
    if (ShapedType::isDynamic(size))
      break;
    if (first >= base && last < base + size) {
      SmallVector<int64_t> starts(op.getStarts()), limits(op.getLimits());
      starts[dim] = first - base;
      limits[dim] = last + 1 - base;
      rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), input, starts, limits, op.getStrides());
      return success();
    }
    base += size;
  }
  return rewriter.notifyMatchFailure(op, "takes from several operands");
}

/// A slice of a pad that lies within the padded operand is a slice of it; one that lies beside it is the value.
static LogicalResult sliceOfPad(SliceOp op, PatternRewriter &rewriter) {
  auto pad = op.getInput().getDefiningOp<PadOp>();
  if (!pad || !pad.getInput().getType().hasStaticShape() || !op.getType().hasStaticShape() ||
      op.getType().getNumElements() == 0)
    return rewriter.notifyMatchFailure(op, "operand is no static pad");
  SmallVector<int64_t> starts, limits;
  for (int64_t i = 0; i < op.getType().getRank(); ++i) {
    int64_t low = pad.getLow()[i], size = pad.getInput().getType().getDimSize(i), first = op.getStarts()[i];
    int64_t last = first + (op.getType().getDimSize(i) - 1) * op.getStrides()[i];
    int64_t padded = size == 0 ? 0 : (size - 1) * (pad.getInterior()[i] + 1) + 1;
    if (last < low || first >= low + padded) {
      rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), pad.getValue(), ArrayRef<int64_t>());
      return success();
    }
    if (pad.getInterior()[i] != 0 || first < low || last >= low + size)
      return rewriter.notifyMatchFailure(op, "takes from the operand and from the padding");
    starts.push_back(first - low);
    limits.push_back(last + 1 - low);
  }
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), pad.getInput(), starts, limits, op.getStrides());
  return success();
}

/// Neighbouring operands of a cat that are adjacent slices of one value become one slice; operands that are cats along
/// the same dimension become their operands.
static LogicalResult catOfPieces(CatOp op, PatternRewriter &rewriter) {
  int64_t dim = op.getDim();
  SmallVector<Value> inputs;
  bool changed = false;
  for (Value input : op.getInputs()) {
    if (auto cat = input.getDefiningOp<CatOp>(); cat && static_cast<int64_t>(cat.getDim()) == dim && cat->hasOneUse()) {
      llvm::append_range(inputs, cat.getInputs());
      changed = true;
      continue;
    }
    auto slice = input.getDefiningOp<SliceOp>(),
         previous = inputs.empty() ? SliceOp() : inputs.back().getDefiningOp<SliceOp>();
    bool adjacent = slice && previous && slice.getInput() == previous.getInput();
    for (int64_t i = 0; adjacent && i < op.getType().getRank(); ++i) {
      adjacent = slice.getStrides()[i] == 1 && previous.getStrides()[i] == 1;
      if (i == dim)
        adjacent &= slice.getStarts()[i] == previous.getLimits()[i];
      else
        adjacent &= slice.getStarts()[i] == previous.getStarts()[i] && slice.getLimits()[i] == previous.getLimits()[i];
    }
    if (!adjacent) {
      inputs.push_back(input);
      continue;
    }
    SmallVector<int64_t> limits(previous.getLimits());
    limits[dim] = slice.getLimits()[dim];
    inputs.back() =
        SliceOp::create(rewriter, op.getLoc(), slice.getInput(), previous.getStarts(), limits, slice.getStrides());
    changed = true;
  }
  if (!changed)
    return rewriter.notifyMatchFailure(op, "no adjacent slices, no nested cat");
  rewriter.replaceOpWithNewOp<CatOp>(op, op.getType(), inputs, dim);
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Dimensions of size 1 are not summed but dropped. Of floats, the 0.0 that a sum starts with is added, which makes
/// -0.0 positive.
static LogicalResult sumOfUnitDims(ReduceSumOp op, PatternRewriter &rewriter) {
  RankedTensorType from = op.getInput().getType();
  SmallVector<int64_t> shape, removed, rest, newIndex(from.getRank());
  for (int64_t i = 0; i < from.getRank(); ++i) {
    newIndex[i] = shape.size();
    if (llvm::is_contained(op.getDims(), i) && from.getDimSize(i) == 1) {
      removed.push_back(i);
      continue;
    }
    shape.push_back(from.getDimSize(i));
  }
  for (int64_t dim : op.getDims())
    if (!llvm::is_contained(removed, dim))
      rest.push_back(newIndex[dim]);
  if ((removed.empty() && !op.getDims().empty()) || from.getNumDynamicDims() > 1)
    return rewriter.notifyMatchFailure(op, "no dimension of size 1 is summed");
  Type element = from.getElementType();
  if (!isa<FloatType, IntegerType>(element) ||
      (rest.empty() && isa<FloatType>(element) && !op.getType().hasStaticShape()))
    return rewriter.notifyMatchFailure(op, "has no zero to add");
  Value value = op.getInput();
  if (!removed.empty())
    value = ReshapeOp::create(rewriter, op.getLoc(), withShape(from, shape), value);
  if (!rest.empty())
    value = ReduceSumOp::create(rewriter, op.getLoc(), value, rest);
  else if (isa<FloatType>(element))
    value =
        AddOp::create(rewriter, op.getLoc(), op.getType(), value, createSplat(rewriter, op.getLoc(), op.getType(), 0));
  rewriter.replaceOp(op, value);
  return success();
}

/// max, min, any, all: dimensions of size 1 are dropped.
template <typename Op> static LogicalResult dropUnitDims(Op op, PatternRewriter &rewriter) {
  RankedTensorType from = op.getInput().getType();
  if (op.getDims().empty() || from.getNumDynamicDims() > 1 ||
      llvm::any_of(op.getDims(), [&](int64_t dim) { return from.getDimSize(dim) != 1; }))
    return rewriter.notifyMatchFailure(op, "reduces more than dimensions of size 1");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

/// max, min, any, all of the same: at once over both lists of dimensions.
template <typename Op> static LogicalResult mergeReductions(Op op, PatternRewriter &rewriter) {
  auto inner = op.getInput().template getDefiningOp<Op>();
  if (!inner || !inner->hasOneUse())
    return rewriter.notifyMatchFailure(op, "operand is not such a reduction, for this use only");
  SmallVector<int64_t> kept, dims(inner.getDims());
  for (int64_t i = 0; i < inner.getInput().getType().getRank(); ++i)
    if (!llvm::is_contained(inner.getDims(), i))
      kept.push_back(i);
  for (int64_t dim : op.getDims())
    dims.push_back(kept[dim]);
  llvm::sort(dims);
  rewriter.replaceOpWithNewOp<Op>(op, op.getType(), inner.getInput(), dims);
  return success();
}

void BroadcastInDimOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(broadcastToReshape);
  patterns.add(broadcastOfUnsqueeze);
  patterns.add(broadcastOfIota);
}
void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(transposeToReshape);
  patterns.add(transposeOfBroadcast);
}
void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(sliceOfBroadcast);
  patterns.add(sliceOfCat);
  patterns.add(sliceOfPad);
}
void CatOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(catOfPieces); }
void ReduceSumOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(sumOfUnitDims);
}
#define IDEMPOTENT(OP)                                                                                                 \
  void OP::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {                                   \
    patterns.add(dropUnitDims<OP>);                                                                                    \
    patterns.add(mergeReductions<OP>);                                                                                 \
  }
IDEMPOTENT(ReduceMaxOp)
IDEMPOTENT(ReduceMinOp)
IDEMPOTENT(ReduceAnyOp)
IDEMPOTENT(ReduceAllOp)
