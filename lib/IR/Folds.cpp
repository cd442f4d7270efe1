//===- Folds.cpp - Folders of elementwise ops -------------------------------===//
//
// Only what is exact for every value of the element type: x + 0 is not x for x = -0.0, x * 0 is not 0 for NaN.
// Constants are folded where the arithmetic of APFloat in the element's own format gives what PyTorch computes (which,
// for f16 and bf16, is f32 arithmetic rounded: the same, since f32 has more than twice their digits).
//
//===----------------------------------------------------------------------===//
#include "trace/IR/TraceOps.h"
#include "llvm/ADT/APSInt.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;

using FloatOrNone = std::optional<APFloat>;
using IntOrNone = std::optional<APInt>;

//===----------------------------------------------------------------------===//
// Splats
//===----------------------------------------------------------------------===//

/// Formats whose arithmetic is APFloat's.
static bool isIEEE(Type type) { return type.isF16() || type.isBF16() || type.isF32() || type.isF64(); }

static FloatOrNone splatFloat(Attribute attr) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(attr);
  if (!splat || !isIEEE(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>();
}
static IntOrNone splatInt(Attribute attr) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(attr);
  if (!splat || !isa<IntegerType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APInt>();
}

static Attribute makeSplat(Type type, const APFloat &value) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape() ||
      &value.getSemantics() != &cast<FloatType>(tensor.getElementType()).getFloatSemantics())
    return {};
  return SplatElementsAttr::get(tensor, value);
}
static Attribute makeSplat(Type type, const APInt &value) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape() || value.getBitWidth() != tensor.getElementTypeBitWidth())
    return {};
  return SplatElementsAttr::get(tensor, value);
}

static bool isUnsigned(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isUnsignedInteger() || element.isInteger(1);
}

/// Exactly this number: +0.0 and -0.0 differ.
static bool isFloat(Attribute attr, double number) {
  FloatOrNone value = splatFloat(attr);
  if (!value)
    return false;
  APFloat wanted(number);
  bool losesInfo;
  wanted.convert(value->getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return !losesInfo && value->bitwiseIsEqual(wanted);
}
static bool isInfinity(Attribute attr, bool negative) {
  FloatOrNone value = splatFloat(attr);
  return value && value->isInfinity() && value->isNegative() == negative;
}
static bool isNaN(Attribute attr) {
  FloatOrNone value = splatFloat(attr);
  return value && value->isNaN();
}
/// Integers only; i1's true is 1.
static bool isInt(Attribute attr, int64_t number) {
  IntOrNone value = splatInt(attr);
  if (!value)
    return false;
  if (value->getBitWidth() == 1)
    return value->getZExtValue() == static_cast<uint64_t>(number);
  return value->getSExtValue() == number;
}
static bool isAllOnes(Attribute attr) {
  IntOrNone value = splatInt(attr);
  return value && value->isAllOnes();
}
static bool isNumber(Attribute attr, int64_t number) { return isFloat(attr, number) || isInt(attr, number); }
static bool isBool(Type type) { return getElementTypeOrSelf(type).isInteger(1); }
static bool isInteger(Type type) { return isa<IntegerType>(getElementTypeOrSelf(type)); }

static OpFoldResult foldUnary(Attribute input, Type type, llvm::function_ref<FloatOrNone(APFloat)> onFloat,
                              llvm::function_ref<IntOrNone(APInt)> onInt = nullptr) {
  if (FloatOrNone x = splatFloat(input))
    if (FloatOrNone y = onFloat(*x))
      return makeSplat(type, *y);
  if (IntOrNone x = splatInt(input); x && onInt)
    if (IntOrNone y = onInt(*x))
      return makeSplat(type, *y);
  return {};
}

static OpFoldResult foldBinary(Attribute lhs, Attribute rhs, Type type,
                               llvm::function_ref<FloatOrNone(APFloat, const APFloat &)> onFloat,
                               llvm::function_ref<IntOrNone(const APInt &, const APInt &)> onInt) {
  FloatOrNone a = splatFloat(lhs), b = splatFloat(rhs);
  if (a && b && onFloat)
    if (FloatOrNone y = onFloat(*a, *b))
      return makeSplat(type, *y);
  IntOrNone i = splatInt(lhs), j = splatInt(rhs);
  if (i && j && onInt)
    if (IntOrNone y = onInt(*i, *j))
      return makeSplat(type, *y);
  return {};
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (getInput().getDefiningOp<AbsOp>())
    return getInput();
  if (auto neg = getInput().getDefiningOp<NegOp>()) { // |-x| = |x|, wrapping or not
    setOperand(neg.getInput());
    return getResult();
  }
  bool keep = isUnsigned(getType());
  return foldUnary(
      adaptor.getInput(), getType(),
      [](APFloat x) {
        x.clearSign();
        return x;
      },
      [&](APInt x) { return keep ? x : x.abs(); });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto neg = getInput().getDefiningOp<NegOp>())
    return neg.getInput();
  return foldUnary(
      adaptor.getInput(), getType(),
      [](APFloat x) {
        x.changeSign();
        return x;
      },
      [](APInt x) { return -x; });
}

/// The arguments at which a transcendental function is exact; elsewhere libraries differ in the last digit.
static OpFoldResult foldExactPoints(Attribute input, Type type, ArrayRef<std::pair<double, double>> points) {
  if (isNaN(input))
    return makeSplat(type, *splatFloat(input));
  for (auto [x, y] : points)
    if (isFloat(input, x)) {
      APFloat value(y);
      bool losesInfo;
      value.convert(splatFloat(input)->getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      return makeSplat(type, value);
    }
  return {};
}
static constexpr double infinity = std::numeric_limits<double>::infinity();

OpFoldResult ExpOp::fold(FoldAdaptor adaptor) {
  return foldExactPoints(adaptor.getInput(), getType(), {{0.0, 1}, {-0.0, 1}, {infinity, infinity}, {-infinity, 0}});
}
OpFoldResult LogOp::fold(FoldAdaptor adaptor) {
  return foldExactPoints(adaptor.getInput(), getType(),
                         {{1, 0}, {0.0, -infinity}, {-0.0, -infinity}, {infinity, infinity}});
}
OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) {
  // Squares of short numbers have exact roots; others are left to the machine's own correctly rounded root.
  FloatOrNone x = splatFloat(adaptor.getInput());
  if (!x)
    return {};
  if (x->isNaN() || x->isZero() || (x->isInfinity() && !x->isNegative()))
    return makeSplat(getType(), *x);
  if (x->isNegative())
    return {};
  double root = std::sqrt(x->convertToDouble());
  return root * root == x->convertToDouble()
             ? foldExactPoints(adaptor.getInput(), getType(), {{x->convertToDouble(), root}})
             : OpFoldResult();
}

/// Rounding a number that is whole already.
template <typename Op> static OpFoldResult foldRounding(Op op) {
  if (isa_and_nonnull<CeilOp, FloorOp, RoundOp, TruncOp>(op.getInput().getDefiningOp()) || isInteger(op.getType()))
    return op.getInput();
  return {};
}
OpFoldResult CeilOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult FloorOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult RoundOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult TruncOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult ReluOp::fold(FoldAdaptor) {
  return isa_and_nonnull<ReluOp, AbsOp>(getInput().getDefiningOp()) && isa<FloatType>(getType().getElementType())
             ? getInput()
             : OpFoldResult();
}

OpFoldResult BitwiseNotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<BitwiseNotOp>())
    return inner.getInput();
  if (IntOrNone x = splatInt(adaptor.getInput()))
    return makeSplat(getType(), ~*x);
  return {};
}

OpFoldResult LogicalNotOp::fold(FoldAdaptor adaptor) {
  // Twice, of a boolean.
  if (auto inner = getInput().getDefiningOp<LogicalNotOp>(); inner && isBool(inner.getInput().getType()))
    return inner.getInput();
  if (FloatOrNone x = splatFloat(adaptor.getInput()))
    return makeSplat(getType(), APInt(1, x->isZero()));
  if (IntOrNone x = splatInt(adaptor.getInput()))
    return makeSplat(getType(), APInt(1, x->isZero()));
  return {};
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

static constexpr auto nearest = APFloat::rmNearestTiesToEven;

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // -0.0 is addition's neutral element; x + 0.0 makes -0.0 positive.
  if (isFloat(adaptor.getRhs(), -0.0) || isInt(adaptor.getRhs(), 0))
    return getLhs();
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](APFloat a, const APFloat &b) {
        a.add(b, nearest);
        return a;
      },
      [&](const APInt &a, const APInt &b) { return isBool(getType()) ? a | b : a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isFloat(adaptor.getRhs(), 0.0) || isInt(adaptor.getRhs(), 0))
    return getLhs();
  if (getLhs() == getRhs() && isInteger(getType()) && getType().hasStaticShape()) // of floats, inf - inf is NaN
    return makeSplat(getType(), APInt(getType().getElementTypeBitWidth(), 0));
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](APFloat a, const APFloat &b) {
        a.subtract(b, nearest);
        return a;
      },
      [](const APInt &a, const APInt &b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isNumber(adaptor.getRhs(), 1))
    return getLhs();
  if (isInt(adaptor.getRhs(), 0)) // of floats, inf * 0 is NaN
    return getRhs();
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](APFloat a, const APFloat &b) {
        a.multiply(b, nearest);
        return a;
      },
      [](const APInt &a, const APInt &b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isFloat(adaptor.getRhs(), 1))
    return getLhs();
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](APFloat a, const APFloat &b) {
        a.divide(b, nearest);
        return a;
      },
      nullptr);
}

/// max(x, x) = x; the infinity that never wins, of the ops that NaN wins; constants.
static OpFoldResult foldExtreme(Value lhs, Value rhs, Attribute a, Attribute b, Type type, bool maximum) {
  if (lhs == rhs || isInfinity(b, /*negative=*/maximum))
    return lhs;
  if (isNaN(b))
    return rhs;
  return foldBinary(
      a, b, type, [&](APFloat x, const APFloat &y) { return maximum ? llvm::maximum(x, y) : llvm::minimum(x, y); },
      [&](const APInt &x, const APInt &y) {
        bool less = isUnsigned(type) ? x.ult(y) : x.slt(y);
        return less == maximum ? y : x;
      });
}
OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  return foldExtreme(getLhs(), getRhs(), adaptor.getLhs(), adaptor.getRhs(), getType(), true);
}
OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  return foldExtreme(getLhs(), getRhs(), adaptor.getLhs(), adaptor.getRhs(), getType(), false);
}
// NaN is the neutral element of fmax and fmin; an infinity is not, it beats NaN.
OpFoldResult FmaxOp::fold(FoldAdaptor adaptor) {
  return getLhs() == getRhs() || isNaN(adaptor.getRhs()) ? getLhs() : OpFoldResult();
}
OpFoldResult FminOp::fold(FoldAdaptor adaptor) {
  return getLhs() == getRhs() || isNaN(adaptor.getRhs()) ? getLhs() : OpFoldResult();
}

OpFoldResult BitwiseAndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isAllOnes(adaptor.getRhs()))
    return getLhs();
  if (isInt(adaptor.getRhs(), 0))
    return getRhs();
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(), nullptr,
                    [](const APInt &a, const APInt &b) { return a & b; });
}
OpFoldResult BitwiseOrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isInt(adaptor.getRhs(), 0))
    return getLhs();
  if (isAllOnes(adaptor.getRhs()))
    return getRhs();
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(), nullptr,
                    [](const APInt &a, const APInt &b) { return a | b; });
}
OpFoldResult BitwiseXorOp::fold(FoldAdaptor adaptor) {
  if (isInt(adaptor.getRhs(), 0))
    return getLhs();
  if (getLhs() == getRhs() && getType().hasStaticShape())
    return makeSplat(getType(), APInt(getType().getElementTypeBitWidth(), 0));
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(), nullptr,
                    [](const APInt &a, const APInt &b) { return a ^ b; });
}

//===----------------------------------------------------------------------===//
// Comparisons, where, convert
//===----------------------------------------------------------------------===//

/// `whenEqual`: the value on equal operands, known without looking for integers only (NaN differs from itself).
static OpFoldResult foldCompare(Operation *op, Attribute lhs, Attribute rhs, bool whenEqual,
                                llvm::function_ref<bool(int)> holds, bool whenUnordered) {
  auto type = cast<RankedTensorType>(op->getResultTypes()[0]);
  if (op->getOperand(0) == op->getOperand(1) && isInteger(op->getOperand(0).getType()) && type.hasStaticShape())
    return makeSplat(type, APInt(1, whenEqual));
  FloatOrNone a = splatFloat(lhs), b = splatFloat(rhs);
  if (a && b) {
    APFloat::cmpResult order = a->compare(*b);
    bool value = order == APFloat::cmpUnordered
                     ? whenUnordered
                     : holds(order == APFloat::cmpLessThan ? -1 : order == APFloat::cmpGreaterThan);
    return makeSplat(type, APInt(1, value));
  }
  IntOrNone i = splatInt(lhs), j = splatInt(rhs);
  if (i && j) {
    bool unsignedOrder = isUnsigned(op->getOperand(0).getType());
    bool less = unsignedOrder ? i->ult(*j) : i->slt(*j);
    return makeSplat(type, APInt(1, holds(less ? -1 : *i != *j)));
  }
  return {};
}
#define FOLD_COMPARE(OP, EQUAL, EXPRESSION, UNORDERED)                                                                 \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                                                         \
    return foldCompare(                                                                                                \
        *this, adaptor.getLhs(), adaptor.getRhs(), EQUAL, [](int order) { return EXPRESSION; }, UNORDERED);            \
  }
FOLD_COMPARE(EqOp, true, order == 0, false)
FOLD_COMPARE(NeOp, false, order != 0, true)
FOLD_COMPARE(LtOp, false, order < 0, false)
FOLD_COMPARE(LeOp, true, order <= 0, false)
FOLD_COMPARE(GtOp, false, order > 0, false)
FOLD_COMPARE(GeOp, true, order >= 0, false)

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (IntOrNone condition = splatInt(adaptor.getCondition()))
    return condition->isZero() ? getOnFalse() : getOnTrue();
  auto a = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOnTrue());
  if (a && a == adaptor.getOnFalse())
    return a;
  // An arm that asks the same condition again.
  bool changed = false;
  if (auto inner = getOnTrue().getDefiningOp<WhereOp>(); inner && inner.getCondition() == getCondition()) {
    getOnTrueMutable().assign(inner.getOnTrue());
    changed = true;
  }
  if (auto inner = getOnFalse().getDefiningOp<WhereOp>(); inner && inner.getCondition() == getCondition()) {
    getOnFalseMutable().assign(inner.getOnFalse());
    changed = true;
  }
  return changed ? getResult() : OpFoldResult();
}

OpFoldResult ClampOp::fold(FoldAdaptor adaptor) {
  // Bounds that no number is beyond. NaN stays either way.
  if (isInfinity(adaptor.getLow(), true) && isInfinity(adaptor.getHigh(), false))
    return getInput();
  return {};
}

/// Every value of `from` is a value of `to`.
static bool isLossless(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(), toFloat.getFloatSemantics());
  auto fromInt = dyn_cast<IntegerType>(from), toInt = dyn_cast<IntegerType>(to);
  if (!fromInt)
    return false;
  unsigned digits = fromInt.getWidth() - (isUnsigned(from) ? 0 : 1);
  if (toFloat) {
    // Whole numbers below 2^digits: the format needs that many digits, and an exponent that reaches them.
    const llvm::fltSemantics &semantics = toFloat.getFloatSemantics();
    return isIEEE(to) && digits <= APFloat::semanticsPrecision(semantics) &&
           static_cast<int>(digits) <= APFloat::semanticsMaxExponent(semantics);
  }
  if (!toInt || isBool(to))
    return isBool(from) && toInt;
  return isUnsigned(from) ? toInt.getWidth() - (isUnsigned(to) ? 0 : 1) >= digits
                          : !isUnsigned(to) && toInt.getWidth() >= fromInt.getWidth();
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  // What a lossless conversion came from can be converted at once. A narrowing one stays.
  if (auto inner = getInput().getDefiningOp<ConvertOp>()) {
    Type from = inner.getInput().getType().getElementType(), middle = inner.getType().getElementType();
    if (isLossless(from, middle)) {
      setOperand(inner.getInput());
      return getResult();
    }
  }
  Type to = getType().getElementType();
  if (FloatOrNone x = splatFloat(adaptor.getInput())) {
    if (isBool(to))
      return makeSplat(getType(), APInt(1, !x->isZero()));
    if (isIEEE(to)) {
      bool losesInfo;
      // f16 and bf16 come by way of f32.
      if (!to.isF64())
        x->convert(APFloat::IEEEsingle(), nearest, &losesInfo);
      x->convert(cast<FloatType>(to).getFloatSemantics(), nearest, &losesInfo);
      return makeSplat(getType(), *x);
    }
    if (auto integer = dyn_cast<IntegerType>(to)) {
      llvm::APSInt whole(integer.getWidth(), isUnsigned(to));
      bool isExact;
      if (x->convertToInteger(whole, APFloat::rmTowardZero, &isExact) != APFloat::opInvalidOp)
        return makeSplat(getType(), whole);
    }
    return {};
  }
  if (IntOrNone x = splatInt(adaptor.getInput())) {
    if (isBool(to))
      return makeSplat(getType(), APInt(1, !x->isZero()));
    bool unsignedInput = isUnsigned(getInput().getType());
    if (auto integer = dyn_cast<IntegerType>(to))
      return makeSplat(getType(),
                       unsignedInput ? x->zextOrTrunc(integer.getWidth()) : x->sextOrTrunc(integer.getWidth()));
    if (isIEEE(to)) {
      bool losesInfo;
      APFloat value(to.isF64() ? APFloat::IEEEdouble() : APFloat::IEEEsingle());
      value.convertFromAPInt(*x, !unsignedInput, nearest);
      value.convert(cast<FloatType>(to).getFloatSemantics(), nearest, &losesInfo);
      return makeSplat(getType(), value);
    }
  }
  return {};
}
