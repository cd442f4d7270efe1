//===- Pair.cpp - Numbers of twice the digits --------------------------------===//
#include "Pair.h"
#include <limits>

using namespace mlir;
using namespace mlir::trace;

static constexpr double infinity = std::numeric_limits<double>::infinity();

// Constants in two (or three) numbers of f32.
static constexpr double halfPi[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
static constexpr double pi[] = {0x1.921fb6p+1, -0x1.777a5cp-24};
static constexpr double quarterPi[] = {0x1.921fb6p-1, -0x1.777a5cp-26};
// ln 2, the first part of 15 digits, so that its product with an exponent is exact.
static constexpr double ln2[] = {0x1.62e4p-1, 0x1.7f7d1cp-20};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Pair trace::pairOf(Num x, double high, double low) { return {splat(x, high), splat(x, low)}; }

Pair trace::fastTwoSum(Num a, Num b) {
  Num sum = a + b;
  return {sum, b - (sum - a)};
}

Pair trace::twoSum(Num a, Num b) {
  Num sum = a + b;
  Num part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

Pair trace::twoProduct(Num a, Num b) {
  Num product = a * b;
  return {product, mulAdd(a, b, -product)};
}

Pair trace::operator-(Pair a) { return {-a.high, -a.low}; }

Pair trace::operator+(Pair a, Pair b) {
  Pair high = twoSum(a.high, b.high), low = twoSum(a.low, b.low);
  Pair sum = fastTwoSum(high.high, high.low + low.high);
  return fastTwoSum(sum.high, sum.low + low.low);
}

Pair trace::operator+(Pair a, Num b) {
  Pair sum = twoSum(a.high, b);
  return fastTwoSum(sum.high, sum.low + a.low);
}

Pair trace::operator*(Pair a, Pair b) {
  Pair product = twoProduct(a.high, b.high);
  return fastTwoSum(product.high, mulAdd(a.low, b.high, mulAdd(a.high, b.low, product.low)));
}

Pair trace::operator*(Pair a, Num b) {
  Pair product = twoProduct(a.high, b);
  return fastTwoSum(product.high, mulAdd(a.low, b, product.low));
}

Pair trace::operator/(Pair a, Pair b) {
  Num quotient = a.high / b.high;
  Num rest = mulAdd(-quotient, b.high, a.high);
  rest = mulAdd(-quotient, b.low, rest + a.low);
  return fastTwoSum(quotient, rest / b.high);
}

Pair trace::scaleBy(Pair a, Num power) { return {a.high * power, a.low * power}; }

Pair trace::choose(Num condition, Pair a, Pair b) {
  return {choose(condition, a.high, b.high), choose(condition, a.low, b.low)};
}

Pair trace::squareRoot(Pair a) {
  Num root = squareRoot(a.high);
  Num rest = mulAdd(-root, root, a.high) + a.low;
  Num correction = choose(greater(root, 0.0), rest / (root * 2.0), splat(root, 0.0));
  return fastTwoSum(root, correction);
}

Pair trace::polynomialPair(Num x, ArrayRef<double> coefficients, unsigned steps) {
  Pair result(polynomial(x, coefficients.drop_front(steps)));
  for (double c : llvm::reverse(coefficients.take_front(steps))) {
    double high = static_cast<float>(c);
    result = result * x + pairOf(x, high, c - high);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Logarithms and exponentials
//===----------------------------------------------------------------------===//

/// ln(1 + f) + n ln 2, |f| <= sqrt(2) - 1, n an integral float.
static Pair logarithmOf(Pair f, Num n) {
  // With s = f / (2 + f): 2 s + s^3 (2/3 + s^2 Q(s^2)).
  Pair divisor = fastTwoSum(splat(n, 2.0), f.high);
  Pair s = f / Pair(divisor.high, divisor.low + f.low);
  Pair z = s * s;
  Num q = polynomial(z.high, {0x1.999999a184caap-2, 0x1.249241b54f959p-2, 0x1.c7228215c73f2p-3, 0x1.7326cc0b0c2bcp-3,
                              0x1.58dc254c455e6p-3});
  Pair w = pairOf(n, 0x1.555556p-1, -0x1.555556p-26) + z.high * q;
  Pair tail = s * z * w;
  Pair own = fastTwoSum(s.high * 2.0, tail.high);
  own = fastTwoSum(own.high, own.low + mulAdd(s.low, 2.0, tail.low));
  Pair sum = twoSum(n * ln2[0], own.high);
  return fastTwoSum(sum.high, sum.low + mulAdd(n, ln2[1], own.low));
}

// The bits of sqrt(1/2): subtracting them before cutting off the exponent makes mantissas of [sqrt(1/2), sqrt(2)).
static constexpr int64_t bitsOfRootHalf = 0x3f3504f3;
static constexpr int64_t exponentMask = 0xff800000;

static Num exponentOf(Num x) {
  Num bits = bitsOf(x);
  return (bits - splatInt(bits, bitsOfRootHalf)) & splatInt(bits, exponentMask);
}
static Num asNumber(Num exponent) { return signedToFloat(exponent, exponent.in->b.getF32Type()) * 0x1p-23; }

Pair trace::logarithm(Num x) {
  Num subnormal = less(x, 0x1p-126);
  Num normal = choose(subnormal, x * 0x1p23, x);
  Num exponent = exponentOf(normal);
  Num f = floatOf(bitsOf(normal) - exponent) - 1.0;
  return logarithmOf(Pair(f), asNumber(exponent) - choose(subnormal, splat(x, 23.0), splat(x, 0.0)));
}

Pair trace::logarithm(Pair x) {
  Num exponent = exponentOf(x.high);
  // 2^-n, in two parts as it need not be a normal number.
  Num half = shiftRight(exponent, 24);
  half = shiftLeft(half, 23);
  Num one = bitsOf(splat(x.high, 1.0));
  Pair f = scaleBy(scaleBy(x, floatOf(one - half)), floatOf(one - (exponent - half)));
  return logarithmOf(twoSum(f.high - 1.0, f.low), asNumber(exponent));
}

Pair trace::logarithmOfOnePlus(Pair x) {
  Pair sum = twoSum(splat(x.high, 1.0), x.high);
  Num exponent = exponentOf(sum.high);
  Num scale = floatOf(bitsOf(splat(x.high, 1.0)) - exponent);
  Pair f = twoSum(mulAdd(sum.high, scale, -1.0), (sum.low + x.low) * scale);
  // Near 0, x is what is needed; the sum has lost its last digits.
  Num small = less(absolute(x.high), 0.25);
  return logarithmOf(choose(small, x, f), choose(small, splat(x.high, 0.0), asNumber(exponent)));
}

PairExponential trace::exponential(Pair x) {
  Num clamped = atMost(atLeast(x.high, -150.0), 100.0);
  Num low = choose(equal(clamped, x.high), x.low, splat(x.high, 0.0));
  Num shifted = mulAdd(clamped, 0x1.715476p0, 0x1.8p23);
  Num n = shifted - 0x1.8p23;
  Num bits = bitsOf(shifted) - bitsOf(splat(clamped, 0x1.8p23));
  // The first difference is exact.
  Pair r = twoSum(mulAdd(n, -ln2[0], clamped), n * -ln2[1]);
  r = fastTwoSum(r.high, r.low + low);
  // 1 + r + r^2/2 + r^3 P(r).
  Num p = polynomial(r.high, {0x1.5555557e49355p-3, 0x1.5555541aa8dbdp-5, 0x1.1110a187d262ap-7, 0x1.6c18d74a9ed47p-10,
                              0x1.a186c200c0ddfp-13, 0x1.9e87b20e9fbd5p-16});
  Pair square = r * r;
  Pair first = fastTwoSum(splat(n, 1.0), r.high);
  Pair second = fastTwoSum(first.high, square.high * 0.5);
  Num rest = mulAdd(square.high * r.high, p, mulAdd(square.low, 0.5, r.low));
  return {fastTwoSum(second.high, second.low + (first.low + rest)), n, bits};
}

/// 2^n for n in [-126, 127].
static Num powerOfTwo(Num exponent) { return floatOf(shiftLeft(exponent + splatInt(exponent, 127), 23)); }

Num PairExponential::round() const {
  // In two halves, the second of which rounds once, with the low part in it.
  Num half = shiftRight(bits, 1);
  Num first = powerOfTwo(half), second = powerOfTwo(bits - half);
  return mulAdd(value.high * first, second, value.low * first * second);
}

Pair PairExponential::scaled(int64_t extra) const {
  Num total = bits + splatInt(bits, extra);
  Num half = shiftRight(total, 1);
  return scaleBy(scaleBy(value, powerOfTwo(half)), powerOfTwo(total - half));
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

PairReduced trace::reduceByHalfPi(Num x) {
  Num n = roundToEven(x * 0x1.45f306p-1);
  // Each product is exact; the first leaves no more digits than f32 has.
  Pair first = twoProduct(n, splat(x, halfPi[0]));
  Pair rest = twoSum(x - first.high, -first.low);
  Pair second = twoProduct(n, splat(x, halfPi[1]));
  Pair difference = twoSum(rest.high, -second.high);
  rest = fastTwoSum(difference.high, difference.low + (rest.low - mulAdd(n, halfPi[2], second.low)));
  return {rest, toInt(n, 32)};
}

PairReduced trace::reduceLargeByHalfPi(Num x) {
  // |x| = m 2^e with m of 24 bits. Of 2/pi in binary, the digits whose product with m 2^e is a multiple of 4 are left
  // out; 96 of the following give the product modulo 4 with 62 digits behind the point (after Payne and Hanek).
  OpBuilder &b = x.in->b;
  Type i64 = b.getI64Type();
  Num bits = bitsOf(x);
  Num biased = shiftRightUnsigned(bits, 23) & splatInt(bits, 0xff);
  Num mantissa = extendUnsigned((bits & splatInt(bits, 0x7fffff)) | splatInt(bits, 0x800000), 64);
  // With 32 zeros in front of the digits, the first of interest is at e + 30, and e is the exponent less 150.
  Num start = biased - splatInt(bits, 120);
  start = choose(less(start, splatInt(bits, 0)), splatInt(bits, 0), start);
  Num word = shiftRightUnsigned(start, 5);
  Num offset = extendUnsigned(start & splatInt(start, 31), 64);
  static constexpr int64_t digits[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                       0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  auto getWord = [&](int64_t i) {
    Num result = splatInt(x, i64, digits[i]);
    for (int64_t w = 1; w <= 4; ++w)
      result = choose(equal(word, splatInt(word, w)), splatInt(x, i64, digits[i + w]), result);
    return result;
  };
  Num words[] = {getWord(0), getWord(1), getWord(2), getWord(3)};
  auto shiftBy = [&](Num a, Num count) {
    return Num(arith::ShLIOp::create(b, x.in->loc, a.value, count.value).getResult(), *x.in);
  };
  // 32 digits from `offset` on in words i and i + 1.
  auto window = [&](unsigned i) {
    return shiftRightUnsigned(shiftBy(shiftLeft(words[i], 32) | words[i + 1], offset), 32);
  };
  Num product =
      shiftLeft(mantissa * window(0), 32) + mantissa * window(1) + shiftRightUnsigned(mantissa * window(2), 32);
  // Two digits in front of the point; what is behind it, to the nearest quadrant, is a signed number.
  Num quadrant = truncateInt(shiftRightUnsigned(product, 62), 32);
  Num fraction = shiftLeft(product, 2);
  quadrant = quadrant + truncateInt(shiftRightUnsigned(fraction, 63), 32);
  fraction = shiftRight(fraction, 1);
  auto f32 = b.getF32Type();
  Num high = signedToFloat(fraction, f32);
  Num low = signedToFloat(fraction - toInt(high, 64), f32);
  Pair rest = scaleBy(Pair(high, low), splat(x, 0x1p-63)) * pairOf(x, halfPi[0], halfPi[1]);
  Num negative = hasSign(x);
  return {choose(negative, -rest, rest), choose(negative, splatInt(quadrant, 0) - quadrant, quadrant)};
}

Pair trace::sineOfReduced(Pair x) {
  // x - x^3/6 + x^5 P(x^2).
  Pair z = x * x;
  Pair cube = z * x;
  Num p =
      polynomial(z.high, {0x1.1111110cdb0f1p-7, -0x1.a019f9455f82ep-13, 0x1.71d75245a256ep-19, -0x1.a95051533018cp-26});
  Pair sixth = cube * pairOf(x.high, -0x1.555556p-3, 0x1.555556p-28);
  Pair sum = fastTwoSum(x.high, sixth.high);
  return fastTwoSum(sum.high, sum.low + (x.low + mulAdd(cube.high * z.high, p, sixth.low)));
}

Pair trace::cosineOfReduced(Pair x) {
  // 1 - x^2/2 + x^4 P(x^2).
  Pair z = x * x;
  Num p =
      polynomial(z.high, {0x1.5555555553109p-5, -0x1.6c16c1676aac1p-10, 0x1.a019faa94bbd4p-16, -0x1.27e02a0aba02ep-22});
  Pair sum = fastTwoSum(splat(x.high, 1.0), z.high * -0.5);
  return fastTwoSum(sum.high, sum.low + mulAdd(z.high * z.high, p, z.low * -0.5));
}

Num trace::angleOf(Num y, Num x) {
  Num ay = absolute(y), ax = absolute(x);
  Num swap = greater(ay, ax);
  Num small = choose(swap, ax, ay), large = choose(swap, ay, ax);
  // 0/0 is angle 0 and inf/inf is 45 degrees; NaN stays.
  Num bothInfinite = equal(small, infinity) & equal(large, infinity);
  small = choose(bothInfinite, 1.0, small);
  large = choose(bothInfinite | equal(large, 0.0), 1.0, large);
  // Neither the sum below nor the rest of a division may leave the range of normal numbers.
  Num scale = choose(greater(large, 0x1p60), 0x1p-64, choose(less(large, 0x1p-60), 0x1p64, splat(large, 1.0)));
  Num scaledSmall = small * scale, scaledLarge = large * scale;
  // Above tan(pi/8) turn by 45 degrees, so that a polynomial on [0, sqrt(2) - 1] suffices.
  Num turn = greater(scaledSmall, scaledLarge * 0x1.a827999fcef32p-2);
  Pair top = choose(turn, twoSum(scaledSmall, -scaledLarge), Pair(scaledSmall));
  Pair bottom = choose(turn, twoSum(scaledSmall, scaledLarge), Pair(scaledLarge));
  Pair z = top / bottom;
  // z + z^3 P(z^2).
  Pair z2 = z * z;
  Pair third =
      z2 * z *
      polynomialPair(z2.high, {-0x1.55555551171e7p-2, 0x1.9999933207661p-3, -0x1.2490db2d2b3f1p-3, 0x1.c6d2e659db301p-4,
                               -0x1.707b0b41836dcp-4, 0x1.1e0141fd3b221p-4, -0x1.34d60a0e08af3p-5});
  Pair angle = z + third;
  angle = choose(turn, angle + pairOf(x, quarterPi[0], quarterPi[1]), angle);
  angle = choose(swap, pairOf(x, halfPi[0], halfPi[1]) + -angle, angle);
  angle = choose(hasSign(x), pairOf(x, pi[0], pi[1]) + -angle, angle);
  // A quotient below the normal numbers, and infinite or NaN operands, have no second half.
  Num plain = choose(swap, splat(x, halfPi[0]), small / large);
  plain = choose(hasSign(x), choose(swap, splat(x, halfPi[0]), splat(x, pi[0])), plain);
  Num regular = greater(scaledSmall, scaledLarge * 0x1p-60) & less(scaledLarge, infinity);
  Num result = copySign(choose(regular, angle.round(), plain), y);
  return choose(isNan(x) | isNan(y), x + y, result);
}
