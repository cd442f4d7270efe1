//===- Special.cpp - Error function and gamma functions ----------------------===//
#include "Elementary.h"
#include "Single.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace mlir::trace;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
static constexpr double pi = 0x1.921fb54442d18p1;

static bool isDouble(Num x) { return x.width() == 64; }

/// Taylor-like coefficients of erf around k * 0.254 for k = 0 to 15, one row for each power. Error 7.5e-8, most of it
/// from the rounding of the coefficients.
static constexpr float erfTable[6][16] = {
    {0, 0x1.1f4bb2p-2, 0x1.0e14bcp-1, 0x1.7006bep-1, 0x1.b2cf2cp-1, 0x1.dae312p-1, 0x1.f00e3cp-1, 0x1.f9e57ap-1,
     0x1.fdec38p-1, 0x1.ff5f62p-1, 0x1.ffd502p-1, 0x1.fff5d0p-1, 0x1.fffddep-1, 0x1.ffff9ap-1, 0x1.fffff0p-1,
     0x1.fffffep-1},
    {0x1.20dd74p+0, 0x1.0ed138p+0, 0x1.be52b0p-1, 0x1.43430cp-1, 0x1.9b93e8p-2, 0x1.cc9632p-3, 0x1.c5094ap-4,
     0x1.87aaaep-5, 0x1.299ecap-6, 0x1.8d8ed6p-8, 0x1.d2c47ep-10, 0x1.e1af5cp-12, 0x1.b4e7f4p-14, 0x1.5c5158p-16,
     0x1.e82730p-19, 0x1.2ca7e4p-21},
    {0, -0x1.132520p-2, -0x1.c574eep-2, -0x1.eca5bap-2, -0x1.a229f8p-2, -0x1.2479cep-2, -0x1.59381ep-3, -0x1.5c324cp-4,
     -0x1.2e61ccp-5, -0x1.c664f2p-7, -0x1.285f3ep-8, -0x1.506678p-10, -0x1.4cd390p-12, -0x1.1f67f0p-14, -0x1.b1ad20p-17,
     -0x1.1e19ccp-19},
    {-0x1.811e86p-2, -0x1.3a981ap-2, -0x1.1ffb84p-3, 0x1.15fe68p-5, 0x1.241406p-3, 0x1.55b984p-3, 0x1.133c2ap-3,
     0x1.5b7404p-4, 0x1.6807cap-5, 0x1.3921b8p-6, 0x1.cefd66p-8, 0x1.254226p-9, 0x1.3ffd18p-11, 0x1.2de05ep-13,
     0x1.edd1c2p-16, 0x1.5eeae4p-18},
    {0, 0x1.055412p-3, 0x1.74feb8p-3, 0x1.2cb1f6p-3, 0x1.056718p-4, -0x1.4f0970p-7, -0x1.76f516p-5, -0x1.801498p-5,
     -0x1.090826p-5, -0x1.1b5f0cp-6, -0x1.ed646cp-8, -0x1.664b16p-9, -0x1.b81ad4p-11, -0x1.cd3bf4p-13, -0x1.9ee23cp-15,
     -0x1.41aeccp-17},
    {0x1.c3fb06p-4, 0x1.4f2f40p-4, 0x1.7bbfdap-8, -0x1.bd284cp-5, -0x1.176c2ep-4, -0x1.6cf5dap-5, -0x1.93deb8p-7,
     0x1.00e03ap-7, 0x1.aa8286p-7, 0x1.47bb74p-7, 0x1.676d7ep-8, 0x1.35d296p-9, 0x1.b4c3d4p-11, 0x1.01017ep-12,
     0x1.ff50e4p-15, 0x1.b17560p-17},
};

/// erf of 16 lanes of f32 with a polynomial for each lane, picked from a table in registers (vpermps): half the
/// instructions of the form below.
static Num erfByTable32(Num x) {
  OpBuilder &b = x.in->b;
  Location loc = x.in->loc;
  constexpr double width = 0x1.041894p-2; // 0.254 in f32
  // From 3.93 on the result rounds to 1, and the last polynomial ends there.
  Num a = atMost(absolute(x), 3.934);
  Num shifted = mulAdd(a, 1 / width, 0x1.8p23);
  Num t = mulAdd(shifted - 0x1.8p23, -width, a);
  Num index = bitsOf(shifted);
  auto coefficient = [&](unsigned power) {
    auto table = DenseElementsAttr::get(cast<VectorType>(x.type()), ArrayRef<float>(erfTable[power], 16));
    Value constant = arith::ConstantOp::create(b, loc, table);
    auto permuted = LLVM::CallIntrinsicOp::create(b, loc, x.type(), b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
                                                  ValueRange{constant, index});
    return Num(permuted.getResult(0), *x.in);
  };
  Num result = coefficient(5);
  for (int power = 4; power >= 0; --power)
    result = mulAdd(result, t, coefficient(power));
  return copySign(result, x);
}

static Num erf32(Num x) {
  if (auto vector = dyn_cast<VectorType>(x.type()); vector && vector.getNumElements() == 16 && x.in->target.avx512)
    return erfByTable32(x);
  Num a = absolute(x);
  // Below 0.925: x + x P(x^2). Error 1.7e-8.
  Num small = mulAdd(
      polynomial(x * x, {0x1.06eba6p-3, -0x1.8126e8p-2, 0x1.ce1a88p-4, -0x1.b689b6p-6, 0x1.4723ep-8, -0x1.398926p-11}),
      x, x);
  // Above: 1 - 2^-Q(|x|), Q fitted to -log2 erfc. Error 1.6e-9 of erf. At 4 the result has long rounded to 1.
  Num q = polynomial(atMost(a, 4.0), {0x1.280b7cp-12, 0x1.a07bfcp+0, 0x1.d6a942p-1, 0x1.331456p-3, -0x1.06b018p-5,
                                      0x1.1fb9dep-8, -0x1.286602p-12});
  Num shifted = 0x1.8p23 - q;
  Num power = exp2Reduced32(0x1.8p23 - shifted - q);
  Num complement = floatOf(bitsOf(power) + shiftLeft(bitsOf(shifted), 23));
  return choose(greater(a, 0.925), copySign(1.0 - complement, x), small);
}

Value VectorMath::erf(Value x) {
  return evaluate({b, loc, target}, x,
                  [](ArrayRef<Num> v) { return isDouble(v[0]) ? libm("erf", v[0]) : erf32(v[0]); });
}

Value VectorMath::erfc(Value x) {
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    if (isDouble(v[0]))
      return libm("erfc", v[0]);
    if (v[0].in->target.gpu)
      return single::erfc(v[0]);
    return throughDouble(v, [](ArrayRef<Num> w) {
      Num positive = erfcPositive64(atMost(absolute(w[0]), 11.0));
      return choose(less(w[0], 0.0), 2.0 - positive, positive);
    });
  });
}

/// For f32 arguments: erfinv(x)/x is a polynomial in w = -ln(1 - x^2), and in its square root for large w (after
/// M. Giles, "Approximating the erfinv function"; fitted anew up to the largest f32 below 1). Error 1.2e-8.
static Num erfinvOfSingle64(Num x) {
  Num a = absolute(x);
  Num w = -log64((1.0 - a) * (a + 1.0));
  Num central = polynomial(w - 2.5, {0x1.805c5cff6d4eep+0, 0x1.f91e897307617p-3, -0x1.11c3e0b11db77p-8,
                                     -0x1.486399f0acc9fp-10, 0x1.c9bb5ad0851c0p-13, -0x1.4f7601a6e3086p-18,
                                     -0x1.cbd4e0881ff55p-19, 0x1.0189334cffebap-21, 0x1.1abbac423465dp-26,
                                     -0x1.7ac007b96c10ap-27, 0x1.e084f8a895640p-32, 0x1.24245f1cdfb93p-33});
  Num tail = polynomial(squareRoot(w) - 3.0,
                        {0x1.6a9efbe564578p+1, 0x1.006dc45c02851p+0, 0x1.357e77aebd08cp-7, -0x1.f475614eda6e7p-8,
                         0x1.74dc63da5136cp-8, -0x1.d81305820c82ap-9, 0x1.839ea309a45abp-10, -0x1.9851627673d92p-15,
                         -0x1.3f2606677e996p-12, 0x1.cdca71eb0fb22p-14});
  Num result = choose(less(w, 5.0), central, tail) * x;
  return choose(equal(a, 1.0), copySign(splat(x, infinity), x), result);
}

/// For f64: the rational approximation that ATen's calc_erfinv starts from, then three steps of Newton's method.
static Num erfinvOfDouble(Num x) {
  Num a = absolute(x), z = x * x;
  Num central = x * polynomial(z, {0.886226899, -1.645349621, 0.914624893, -0.140543331}) /
                polynomial(z, {1.0, -2.118377725, 1.442710462, -0.329097515, 0.012229801});
  Num t = squareRoot(-libm("log", (1.0 - a) * 0.5));
  Num tail = copySign(polynomial(t, {-1.970840454, -1.62490649, 3.429567803, 1.641345311}), x) /
             polynomial(t, {1.0, 3.543889200, 1.637067800});
  Num result = choose(lessEqual(a, 0.7), central, tail);
  // Away from 0 the difference of complements is the accurate one: 1 - |x| is exact, while erf stops at 1.
  Num magnitude = absolute(result);
  for (int step = 0; step < 3; ++step) {
    Num error = choose(lessEqual(a, 0.5), libm("erf", magnitude) - a, (1.0 - a) - libm("erfc", magnitude));
    magnitude = magnitude - error / (libm("exp", -(magnitude * magnitude)) * 0x1.20dd750429b6dp0);
  }
  result = copySign(magnitude, x);
  result = choose(equal(a, 1.0), copySign(splat(x, infinity), x), result);
  return choose(greater(a, 1.0), notANumber, result);
}

Value VectorMath::erfinv(Value x) {
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    if (isDouble(v[0]))
      return erfinvOfDouble(v[0]);
    if (v[0].in->target.gpu)
      return single::erfinv(v[0]);
    return throughDouble(v, [](ArrayRef<Num> w) { return erfinvOfSingle64(w[0]); });
  });
}

Value VectorMath::lgamma(Value x) {
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    if (isDouble(v[0]))
      return libm("lgamma", v[0]);
    if (v[0].in->target.gpu)
      return single::lgamma(v[0]);
    return throughDouble(v, [](ArrayRef<Num> w) { return libm("lgamma", w[0]); });
  });
}

/// As ATen's calc_digamma: reflection for negative numbers, recurrence up to 10, asymptotic series there.
static Num digamma64(Num x0, bool forSingle) {
  OpBuilder &b = x0.in->b;
  Location loc = x0.in->loc;
  Num negative = less(x0, 0.0);
  // The nearest integer, not the next towards zero: beside a pole the angle must be small to be exact.
  Num fraction = x0 - roundToEven(x0);
  Num tangent = libm("tan", fraction * pi);
  Num x = choose(negative, 1.0 - x0, x0);
  Num start = choose(negative, -(splat(x0, pi) / tangent), 0.0);

  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value ten = arith::ConstantIndexOp::create(b, loc, 10);
  auto loop = scf::ForOp::create(b, loc, zero, ten, one, ValueRange{x, start});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Num y(loop.getRegionIterArg(0), *x0.in), sum(loop.getRegionIterArg(1), *x0.in);
    Num below = less(y, 10.0);
    Num nextSum = choose(below, sum - 1.0 / y, sum);
    Num nextY = choose(below, y + 1.0, y);
    scf::YieldOp::create(b, loc, ValueRange{nextY, nextSum});
  }
  Num y(loop.getResult(0), *x0.in), sum(loop.getResult(1), *x0.in);
  Num z = 1.0 / (y * y);
  Num series = z * polynomial(z, {8.33333333333333333333e-2, -8.33333333333333333333e-3, 3.96825396825396825397e-3,
                                  -4.16666666666666666667e-3, 7.57575757575757575758e-3, -2.10927960927960927961e-2,
                                  8.33333333333333333333e-2});
  series = choose(less(y, 1e17), series, 0.0);
  Num logarithm = forSingle ? log64(y) : libm("log", y);
  Num result = sum + logarithm - 0.5 / y - series;
  // Poles: at 0 the sign of the infinity is the opposite of the zero's, at negative integers there is no value.
  result = choose(equal(x0, 0.0), copySign(splat(x0, infinity), -x0), result);
  return choose(negative & equal(fraction, 0.0), notANumber, result);
}

Value VectorMath::digamma(Value x) {
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    if (isDouble(v[0]))
      return digamma64(v[0], /*forSingle=*/false);
    if (v[0].in->target.gpu)
      return single::digamma(v[0]);
    return throughDouble(v, [](ArrayRef<Num> w) { return digamma64(w[0], /*forSingle=*/true); });
  });
}
