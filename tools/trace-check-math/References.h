//===- References.h - The functions that trace-check-math compares with ------===//
#ifndef TRACE_TOOLS_CHECK_MATH_REFERENCES_H
#define TRACE_TOOLS_CHECK_MATH_REFERENCES_H

#include "llvm/ADT/ArrayRef.h"

/// One elementwise function: its value in extended precision (libm's, or written here with more digits than an f64
/// has), and how far the compiled one may be from it.
struct Reference {
  /// The prim.
  const char *name;
  long double (*unary)(long double);
  long double (*binary)(long double, long double);
  /// Instead of these, where the result depends on how the type itself rounds.
  float (*exact32)(float, float);
  double (*exact64)(double, double);
  /// In units in the last place of the result type, for f32 and for f64.
  double bound32, bound64;
  /// Besides all magnitudes, arguments are drawn from this interval.
  double low, high;
  /// An error below this is none: near a root of the function no relative accuracy is promised.
  double absolute32, absolute64;
};

llvm::ArrayRef<Reference> getReferences();

/// With the bounds of the formulas for GPUs, which have no f64 to compute f32 in.
Reference getGpuReference(const Reference &reference);

#endif
