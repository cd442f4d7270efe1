//===- Elementwise.cpp - Gradient rules of elementwise ops ------------------===//
//
// x, a, b: operands; y: the result; g: its cotangent. The conventions at points without a derivative are PyTorch's
// (tools/autograd/derivatives.yaml and torch/csrc/autograd/FunctionsManual.cpp).
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

namespace numbers = llvm::numbers;

/// The derivative of digamma, by the recurrence and the asymptotic series that PyTorch uses (ATen/native/Math.h),
/// with the reflection formula below 1/2.
static E trigamma(E x) {
  E reflected = lt(x, 0.5);
  E z = where(reflected, 1.0 - x, x);
  E sum = reciprocal(square(z));
  for (int i = 1; i < 6; ++i)
    sum = sum + reciprocal(square(z + i));
  E t = z + 6.0, inverse = reciprocal(square(t));
  E series = (reciprocal(t * 2.0) + 1.0 + inverse * ((1.0 / 6) - inverse * ((1.0 / 30) - inverse * (1.0 / 42)))) / t;
  sum = sum + series;
  E s = sin(x * numbers::pi);
  return where(reflected, constantLike(x, numbers::pi * numbers::pi) / square(s) - sum, sum);
}

/// x^n as eager computes a power with a Python number.
static E powConstant(E x, double n) {
  if (n == 1)
    return x;
  if (n == 2)
    return square(x);
  if (n == 3)
    return square(x) * x;
  if (n == 0.5)
    return sqrt(x);
  if (n == -0.5)
    return rsqrt(x);
  if (n == -1)
    return reciprocal(x);
  if (n == -2)
    return reciprocal(square(x));
  return pow(x, constantLike(x, n));
}

/// pow's gradient towards the base: none where the exponent is 0, even at base 0.
static E powBase(E a, E b, E y, E g) {
  if (auto exponent = dyn_cast_or_null<FloatAttr>(getSplatValue(b.value))) {
    double n = exponent.getValueAsDouble();
    if (n == 0)
      return g.with(Value());
    if (n == 1)
      return g;
    return g * (powConstant(a, n - 1) * n);
  }
  return where(eq(b, 0.0), 0.0, g * (b * pow(a, b - 1.0)));
}

/// pow's gradient towards the exponent: 0^b is constant for b >= 0.
static E powExponent(E a, E b, E y, E g) { return g * where(eq(a, 0.0) && ge(b, 0.0), 0.0, y * log(a)); }

/// atan2's gradient is part / (a^2 + b^2); 0 at the origin.
static E angleGradient(E part, E a, E b, E g) {
  E norm = square(a) + square(b);
  return g * where(eq(norm, 0.0), 0.0, part / norm);
}

/// A gradient that goes where `side` says the operand was chosen, half each at ties; NaN operands let it through.
static E chosen(E losing, E tie, E g) { return where(losing, 0.0, where(tie, g * 0.5, g)); }

static bool isSplat(Value value, double number) {
  auto splat = dyn_cast_or_null<FloatAttr>(getSplatValue(value));
  return splat && splat.getValueAsDouble() == number;
}

static LogicalResult clampRule(ClampOp op, Vjp vjp) {
  E x = vjp.expr(op.getInput()), low = vjp.expr(op.getLow()), high = vjp.expr(op.getHigh()), g = vjp.g();
  double inf = std::numeric_limits<double>::infinity();
  if (vjp.needed[0]) {
    // Bounds at an infinity are how a one-sided clamp is written.
    bool noLow = isSplat(low.value, -inf), noHigh = isSplat(high.value, inf);
    E inside = noLow ? le(x, high) : noHigh ? ge(x, low) : ge(x, low) && le(x, high);
    vjp.grads[0] = where(inside, g, 0.0).value;
  }
  if (vjp.needed[1])
    vjp.grads[1] = where(lt(low, high) && lt(x, low), g, 0.0).value;
  if (vjp.needed[2])
    vjp.grads[2] = where(gt(x, high) || lt(high, low), g, 0.0).value;
  return success();
}

static LogicalResult whereRule(WhereOp op, Vjp vjp) {
  E condition = vjp.expr(op.getCondition()), g = vjp.g();
  // A selection, not a product with the mask: what the other side's cotangent is must not matter.
  if (vjp.needed[1])
    vjp.grads[1] = where(condition, g, 0.0).value;
  if (vjp.needed[2])
    vjp.grads[2] = where(condition, 0.0, g).value;
  return success();
}

static LogicalResult convertRule(ConvertOp op, Vjp vjp) {
  if (vjp.needed[0])
    vjp.grads[0] = convert(vjp.g(), op.getInput().getType().getElementType()).value;
  return success();
}

static void addUnaryRules(RuleTable &rules) {
  rules.unary<AbsOp>([](E x, E y, E g) { return g * sign(x); });
  rules.unary<NegOp>([](E x, E y, E g) { return -g; });
  rules.unary<ExpOp>([](E x, E y, E g) { return g * y; });
  rules.unary<Exp2Op>([](E x, E y, E g) { return g * (y * numbers::ln2); });
  rules.unary<Expm1Op>([](E x, E y, E g) { return g * (y + 1.0); });
  rules.unary<LogOp>([](E x, E y, E g) { return g / x; });
  rules.unary<Log2Op>([](E x, E y, E g) { return g / (x * numbers::ln2); });
  rules.unary<Log10Op>([](E x, E y, E g) { return g / (x * numbers::ln10); });
  rules.unary<Log1pOp>([](E x, E y, E g) { return g / (x + 1.0); });
  rules.unary<SqrtOp>([](E x, E y, E g) { return g / (y * 2.0); });
  rules.unary<RsqrtOp>([](E x, E y, E g) { return g * (y * y * y * -0.5); });
  rules.unary<ReciprocalOp>([](E x, E y, E g) { return g * -(y * y); });
  rules.unary<SinOp>([](E x, E y, E g) { return g * cos(x); });
  rules.unary<CosOp>([](E x, E y, E g) { return g * -sin(x); });
  rules.unary<TanOp>([](E x, E y, E g) { return g * (square(y) + 1.0); });
  rules.unary<AsinOp>([](E x, E y, E g) { return g * rsqrt(1.0 - square(x)); });
  rules.unary<AcosOp>([](E x, E y, E g) { return g * -rsqrt(1.0 - square(x)); });
  rules.unary<AtanOp>([](E x, E y, E g) { return g / (square(x) + 1.0); });
  rules.unary<SinhOp>([](E x, E y, E g) { return g * cosh(x); });
  rules.unary<CoshOp>([](E x, E y, E g) { return g * sinh(x); });
  rules.unary<TanhOp>([](E x, E y, E g) { return g * (1.0 - square(y)); });
  rules.unary<AsinhOp>([](E x, E y, E g) { return g * rsqrt(square(x) + 1.0); });
  rules.unary<AcoshOp>([](E x, E y, E g) { return g * rsqrt(square(x) - 1.0); });
  rules.unary<AtanhOp>([](E x, E y, E g) { return g / (1.0 - square(x)); });
  rules.unary<ErfOp>([](E x, E y, E g) { return g * (exp(-square(x)) * (2 * numbers::inv_sqrtpi)); });
  rules.unary<ErfcOp>([](E x, E y, E g) { return g * (exp(-square(x)) * (-2 * numbers::inv_sqrtpi)); });
  rules.unary<ErfinvOp>([](E x, E y, E g) { return g * (exp(square(y)) * (0.5 / numbers::inv_sqrtpi)); });
  rules.unary<LgammaOp>([](E x, E y, E g) { return g * digamma(x); });
  rules.unary<DigammaOp>([](E x, E y, E g) { return g * trigamma(x); });
  rules.unary<SigmoidOp>([](E x, E y, E g) { return g * ((1.0 - y) * y); });
  // 0 at 0; a NaN lets the cotangent through.
  rules.unary<ReluOp>([](E x, E y, E g) { return where(le(y, 0.0), 0.0, g); });
  rules.zero<SignOp, CeilOp, FloorOp, RoundOp, TruncOp>();
}

static void addBinaryRules(RuleTable &rules) {
  rules.binary<AddOp>([](E a, E b, E y, E g) { return g; }, [](E a, E b, E y, E g) { return g; });
  rules.binary<SubOp>([](E a, E b, E y, E g) { return g; }, [](E a, E b, E y, E g) { return -g; });
  rules.binary<MulOp>([](E a, E b, E y, E g) { return g * b; }, [](E a, E b, E y, E g) { return g * a; });
  rules.binary<DivOp>([](E a, E b, E y, E g) { return g / b; }, [](E a, E b, E y, E g) { return -g * (y / b); });
  rules.zero<DivFloorOp, DivTruncOp>();
  rules.binary<RemainderOp>([](E a, E b, E y, E g) { return g; },
                            [](E a, E b, E y, E g) { return -g * divFloor(a, b); });
  rules.binary<FmodOp>([](E a, E b, E y, E g) { return g; }, [](E a, E b, E y, E g) { return -g * divTrunc(a, b); });
  rules.binary<PowOp>(powBase, powExponent);
  rules.binary<Atan2Op>([](E a, E b, E y, E g) { return angleGradient(b, a, b, g); },
                        [](E a, E b, E y, E g) { return angleGradient(-a, a, b, g); });
  rules.binary<HypotOp>([](E a, E b, E y, E g) { return g * (a / y); }, [](E a, E b, E y, E g) { return g * (b / y); });
  rules.binary<CopysignOp>([](E a, E b, E y, E g) { return g * where(eq(a, 0.0), 0.0, y / a); }, noGradient);
  rules.binary<MaximumOp>([](E a, E b, E y, E g) { return chosen(lt(a, b), eq(a, b), g); },
                          [](E a, E b, E y, E g) { return chosen(lt(b, a), eq(a, b), g); });
  rules.binary<MinimumOp>([](E a, E b, E y, E g) { return chosen(gt(a, b), eq(a, b), g); },
                          [](E a, E b, E y, E g) { return chosen(gt(b, a), eq(a, b), g); });
  // At ties all of it goes to the first operand; a NaN loses.
  rules.binary<FmaxOp>([](E a, E b, E y, E g) { return where(ge(a, b) || isnan(b), g, 0.0); },
                       [](E a, E b, E y, E g) { return where(ge(a, b) || isnan(b), 0.0, g); });
  rules.binary<FminOp>([](E a, E b, E y, E g) { return where(le(a, b) || isnan(b), g, 0.0); },
                       [](E a, E b, E y, E g) { return where(le(a, b) || isnan(b), 0.0, g); });
}

void autodiff::addElementwiseRules(RuleTable &rules) {
  addUnaryRules(rules);
  addBinaryRules(rules);
  rules.custom<ClampOp>(clampRule);
  rules.custom<WhereOp>(whereRule);
  rules.custom<ConvertOp>(convertRule);
}
