//===- Reduction.cpp - Gradient rules of reductions and scans ---------------===//
#include "Rules.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

static LogicalResult sumRule(ReduceSumOp op, Vjp vjp) {
  vjp.grads[0] = spread(vjp.g(), op.getDims(), op.getInput().getType()).value;
  return success();
}

/// The product of the others is y / x where x is not zero. A row's only zero gets the product of the rest; with several
/// zeros all products of the others are zero. y / x also carries the derivative towards a zero elsewhere in the row, so
/// that second derivatives are right as well (with two zeros in a row they are zero, as in eager).
static LogicalResult prodRule(ReduceProdOp op, Vjp vjp) {
  E x = vjp.expr(op.getInput()), y = vjp.expr(op.getResult()), g = vjp.g();
  RankedTensorType type = x.type();
  ArrayRef<int64_t> dims = op.getDims();
  E isZero = eq(x, 0.0);
  E ones = constantLike(x, 1.0);
  E zeros = reduceSum(convert(isZero, type.getElementType()), dims);
  E nonzero = where(isZero, ones, x);
  E rest = build<ReduceProdOp>(nonzero, dims);
  E atZero = where(eq(zeros, 1.0), g * rest, 0.0);
  // No division by zero in the branch that is not taken: its derivative would be NaN.
  E elsewhere = spread(g * y, dims, type) / nonzero;
  vjp.grads[0] = where(isZero, spread(atZero, dims, type), elsewhere).value;
  return success();
}

/// Shared equally among ties; where the result is NaN, NaN for all (0 / 0), as in eager.
template <typename Op> static LogicalResult extremumRule(Op op, Vjp vjp) {
  E x = vjp.expr(op.getInput()), y = vjp.expr(op.getResult()), g = vjp.g();
  RankedTensorType type = x.type();
  ArrayRef<int64_t> dims = op.getDims();
  E mask = convert(eq(x, spread(y, dims, type)), type.getElementType());
  E share = g / reduceSum(mask, dims);
  vjp.grads[0] = (spread(share, dims, type) * mask).value;
  return success();
}

static E cumsum(E x, int64_t dim) { return build<CumsumOp>(x, dim); }
static E cumprod(E x, int64_t dim) { return build<CumprodOp>(x, dim); }
/// result[i] is the sum over i, i + 1, ..
static E suffixSum(E x, int64_t dim) { return reverse(cumsum(reverse(x, dim), dim), dim); }

static LogicalResult cumsumRule(CumsumOp op, Vjp vjp) {
  vjp.grads[0] = op.getType().getRank() == 0 ? vjp.cotangents[0] : suffixSum(vjp.g(), op.getDim()).value;
  return success();
}

/// d/dx[k] = sum over i >= k of g[i] times the product of x[0 .. i] without x[k]. That is suffixSum(g y)[k] / x[k]
/// where x[k] is not zero. At a row's first zero, the same with this x replaced by 1; at later zeros each product has
/// another zero in it. (The mixed second derivative of two zeros of one row is taken as 0.)
static LogicalResult cumprodRule(CumprodOp op, Vjp vjp) {
  E x = vjp.expr(op.getInput()), y = vjp.expr(op.getResult()), g = vjp.g();
  if (x.type().getRank() == 0) {
    vjp.grads[0] = g.value;
    return success();
  }
  int64_t dim = op.getDim();
  E isZero = eq(x, 0.0), ones = constantLike(x, 1.0);
  E count = cumsum(convert(isZero, vjp.builder.getI64Type()), dim);
  E firstZero = isZero && eq(count, 1.0);
  E elsewhere = suffixSum(g * y, dim) / where(isZero, ones, x);
  E atZero = suffixSum(g * cumprod(where(firstZero, ones, x), dim), dim);
  vjp.grads[0] = where(isZero, where(firstZero, atZero, 0.0), elsewhere).value;
  return success();
}

void autodiff::addReductionRules(RuleTable &rules) {
  rules.custom<ReduceSumOp>(sumRule);
  rules.custom<ReduceProdOp>(prodRule);
  rules.custom<ReduceMaxOp>(extremumRule<ReduceMaxOp>);
  rules.custom<ReduceMinOp>(extremumRule<ReduceMinOp>);
  rules.custom<CumsumOp>(cumsumRule);
  rules.custom<CumprodOp>(cumprodRule);
}
