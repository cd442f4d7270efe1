//===- Trigonometric.cpp - Angles -----------------------------------------===//
#include "Elementary.h"
#include "Pair.h"
#include "Single.h"

using namespace mlir;
using namespace mlir::trace;

static bool isDouble(Num x) { return x.width() == 64; }

/// From here on the reduction by pi/2 in two parts of f64 is no longer exact enough, and libm takes the lanes.
static constexpr double largeAngle = 0x1p30;

/// `regular` unless a lane is a large number, in which case all lanes are computed by libm's `name` in f64.
static Num orLibmIfLarge(Num x, Num regular, StringRef name) {
  Num magnitude = absolute(x);
  Num large = greaterEqual(magnitude, largeAngle) & less(magnitude, std::numeric_limits<double>::infinity());
  return ifAny(large, regular, [&] { return toSingle(libm(name, toDouble(x))); });
}

/// sin(x + turns * pi/2) in f32: the angle is reduced in f64, where the products are exact, the rest is f32.
static Num sine32(Num x, int64_t turns, StringRef name) {
  if (x.in->target.gpu)
    return single::sine(x, turns);
  Reduced reduced = reduceByHalfPi64(toDouble(x));
  Num r = toSingle(reduced.rest);
  Num quadrant = turns == 0 ? reduced.quadrant : reduced.quadrant + splatInt(reduced.quadrant, turns);
  Num odd = differs(quadrant & splatInt(quadrant, 1), splatInt(quadrant, 0));
  Num result = choose(odd, cosReduced32(r), sinReduced32(r));
  // Quadrants 2 and 3 change the sign.
  Num sign = shiftLeft(quadrant & splatInt(quadrant, 2), 30);
  result = floatOf(bitsOf(result) ^ sign);
  // sin x is x where x^3 does not count; this keeps -0.0, which the reduction loses.
  if (turns == 0)
    result = choose(less(absolute(x), 0x1p-13), x, result);
  return orLibmIfLarge(x, result, name);
}

Value VectorMath::sin(Value x) {
  return evaluate({b, loc, target}, x,
                  [](ArrayRef<Num> v) { return isDouble(v[0]) ? libm("sin", v[0]) : sine32(v[0], 0, "sin"); });
}

Value VectorMath::cos(Value x) {
  return evaluate({b, loc, target}, x,
                  [](ArrayRef<Num> v) { return isDouble(v[0]) ? libm("cos", v[0]) : sine32(v[0], 1, "cos"); });
}

Value VectorMath::tan(Value x) {
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    Num x = v[0];
    if (isDouble(x))
      return libm("tan", x);
    if (x.in->target.gpu)
      return single::tan(x);
    Num result = throughDouble(x, [](ArrayRef<Num> w) {
      auto [r, quadrant] = reduceByHalfPi64(w[0]);
      Num sine = sinReduced64(r), cosine = cosReduced64(r);
      Num odd = differs(quadrant & splatInt(quadrant, 1), splatInt(quadrant, 0));
      return choose(odd, -cosine, sine) / choose(odd, sine, cosine);
    });
    result = choose(less(absolute(x), 0x1p-13), x, result);
    return orLibmIfLarge(x, result, "tan");
  });
}

static Num cosineOfSine64(Num x) { return squareRoot((1.0 - x) * (x + 1.0)); }

Value VectorMath::asin(Value x) {
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    if (isDouble(v[0]))
      return libm("asin", v[0]);
    if (v[0].in->target.gpu)
      return single::asin(v[0]);
    return throughDouble(v, [](ArrayRef<Num> w) { return atan264(w[0], cosineOfSine64(w[0])); });
  });
}

Value VectorMath::acos(Value x) {
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    if (isDouble(v[0]))
      return libm("acos", v[0]);
    if (v[0].in->target.gpu)
      return single::acos(v[0]);
    return throughDouble(v, [](ArrayRef<Num> w) { return atan264(cosineOfSine64(w[0]), w[0]); });
  });
}

Value VectorMath::atan(Value x) {
  return evaluate({b, loc, target}, x, [](ArrayRef<Num> v) {
    if (isDouble(v[0]))
      return libm("atan", v[0]);
    if (v[0].in->target.gpu)
      return angleOf(v[0], splat(v[0], 1.0));
    return throughDouble(v, [](ArrayRef<Num> w) { return atan264(w[0], splat(w[0], 1.0)); });
  });
}

Value VectorMath::atan2(Value y, Value x) {
  return evaluate({b, loc, target}, {y, x}, [](ArrayRef<Num> v) {
    if (isDouble(v[0]))
      return libm("atan2", v);
    if (v[0].in->target.gpu)
      return angleOf(v[0], v[1]);
    return throughDouble(v, [](ArrayRef<Num> w) { return atan264(w[0], w[1]); });
  });
}
