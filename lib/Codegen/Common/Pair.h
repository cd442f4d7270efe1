//===- Pair.h - Numbers of twice the digits ----------------------------------===//
//
// A Pair is the unevaluated sum of two f32 numbers, the second no larger than half a last place of the first: 48
// digits, from f32 arithmetic alone. It is what the f32 formulas use on a GPU in the place of f64, which most GPUs have
// 1/64 as many units for. The exact transformations (twoSum, twoProduct) are Knuth's and Dekker's; they rely on every
// operation being rounded on its own, so nothing here may be contracted or reassociated.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_CODEGEN_COMMON_PAIR_H
#define TRACE_LIB_CODEGEN_COMMON_PAIR_H

#include "Elementary.h"

namespace mlir::trace {

struct Pair {
  Num high, low;

  Pair(Num high, Num low) : high(high), low(low) {}
  /// The number as it is.
  explicit Pair(Num x) : high(x), low(splat(x, 0.0)) {}

  /// The f32 number next to it.
  Num round() const { return high + low; }
};

/// A constant of x's shape with the digits of two numbers.
Pair pairOf(Num x, double high, double low);

/// a + b without an error; the first form needs |a| >= |b| or a = 0.
Pair fastTwoSum(Num a, Num b);
Pair twoSum(Num a, Num b);
/// a * b without an error, as long as nothing underflows.
Pair twoProduct(Num a, Num b);

Pair operator-(Pair a);
Pair operator+(Pair a, Pair b);
Pair operator+(Pair a, Num b);
Pair operator*(Pair a, Pair b);
Pair operator*(Pair a, Num b);
Pair operator/(Pair a, Pair b);
/// Times a power of two.
Pair scaleBy(Pair a, Num power);
Pair choose(Num condition, Pair a, Pair b);
/// Of numbers >= 0.
Pair squareRoot(Pair a);
/// coefficients[0] + coefficients[1] x + ...; the last steps in Pairs, because their terms are the large ones.
Pair polynomialPair(Num x, ArrayRef<double> coefficients, unsigned steps = 1);

/// ln of a normal positive number, of a Pair around one, and of 1 + x for x > -1. Errors below 2^-34 of the result.
Pair logarithm(Num x);
Pair logarithm(Pair x);
Pair logarithmOfOnePlus(Pair x);

/// e^x = value * 2^n; `bits` is the integer n. Arguments outside of [-150, 100] are as these.
struct PairExponential {
  Pair value;
  Num n, bits;
  /// The power in f32, rounded once, and as a Pair if it is a normal number. `extra` is added to the exponent.
  Num round() const;
  Pair scaled(int64_t extra) const;
};
PairExponential exponential(Pair x);

/// x = quadrant * pi/2 + rest, |rest| <= pi/4 and a bit, for every finite x; the quadrant as i32 modulo 2^32. The
/// second form is for |x| < 2^17, the third for the others.
struct PairReduced {
  Pair rest;
  Num quadrant;
};
PairReduced reduceByHalfPi(Num x);
PairReduced reduceLargeByHalfPi(Num x);
inline constexpr double largeForReduction = 0x1p17;

/// For |x| <= pi/4 and a bit.
Pair sineOfReduced(Pair x);
Pair cosineOfReduced(Pair x);

/// The angle of (x, y), every special case included.
Num angleOf(Num y, Num x);

} // namespace mlir::trace

#endif
