//===- Math.cpp - What compiled code calls for arithmetic -------------------===//
//
// Built with -frounding-math: the rounding mode is not the default one in some of these functions.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include <cfenv>
#include <cmath>
#include <cstring>

using namespace mlir::trace::simulator;

/// `operation`: add, mul, div, fma, sqrt, rcp; `mode`: towards zero, down, up. Not inlined, so that no operation moves
/// out of the change of mode.
template <typename T> [[gnu::noinline]] static T roundAs(uint32_t operation, uint32_t mode, T a, T b, T c) {
  static const int modes[] = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  int old = std::fegetround();
  std::fesetround(modes[mode]);
  volatile T x = a, y = b, z = c, result = 0;
  switch (operation) {
  case 0:
    result = x + y;
    break;
  case 1:
    result = x * y;
    break;
  case 2:
    result = x / y;
    break;
  case 3:
    result = std::fma(x, y, z);
    break;
  case 4:
    result = std::sqrt(x);
    break;
  default:
    result = T(1) / x;
    break;
  }
  std::fesetround(old);
  return result;
}
static float round32(uint32_t operation, uint32_t mode, float a, float b, float c) {
  return roundAs<float>(operation, mode, a, b, c);
}
static double round64(uint32_t operation, uint32_t mode, double a, double b, double c) {
  return roundAs<double>(operation, mode, a, b, c);
}

#if defined(__x86_64__)
// Conversions that LLVM calls where the host has no instruction, and libgcc may not have either. Their names, and that
// the narrow value is in a vector register, are the compiler's convention.

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// To nearest even.
static __bf16 truncateToBFloat(float value) {
  uint32_t bits = bitsOf(value);
  uint16_t result =
      std::isnan(value) ? uint16_t((bits >> 16) | 0x40) : uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  return __builtin_bit_cast(__bf16, result);
}

/// Rounded to odd first: the second rounding then gives what one would have given.
static float narrowToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || std::isnan(value) || std::isinf(nearest))
    return nearest;
  uint32_t bits = bitsOf(nearest);
  if (std::fabs(double(nearest)) > std::fabs(value))
    --bits;
  bits |= 1;
  std::memcpy(&nearest, &bits, sizeof(bits));
  return nearest;
}
static __bf16 truncateDoubleToBFloat(double value) { return truncateToBFloat(narrowToOdd(value)); }

static _Float16 truncateToHalf(float value) {
  uint32_t bits = bitsOf(value), magnitude = bits & 0x7fffffff;
  uint16_t sign = bits >> 16 & 0x8000, result;
  if (magnitude > 0x7f800000)
    result = 0x7e00 | (magnitude >> 13 & 0x3ff);
  else if (magnitude >= 0x477ff000) // Rounds to at least 2^16.
    result = 0x7c00;
  else if (magnitude >= 0x38800000)
    result = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  else
    result = uint16_t(std::lrint(std::ldexp(double(std::fabs(value)), 24))); // Subnormal: in units of 2^-24.
  return __builtin_bit_cast(_Float16, uint16_t(sign | result));
}
static _Float16 truncateDoubleToHalf(double value) { return truncateToHalf(narrowToOdd(value)); }
static float extendHalf(_Float16 value) {
  uint16_t bits = __builtin_bit_cast(uint16_t, value);
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                    : exponent     ? std::ldexp(float(fraction + 1024), exponent - 25)
                                   : std::ldexp(float(fraction), -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}
#endif

std::vector<std::pair<llvm::StringRef, void *>> mlir::trace::simulator::getMathSymbols() {
  auto pointer = [](auto *function) { return reinterpret_cast<void *>(function); };
  using Unary32 = float (*)(float);
  using Unary64 = double (*)(double);
  using Binary32 = float (*)(float, float);
  using Binary64 = double (*)(double, double);
#define TRACE_UNARY(name)                                                                                              \
  {#name "f", pointer(static_cast<Unary32>(std::name))}, {#name, pointer(static_cast<Unary64>(std::name))}
#define TRACE_BINARY(name)                                                                                             \
  {#name "f", pointer(static_cast<Binary32>(std::name))}, { #name, pointer(static_cast<Binary64>(std::name)) }
  return {{"trace_sim_round_f32", pointer(round32)},
          {"trace_sim_round_f64", pointer(round64)},
#if defined(__x86_64__)
          {"__truncsfbf2", pointer(truncateToBFloat)},
          {"__truncdfbf2", pointer(truncateDoubleToBFloat)},
          {"__truncsfhf2", pointer(truncateToHalf)},
          {"__truncdfhf2", pointer(truncateDoubleToHalf)},
          {"__extendhfsf2", pointer(extendHalf)},
#endif
          {"fmaf", pointer(static_cast<float (*)(float, float, float)>(std::fma))},
          {"fma", pointer(static_cast<double (*)(double, double, double)>(std::fma))},
          {"memcpy", pointer(std::memcpy)},
          {"memmove", pointer(std::memmove)},
          {"memset", pointer(std::memset)},
          TRACE_UNARY(exp2),
          TRACE_UNARY(exp),
          TRACE_UNARY(log2),
          TRACE_UNARY(log),
          TRACE_UNARY(log10),
          TRACE_UNARY(sin),
          TRACE_UNARY(cos),
          TRACE_UNARY(tan),
          TRACE_UNARY(tanh),
          TRACE_UNARY(floor),
          TRACE_UNARY(ceil),
          TRACE_UNARY(trunc),
          TRACE_UNARY(rint),
          TRACE_UNARY(nearbyint),
          TRACE_UNARY(round),
          TRACE_UNARY(sqrt),
          {"roundevenf", pointer(static_cast<Unary32>(std::nearbyint))},
          {"roundeven", pointer(static_cast<Unary64>(std::nearbyint))},
          TRACE_BINARY(pow),
          TRACE_BINARY(fmod),
          TRACE_BINARY(fmin),
          TRACE_BINARY(fmax)};
#undef TRACE_UNARY
#undef TRACE_BINARY
}
