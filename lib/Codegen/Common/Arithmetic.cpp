//===- Arithmetic.cpp - Roots, rounding, signs, division ---------------------===//
#include "Formula.h"
#include "Single.h"
#include <limits>

using namespace mlir;
using namespace mlir::trace;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// The member functions' common frame: `body` computes from Nums of f32 or f64.
#define FORMULA(operands, ...) return evaluate({b, loc, target}, operands, [](ArrayRef<Num> v) -> Num { __VA_ARGS__ })

Value VectorMath::sqrt(Value x) { FORMULA(x, return squareRoot(v[0]);); }
Value VectorMath::rsqrt(Value x) { FORMULA(x, return 1.0 / squareRoot(v[0]);); }
Value VectorMath::reciprocal(Value x) { FORMULA(x, return 1.0 / v[0];); }

Value VectorMath::hypot(Value x, Value y) {
  return evaluate({b, loc, target}, {x, y}, [](ArrayRef<Num> v) {
    if (v[0].width() == 64)
      return libm("hypot", v);
    if (v[0].in->target.gpu)
      return single::hypot(v[0], v[1]);
    // In f64 no square of an f32 overflows or underflows.
    Num a = toDouble(v[0]), b = toDouble(v[1]);
    Num result = toSingle(squareRoot(a * a + b * b));
    Num infinite = equal(absolute(v[0]), infinity) | equal(absolute(v[1]), infinity);
    return choose(infinite, infinity, result);
  });
}

Value VectorMath::abs(Value x) { FORMULA(x, return absolute(v[0]);); }
Value VectorMath::ceil(Value x) { FORMULA(x, return roundUp(v[0]);); }
Value VectorMath::floor(Value x) { FORMULA(x, return roundDown(v[0]);); }
Value VectorMath::trunc(Value x) { FORMULA(x, return roundToZero(v[0]);); }
Value VectorMath::round(Value x) { FORMULA(x, return roundToEven(v[0]);); }

Value VectorMath::sign(Value x) {
  FORMULA(x, return choose(greater(v[0], 0.0), 1.0, choose(less(v[0], 0.0), -1.0, splat(v[0], 0.0))););
}
// NaN and -0.0 stay, as eager has it.
Value VectorMath::relu(Value x) { FORMULA(x, return choose(less(v[0], 0.0), 0.0, v[0]);); }
Value VectorMath::copysign(Value x, Value y) { FORMULA((ValueRange{x, y}), return copySign(v[0], v[1]);); }

Value VectorMath::nextafter(Value x, Value y) {
  // On the bits of the type itself: the neighbour of a bf16 is another bf16.
  Formula in{b, loc, target};
  Num from(x, in), to(y, in);
  Num bits = bitsOf(from), towards = bitsOf(to);
  Num one = splatInt(bits, 1);
  // Away from zero the magnitude grows by one, otherwise it shrinks; from zero, one step to the smallest of y's sign.
  Num positive = greater(from, 0.0);
  Num up = greater(to, from);
  Num stepped = choose(positive ^ up, bits - one, bits + one);
  Num signBit = splatInt(bits, int64_t(1) << (bits.width() - 1));
  Num smallest = (towards & signBit) | one;
  Num result = choose(equal(from, 0.0), smallest, stepped);
  result = choose(equal(from, to), towards, result);
  Num number = Num(arith::BitcastOp::create(b, loc, x.getType(), result.value), in);
  return choose(isNan(from), from, choose(isNan(to), to, number));
}

/// a where it is further out than b (which is false for a NaN), else b; of equal zeros the one that IEEE 754-2019
/// wants: equal numbers have equal bits but for zeros, whose sign bit `zeros` combines.
static Num further(Num a, Num b, Num aIsFurther, llvm::function_ref<Num(Num, Num)> zeros) {
  if (!a.isFloat())
    return choose(aIsFurther, a, b);
  return choose(aIsFurther, a, choose(equal(a, b), floatOf(zeros(bitsOf(a), bitsOf(b))), b));
}

Value VectorMath::maximum(Value a, Value b) {
  return evaluate({this->b, loc, target}, {a, b}, [](ArrayRef<Num> v) {
    const Formula &in = *v[0].in;
    if (in.target.gpu && v[0].isFloat())
      return Num(arith::MaximumFOp::create(in.b, in.loc, v[0].value, v[1].value).getResult(), in);
    Num result = further(v[0], v[1], greater(v[0], v[1]), [](Num x, Num y) { return x & y; });
    return choose(isNan(v[0]), v[0], result);
  });
}
Value VectorMath::minimum(Value a, Value b) {
  return evaluate({this->b, loc, target}, {a, b}, [](ArrayRef<Num> v) {
    const Formula &in = *v[0].in;
    if (in.target.gpu && v[0].isFloat())
      return Num(arith::MinimumFOp::create(in.b, in.loc, v[0].value, v[1].value).getResult(), in);
    Num result = further(v[0], v[1], less(v[0], v[1]), [](Num x, Num y) { return x | y; });
    return choose(isNan(v[0]), v[0], result);
  });
}
Value VectorMath::fmax(Value a, Value b) {
  return evaluate({this->b, loc, target}, {a, b},
                  [](ArrayRef<Num> v) { return choose(isNan(v[1]), v[0], choose(greater(v[0], v[1]), v[0], v[1])); });
}
Value VectorMath::fmin(Value a, Value b) {
  return evaluate({this->b, loc, target}, {a, b},
                  [](ArrayRef<Num> v) { return choose(isNan(v[1]), v[0], choose(less(v[0], v[1]), v[0], v[1])); });
}

Value VectorMath::isnan(Value x) { FORMULA(x, return isNan(v[0]);); }
Value VectorMath::isinf(Value x) { FORMULA(x, return equal(absolute(v[0]), infinity);); }
Value VectorMath::isfinite(Value x) { FORMULA(x, return less(absolute(v[0]), infinity);); }
Value VectorMath::signbit(Value x) { FORMULA(x, return hasSign(v[0]);); }

//===----------------------------------------------------------------------===//
// Division with remainder
//===----------------------------------------------------------------------===//

static Num fmodOf(Num a, Num b) {
  bool isDouble = a.width() == 64;
  Num x = absolute(a), y = absolute(b);
  Num quotient = x / y;
  Num whole = roundToZero(quotient);
  // The rounded quotient may be one too large, never too small; the remainder of either is exact (it is a multiple of
  // the last bit of the smaller operand and no larger than it).
  Num rest = mulAdd(-whole, y, x);
  rest = choose(less(rest, 0.0), rest + y, rest);
  // Beyond the integers that a float holds, and for an infinite or NaN operand, ask libm.
  Num easy = less(quotient, isDouble ? 0x1p52 : 0x1p23) & less(y, infinity);
  return ifAny(!easy, copySign(rest, a), [&] {
    if (a.in->target.gpu && !isDouble)
      return copySign(single::longRemainder(x, y), a);
    return libm(isDouble ? "fmod" : "fmodf", {a, b});
  });
}

static Num remainderOf(Num a, Num b) {
  Num rest = fmodOf(a, b);
  Num adjust = differs(rest, 0.0) & (less(b, 0.0) ^ less(rest, 0.0));
  return choose(adjust, rest + b, rest);
}

Value VectorMath::fmod(Value a, Value b) {
  return evaluate({this->b, loc, target}, {a, b}, [](ArrayRef<Num> v) { return fmodOf(v[0], v[1]); });
}

Value VectorMath::remainder(Value a, Value b) {
  return evaluate({this->b, loc, target}, {a, b}, [](ArrayRef<Num> v) { return remainderOf(v[0], v[1]); });
}

Value VectorMath::divFloor(Value a, Value b) {
  // c10::div_floor_floating, step by step, which is Python's //.
  return evaluate({this->b, loc, target}, {a, b}, [](ArrayRef<Num> v) {
    Num a = v[0], b = v[1];
    Num mod = fmodOf(a, b);
    Num quotient = (a - mod) / b;
    Num adjust = differs(mod, 0.0) & (less(b, 0.0) ^ less(mod, 0.0));
    quotient = choose(adjust, quotient - 1.0, quotient);
    Num down = roundDown(quotient);
    down = choose(greater(quotient - down, 0.5), down + 1.0, down);
    Num result = choose(differs(quotient, 0.0), down, copySign(splat(a, 0.0), a / b));
    return choose(equal(b, 0.0), a / b, result);
  });
}

Value VectorMath::divTrunc(Value a, Value b) {
  return evaluate({this->b, loc, target}, {a, b}, [](ArrayRef<Num> v) { return roundToZero(v[0] / v[1]); });
}

namespace {
/// Quotient rounded to zero and its remainder.
struct QuotientAndRest {
  Num quotient, rest;
};
} // namespace

/// Neither divides by zero nor overflows: the divisors 0 and -1 are replaced, and their results selected.
static QuotientAndRest divideIntegers(Num a, Num b, bool isSigned) {
  OpBuilder &builder = a.in->b;
  Location loc = a.in->loc;
  Num zero = splatInt(a, 0), one = splatInt(a, 1);
  Num byZero = equal(b, zero);
  Num divisor = choose(byZero, one, b);
  Num byMinusOne = equal(b, splatInt(b, -1));
  if (isSigned)
    divisor = choose(byMinusOne, one, divisor);

  Num quotient = a;
  if (a.width() <= 32 && !a.in->target.gpu) {
    // Exact in f64, and x86 has no vector division of integers.
    Type f64 = builder.getF64Type();
    auto convert = [&](Num x) {
      return isSigned ? Num(arith::SIToFPOp::create(builder, loc, x.with(f64), x), *a.in)
                      : Num(arith::UIToFPOp::create(builder, loc, x.with(f64), x), *a.in);
    };
    Num real = convert(a) / convert(divisor);
    quotient = isSigned ? Num(arith::FPToSIOp::create(builder, loc, a.type(), real), *a.in)
                        : Num(arith::FPToUIOp::create(builder, loc, a.type(), real), *a.in);
  } else {
    quotient = isSigned ? Num(arith::DivSIOp::create(builder, loc, a, divisor), *a.in)
                        : Num(arith::DivUIOp::create(builder, loc, a, divisor), *a.in);
  }
  if (isSigned)
    quotient = choose(byMinusOne, -a, quotient);
  quotient = choose(byZero, zero, quotient);
  return {quotient, a - quotient * b};
}

/// The rest is not zero and has not the divisor's sign.
static Num roundedUp(QuotientAndRest division, Num b) {
  Num zero = splatInt(b, 0);
  return differs(division.rest, zero) & differs(b, zero) & less(division.rest ^ b, zero);
}

Value VectorMath::intDiv(Value a, Value b, bool floor, bool isSigned) {
  Formula in{this->b, loc, target};
  Num x(a, in), y(b, in);
  QuotientAndRest division = divideIntegers(x, y, isSigned);
  if (!floor || !isSigned)
    return division.quotient;
  return choose(roundedUp(division, y), division.quotient - splatInt(x, 1), division.quotient);
}

Value VectorMath::intRem(Value a, Value b, bool floor, bool isSigned) {
  Formula in{this->b, loc, target};
  Num x(a, in), y(b, in);
  QuotientAndRest division = divideIntegers(x, y, isSigned);
  if (!floor || !isSigned)
    return division.rest;
  return choose(roundedUp(division, y), division.rest + y, division.rest);
}

Value VectorMath::intPow(Value a, Value b, bool isSigned) {
  Formula in{this->b, loc, target};
  Num base(a, in), exponent(b, in), result = splatInt(base, 1);
  Num one = splatInt(base, 1), zero = splatInt(base, 0), minusOne = splatInt(base, -1);
  Num isOdd = differs(exponent & one, zero);
  // All bits of the exponent by squaring; arithmetic modulo 2^n does not mind the squares that overflow.
  Num square = base, rest = exponent;
  for (unsigned bit = 0; bit < base.width(); ++bit) {
    result = choose(differs(rest & one, zero), result * square, result);
    square = square * square;
    rest = shiftRightUnsigned(rest, 1);
  }
  if (!isSigned)
    return result;
  Num inverse = choose(equal(base, one), one, choose(equal(base, minusOne), choose(isOdd, minusOne, one), zero));
  return choose(less(exponent, zero), inverse, result);
}
