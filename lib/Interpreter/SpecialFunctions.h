//===- SpecialFunctions.h - Functions that <cmath> lacks --------------------===//
#ifndef TRACE_LIB_INTERPRETER_SPECIALFUNCTIONS_H
#define TRACE_LIB_INTERPRETER_SPECIALFUNCTIONS_H

namespace mlir::trace::interpreter {

/// erf^-1: +-inf at +-1, NaN outside.
double inverseErrorFunction(double y);
/// ln |gamma(x)|, without C's global sign variable.
double logGamma(double x);
/// The logarithmic derivative of gamma: -inf at 0.0, inf at -0.0, NaN at negative integers.
double digamma(double x);

} // namespace mlir::trace::interpreter

#endif
