//===- Shape.cpp - Constants, index maps, data movement ---------------------===//
#include "Evaluate.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

Tensor interpreter::pick(const Tensor &input, ArrayRef<int64_t> shape, ArrayRef<int64_t> source) {
  Tensor result(input.getElementType(), shape);
  for (auto [i, from] : llvm::enumerate(source)) {
    if (input.isFloat())
      result.floats[i] = input.floats[from];
    else
      result.ints[i] = input.ints[from];
  }
  return result;
}

Tensor interpreter::transposed(const Tensor &input, ArrayRef<int64_t> perm) {
  SmallVector<int64_t> strides = contiguousStrides(input.getShape()), shape, permuted;
  for (int64_t p : perm) {
    shape.push_back(input.getShape()[p]);
    permuted.push_back(strides[p]);
  }
  SmallVector<int64_t> source;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) { source.push_back(linearIndex(index, permuted)); });
  return pick(input, shape, source);
}

static LogicalResult broadcast(Evaluation &eval, BroadcastInDimOp op) {
  const Tensor &x = *eval.operands[0];
  SmallVector<int64_t> shape(op.getType().getShape());
  SmallVector<int64_t> strides = contiguousStrides(x.getShape()), moved(shape.size(), 0);
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    int64_t size = x.getShape()[i];
    if (ShapedType::isDynamic(shape[dim]))
      shape[dim] = size;
    if (size != 1 && size != shape[dim])
      return op.emitError("cannot broadcast a dimension of size ") << size << " to " << shape[dim];
    if (size != 1)
      moved[dim] = strides[i];
  }
  if (ShapedType::isDynamicShape(shape))
    return op.emitOpError("has a dynamic dimension whose size no operand tells");
  SmallVector<int64_t> source;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) { source.push_back(linearIndex(index, moved)); });
  return eval.give(pick(x, shape, source));
}

static LogicalResult reshape(Evaluation &eval, ReshapeOp op) {
  const Tensor &x = *eval.operands[0];
  SmallVector<int64_t> shape(op.getType().getShape());
  int64_t known = 1;
  for (int64_t size : shape)
    known *= ShapedType::isDynamic(size) ? 1 : size;
  if (op.getType().getNumDynamicDims() > 1 || (op.getType().getNumDynamicDims() == 1 && known == 0))
    return op.emitOpError("has dynamic dimensions whose sizes no operand tells");
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = x.getNumElements() / known;
  Tensor result = x.reshaped(shape);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  if (count != x.getNumElements())
    return op.emitError("cannot make ") << count << " elements of " << x.getNumElements();
  return eval.give(std::move(result));
}

static LogicalResult slice(Evaluation &eval, SliceOp op) {
  const Tensor &x = *eval.operands[0];
  SmallVector<int64_t> shape, strides = contiguousStrides(x.getShape());
  int64_t base = 0;
  for (int64_t i = 0; i < x.getRank(); ++i) {
    int64_t start = op.getStarts()[i], limit = op.getLimits()[i], step = op.getStrides()[i];
    if (limit > x.getShape()[i])
      return op.emitError("limit ") << limit << " is beyond the size " << x.getShape()[i] << " of dimension " << i;
    shape.push_back((limit - start + step - 1) / step);
    base += start * strides[i];
    strides[i] *= step;
  }
  SmallVector<int64_t> source;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) { source.push_back(base + linearIndex(index, strides)); });
  return eval.give(pick(x, shape, source));
}

static LogicalResult pad(Evaluation &eval, PadOp op) {
  const Tensor &x = *eval.operands[0], &value = *eval.operands[1];
  SmallVector<int64_t> shape, strides = contiguousStrides(x.getShape());
  for (int64_t i = 0; i < x.getRank(); ++i) {
    int64_t size = x.getShape()[i];
    shape.push_back(op.getLow()[i] + op.getHigh()[i] + size + std::max<int64_t>(size - 1, 0) * op.getInterior()[i]);
    if (shape.back() < 0)
      return op.emitError("dimension ") << i << " would get size " << shape.back();
  }
  Tensor result(x.getElementType(), shape);
  int64_t to = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t from = 0;
    bool inside = true;
    for (int64_t i = 0; i < x.getRank() && inside; ++i) {
      int64_t position = index[i] - op.getLow()[i], step = op.getInterior()[i] + 1;
      inside = position >= 0 && position % step == 0 && position / step < x.getShape()[i];
      from += position / step * strides[i];
    }
    if (x.isFloat())
      result.floats[to++] = inside ? x.floats[from] : value.floats[0];
    else
      result.ints[to++] = inside ? x.ints[from] : value.ints[0];
  });
  return eval.give(std::move(result));
}

static LogicalResult cat(Evaluation &eval, CatOp op) {
  int64_t dim = op.getDim(), total = 0;
  for (const Tensor *x : eval.operands)
    total += x->getShape()[dim];
  SmallVector<int64_t> shape(eval.operands[0]->getShape());
  shape[dim] = total;
  Tensor result = eval.makeResult(shape);
  Axis to(shape, dim);
  int64_t base = 0;
  for (const Tensor *x : eval.operands) {
    Axis from(x->getShape(), dim);
    if (from.outer != to.outer || from.inner != to.inner)
      return op.emitError("operands do not fit along dimension ") << dim;
    for (int64_t o = 0; o < from.outer; ++o)
      for (int64_t i = 0; i < from.size; ++i)
        for (int64_t n = 0; n < from.inner; ++n) {
          if (x->isFloat())
            result.floats[to.at(o, base + i, n)] = x->floats[from.at(o, i, n)];
          else
            result.ints[to.at(o, base + i, n)] = x->ints[from.at(o, i, n)];
        }
    base += from.size;
  }
  return eval.give(std::move(result));
}

static LogicalResult reverse(Evaluation &eval, ReverseOp op) {
  const Tensor &x = *eval.operands[0];
  SmallVector<int64_t> strides = contiguousStrides(x.getShape()), source;
  int64_t base = 0;
  for (int64_t dim : op.getDims()) {
    base += (x.getShape()[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  forEachIndex(x.getShape(), [&](ArrayRef<int64_t> index) { source.push_back(base + linearIndex(index, strides)); });
  return eval.give(pick(x, x.getShape(), source));
}

static LogicalResult full(Evaluation &eval, FullOp op) {
  SmallVector<int64_t> shape(op.getType().getShape());
  unsigned next = 0;
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size)) {
      size = eval.operands[next++]->ints[0];
      if (size < 0)
        return op.emitError("negative size ") << size;
    }
  FailureOr<Tensor> value = Tensor::scalar(cast<TypedAttr>(op.getValue()));
  if (failed(value))
    return op.emitOpError("value cannot be interpreted");
  Tensor result = eval.makeResult(shape);
  for (double &x : result.floats)
    x = value->floats[0];
  for (int64_t &x : result.ints)
    x = value->ints[0];
  return eval.give(std::move(result));
}

static LogicalResult iota(Evaluation &eval, IotaOp op) {
  Tensor result = eval.makeResult(op.getType().getShape());
  Type type = result.getElementType();
  Axis axis(result.getShape(), op.getDim());
  for (int64_t o = 0; o < axis.outer; ++o)
    for (int64_t i = 0; i < axis.size; ++i)
      for (int64_t n = 0; n < axis.inner; ++n) {
        if (result.isFloat())
          result.floats[axis.at(o, i, n)] = eval.round(type, i);
        else
          result.ints[axis.at(o, i, n)] = wrapToType(type, i);
      }
  return eval.give(std::move(result));
}

std::optional<LogicalResult> interpreter::evaluateShape(Evaluation &eval) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(eval.op)
      .Case<ConstantOp>([&](ConstantOp op) -> LogicalResult {
        FailureOr<Tensor> value = Tensor::fromAttribute(op.getValue());
        if (failed(value))
          return op.emitOpError("value cannot be interpreted");
        return eval.give(std::move(*value));
      })
      .Case<FullOp>([&](FullOp op) { return full(eval, op); })
      .Case<IotaOp>([&](IotaOp op) { return iota(eval, op); })
      .Case<BroadcastInDimOp>([&](BroadcastInDimOp op) { return broadcast(eval, op); })
      .Case<ReshapeOp>([&](ReshapeOp op) { return reshape(eval, op); })
      .Case<TransposeOp>([&](TransposeOp op) { return eval.give(transposed(*eval.operands[0], op.getPerm())); })
      .Case<SliceOp>([&](SliceOp op) { return slice(eval, op); })
      .Case<PadOp>([&](PadOp op) { return pad(eval, op); })
      .Case<CatOp>([&](CatOp op) { return cat(eval, op); })
      .Case<ReverseOp>([&](ReverseOp op) { return reverse(eval, op); })
      .Default([](Operation *) { return std::nullopt; });
}
