//===- Canonicalize.cpp - Canonicalisations of elementwise ops --------------===//
//
// Rewrites to another op, exact for every value of the element type (but for the sign and payload of a NaN, which no
// op promises).
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/PatternMatch.h"
#include "trace/IR/TraceOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;

/// The splat value as a double where it is a floating-point constant.
static std::optional<double> splatFloat(Value value) {
  auto attr = dyn_cast_or_null<FloatAttr>(getSplatValue(value));
  return attr ? std::optional<double>(attr.getValueAsDouble()) : std::nullopt;
}
static std::optional<int64_t> splatInt(Value value) {
  auto attr = dyn_cast_or_null<IntegerAttr>(getSplatValue(value));
  if (!attr || attr.getType().isInteger(1))
    return std::nullopt;
  return attr.getValue().isSignedIntN(64) ? std::optional<int64_t>(attr.getValue().getSExtValue()) : std::nullopt;
}

/// x + -y -> x - y, -x + y -> y - x.
static LogicalResult addOfNeg(AddOp op, PatternRewriter &rewriter) {
  if (auto neg = op.getRhs().getDefiningOp<NegOp>()) {
    rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), op.getLhs(), neg.getInput());
    return success();
  }
  if (auto neg = op.getLhs().getDefiningOp<NegOp>()) {
    rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), op.getRhs(), neg.getInput());
    return success();
  }
  return rewriter.notifyMatchFailure(op, "no negated operand");
}

/// x - -y -> x + y, -0.0 - x -> -x.
static LogicalResult subOfNeg(SubOp op, PatternRewriter &rewriter) {
  if (auto neg = op.getRhs().getDefiningOp<NegOp>()) {
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), op.getLhs(), neg.getInput());
    return success();
  }
  std::optional<double> number = splatFloat(op.getLhs());
  if ((number && *number == 0 && std::signbit(*number)) || splatInt(op.getLhs()) == 0) {
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getType(), op.getRhs());
    return success();
  }
  return rewriter.notifyMatchFailure(op, "neither a negated operand nor -0.0");
}

/// -x * -y -> x * y, x * -1 -> -x.
static LogicalResult mulOfNeg(MulOp op, PatternRewriter &rewriter) {
  auto a = op.getLhs().getDefiningOp<NegOp>(), b = op.getRhs().getDefiningOp<NegOp>();
  if (a && b) {
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), a.getInput(), b.getInput());
    return success();
  }
  if (splatFloat(op.getRhs()) == -1.0 || splatInt(op.getRhs()) == -1) {
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getType(), op.getLhs());
    return success();
  }
  return rewriter.notifyMatchFailure(op, "neither two negated operands nor -1");
}

/// x / 2^k -> x * 2^-k, where 2^-k is a normal number of the type: both are the same real number, rounded once.
static LogicalResult divByPowerOfTwo(DivOp op, PatternRewriter &rewriter) {
  auto attr = dyn_cast_or_null<FloatAttr>(getSplatValue(op.getRhs()));
  if (!attr)
    return rewriter.notifyMatchFailure(op, "the divisor is no splat constant");
  APFloat inverse(0.0);
  if (!attr.getValue().getExactInverse(&inverse) || !inverse.isNormal())
    return rewriter.notifyMatchFailure(op, "the divisor is no power of two with a normal inverse");
  auto constant = ConstantOp::create(rewriter, op.getLoc(), op.getType(),
                                     cast<ElementsAttr>(DenseElementsAttr::get(op.getType(), inverse)));
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), constant);
  return success();
}

/// pow(x, 0) -> 1, pow(x, 1) -> x, pow(x, 2) -> x * x, pow(x, 3) -> x * x * x, and pow(x, -1) -> 1 / x of floats: what
/// PyTorch computes for these exponents, also of NaN, infinities and zeros. pow(x, 0.5) is not sqrt(x): they differ at
/// -0.0 and -inf.
static LogicalResult powBySmallInteger(PowOp op, PatternRewriter &rewriter) {
  std::optional<double> exponent = splatFloat(op.getRhs());
  if (std::optional<int64_t> whole = splatInt(op.getRhs()))
    exponent = static_cast<double>(*whole);
  if (!exponent)
    return rewriter.notifyMatchFailure(op, "the exponent is no splat constant");
  Value x = op.getLhs();
  Type type = op.getType();
  bool isFloat = isa<FloatType>(op.getType().getElementType());
  if (*exponent == 0 && op.getType().hasStaticShape()) {
    rewriter.replaceOp(op, createSplat(rewriter, op.getLoc(), op.getType(), 1));
  } else if (*exponent == 1) {
    rewriter.replaceOp(op, x);
  } else if (*exponent == 2) {
    rewriter.replaceOpWithNewOp<MulOp>(op, type, x, x);
  } else if (*exponent == 3) {
    Value square = MulOp::create(rewriter, op.getLoc(), type, x, x);
    rewriter.replaceOpWithNewOp<MulOp>(op, type, square, x);
  } else if (*exponent == -1 && isFloat) {
    rewriter.replaceOpWithNewOp<ReciprocalOp>(op, type, x);
  } else {
    return rewriter.notifyMatchFailure(op, "the exponent is not one of -1 .. 3");
  }
  return success();
}

/// where(not c, a, b) -> where(c, b, a).
static LogicalResult whereOfNot(WhereOp op, PatternRewriter &rewriter) {
  Operation *def = op.getCondition().getDefiningOp();
  if (!isa_and_nonnull<LogicalNotOp, BitwiseNotOp>(def) || def->getOperand(0).getType() != op.getCondition().getType())
    return rewriter.notifyMatchFailure(op, "the condition is no negation");
  rewriter.replaceOpWithNewOp<WhereOp>(op, op.getType(), def->getOperand(0), op.getOnFalse(), op.getOnTrue());
  return success();
}

/// where(c, true, false) -> c, where(c, false, true) -> not c, of booleans.
static LogicalResult whereOfBooleans(WhereOp op, PatternRewriter &rewriter) {
  if (!op.getType().getElementType().isInteger(1))
    return rewriter.notifyMatchFailure(op, "not of booleans");
  auto a = dyn_cast_or_null<IntegerAttr>(getSplatValue(op.getOnTrue()));
  auto b = dyn_cast_or_null<IntegerAttr>(getSplatValue(op.getOnFalse()));
  if (!a || !b || a == b)
    return rewriter.notifyMatchFailure(op, "the arms are not true and false");
  if (a.getValue().isOne())
    rewriter.replaceOp(op, op.getCondition());
  else
    rewriter.replaceOpWithNewOp<LogicalNotOp>(op, op.getType(), op.getCondition());
  return success();
}

/// (x converted losslessly) != 0 asks x itself; ne(x, 0) of a converted boolean is that boolean.
static LogicalResult neZeroOfBoolean(NeOp op, PatternRewriter &rewriter) {
  auto convert = op.getLhs().getDefiningOp<ConvertOp>();
  if (!convert || !convert.getInput().getType().getElementType().isInteger(1))
    return rewriter.notifyMatchFailure(op, "no converted boolean");
  std::optional<double> number = splatFloat(op.getRhs());
  if (!(number && *number == 0) && splatInt(op.getRhs()) != 0)
    return rewriter.notifyMatchFailure(op, "not compared with 0");
  rewriter.replaceOp(op, convert.getInput());
  return success();
}

void AddOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(addOfNeg); }
void SubOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(subOfNeg); }
void MulOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(mulOfNeg); }
void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(divByPowerOfTwo); }
void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(powBySmallInteger); }
void WhereOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(whereOfNot);
  patterns.add(whereOfBooleans);
}
void NeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(neZeroOfBoolean); }
