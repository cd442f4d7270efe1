//===- Elementary.h - The formulas that others are made of -------------------===//
//
// The f64 forms (…64) serve functions of f32: they are good to about 1e-12, so that one rounding to f32 remains. They
// are not good enough for f64 results.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_CODEGEN_COMMON_ELEMENTARY_H
#define TRACE_LIB_CODEGEN_COMMON_ELEMENTARY_H

#include "Formula.h"

namespace mlir::trace {

/// e^x in f32, everywhere.
Num exp32(Num x);
/// e^r - 1 for |r| <= ln(2)/2 in f32.
Num expm1Reduced32(Num r);
/// 2^f for |f| <= 1/2 in f32.
Num exp2Reduced32(Num f);
/// p * 2^n in f32 with one rounding; `n` is an integral float in [-300, 300] and `bits` the integer of the same value.
Num scale32(Num p, Num n, Num bits);
/// ln(1 + f) for f in [-1/3, 1/3] in f32.
Num log1pReduced32(Num f);
/// ln x in f32, everywhere.
Num log32(Num x);

/// e^x; beyond +-700 as at +-700 (which is an infinity or zero of f32).
Num exp64(Num x);
Num expm164(Num x);
/// ln x with the special cases of 0, negative numbers, infinity and NaN; no subnormals of f64.
Num log64(Num x);
/// ln(1 + x), likewise.
Num log1p64(Num x);
/// The angle of (x, y), every special case included.
Num atan264(Num y, Num x);
/// erfc(x) for x in [0, 11].
Num erfcPositive64(Num x);

/// x = quadrant * pi/2 + rest, |rest| <= pi/4, for |x| < 2^30 in f64; the quadrant as i32 modulo 2^32.
struct Reduced {
  Num rest, quadrant;
};
Reduced reduceByHalfPi64(Num x);
Num sinReduced32(Num r);
Num cosReduced32(Num r);
Num sinReduced64(Num r);
Num cosReduced64(Num r);

/// formula(f64) of f32 operands, rounded once.
Num throughDouble(ArrayRef<Num> operands, function_ref<Num(ArrayRef<Num>)> formula);

} // namespace mlir::trace

#endif
