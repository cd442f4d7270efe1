//===- References.cpp - The functions that trace-check-math compares with ----===//
#include "References.h"
#include <cmath>
#include <limits>

using Real = long double;
static constexpr Real infinity = std::numeric_limits<Real>::infinity();
static constexpr Real nan_ = std::numeric_limits<Real>::quiet_NaN();
static constexpr Real pi = 3.14159265358979323846264338327950288L;

static Real sigmoid(Real x) { return 1.0L / (1.0L + expl(-x)); }
static Real reciprocal(Real x) { return 1.0L / x; }
static Real rsqrt(Real x) { return 1.0L / sqrtl(x); }
static Real relu(Real x) { return x < 0 ? 0 : x; }
static Real sign(Real x) { return (x > 0) - (x < 0); }

/// Newton's method from a start that is good enough for it to converge.
static Real erfinv(Real y) {
  if (!(fabsl(y) <= 1))
    return nan_;
  if (fabsl(y) == 1)
    return copysignl(infinity, y);
  if (y == 0)
    return y;
  Real a = fabsl(y), w = -logl((1 - a) * (1 + a));
  // Winitzki's approximation, to two digits.
  Real t = 2 / (pi * 0.147L) - w / 2;
  Real x = sqrtl(sqrtl(t * t + w / 0.147L) - t);
  for (int step = 0; step < 8; ++step) {
    Real error = a < 0.5L ? erfl(x) - a : (1 - a) - erfcl(x);
    Real slope = 2 / sqrtl(pi) * expl(-x * x);
    // Halley's step.
    Real newton = error / slope;
    x -= newton / (1 + x * newton);
  }
  return copysignl(x, y);
}

static Real digamma(Real x) {
  if (x == 0)
    return copysignl(infinity, -x);
  if (std::isnan(x) || (x < 0 && (std::isinf(x) || x == truncl(x))))
    return nan_;
  if (x < 0)
    return digamma(1 - x) - pi / tanl(pi * (x - roundevenl(x)));
  Real sum = 0;
  while (x < 40) {
    sum -= 1 / x;
    x += 1;
  }
  if (std::isinf(x))
    return x;
  Real z = 1 / (x * x);
  // Bernoulli numbers over 2n.
  Real series =
      z * (1.0L / 12 -
           z * (1.0L / 120 - z * (1.0L / 252 - z * (1.0L / 240 - z * (1.0L / 132 - z * (691.0L / 32760 - z / 12))))));
  return sum + logl(x) - 0.5L / x - series;
}

static Real signedRemainder(Real a, Real b) {
  Real r = fmodl(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}

template <typename T> static T divTrunc(T a, T b) { return std::trunc(a / b); }

/// Python's //, as c10::div_floor_floating computes it.
template <typename T> static T divFloor(T a, T b) {
  if (b == 0)
    return a / b;
  T mod = std::fmod(a, b), div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0))
    div -= 1;
  if (div == 0)
    return std::copysign(T(0), a / b);
  T floor = std::floor(div);
  return div - floor > T(0.5) ? floor + 1 : floor;
}

template <typename T> static T nextAfter(T a, T b) { return std::nextafter(a, b); }

// Of equal numbers, zeros of either sign among them, the second.
static Real fmaximum(Real a, Real b) { return std::isnan(b) || a > b ? a : b; }
static Real fminimum(Real a, Real b) { return std::isnan(b) || a < b ? a : b; }
// IEEE 754-2019: -0.0 is less than 0.0.
static bool less(Real a, Real b) { return a == b ? std::signbit(a) && !std::signbit(b) : a < b; }
static Real maximum(Real a, Real b) { return std::isnan(a) || std::isnan(b) ? nan_ : less(b, a) ? a : b; }
static Real minimum(Real a, Real b) { return std::isnan(a) || std::isnan(b) ? nan_ : less(a, b) ? a : b; }

#define ONE(name, function, bound32, bound64, low, high)                                                               \
  {name, function, nullptr, nullptr, nullptr, bound32, bound64, low, high, 0, 0}
#define TWO(name, function, bound32, bound64, low, high)                                                               \
  {name, nullptr, function, nullptr, nullptr, bound32, bound64, low, high, 0, 0}
#define EXACT(name, function, low, high)                                                                               \
  {name, nullptr, nullptr, function<float>, function<double>, 0, 0, low, high, 0, 0}

static const Reference references[] = {
    ONE("exp", expl, 1, 1, -104, 89),
    ONE("exp2", exp2l, 1, 1, -150, 129),
    ONE("expm1", expm1l, 1.5, 1, -20, 89),
    ONE("log", logl, 1, 1, 0, 2),
    ONE("log2", log2l, 0.51, 1, 0, 2),
    ONE("log10", log10l, 0.51, 2, 0, 2),
    ONE("log1p", log1pl, 1.5, 1, -1, 2),
    ONE("sqrt", sqrtl, 0.5, 0.5, 0, 10),
    ONE("rsqrt", rsqrt, 1.5, 1.5, 0, 10),
    ONE("reciprocal", reciprocal, 0.5, 0.5, -2, 2),
    ONE("sin", sinl, 1.5, 1, -200, 200),
    ONE("cos", cosl, 1.5, 1, -200, 200),
    ONE("tan", tanl, 0.51, 1, -200, 200),
    ONE("asin", asinl, 0.51, 1, -1, 1),
    ONE("acos", acosl, 0.51, 1, -1, 1),
    ONE("atan", atanl, 0.51, 1, -5, 5),
    ONE("sinh", sinhl, 0.51, 2, -90, 90),
    ONE("cosh", coshl, 0.51, 2, -90, 90),
    ONE("tanh", tanhl, 2.5, 2, -10, 10),
    ONE("asinh", asinhl, 0.51, 2, -10, 10),
    ONE("acosh", acoshl, 0.51, 2, 1, 3),
    ONE("atanh", atanhl, 0.51, 2, -1, 1),
    ONE("sigmoid", sigmoid, 2.5, 2, -105, 90),
    ONE("erf", erfl, 2.5, 1, -4.5, 4.5),
    ONE("erfc", erfcl, 0.51, 5, -5, 11),
    ONE("abs", fabsl, 0, 0, -2, 2),
    ONE("ceil", ceill, 0, 0, -9, 9),
    ONE("floor", floorl, 0, 0, -9, 9),
    ONE("round", roundevenl, 0, 0, -9, 9),
    ONE("trunc", truncl, 0, 0, -9, 9),
    ONE("relu", relu, 0, 0, -9, 9),
    ONE("sign", sign, 0, 0, -9, 9),
    ONE("erfinv", erfinv, 1, 5, -1, 1),
    // Both have roots for negative arguments, and digamma one at 1.46.
    {"lgamma", lgammal, nullptr, nullptr, nullptr, 0.51, 5, -9, 40, 1e-12, 1e-14},
    {"digamma", digamma, nullptr, nullptr, nullptr, 0.51, 5, -9, 40, 1e-11, 2e-14},
    TWO("pow", powl, 0.51, 1, 0, 20),
    TWO("atan2", atan2l, 0.51, 1, -3, 3),
    TWO("hypot", hypotl, 0.51, 1, -3, 3),
    TWO("copysign", copysignl, 0, 0, -3, 3),
    TWO("fmod", fmodl, 0, 0, -50, 50),
    TWO("remainder", signedRemainder, 0.5, 0.5, -50, 50),
    TWO("maximum", maximum, 0, 0, -3, 3),
    TWO("minimum", minimum, 0, 0, -3, 3),
    TWO("fmax", fmaximum, 0, 0, -3, 3),
    TWO("fmin", fminimum, 0, 0, -3, 3),
    EXACT("div_floor", divFloor, -50, 50),
    EXACT("div_trunc", divTrunc, -50, 50),
    EXACT("nextafter", nextAfter, -3, 3),
};

llvm::ArrayRef<Reference> getReferences() { return references; }

Reference getGpuReference(const Reference &reference) {
  struct {
    llvm::StringLiteral name;
    double bound, absolute;
  } static constexpr differences[] = {
      {"sin", 1.6, 0},    {"cos", 1.6, 0},  {"tan", 0.65, 0},      {"asin", 0.65, 0},
      {"acos", 0.65, 0},  {"sinh", 0.8, 0}, {"cosh", 0.55, 0},     {"erfc", 1, 0},
      {"erfinv", 1.2, 0}, {"pow", 0.8, 0},  {"lgamma", 2.5, 1e-7}, {"digamma", 1, 1e-8},
  };
  Reference result = reference;
  for (const auto &difference : differences)
    if (difference.name == reference.name) {
      result.bound32 = difference.bound;
      result.absolute32 = difference.absolute;
    }
  return result;
}
