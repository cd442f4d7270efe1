//===- Single.h - Functions of f32 that use no f64 ---------------------------===//
//
// For GPUs: the functions that have formulas in f64, or call libm, on CPU. Scalars and vectors alike, no calls.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_CODEGEN_COMMON_SINGLE_H
#define TRACE_LIB_CODEGEN_COMMON_SINGLE_H

#include "Elementary.h"

namespace mlir::trace::single {

Num log2(Num x);
Num log10(Num x);
/// |x|^y; what C says about signs, ones and integers is for the caller.
Num powOfMagnitude(Num x, Num y);
Num sinh(Num x);
Num cosh(Num x);
Num asinh(Num x);
Num acosh(Num x);
Num atanh(Num x);
/// sin(x + turns * pi/2).
Num sine(Num x, int64_t turns);
Num tan(Num x);
Num asin(Num x);
Num acos(Num x);
Num hypot(Num x, Num y);
Num erfc(Num x);
Num erfinv(Num x);
Num lgamma(Num x);
Num digamma(Num x);
/// The remainder of magnitudes whose quotient is large: by long division, 32 digits a step.
Num longRemainder(Num x, Num y);

} // namespace mlir::trace::single

#endif
