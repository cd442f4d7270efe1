//===- Library.cpp - Gradient rules of matrix products and convolutions -----===//
#include "Rules.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

/// What `x` is the matrix transpose of, if it is made by one; between the two, batch dimensions may be merged or split.
/// Null otherwise.
static Value transposedFrom(E x) {
  if (auto transpose = x.value.getDefiningOp<TransposeOp>(); transpose && isMatrixTransposition(transpose))
    return transpose.getInput();
  auto merge = x.value.getDefiningOp<ReshapeOp>();
  auto transpose = merge ? merge.getInput().getDefiningOp<TransposeOp>() : TransposeOp();
  if (!transpose || !isMatrixTransposition(transpose) || !keepsMatrices(merge.getInput().getType(), merge.getType()))
    return Value();
  return reshape(x.with(transpose.getInput()), matrixTransposed(x.type())).value;
}

/// The last two dimensions exchanged.
static E transposed(E x) {
  Value original = transposedFrom(x);
  return original ? x.with(original) : matrixTransposed(x);
}

static E matmul(E a, E b) { return build<MatmulOp>(a, b.value); }

/// da = g b^T, db = a^T g. The cotangent of an operand that is a transpose (a linear layer's weight, attention's keys)
/// is made as the transpose of a product, so that the cotangent of what was transposed is a product itself, in its
/// layout.
static LogicalResult matmulRule(MatmulOp op, Vjp vjp) {
  E a = vjp.expr(op.getLhs()), b = vjp.expr(op.getRhs()), g = vjp.g();
  Value aOf = transposedFrom(a), bOf = transposedFrom(b);
  if (vjp.needed[0])
    vjp.grads[0] =
        (aOf ? matrixTransposed(matmul(b, transposed(g))) : matmul(g, bOf ? b.with(bOf) : matrixTransposed(b))).value;
  if (vjp.needed[1])
    vjp.grads[1] =
        (bOf ? matrixTransposed(matmul(transposed(g), a)) : matmul(aOf ? a.with(aOf) : matrixTransposed(a), g)).value;
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
