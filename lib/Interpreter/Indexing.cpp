//===- Indexing.cpp - gather, scatter, index_put, sort, topk ----------------===//
#include "Evaluate.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

static LogicalResult checkRange(Operation *op, const Tensor &index, int64_t size) {
  for (int64_t i : index.ints)
    if (i < 0 || i >= size)
      return op->emitError("IndexError: index ") << i << " is out of range for a dimension of size " << size;
  return success();
}

/// Adds to, or overwrites, one element; rounding of sums comes at the end.
static void combine(Tensor &to, int64_t at, const Tensor &from, int64_t i, bool accumulate) {
  if (to.isFloat()) {
    to.floats[at] = accumulate ? to.floats[at] + from.floats[i] : from.floats[i];
  } else {
    uint64_t sum = static_cast<uint64_t>(to.ints[at]) + static_cast<uint64_t>(from.ints[i]);
    to.ints[at] = !accumulate                        ? from.ints[i]
                  : to.getElementType().isInteger(1) ? to.ints[at] | from.ints[i]
                                                     : wrapToType(to.getElementType(), static_cast<int64_t>(sum));
  }
}
static void roundAll(const Evaluation &eval, Tensor &tensor) {
  for (double &x : tensor.floats)
    x = eval.round(tensor.getElementType(), x);
}

static LogicalResult checkIndex(Evaluation &eval, CheckIndexOp op) {
  Tensor result = *eval.operands[0];
  int64_t size = op.getSize();
  for (int64_t &i : result.ints) {
    if (op.getIgnore() && i == static_cast<int64_t>(*op.getIgnore()))
      continue;
    int64_t low = op.getWrap() ? -size : 0;
    if (i < low || i >= size)
      return op.emitError("IndexError: index ") << i << " is out of range for a dimension of size " << size;
    if (i < 0)
      i += size;
  }
  return eval.give(std::move(result));
}

/// Element positions that gather and the scatters visit: at(index tensor's position) in the operand.
static SmallVector<int64_t> gatherPositions(const Tensor &operand, const Tensor &index, int64_t dim) {
  SmallVector<int64_t> strides = contiguousStrides(operand.getShape()), positions;
  int64_t i = 0;
  forEachIndex(index.getShape(), [&](ArrayRef<int64_t> at) {
    int64_t chosen = index.ints[i++];
    int64_t position = strides.empty() ? 0 : chosen * strides[dim];
    for (auto [d, coordinate] : llvm::enumerate(at))
      if (static_cast<int64_t>(d) != dim)
        position += coordinate * strides[d];
    positions.push_back(position);
  });
  return positions;
}

static LogicalResult gather(Evaluation &eval, GatherOp op) {
  const Tensor &x = *eval.operands[0], &index = *eval.operands[1];
  if (failed(checkRange(op, index, x.getShape()[op.getDim()])))
    return failure();
  return eval.give(pick(x, index.getShape(), gatherPositions(x, index, op.getDim())));
}

static LogicalResult scatter(Evaluation &eval, int64_t dim, bool accumulate) {
  const Tensor &index = *eval.operands[1], &source = *eval.operands[2];
  Tensor result = *eval.operands[0];
  if (failed(checkRange(eval.op, index, result.getShape()[dim])))
    return failure();
  for (auto [i, position] : llvm::enumerate(gatherPositions(result, index, dim)))
    combine(result, position, source, i, accumulate);
  roundAll(eval, result);
  return eval.give(std::move(result));
}

static LogicalResult take(Evaluation &eval, TakeOp op) {
  const Tensor &x = *eval.operands[0], &index = *eval.operands[1];
  int64_t dim = op.getDim();
  if (failed(checkRange(op, index, x.getShape()[dim])))
    return failure();
  Axis axis(x.getShape(), dim);
  SmallVector<int64_t> shape(x.getShape().take_front(dim)), source;
  llvm::append_range(shape, index.getShape());
  llvm::append_range(shape, x.getShape().drop_front(dim + 1));
  for (int64_t o = 0; o < axis.outer; ++o)
    for (int64_t i : index.ints)
      for (int64_t n = 0; n < axis.inner; ++n)
        source.push_back(axis.at(o, i, n));
  return eval.give(pick(x, shape, source));
}

static LogicalResult indexAdd(Evaluation &eval, IndexAddOp op) {
  const Tensor &index = *eval.operands[1], &source = *eval.operands[2];
  Tensor result = *eval.operands[0];
  if (failed(checkRange(op, index, result.getShape()[op.getDim()])))
    return failure();
  Axis axis(result.getShape(), op.getDim());
  int64_t from = 0;
  for (int64_t o = 0; o < axis.outer; ++o)
    for (int64_t i : index.ints)
      for (int64_t n = 0; n < axis.inner; ++n)
        combine(result, axis.at(o, i, n), source, from++, /*accumulate=*/true);
  roundAll(eval, result);
  return eval.give(std::move(result));
}

/// Shape and element positions of `x[.., i, j, ..]`, as PyTorch has it: the index shape stands where the indexed
/// dimensions do if they are adjacent, else in front.
static LogicalResult indexPositions(Operation *op, const Tensor &x, ArrayRef<const Tensor *> indices,
                                    ArrayRef<int64_t> dims, SmallVector<int64_t> &shape,
                                    SmallVector<int64_t> &positions) {
  for (auto [index, dim] : llvm::zip_equal(indices, dims)) {
    if (failed(checkRange(op, *index, x.getShape()[dim])))
      return failure();
    if (index->getShape() != indices[0]->getShape())
      return op->emitError("index tensors must have one shape");
  }
  bool adjacent = dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  int64_t indexRank = indices[0]->getRank(), indexAt = adjacent ? dims[0] : 0;
  SmallVector<int64_t> strides = contiguousStrides(x.getShape()), kept;
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (!llvm::is_contained(dims, d)) {
      shape.push_back(x.getShape()[d]);
      kept.push_back(strides[d]);
    }
  ArrayRef<int64_t> indexShape = indices[0]->getShape();
  shape.insert(shape.begin() + indexAt, indexShape.begin(), indexShape.end());
  SmallVector<int64_t> indexStrides = contiguousStrides(indexShape);
  forEachIndex(shape, [&](ArrayRef<int64_t> at) {
    int64_t inIndex = linearIndex(at.slice(indexAt, indexRank), indexStrides), position = 0;
    for (auto [index, dim] : llvm::zip_equal(indices, dims))
      position += index->ints[inIndex] * strides[dim];
    for (auto [i, stride] : llvm::enumerate(kept)) {
      int64_t d = static_cast<int64_t>(i) < indexAt ? i : i + indexRank;
      position += at[d] * stride;
    }
    positions.push_back(position);
  });
  return success();
}

static LogicalResult index(Evaluation &eval, IndexOp op) {
  SmallVector<int64_t> shape, positions;
  if (failed(indexPositions(op, *eval.operands[0], eval.operands.drop_front(), op.getDims(), shape, positions)))
    return failure();
  return eval.give(pick(*eval.operands[0], shape, positions));
}

static LogicalResult indexPut(Evaluation &eval, IndexPutOp op) {
  Tensor result = *eval.operands[0];
  const Tensor &source = *eval.operands[1];
  SmallVector<int64_t> shape, positions;
  if (failed(indexPositions(op, result, eval.operands.drop_front(2), op.getDims(), shape, positions)))
    return failure();
  for (auto [i, position] : llvm::enumerate(positions))
    combine(result, position, source, i, op.getAccumulate());
  roundAll(eval, result);
  return eval.give(std::move(result));
}

/// The first `count` elements along `dim` in order; equal elements keep their order, NaN is greater than all else.
static LogicalResult sort(Evaluation &eval, int64_t dim, bool descending, int64_t count) {
  const Tensor &x = *eval.operands[0];
  SmallVector<int64_t> shape(x.getShape());
  if (!shape.empty()) {
    if (count > shape[dim])
      return eval.op->emitError("k = ") << count << " is larger than the dimension of size " << shape[dim];
    shape[dim] = count;
  }
  Tensor indices = eval.makeResult(shape, 1);
  SmallVector<int64_t> source(indices.getNumElements());
  Axis from(x.getShape(), dim), to(shape, dim);
  auto less = [&](int64_t a, int64_t b) {
    if (!x.isFloat())
      return x.ints[a] < x.ints[b];
    double p = x.floats[a], q = x.floats[b];
    return std::isnan(q) ? !std::isnan(p) : p < q;
  };
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t n = 0; n < from.inner; ++n) {
      SmallVector<int64_t> order(from.size);
      std::iota(order.begin(), order.end(), 0);
      llvm::sort(order, [&](int64_t i, int64_t j) {
        int64_t a = from.at(o, i, n), b = from.at(o, j, n);
        if (descending)
          std::swap(a, b);
        return less(a, b) || (!less(b, a) && i < j);
      });
      for (int64_t i = 0; i < to.size; ++i) {
        indices.ints[to.at(o, i, n)] = order[i];
        source[to.at(o, i, n)] = from.at(o, order[i], n);
      }
    }
  eval.results.push_back(pick(x, shape, source));
  return eval.give(std::move(indices));
}

std::optional<LogicalResult> interpreter::evaluateIndexing(Evaluation &eval) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(eval.op)
      .Case<CheckIndexOp>([&](CheckIndexOp op) { return checkIndex(eval, op); })
      .Case<GatherOp>([&](GatherOp op) { return gather(eval, op); })
      .Case<TakeOp>([&](TakeOp op) { return take(eval, op); })
      .Case<IndexAddOp>([&](IndexAddOp op) { return indexAdd(eval, op); })
      .Case<ScatterAddOp>([&](ScatterAddOp op) { return scatter(eval, op.getDim(), true); })
      .Case<ScatterOp>([&](ScatterOp op) { return scatter(eval, op.getDim(), false); })
      .Case<IndexOp>([&](IndexOp op) { return index(eval, op); })
      .Case<IndexPutOp>([&](IndexPutOp op) { return indexPut(eval, op); })
      .Case<SortOp>([&](SortOp op) {
        const Tensor &x = *eval.operands[0];
        return sort(eval, op.getDim(), op.getDescending(), x.getRank() ? x.getShape()[op.getDim()] : 1);
      })
      .Case<TopkOp>([&](TopkOp op) {
        return sort(eval, op.getDim(), op.getLargest(), eval.operands[0]->getRank() ? op.getK() : 1);
      })
      .Default([](Operation *) { return std::nullopt; });
}
