//===- Library.cpp - Gradient rules of matrix products and convolutions -----===//
#include "Rules.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

/// The last two dimensions exchanged.
static E transposed(E x) {
  SmallVector<int64_t> perm = allDims(x.type().getRank());
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return build<TransposeOp>(x, perm);
}

static E matmul(E a, E b) { return build<MatmulOp>(a, b.value); }

static LogicalResult matmulRule(MatmulOp op, Vjp vjp) {
  E a = vjp.expr(op.getLhs()), b = vjp.expr(op.getRhs()), g = vjp.g();
  if (vjp.needed[0])
    vjp.grads[0] = matmul(g, transposed(b)).value;
  if (vjp.needed[1])
    vjp.grads[1] = matmul(transposed(a), g).value;
  return success();
}

// The convolution and its two gradients are the three ways to contract one trilinear form of input, weight and
// cotangent: <g, conv(x, w)> = <x, input_grad(g, w)> = <w, weight_grad(g, x)>. So each one's gradients are the others,
// with the same attributes, transposed or grouped alike.

template <typename Result, typename Op> static Value contract(Op op, Vjp vjp, Type type, Value a, Value b) {
  return Result::create(vjp.builder, vjp.loc, type, a, b, op.getStrideAttr(), op.getPaddingAttr(), op.getDilationAttr(),
                        op.getTransposedAttr(), op.getOutputPaddingAttr(), op.getGroupsAttr());
}

static LogicalResult convolutionRule(ConvolutionOp op, Vjp vjp) {
  Value g = vjp.cotangents[0], x = op.getInput(), w = op.getWeight();
  if (vjp.needed[0])
    vjp.grads[0] = contract<ConvolutionInputGradOp>(op, vjp, x.getType(), g, w);
  if (vjp.needed[1])
    vjp.grads[1] = contract<ConvolutionWeightGradOp>(op, vjp, w.getType(), g, x);
  return success();
}

static LogicalResult inputGradRule(ConvolutionInputGradOp op, Vjp vjp) {
  Value x = vjp.cotangents[0], g = op.getGrad(), w = op.getWeight();
  if (vjp.needed[0])
    vjp.grads[0] = contract<ConvolutionOp>(op, vjp, g.getType(), x, w);
  if (vjp.needed[1])
    vjp.grads[1] = contract<ConvolutionWeightGradOp>(op, vjp, w.getType(), g, x);
  return success();
}

static LogicalResult weightGradRule(ConvolutionWeightGradOp op, Vjp vjp) {
  Value w = vjp.cotangents[0], g = op.getGrad(), x = op.getInput();
  if (vjp.needed[0])
    vjp.grads[0] = contract<ConvolutionOp>(op, vjp, g.getType(), x, w);
  if (vjp.needed[1])
    vjp.grads[1] = contract<ConvolutionInputGradOp>(op, vjp, x.getType(), g, w);
  return success();
}

void autodiff::addLibraryRules(RuleTable &rules) {
  rules.custom<MatmulOp>(matmulRule);
  rules.custom<ConvolutionOp>(convolutionRule);
  rules.custom<ConvolutionInputGradOp>(inputGradRule);
  rules.custom<ConvolutionWeightGradOp>(weightGradRule);
}
