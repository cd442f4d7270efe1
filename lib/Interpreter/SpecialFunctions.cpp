//===- SpecialFunctions.cpp - Functions that <cmath> lacks ------------------===//
#include "SpecialFunctions.h"
#include <cmath>
#include <limits>

using namespace mlir::trace;

static constexpr double pi = 3.141592653589793238462643383279502884;

double interpreter::inverseErrorFunction(double y) {
  if (!(std::abs(y) <= 1))
    return std::numeric_limits<double>::quiet_NaN();
  if (std::abs(y) == 1)
    return std::copysign(std::numeric_limits<double>::infinity(), y);
  // Winitzki's approximation, good to 2e-3, then Halley's iteration on erf(x) - y (cubic convergence). Near +-1 the
  // difference is taken of erfc, which keeps its digits there.
  double ln = std::log1p(-y * y), a = 0.147;
  double t = 2 / (pi * a) + ln / 2;
  double x = std::copysign(std::sqrt(std::sqrt(t * t - ln / a) - t), y);
  for (int i = 0; i < 4; ++i) {
    double error = std::erf(x) - y;
    if (std::abs(y) > 0.5) {
      error = (1 - std::abs(y)) - std::erfc(std::abs(x));
      error = y < 0 ? -error : error;
    }
    double slope = 2 / std::sqrt(pi) * std::exp(-x * x);
    double step = error / slope;
    if (!std::isfinite(step))
      break;
    x -= step / (1 + x * step);
  }
  return x;
}

double interpreter::logGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

double interpreter::digamma(double x) {
  if (x == 0)
    return std::copysign(std::numeric_limits<double>::infinity(), -x);
  double result = 0;
  if (x < 0) {
    if (x == std::floor(x))
      return std::numeric_limits<double>::quiet_NaN();
    // Reflection; the tangent of the fraction only, so that no large argument loses digits.
    double whole;
    double fraction = std::modf(x, &whole);
    result = -pi / std::tan(pi * fraction);
    x = 1 - x;
  }
  for (; x < 12; x += 1)
    result -= 1 / x;
  // The asymptotic series with Bernoulli numbers.
  double z = 1 / (x * x);
  double series =
      z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
  return result + std::log(x) - 0.5 / x - series;
}
