//===- Product.cpp - Matrix products and convolutions -----------------------===//
#include "Evaluate.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

/// to += a * b, in double or wrapping.
static void multiplyAdd(Tensor &to, int64_t at, const Tensor &a, int64_t i, const Tensor &b, int64_t j) {
  if (to.isFloat())
    to.floats[at] += a.floats[i] * b.floats[j];
  else
    to.ints[at] = static_cast<int64_t>(static_cast<uint64_t>(to.ints[at]) +
                                       static_cast<uint64_t>(a.ints[i]) * static_cast<uint64_t>(b.ints[j]));
}
static void finish(const Evaluation &eval, Tensor &result) {
  for (double &x : result.floats)
    x = eval.round(result.getElementType(), x);
  for (int64_t &x : result.ints)
    x = wrapToType(result.getElementType(), x);
}

Tensor interpreter::matmul(const Evaluation &eval, const Tensor &lhs, const Tensor &rhs) {
  int64_t rank = lhs.getRank();
  int64_t rows = lhs.getShape()[rank - 2], inner = lhs.getShape()[rank - 1], columns = rhs.getShape()[rank - 1];
  SmallVector<int64_t> shape(lhs.getShape());
  shape[rank - 1] = columns;
  Tensor result = eval.makeResult(shape);
  int64_t batches = 1;
  for (int64_t size : lhs.getShape().drop_back(2))
    batches *= size;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t k = 0; k < inner; ++k)
        for (int64_t n = 0; n < columns; ++n)
          multiplyAdd(result, (b * rows + m) * columns + n, lhs, (b * rows + m) * inner + k, rhs,
                      (b * inner + k) * columns + n);
  finish(eval, result);
  return result;
}

/// Every product of a convolution. `small` is the output and `big` the input of an ordinary convolution, the other
/// way round of a transposed one; `weight` is C_small x C_big/groups x kernel.. for both. `body` gets three positions.
template <typename F>
static void forEachProduct(const ConvolutionShape &conv, ArrayRef<int64_t> small, ArrayRef<int64_t> big,
                           ArrayRef<int64_t> weight, F body) {
  SmallVector<int64_t> smallStrides = contiguousStrides(small), bigStrides = contiguousStrides(big),
                       weightStrides = contiguousStrides(weight);
  int64_t smallPerGroup = small[1] / conv.groups, bigPerGroup = big[1] / conv.groups;
  size_t spatial = small.size() - 2;
  SmallVector<int64_t> shape(small); // n, c_small, small spatial.., c_big in group, kernel..
  llvm::append_range(shape, weight.drop_front());
  forEachIndex(shape, [&](ArrayRef<int64_t> at) {
    int64_t channel = at[1], bigChannel = channel / smallPerGroup * bigPerGroup + at[2 + spatial];
    int64_t atSmall = linearIndex(at.take_front(2 + spatial), smallStrides);
    int64_t atBig = at[0] * bigStrides[0] + bigChannel * bigStrides[1];
    int64_t atWeight = channel * weightStrides[0] + at[2 + spatial] * weightStrides[1];
    for (size_t i = 0; i < spatial; ++i) {
      int64_t kernel = at[3 + spatial + i];
      int64_t position = at[2 + i] * conv.stride[i] - conv.padding[i] + kernel * conv.dilation[i];
      if (position < 0 || position >= big[2 + i])
        return;
      atBig += position * bigStrides[2 + i];
      atWeight += kernel * weightStrides[2 + i];
    }
    body(atSmall, atBig, atWeight);
  });
}

/// The value on the big side from the one on the small side, or the reverse.
static void bigFromSmall(const Evaluation &eval, const ConvolutionShape &conv, const Tensor &small,
                         const Tensor &weight, Tensor &big) {
  forEachProduct(conv, small.getShape(), big.getShape(), weight.getShape(),
                 [&](int64_t s, int64_t b, int64_t w) { multiplyAdd(big, b, small, s, weight, w); });
  finish(eval, big);
}
static void smallFromBig(const Evaluation &eval, const ConvolutionShape &conv, const Tensor &big, const Tensor &weight,
                         Tensor &small) {
  forEachProduct(conv, small.getShape(), big.getShape(), weight.getShape(),
                 [&](int64_t s, int64_t b, int64_t w) { multiplyAdd(small, s, big, b, weight, w); });
  finish(eval, small);
}

void interpreter::convolution(const Evaluation &eval, const ConvolutionShape &conv, const Tensor &input,
                              const Tensor &weight, Tensor &result) {
  (conv.transposed ? bigFromSmall : smallFromBig)(eval, conv, input, weight, result);
}
void interpreter::convolutionInputGrad(const Evaluation &eval, const ConvolutionShape &conv, const Tensor &grad,
                                       const Tensor &weight, Tensor &result) {
  (conv.transposed ? smallFromBig : bigFromSmall)(eval, conv, grad, weight, result);
}
void interpreter::convolutionWeightGrad(const Evaluation &eval, const ConvolutionShape &conv, const Tensor &grad,
                                        const Tensor &input, Tensor &result) {
  const Tensor &small = conv.transposed ? input : grad, &big = conv.transposed ? grad : input;
  forEachProduct(conv, small.getShape(), big.getShape(), result.getShape(),
                 [&](int64_t s, int64_t b, int64_t w) { multiplyAdd(result, w, small, s, big, b); });
  finish(eval, result);
}

template <typename Op> static ConvolutionShape convolutionShape(Op op) {
  return {op.getStride(), op.getPadding(), op.getDilation(), op.getTransposed(), static_cast<int64_t>(op.getGroups())};
}

/// Sizes that the verifier leaves open: channels and groups, and the spatial sizes of the small side.
static LogicalResult checkConvolution(Operation *op, const ConvolutionShape &conv, ArrayRef<int64_t> input,
                                      ArrayRef<int64_t> weight, ArrayRef<int64_t> output) {
  ArrayRef<int64_t> small = conv.transposed ? input : output, big = conv.transposed ? output : input;
  size_t rank = weight.size();
  bool fits = small.size() == rank && big.size() == rank && rank >= 3 && conv.stride.size() == rank - 2 &&
              conv.padding.size() == rank - 2 && conv.dilation.size() == rank - 2 && conv.groups >= 1;
  fits = fits && small[0] == big[0] && small[1] == weight[0] && big[1] == weight[1] * conv.groups &&
         small[1] % conv.groups == 0;
  for (size_t i = 0; fits && i < rank - 2; ++i) {
    int64_t reach = conv.dilation[i] * (weight[2 + i] - 1) + 1;
    // The small side is floor((big + 2 padding - reach) / stride) + 1; of a transposed convolution, the big side may
    // be larger by the output padding.
    fits = conv.stride[i] >= 1 && (big[2 + i] + 2 * conv.padding[i] - reach) / conv.stride[i] + 1 == small[2 + i];
  }
  if (!fits)
    return op->emitError("sizes of input, weight and output do not fit");
  return success();
}

std::optional<LogicalResult> interpreter::evaluateProduct(Evaluation &eval) {
  if (isa<MatmulOp>(eval.op)) {
    const Tensor &lhs = *eval.operands[0], &rhs = *eval.operands[1];
    int64_t rank = lhs.getRank();
    if (lhs.getShape().drop_back(2) != rhs.getShape().drop_back(2) ||
        lhs.getShape()[rank - 1] != rhs.getShape()[rank - 2])
      return eval.op->emitError("cannot multiply ") << lhs.getType() << " and " << rhs.getType();
    return eval.give(matmul(eval, lhs, rhs));
  }
  if (!isa<ConvolutionOp, ConvolutionInputGradOp, ConvolutionWeightGradOp>(eval.op))
    return std::nullopt;
  FailureOr<SmallVector<int64_t>> shape = eval.staticShape();
  if (failed(shape))
    return failure();
  Tensor result = eval.makeResult(*shape);
  const Tensor &a = *eval.operands[0], &b = *eval.operands[1];
  if (auto op = dyn_cast<ConvolutionOp>(eval.op)) {
    if (failed(checkConvolution(op, convolutionShape(op), a.getShape(), b.getShape(), *shape)))
      return failure();
    convolution(eval, convolutionShape(op), a, b, result);
  } else if (auto op = dyn_cast<ConvolutionInputGradOp>(eval.op)) {
    if (failed(checkConvolution(op, convolutionShape(op), *shape, b.getShape(), a.getShape())))
      return failure();
    convolutionInputGrad(eval, convolutionShape(op), a, b, result);
  } else {
    auto weightGrad = cast<ConvolutionWeightGradOp>(eval.op);
    if (failed(checkConvolution(eval.op, convolutionShape(weightGrad), b.getShape(), *shape, a.getShape())))
      return failure();
    convolutionWeightGrad(eval, convolutionShape(weightGrad), a, b, result);
  }
  return eval.give(std::move(result));
}
