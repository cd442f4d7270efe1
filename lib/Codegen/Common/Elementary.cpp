//===- Elementary.cpp - The formulas that others are made of -----------------===//
//
// The polynomials are minimax fits on the stated interval (Remez exchange in 40 digits; f32 coefficients rounded one
// after the other with the rest fitted again). "Error" is that of the fit, before evaluation rounds.
//
//===----------------------------------------------------------------------===//
#include "Elementary.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <limits>

using namespace mlir;
using namespace mlir::trace;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

// Adding 1.5 * 2^(mantissa bits) rounds to an integer, which then stands in the low bits.
static constexpr double roundingShift32 = 0x1.8p23;
static constexpr double roundingShift64 = 0x1.8p52;
static constexpr double log2OfE = 0x1.71547652b82fep0;
// ln 2 in two parts of f32, and of f64.
static constexpr double ln2High32 = 0x1.62e43p-1, ln2Low32 = -0x1.05c61p-29;
static constexpr double ln2High64 = 0x1.62e42fefa39efp-1, ln2Low64 = 0x1.abc9e3b39803fp-56;

Num trace::expm1Reduced32(Num r) {
  // e^r = 1 + r + r^2 P(r). Error 1.6e-8 of e^r - 1.
  Num p = polynomial(r, {0x1p-1, 0x1.5554aep-3, 0x1.555484p-5, 0x1.12290cp-7, 0x1.6d9b04p-10});
  return mulAdd(r * r, p, r);
}

Num trace::exp2Reduced32(Num f) {
  // Error 5.3e-9.
  return polynomial(f,
                    {1.0, 0x1.62e432p-1, 0x1.ebfbe6p-3, 0x1.c6ada8p-5, 0x1.3b21d2p-7, 0x1.5fbe66p-10, 0x1.4bbf66p-13});
}

Num trace::scale32(Num p, Num n, Num bits) {
  OpBuilder &b = p.in->b;
  auto vector = dyn_cast<VectorType>(p.type());
  if (p.in->target.avx512 && vector && vector.getNumElements() == 16) {
    // All lanes, rounding as the current mode (4). The intrinsic is called by name because the op of x86vector passes
    // its operands in another order than the intrinsic takes them.
    Value mask = arith::ConstantOp::create(b, p.in->loc, b.getI16IntegerAttr(-1));
    Value rounding = arith::ConstantOp::create(b, p.in->loc, b.getI32IntegerAttr(4));
    auto call =
        LLVM::CallIntrinsicOp::create(b, p.in->loc, p.type(), b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
                                      ValueRange{p, n, p, mask, rounding});
    return Num(call.getResult(0), *p.in);
  }
  // In two halves, neither of which leaves the range of normal numbers: only the second product rounds.
  auto power = [](Num exponent) { return floatOf(shiftLeft(exponent + splatInt(exponent, 127), 23)); };
  Num half = shiftRight(bits, 1);
  return p * power(half) * power(bits - half);
}

/// x = n ln 2 + r.
struct ReducedExponent {
  Num n, bits, r;
};
static ReducedExponent reduceExponent32(Num x) {
  Num shifted = mulAdd(x, log2OfE, roundingShift32);
  Num n = shifted - roundingShift32;
  Num bits = bitsOf(shifted) - bitsOf(splat(x, roundingShift32));
  // The first product is subtracted exactly: what is left has no more than 24 bits.
  Num r = mulAdd(n, -ln2Low32, mulAdd(n, -ln2High32, x));
  return {n, bits, r};
}

Num trace::exp32(Num x) {
  x = atMost(atLeast(x, -104.0), 89.0);
  auto [n, bits, r] = reduceExponent32(x);
  // e^r = 1 + r + r^2 P(r). Error 3.3e-9.
  Num p = polynomial(r, {0x1.fffffcp-2, 0x1.55548ap-3, 0x1.55584ep-5, 0x1.123f74p-7, 0x1.6ad82ap-10});
  return scale32(mulAdd(r * r, p, r) + 1.0, n, bits);
}

/// s = 2^n for the n in the low bits of `shifted` (f64).
static Num powerOfTwo64(Num shifted) {
  Num bits = bitsOf(shifted);
  return floatOf(shiftLeft(bits, 52) + bitsOf(splat(shifted, 1.0)));
}

/// e^x = s + s q with s = 2^n and q = e^r - 1.
struct Exponential64 {
  Num s, q;
};
static Exponential64 exponential64(Num x) {
  x = atMost(atLeast(x, -700.0), 700.0);
  Num shifted = mulAdd(x, log2OfE, roundingShift64);
  Num n = shifted - roundingShift64;
  Num r = mulAdd(n, -ln2Low64, mulAdd(n, -ln2High64, x));
  // Error 1.2e-12.
  Num p = polynomial(r, {0x1.000000005f6d3p-1, 0x1.5555557e49355p-3, 0x1.5555541aa8dbdp-5, 0x1.1110a187d262ap-7,
                         0x1.6c18d74a9ed47p-10, 0x1.a186c200c0ddfp-13, 0x1.9e87b20e9fbd5p-16});
  return {powerOfTwo64(shifted), mulAdd(r * r, p, r)};
}

Num trace::exp64(Num x) {
  auto [s, q] = exponential64(x);
  return mulAdd(s, q, s);
}

Num trace::expm164(Num x) {
  auto [s, q] = exponential64(x);
  return mulAdd(s, q, s - 1.0);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// What a logarithm is where the formula does not hold: NaN below `zero`, -inf at it, infinity and NaN as they are.
static Num withLogarithmSpecials(Num x, Num regular, double zero) {
  Num special = choose(equal(x, zero), -infinity, choose(less(x, zero), notANumber, x));
  return choose(greater(x, zero) & less(x, infinity), regular, special);
}

Num trace::log1pReduced32(Num f) {
  // ln(1 + f) = f - f^2/2 + f^3 P(f). Error 8.3e-9.
  Num p = polynomial(f, {-0.5, 0x1.55550cp-2, -0x1.ffff78p-3, 0x1.99d28ep-3, -0x1.5589b4p-3, 0x1.1e848ep-3,
                         -0x1.f4ded6p-4, 0x1.20822cp-3, -0x1.04cba2p-3});
  return mulAdd(f * f, p, f);
}

// The bits of 2/3: subtracting them before cutting off the exponent makes mantissas of [2/3, 4/3).
static constexpr int64_t bitsOfTwoThirds = 0x3f2aaaab;
static constexpr int64_t exponentMask32 = 0xff800000;

Num trace::log32(Num x) {
  Num subnormal = less(x, 0x1p-126);
  Num normal = choose(subnormal, x * 0x1p23, x);
  Num bits = bitsOf(normal);
  Num exponent = (bits - splatInt(bits, bitsOfTwoThirds)) & splatInt(bits, exponentMask32);
  Num f = floatOf(bits - exponent) - 1.0;
  Num n = mulAdd(signedToFloat(exponent, x.in->b.getF32Type()), 0x1p-23, choose(subnormal, -23.0, splat(x, 0.0)));
  return withLogarithmSpecials(x, mulAdd(n, ln2High64, log1pReduced32(f)), 0.0);
}

// The bits of sqrt(1/2) in f64.
static constexpr int64_t bitsOfRootHalf = 0x3fe6a09e667f3bcd;
static constexpr int64_t exponentMask64 = 0xfff0000000000000;

/// ln(1 + f) + n ln 2, |f| <= sqrt(2) - 1.
static Num logarithm64(Num f, Num exponent) {
  // With s = f / (2 + f): 2 s + s^3 P(s^2). Error 6.7e-16.
  Num s = f / (f + 2.0), z = s * s;
  Num p = polynomial(z, {0x1.55555555541b0p-1, 0x1.999999a184caap-2, 0x1.249241b54f959p-2, 0x1.c7228215c73f2p-3,
                         0x1.7326cc0b0c2bcp-3, 0x1.58dc254c455e6p-3});
  // Through 32 bits: wide integers convert to floats one by one below AVX-512.
  Num n = signedToFloat(truncateInt(shiftRight(exponent, 52), 32), f.in->b.getF64Type());
  return mulAdd(n, ln2High64, mulAdd(s * z, p, s + s));
}

Num trace::log64(Num x) {
  Num bits = bitsOf(x);
  Num exponent = (bits - splatInt(bits, bitsOfRootHalf)) & splatInt(bits, exponentMask64);
  return withLogarithmSpecials(x, logarithm64(floatOf(bits - exponent) - 1.0, exponent), 0.0);
}

Num trace::log1p64(Num x) {
  // 1 + x only says which power of two to divide by; x itself is what is scaled, so nothing is lost near 0.
  Num bits = bitsOf(x + 1.0);
  Num exponent = (bits - splatInt(bits, bitsOfRootHalf)) & splatInt(bits, exponentMask64);
  Num scale = floatOf(bitsOf(splat(x, 1.0)) - exponent);
  return withLogarithmSpecials(x, logarithm64(mulAdd(x, scale, scale - 1.0), exponent), -1.0);
}

//===----------------------------------------------------------------------===//
// Trigonometry
//===----------------------------------------------------------------------===//

static constexpr double halfPi = 0x1.921fb54442d18p0, halfPiLow = 0x1.1a62633145c07p-54;
static constexpr double pi = 0x1.921fb54442d18p1, quarterPi = 0x1.921fb54442d18p-1;

Reduced trace::reduceByHalfPi64(Num x) {
  Num n = roundToEven(x * 0x1.45f306dc9c883p-1);
  // The first product is subtracted exactly, for |n| < 2^30: the difference is below 2 and a multiple of 2^-52.
  Num rest = mulAdd(n, -halfPiLow, mulAdd(n, -halfPi, x));
  return {rest, toInt(n, 32)};
}

Num trace::sinReduced32(Num r) {
  // r + r^3 P(r^2). Error 3.8e-9.
  Num z = r * r;
  return mulAdd(r * z, polynomial(z, {-0x1.555546p-3, 0x1.11077ap-7, -0x1.995482p-13}), r);
}

Num trace::cosReduced32(Num r) {
  // 1 - r^2/2 + r^4 P(r^2). Error 1.5e-10.
  Num z = r * r;
  return mulAdd(z, mulAdd(z, polynomial(z, {0x1.55554ep-5, -0x1.6c0e38p-10, 0x1.9a6b88p-16}), -0.5), 1.0);
}

Num trace::sinReduced64(Num r) {
  // Error 8.6e-15.
  Num z = r * r;
  Num p = polynomial(z, {-0x1.5555555552e37p-3, 0x1.1111110cdb0f1p-7, -0x1.a019f9455f82ep-13, 0x1.71d75245a256ep-19,
                         -0x1.a95051533018cp-26});
  return mulAdd(r * z, p, r);
}

Num trace::cosReduced64(Num r) {
  // Error 7.8e-17.
  Num z = r * r;
  Num p = polynomial(z, {-0.5, 0x1.5555555553109p-5, -0x1.6c16c1676aac1p-10, 0x1.a019faa94bbd4p-16,
                         -0x1.27e02a0aba02ep-22, 0x1.1bc79b7cd1a87p-29});
  return mulAdd(z, p, 1.0);
}

Num trace::atan264(Num y, Num x) {
  Num ay = absolute(y), ax = absolute(x);
  Num swap = greater(ay, ax);
  Num small = choose(swap, ax, ay), large = choose(swap, ay, ax);
  // 0/0 is angle 0 and inf/inf is 45 degrees; NaN stays.
  Num bothInfinite = equal(small, infinity) & equal(large, infinity);
  small = choose(bothInfinite, 1.0, small);
  large = choose(bothInfinite | equal(large, 0.0), 1.0, large);
  // Above tan(pi/8) turn by 45 degrees, so that one division and a polynomial on [0, sqrt(2) - 1] suffice.
  Num turn = greater(small, large * 0x1.a827999fcef32p-2);
  Num z = choose(turn, small - large, small) / choose(turn, small + large, large);
  // z + z^3 P(z^2). Error 1.4e-12.
  Num z2 = z * z;
  Num p = polynomial(z2, {-0x1.55555551171e7p-2, 0x1.9999933207661p-3, -0x1.2490db2d2b3f1p-3, 0x1.c6d2e659db301p-4,
                          -0x1.707b0b41836dcp-4, 0x1.1e0141fd3b221p-4, -0x1.34d60a0e08af3p-5});
  Num angle = mulAdd(z * z2, p, z);
  angle = choose(turn, angle + quarterPi, angle);
  angle = choose(swap, halfPi - angle, angle);
  angle = choose(hasSign(x), pi - angle, angle);
  return copySign(angle, y);
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

Num trace::erfcPositive64(Num x) {
  // e^(-x^2) R(x), where (1 + 2x) R(x) is a polynomial in (x - 4) / (x + 4). Error 1.6e-10.
  Num q = (x - 4.0) / (x + 4.0);
  Num p = polynomial(q, {0x1.3ba5916f6780bp+0, -0x1.1df1ad44a8767p-3, 0x1.f7f5992ac8f8cp-7, 0x1.16ed0193727b6p-4,
                         -0x1.9dda19896ea3bp-4, 0x1.7fed93545ea69p-4, -0x1.0fbbeed10a080p-4, 0x1.306d54dbc940ap-5,
                         -0x1.0892c872c2d13p-6, 0x1.4de89fa5bbfd5p-8, -0x1.aee3b9adccc24p-11, -0x1.74227cf28116ap-12,
                         0x1.64108d8cf4a17p-14});
  return exp64(-(x * x)) * p / mulAdd(x, 2.0, 1.0);
}

Num trace::throughDouble(ArrayRef<Num> operands, function_ref<Num(ArrayRef<Num>)> formula) {
  SmallVector<Num> wide;
  for (Num operand : operands)
    wide.push_back(toDouble(operand));
  return toSingle(formula(wide));
}
