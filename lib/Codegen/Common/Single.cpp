//===- Single.cpp - Functions of f32 that use no f64 -------------------------===//
#include "Single.h"
#include "Pair.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace mlir::trace;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// Logarithms, powers
//===----------------------------------------------------------------------===//

/// `regular` for positive finite numbers, and what a logarithm is elsewhere.
static Num logarithmOrSpecial(Num x, Num regular) {
  Num special = choose(equal(x, 0.0), -infinity, choose(less(x, 0.0), notANumber, x));
  return choose(greater(x, 0.0) & less(x, infinity), regular, special);
}

Num single::log2(Num x) {
  return logarithmOrSpecial(x, (logarithm(x) * pairOf(x, 0x1.715476p+0, 0x1.4ae0c0p-26)).round());
}

Num single::log10(Num x) {
  return logarithmOrSpecial(x, (logarithm(x) * pairOf(x, 0x1.bcb7b2p-2, -0x1.5b235ep-27)).round());
}

Num single::powOfMagnitude(Num x, Num y) {
  Num magnitude = absolute(x);
  Pair logarithmOfX = logarithm(magnitude), exponent = logarithmOfX * y;
  Num inside = greater(magnitude, 0.0) & less(magnitude, infinity);
  // A product that overflows is infinite, and its low half no number.
  Num product = choose(inside, logarithmOfX.high, logarithmOrSpecial(magnitude, magnitude)) * y;
  Num moderate = inside & less(absolute(product), 200.0);
  Num high = choose(moderate, exponent.high, product), low = choose(moderate, exponent.low, splat(x, 0.0));
  return exponential({high, low}).round();
}

//===----------------------------------------------------------------------===//
// Hyperbolic
//===----------------------------------------------------------------------===//

/// The quotient 1/4 / (e/2), which is e^-x / 2.
static Pair quarterOver(Pair e) { return Pair(splat(e.high, 0.25)) / e; }

Num single::sinh(Num x) {
  Num a = absolute(x), z = x * x;
  Num p = polynomial(z, {0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a01a01ap-13, 0x1.71de3a556c734p-19,
                         0x1.ae64567f544e4p-26});
  Num small = mulAdd(x * z, p, x);
  Pair half = exponential(Pair(atMost(a, 95.0))).scaled(-1);
  Pair difference = half + -quarterOver(half);
  Num large = choose(less(a, 12.0), difference.round(), half.round());
  large = choose(equal(half.high, infinity), infinity, large);
  return choose(less(a, 1.0), small, copySign(large, x));
}

Num single::cosh(Num x) {
  Num a = absolute(x);
  Pair half = exponential(Pair(atMost(a, 95.0))).scaled(-1);
  Pair sum = half + quarterOver(half);
  Num result = choose(less(a, 12.0), sum.round(), half.round());
  return choose(equal(half.high, infinity), infinity, choose(isNan(x), x, result));
}

Num single::asinh(Num x) {
  Num a = absolute(x);
  // Beyond, ln(2a): the rest, 1/(4 a^2), does not count.
  Num large = greater(a, 0x1p14);
  Num b = choose(large, 1.0, a);
  Pair square = twoProduct(b, b);
  Pair root = squareRoot(square + splat(x, 1.0));
  Pair near = logarithmOfOnePlus(square / (root + splat(x, 1.0)) + b);
  Pair far = logarithm(a) + pairOf(x, 0x1.62e43p-1, -0x1.05c61p-29);
  Num result = choose(large, far, near).round();
  result = choose(less(a, 0x1p-13), a, choose(less(a, infinity), result, a));
  return copySign(result, x);
}

Num single::acosh(Num x) {
  Num large = greater(x, 0x1p14);
  Num b = choose(large, 1.0, x);
  Pair root = squareRoot(twoProduct(b, b) + splat(x, -1.0));
  Pair near = logarithmOfOnePlus(root + (b - 1.0));
  Pair far = logarithm(x) + pairOf(x, 0x1.62e43p-1, -0x1.05c61p-29);
  Num result = choose(large, far, near).round();
  result = choose(equal(x, infinity), x, result);
  return choose(greaterEqual(x, 1.0), result, choose(isNan(x), x, splat(x, notANumber)));
}

Num single::atanh(Num x) {
  Num a = absolute(x);
  Num b = choose(less(a, 1.0), a, splat(x, 0.0));
  Pair quotient = Pair(b * 2.0) / twoSum(splat(x, 1.0), -b);
  Num result = scaleBy(logarithmOfOnePlus(quotient), splat(x, 0.5)).round();
  result = choose(less(a, 0x1p-13), a, result);
  result = choose(equal(a, 1.0), infinity, choose(lessEqual(a, 1.0), result, splat(x, notANumber)));
  return copySign(result, x);
}

//===----------------------------------------------------------------------===//
// Trigonometric
//===----------------------------------------------------------------------===//

/// finish(reduced x), where the reduction of large angles is done only if there are any.
static Num withReduction(Num x, function_ref<Num(PairReduced)> finish) {
  Num large = greaterEqual(absolute(x), largeForReduction) & less(absolute(x), infinity);
  Num regular = finish(reduceByHalfPi(x));
  return ifAny(large, regular, [&] { return choose(large, finish(reduceLargeByHalfPi(x)), regular); });
}

static Num isOdd(Num quadrant) { return differs(quadrant & splatInt(quadrant, 1), splatInt(quadrant, 0)); }

Num single::sine(Num x, int64_t turns) {
  Num result = withReduction(x, [&](PairReduced reduced) {
    Num r = reduced.rest.round();
    Num quadrant = reduced.quadrant + splatInt(reduced.quadrant, turns);
    Num value = choose(isOdd(quadrant), cosReduced32(r), sinReduced32(r));
    // Quadrants 2 and 3 change the sign.
    return floatOf(bitsOf(value) ^ shiftLeft(quadrant & splatInt(quadrant, 2), 30));
  });
  // An infinity less an infinity is no number either way; -0.0 and tiny numbers are their own sine.
  return turns == 0 ? choose(less(absolute(x), 0x1p-13), x, result) : result;
}

Num single::tan(Num x) {
  Num result = withReduction(x, [&](PairReduced reduced) {
    Pair sine = sineOfReduced(reduced.rest), cosine = cosineOfReduced(reduced.rest);
    Num odd = isOdd(reduced.quadrant);
    return (choose(odd, -cosine, sine) / choose(odd, sine, cosine)).round();
  });
  return choose(less(absolute(x), 0x1p-13), x, result);
}

/// asin(s) for s in [0, 1/2], z = s^2.
static Pair arcSine(Pair s, Num z) {
  // s + s^3 P(z). Error 2.8e-10.
  Num p = polynomial(z, {0x1.55554c3375cd2p-3, 0x1.333890d3adcecp-4, 0x1.6cabe0afe6671p-5, 0x1.04a97d460d5c8p-5,
                         0x1.d7c051853441cp-7, 0x1.33ce259221506p-5});
  Pair sum = fastTwoSum(s.high, s.high * z * p);
  return {sum.high, sum.low + s.low};
}

/// Above 1/2: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)). The root's angle, twice, with the halved argument exact.
static Pair twiceArcSineOfRoot(Num a) {
  Num z = (1.0 - a) * 0.5;
  return scaleBy(arcSine(squareRoot(Pair(z)), z), splat(a, 2.0));
}

static Pair halfPiOf(Num x) { return pairOf(x, 0x1.921fb6p+0, -0x1.777a5cp-25); }

Num single::asin(Num x) {
  Num a = absolute(x);
  Num outer = (halfPiOf(x) + -twiceArcSineOfRoot(atMost(a, 1.0))).round();
  Num inner = arcSine(Pair(a), a * a).round();
  Num result = choose(greater(a, 0.5), outer, inner);
  return copySign(choose(lessEqual(a, 1.0), result, splat(x, notANumber)), x);
}

Num single::acos(Num x) {
  Num a = absolute(x);
  Pair outer = twiceArcSineOfRoot(atMost(a, 1.0));
  outer = choose(less(x, 0.0), pairOf(x, 0x1.921fb6p+1, -0x1.777a5cp-24) + -outer, outer);
  Pair inner = halfPiOf(x) + -arcSine(Pair(x), x * x);
  Num result = choose(greater(a, 0.5), outer, inner).round();
  return choose(lessEqual(a, 1.0), result, splat(x, notANumber));
}

Num single::hypot(Num x, Num y) {
  Num ax = absolute(x), ay = absolute(y);
  Num large = choose(greater(ax, ay), ax, ay), small = choose(greater(ax, ay), ay, ax);
  // Squares that neither overflow nor lose digits below.
  Num scale = choose(greater(large, 0x1p60), 0x1p-80, choose(less(large, 0x1p-40), 0x1p80, splat(x, 1.0)));
  Num back = choose(greater(large, 0x1p60), 0x1p80, choose(less(large, 0x1p-40), 0x1p-80, splat(x, 1.0)));
  Num a = large * scale, b = small * scale;
  Pair squares = twoProduct(a, a) + twoProduct(b, b);
  Num result = squareRoot(squares).round() * back;
  // NaN goes through the sum.
  result = choose(lessEqual(small, large * 0x1p-30), large + small, result);
  return choose(equal(ax, infinity) | equal(ay, infinity), infinity, result);
}

//===----------------------------------------------------------------------===//
// Error function
//===----------------------------------------------------------------------===//

Num single::erfc(Num x) {
  Num a = atMost(absolute(x), 11.0);
  // e^(-a^2) P(q) / (1 + 2a), as erfcPositive64.
  Num q = (a - 4.0) / (a + 4.0);
  Pair p = polynomialPair(q,
                          {0x1.3ba5916f6780bp+0, -0x1.1df1ad44a8767p-3, 0x1.f7f5992ac8f8cp-7, 0x1.16ed0193727b6p-4,
                           -0x1.9dda19896ea3bp-4, 0x1.7fed93545ea69p-4, -0x1.0fbbeed10a080p-4, 0x1.306d54dbc940ap-5,
                           -0x1.0892c872c2d13p-6, 0x1.4de89fa5bbfd5p-8, -0x1.aee3b9adccc24p-11, -0x1.74227cf28116ap-12,
                           0x1.64108d8cf4a17p-14},
                          3);
  PairExponential e = exponential(-twoProduct(a, a));
  e.value = e.value * p / twoSum(splat(x, 1.0), a * 2.0);
  Pair scaled = e.scaled(0);
  Num negative = (-scaled + splat(x, 2.0)).round();
  // Around 0, where the polynomial's terms are large, 1 - erf(x). Error 1.7e-8 of erf.
  Num z = x * x;
  Num tail =
      polynomial(z, {0x1.06eba6p-3, -0x1.8126e8p-2, 0x1.ce1a88p-4, -0x1.b689b6p-6, 0x1.4723ep-8, -0x1.398926p-11});
  Num near = (twoSum(splat(x, 1.0), -x) + -(x * tail)).round();
  return choose(less(a, 0.5), near, choose(less(x, 0.0), negative, e.round()));
}

Num single::erfinv(Num x) {
  Num a = absolute(x);
  Num inside = choose(less(a, 1.0), a, splat(x, 0.5));
  Pair w = -logarithm(twoSum(splat(x, 1.0), -inside) * twoSum(splat(x, 1.0), inside));
  Num t = (w + splat(x, -2.5)).round(), u = (squareRoot(w) + splat(x, -3.0)).round();
  Pair central =
      polynomialPair(t,
                     {0x1.805c5cff6d4eep+0, 0x1.f91e897307617p-3, -0x1.11c3e0b11db77p-8, -0x1.486399f0acc9fp-10,
                      0x1.c9bb5ad0851c0p-13, -0x1.4f7601a6e3086p-18, -0x1.cbd4e0881ff55p-19, 0x1.0189334cffebap-21,
                      0x1.1abbac423465dp-26, -0x1.7ac007b96c10ap-27, 0x1.e084f8a895640p-32, 0x1.24245f1cdfb93p-33},
                     2);
  Pair tail = polynomialPair(u,
                             {0x1.6a9efbe564578p+1, 0x1.006dc45c02851p+0, 0x1.357e77aebd08cp-7, -0x1.f475614eda6e7p-8,
                              0x1.74dc63da5136cp-8, -0x1.d81305820c82ap-9, 0x1.839ea309a45abp-10,
                              -0x1.9851627673d92p-15, -0x1.3f2606677e996p-12, 0x1.cdca71eb0fb22p-14},
                             2);
  Pair p = choose(less(w.high, 5.0), central, tail);
  // A tiny x has no room for the second half of a product.
  Num result = choose(less(a, 0x1p-60), x * p.high, (p * x).round());
  result = choose(equal(a, 1.0), copySign(splat(x, infinity), x), result);
  return choose(lessEqual(a, 1.0), result, splat(x, notANumber));
}

//===----------------------------------------------------------------------===//
// Gamma functions
//===----------------------------------------------------------------------===//

/// ln(gamma(y)) for y in [1/2, 3], which is (y - 1) (y - 2) R(y), from u = y - 1 given exactly.
static Pair logGammaNear(Num u) {
  // R around 1 (on [1/2, 3/2], error 2.7e-9) and around 2 (on [3/2, 3], error 2.8e-10).
  static constexpr double around1[] = {
      0x1.2788cfd20a214p-1,  -0x1.f64651276e0f5p-3, 0x1.3e54184bdb6f0p-3,  -0x1.d7ab0522d5bb3p-4, 0x1.79e884410d451p-4,
      -0x1.3bd51d3aba5f1p-4, 0x1.0f4eacef0b3e7p-4,  -0x1.f81c0c59b11a5p-5, 0x1.d6888c05373bcp-5,  -0x1.f389435b9ef35p-6,
      0x1.3b507d3c0ca25p-6,  -0x1.63cc97ca1004cp-4, 0x1.78763507d266bp-4};
  static constexpr double around2[] = {0x1.b0ee6070b58ebp-2,
                                       -0x1.9ae64f7fe5b4bp-4,
                                       0x1.0e0ca26c22df8p-5,
                                       -0x1.95cf96f3b4599p-7,
                                       0x1.4796810dc0aebp-8,
                                       -0x1.140dc28c64baap-9,
                                       0x1.df3a3df3d3643p-11,
                                       -0x1.b20dce3219a70p-12,
                                       0x1.97330792f8eabp-13,
                                       -0x1.41ff31971fdc2p-14,
                                       0x1.0b4d59f5e34bap-16,
                                       0,
                                       0};
  Num upper = greater(u, 0.5);
  Num t = choose(upper, u - 1.0, u);
  auto coefficient = [&](unsigned i) { return choose(upper, splat(u, around2[i]), splat(u, around1[i])); };
  Num r = coefficient(12);
  for (int i = 11; i >= 0; --i)
    r = mulAdd(r, t, coefficient(i));
  return twoSum(u, splat(u, -1.0)) * u * r;
}

/// ln(gamma(a)) for a >= 3, with ln a given: Stirling's series. Error 4e-9.
static Pair logGammaFar(Num a, Pair logarithmOfA) {
  Num inverse = 1.0 / a;
  Num series =
      inverse * polynomial(inverse * inverse,
                           {0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
                            0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8});
  Pair main = logarithmOfA * twoSum(a, splat(a, -0.5)) + -a;
  return main + pairOf(a, 0x1.d67f1cp-1, 0x1.0c97d6p-26) + series;
}

/// |sin(pi x)|, by the distance to the nearest integer.
static Pair sineOfPi(Num x) {
  Num f = absolute(x - roundToEven(x));
  // Above a quarter, the cosine of the distance to a half.
  Num upper = greater(f, 0.25);
  Pair angle = pairOf(x, 0x1.921fb6p+1, -0x1.777a5cp-24) * choose(upper, 0.5 - f, f);
  return choose(upper, cosineOfReduced(angle), sineOfReduced(angle));
}

Num single::lgamma(Num x) {
  Num a = absolute(x);
  Num near = less(a, 0.5), far = greaterEqual(a, 3.0);
  // Around 0: ln(gamma(1 + x)) - ln|x|. Below -1/2 reflected: ln(pi / |a sin(pi a)|) - ln(gamma(a)).
  Pair logarithmOfA = logarithm(a);
  Pair around = logGammaNear(choose(near, x, choose(far, splat(a, 0.0), a - 1.0)));
  Pair result = choose(near, around + -logarithmOfA,
                       choose(far, logGammaFar(choose(far, atMost(a, 0x1p120), splat(a, 3.0)), logarithmOfA), around));
  Pair product = sineOfPi(a) * a;
  Pair reflected = pairOf(x, 0x1.250d04p+0, 0x1.1cf438p-25) + -logarithm(product) + -result;
  Num value = choose(lessEqual(x, -0.5), reflected, result).round();
  // Tiny numbers have only a logarithm, and huge ones only the product, that may overflow.
  value = choose(less(a, 0x1p-60), -logarithmOfA.high, value);
  value = choose(greater(x, 0x1p60), x * (logarithmOfA.high - 1.0), value);
  Num pole = lessEqual(x, 0.0) & equal(roundToZero(x), x);
  return choose(pole | equal(a, infinity), infinity, choose(isNan(x), x, value));
}

Num single::digamma(Num x) {
  OpBuilder &b = x.in->b;
  Location loc = x.in->loc;
  Num negative = less(x, 0.0);
  // Reflection: digamma(x) = digamma(1 - x) - pi / tan(pi x).
  Num fraction = x - roundToEven(x);
  Num upper = greater(absolute(fraction), 0.25);
  Num f = choose(upper, 0.5 - absolute(fraction), absolute(fraction));
  Pair piOf = pairOf(x, 0x1.921fb6p+1, -0x1.777a5cp-24);
  Pair sine = sineOfReduced(piOf * f), cosine = cosineOfReduced(piOf * f);
  Pair cotangent = choose(upper, sine, cosine) / choose(upper, cosine, sine) * piOf;
  cotangent = choose(hasSign(fraction), -cotangent, cotangent);
  Pair y = choose(negative, twoSum(splat(x, 1.0), -x), Pair(x));
  Pair zeroPair(splat(x, 0.0));
  Pair sum = choose(negative, -cotangent, zeroPair);

  // Recurrence up to 10.
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value ten = arith::ConstantIndexOp::create(b, loc, 10);
  auto loop = scf::ForOp::create(b, loc, zero, ten, one, ValueRange{y.high, y.low, sum.high, sum.low});
  auto pairAt = [&](ValueRange values, unsigned i) { return Pair(Num(values[i], *x.in), Num(values[i + 1], *x.in)); };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Pair current = pairAt(loop.getRegionIterArgs(), 0), total = pairAt(loop.getRegionIterArgs(), 2);
    Num below = less(current.high, 10.0);
    Pair nextTotal = choose(below, total + -(Pair(splat(x, 1.0)) / current), total);
    Pair next = choose(below, current + splat(x, 1.0), current);
    scf::YieldOp::create(b, loc, ValueRange{next.high, next.low, nextTotal.high, nextTotal.low});
  }
  y = pairAt(loop.getResults(), 0);
  sum = pairAt(loop.getResults(), 2);
  Num inverse = 1.0 / y.high, z = inverse * inverse;
  Num series = z * polynomial(z, {8.33333333333333333333e-2, -8.33333333333333333333e-3, 3.96825396825396825397e-3,
                                  -4.16666666666666666667e-3});
  Num small = mulAdd(y.high, 0.0, mulAdd(inverse, 0.5, series));
  Num result = (sum + logarithm(y) + -small).round();
  // Beyond, only the logarithm; around 0, only the pole.
  result = choose(greater(absolute(x), 0x1p60), logarithm(absolute(x)).high, result);
  result = choose(less(absolute(x), 0x1p-24), -1.0 / x, result);
  result = choose(equal(x, 0.0), copySign(splat(x, infinity), -x), result);
  result = choose(negative & equal(fraction, 0.0), notANumber, result);
  return choose(equal(x, infinity) | isNan(x), x, choose(equal(x, -infinity), notANumber, result));
}

//===----------------------------------------------------------------------===//
// Remainder
//===----------------------------------------------------------------------===//

Num single::longRemainder(Num x, Num y) {
  OpBuilder &b = x.in->b;
  Location loc = x.in->loc;
  // Integers of 24 digits and their exponents.
  auto takeApart = [&](Num a) -> std::pair<Num, Num> {
    Num subnormal = less(a, 0x1p-126);
    Num bits = bitsOf(choose(subnormal, a * 0x1p24, a));
    Num exponent = shiftRightUnsigned(bits, 23) - choose(subnormal, splatInt(bits, 24), splatInt(bits, 0));
    return {extendUnsigned((bits & splatInt(bits, 0x7fffff)) | splatInt(bits, 0x800000), 64), exponent};
  };
  auto [mx, ex] = takeApart(x);
  auto [my, ey] = takeApart(y);
  auto remainder = [&](Num a, Num m) {
    return Num(arith::RemUIOp::create(b, loc, a.value, m.value).getResult(), *x.in);
  };
  Num zero = splatInt(ex, 0), most = splatInt(ex, 32);
  Num left = choose(less(ex, ey), zero, ex - ey);
  // Exponents differ by 276 at most.
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  Value step = arith::ConstantIndexOp::create(b, loc, 1);
  Value last = arith::ConstantIndexOp::create(b, loc, 9);
  auto loop = scf::ForOp::create(b, loc, first, last, step, ValueRange{remainder(mx, my), left});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Num rest(loop.getRegionIterArg(0), *x.in), digits(loop.getRegionIterArg(1), *x.in);
    Num now = choose(less(digits, most), digits, most);
    Num shifted(arith::ShLIOp::create(b, loc, rest.value, extendUnsigned(now, 64).value).getResult(), *x.in);
    scf::YieldOp::create(b, loc, ValueRange{remainder(shifted, my), digits - now});
  }
  Num rest = signedToFloat(truncateInt(Num(loop.getResult(0), *x.in), 32), b.getF32Type());
  // Times 2^(ey - 150), in two factors; what comes out is representable.
  Num total = ey - splatInt(ey, 150), half = shiftRight(total, 1);
  auto power = [](Num n) { return floatOf(shiftLeft(n + splatInt(n, 127), 23)); };
  Num result = rest * power(half) * power(total - half);
  // Smaller dividends are their own remainder.
  result = choose(less(x, y), x, result);
  // NaN, an infinite dividend and a divisor of 0 have none; an infinite divisor leaves the dividend.
  Num defined = less(x, infinity) & greater(y, 0.0);
  return choose(defined, result, splat(x, notANumber));
}
