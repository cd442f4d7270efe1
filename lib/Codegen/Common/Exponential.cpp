//===- Exponential.cpp - Exponentials, logarithms, hyperbolic functions ------===//
#include "Elementary.h"
#include "Single.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;
using namespace mlir::trace;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

static bool isDouble(Num x) { return x.width() == 64; }

/// A function with a formula in f32 and libm's in f64.
static Value unary(const Formula &in, Value x, StringRef libmName, function_ref<Num(Num)> single) {
  return evaluate(in, x, [&](ArrayRef<Num> v) { return isDouble(v[0]) ? libm(libmName, v[0]) : single(v[0]); });
}

/// A function of f32 with a formula in f64, or on a GPU one in f32, and libm's for f64.
static Value unaryWide(const Formula &in, Value x, StringRef libmName, function_ref<Num(Num)> gpu,
                       function_ref<Num(Num)> wide) {
  return unary(in, x, libmName, [&](Num x) {
    return in.target.gpu ? gpu(x) : throughDouble(x, [&](ArrayRef<Num> v) { return wide(v[0]); });
  });
}

Value VectorMath::exp(Value x) { return unary({b, loc, target}, x, "exp", exp32); }

Value VectorMath::exp2(Value x) {
  return unary({b, loc, target}, x, "exp2", [](Num x) {
    x = atMost(atLeast(x, -151.0), 129.0);
    Num shifted = x + 0x1.8p23;
    Num n = shifted - 0x1.8p23;
    return scale32(exp2Reduced32(x - n), n, bitsOf(shifted) - bitsOf(splat(x, 0x1.8p23)));
  });
}

Value VectorMath::expm1(Value x) {
  return unary({b, loc, target}, x, "expm1", [](Num x) {
    // 2^n (e^r - 1) + (2^n - 1), all of it halved, since 2^128 is no f32.
    Num y = atMost(atLeast(x, -25.0), 89.0);
    Num shifted = mulAdd(y, 0x1.715476p0, 0x1.8p23);
    Num n = shifted - 0x1.8p23;
    Num r = mulAdd(n, 0x1.05c61p-29, mulAdd(n, -0x1.62e43p-1, y));
    Num half = floatOf(shiftLeft(bitsOf(shifted), 23) + bitsOf(splat(x, 0.5)));
    Num result = mulAdd(half, expm1Reduced32(r), half - 0.5) * 2.0;
    // Halving a subnormal would round it; this also keeps -0.0.
    return choose(less(absolute(x), 0x1p-25), x, result);
  });
}

Value VectorMath::log(Value x) { return unary({b, loc, target}, x, "log", log32); }

Value VectorMath::log2(Value x) {
  return unaryWide({b, loc, target}, x, "log2", single::log2, [](Num x) { return log64(x) * 0x1.71547652b82fep0; });
}

Value VectorMath::log10(Value x) {
  return unaryWide({b, loc, target}, x, "log10", single::log10, [](Num x) { return log64(x) * 0x1.bcb7b1526e50ep-2; });
}

Value VectorMath::log1p(Value x) {
  return unary({b, loc, target}, x, "log1p", [](Num x) {
    // 1 + x only says which power of two to divide by; x itself is what is scaled, so nothing is lost near 0.
    Num bits = bitsOf(x + 1.0);
    Num exponent = (bits - splatInt(bits, 0x3f2aaaab)) & splatInt(bits, 0xff800000);
    // Four times the power of two: the inverse of 2^128 is no normal number.
    Num scale = floatOf(bitsOf(splat(x, 4.0)) - exponent);
    Num f = mulAdd(x * 0.25, scale, mulAdd(scale, 0.25, -1.0));
    Num n = signedToFloat(exponent, x.in->b.getF32Type()) * 0x1p-23;
    Num regular = mulAdd(n, 0x1.62e42fefa39efp-1, log1pReduced32(f));
    Num special = choose(equal(x, -1.0), -infinity, choose(less(x, -1.0), notANumber, x));
    // Tiny numbers, -0.0 among them, are their own logarithm.
    Num inside = greater(x, -1.0) & less(x, infinity) & greaterEqual(absolute(x), 0x1p-25);
    return choose(inside, regular, special);
  });
}

/// |x|^y in f64 for f32 operands, then what C says about signs, ones and integers.
static Num pow32(Num x, Num y) {
  Num magnitude = x.in->target.gpu
                      ? single::powOfMagnitude(x, y)
                      : throughDouble({x, y}, [](ArrayRef<Num> v) { return exp64(v[1] * log64(absolute(v[0]))); });
  Num integral = equal(roundToZero(y), y);
  Num half = y * 0.5;
  // Floats from 2^24 on are even; infinity counts as even, too.
  Num odd = integral & differs(roundToZero(half), half) & less(absolute(y), 0x1p24);
  Num negative = hasSign(x);
  Num result = choose(negative & odd, -magnitude, magnitude);
  Num undefined = less(x, 0.0) & greater(x, -infinity) & !integral & !isNan(y);
  result = choose(undefined, notANumber, result);
  Num one = equal(x, 1.0) | equal(y, 0.0) | (equal(x, -1.0) & equal(absolute(y), infinity));
  return choose(one, 1.0, result);
}

/// The number that every lane of `value` is known to be.
static std::optional<double> getConstant(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  return std::nullopt;
}

Value VectorMath::pow(Value x, Value y) {
  std::optional<double> exponent = getConstant(y);
  return evaluate({b, loc, target}, {x, y}, [&](ArrayRef<Num> v) {
    Num x = v[0], y = v[1];
    // Where that is what pow gives to the last bit. ATen's pow with a Python number has more such exponents; the front
    // end writes those as sqrt, rsqrt and reciprocal: sqrt(-0.0) and sqrt(-inf) are not pow's, and x^-2 by way of x * x
    // overflows early.
    if (exponent == 0.0)
      return splat(x, 1.0);
    if (exponent == 1.0)
      return x;
    if (exponent == 2.0)
      return x * x;
    if (exponent == 3.0)
      return x * x * x;
    if (exponent == -1.0)
      return 1.0 / x;
    return isDouble(x) ? libm("pow", {x, y}) : pow32(x, y);
  });
}

//===----------------------------------------------------------------------===//
// Hyperbolic
//===----------------------------------------------------------------------===//

Value VectorMath::tanh(Value x) {
  return unary({b, loc, target}, x, "tanh", [](Num x) {
    // z / (z + 2) with z = e^(2|x|) - 1, where the error of a large z cancels. From 9.02 on it rounds to 1, so the
    // exponent needs no care.
    Num y = atMost(absolute(x), 10.0) * 2.0;
    Num shifted = mulAdd(y, 0x1.715476p0, 0x1.8p23);
    Num n = shifted - 0x1.8p23;
    Num r = mulAdd(n, 0x1.05c61p-29, mulAdd(n, -0x1.62e43p-1, y));
    Num scale = floatOf(shiftLeft(bitsOf(shifted), 23) + bitsOf(splat(x, 1.0)));
    Num z = mulAdd(scale, expm1Reduced32(r), scale - 1.0);
    return copySign(z / (z + 2.0), x);
  });
}

Value VectorMath::sigmoid(Value x) {
  // Both tails from e^(-|x|), which cannot overflow: the small results are exact down to subnormals.
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    Num x = v[0], y = -absolute(x);
    Num z = isDouble(x) ? libm("exp", y) : exp32(y);
    return choose(less(x, 0.0), z, 1.0) / (z + 1.0);
  });
}

Value VectorMath::sinh(Value x) {
  return unaryWide({b, loc, target}, x, "sinh", single::sinh, [](Num x) {
    Num t = expm164(absolute(x));
    return copySign((t + t / (t + 1.0)) * 0.5, x);
  });
}

Value VectorMath::cosh(Value x) {
  return unaryWide({b, loc, target}, x, "cosh", single::cosh, [](Num x) {
    Num e = exp64(absolute(x));
    return (e + 1.0 / e) * 0.5;
  });
}

Value VectorMath::asinh(Value x) {
  return unaryWide({b, loc, target}, x, "asinh", single::asinh, [](Num x) {
    Num a = absolute(x), square = a * a;
    Num result = log1p64(a + square / (squareRoot(square + 1.0) + 1.0));
    return copySign(choose(equal(a, infinity), infinity, result), x);
  });
}

Value VectorMath::acosh(Value x) {
  return unaryWide({b, loc, target}, x, "acosh", single::acosh, [](Num x) {
    Num t = x - 1.0;
    return choose(less(x, 1.0), notANumber, log1p64(t + squareRoot(t * (x + 1.0))));
  });
}

Value VectorMath::atanh(Value x) {
  return unaryWide({b, loc, target}, x, "atanh", single::atanh, [](Num x) {
    Num a = absolute(x);
    return copySign(log1p64((a + a) / (1.0 - a)) * 0.5, x);
  });
}
