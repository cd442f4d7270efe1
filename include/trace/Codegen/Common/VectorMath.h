//===- VectorMath.h - Elementwise mathematics on scalars and vectors --------===//
//
// Emits the elementwise functions of PyTorch with ops of arith, math, vector and scf (and func.call for the few that
// are computed lane by lane). The same call serves a scalar and a vector<NxT>: every function takes values of one
// element type and one shape, and returns that type (predicates return i1 of that shape).
//
// Element types: f32 has formulas of its own. f16 and bf16 are extended to f32, computed there and rounded once.
// f64 uses libm lane by lane where an algebraic form does not give full accuracy; on a GPU, libdevice.
//
// Nothing here sets fast-math flags, contracts the caller's operations, or flushes subnormals. A multiply-add is
// fused only inside a function's own formula.
//
// Accuracy, as measured by test/Codegen/Common/accuracy.mlir over all magnitudes (units in the last place; subnormals,
// infinities, NaN and signed zeros as C's functions):
//
//   f32   <= 0.51   log2 log10 tan asin acos atan atan2 sinh cosh asinh acosh atanh erfc pow hypot lgamma digamma
//         <= 1      exp exp2 log erfinv
//         <= 1.5    expm1 log1p rsqrt sin cos
//         <= 2.5    tanh sigmoid erf (erf without AVX-512: 1.2)
//         exact     sqrt reciprocal abs ceil floor trunc round sign relu copysign nextafter maximum minimum fmax fmin
//                   fmod remainder div_floor div_trunc, and the integer functions
//   f64   libm's (<= 1, log10 2, the hyperbolic ones 2, erfc and lgamma 5); sigmoid 2, erfinv 5, digamma 5
//
// lgamma and digamma near their roots: an absolute error of 1e-12 (f32) and 2e-14 (f64).
//
// For a GPU (MathTarget::gpu) nothing of f32 uses f64 or calls a function: what has a formula in f64 above has one in
// pairs of f32 (lib/Codegen/Common/Pair.h). Measured on the host (accuracy-gpu.mlir), as above but for
//
//         <= 0.65   tan asin acos cosh               <= 1.2    erfinv
//         <= 0.8    pow (0.51 but for the smallest results) sinh
//         <= 1      erfc digamma (absolute error at roots 1e-8)
//         <= 1.6    sin cos                          <= 2.5    lgamma (absolute error at roots 1e-7)
//
// and f64 is libdevice's. fmod and remainder of quotients from 2^23 on are a loop of long division.
//
// Speed on an AVX-512 machine (Zen 4), nanoseconds for 16 lanes of f32: exp 3, erf 3, sigmoid 5, tanh 5, log 6, sin 10,
// pow 30; lgamma and digamma, lane by lane, hundreds.
//
// Some functions add private functions to the enclosing module (libm declarations and loops over lanes; on a GPU, for
// some functions of f64, declarations of libdevice's in the gpu.module), so use VectorMath from module passes, with the
// insertion point inside a function of that module.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_COMMON_VECTORMATH_H
#define TRACE_CODEGEN_COMMON_VECTORMATH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::trace {

/// What the emitted code may assume of the machine. The default is right everywhere.
struct MathTarget {
  /// AVX-512F, for 16 lanes of f32: 2^n is applied with vscalefps (the same numbers as without), erf takes its
  /// coefficients from a table in registers (other last bits than without).
  bool avx512 = false;
  /// A GPU: no function of f32 uses f64 (which most GPUs are slow at) or calls anything; f64's functions are ops of
  /// math that become calls of libdevice, or such calls themselves; conversions and maxima are single instructions.
  bool gpu = false;
};

class VectorMath {
public:
  VectorMath(OpBuilder &builder, Location loc, MathTarget target = {}) : b(builder), loc(loc), target(target) {}

  /// Emits the elementwise prim `mnemonic` ("exp", "maximum", "isnan", "div_floor", ...: the op's name without
  /// "trace."), on floats and, where the prim allows it, on integers. `isSigned` is false for ui8. Returns a null
  /// value, having emitted at most dead constants, where the mnemonic is unknown or the element type is not supported.
  /// Covers every unary, binary and predicate op of ElementwiseOps.td; not where, clamp, convert and bitcast.
  Value emit(StringRef mnemonic, ValueRange operands, bool isSigned = true);

  // -- Exponentials and logarithms ------------------------------------------------------------------------------
  Value exp(Value x);
  Value exp2(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log2(Value x);
  Value log10(Value x);
  Value log1p(Value x);
  /// C's pow with all its special cases. A constant (splat) exponent of 0, 1, 2, 3, 0.5, -0.5, -1 or -2 becomes what
  /// eager PyTorch does for a scalar exponent (x * x for 2, sqrt for 0.5, ...).
  Value pow(Value x, Value y);

  // -- Roots and quotients --------------------------------------------------------------------------------------
  Value sqrt(Value x);
  /// 1 / sqrt(x), two correctly rounded operations.
  Value rsqrt(Value x);
  Value reciprocal(Value x);
  Value hypot(Value x, Value y);

  // -- Trigonometric and hyperbolic -----------------------------------------------------------------------------
  Value sin(Value x);
  Value cos(Value x);
  Value tan(Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value atan(Value x);
  /// The angle of the point (x, y), as C's atan2(y, x).
  Value atan2(Value y, Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value tanh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);

  // -- Statistics -----------------------------------------------------------------------------------------------
  Value sigmoid(Value x);
  Value erf(Value x);
  Value erfc(Value x);
  Value erfinv(Value x);
  Value lgamma(Value x);
  Value digamma(Value x);

  // -- Rounding, signs, neighbours ------------------------------------------------------------------------------
  Value abs(Value x);
  Value ceil(Value x);
  Value floor(Value x);
  Value trunc(Value x);
  /// Nearest integer, ties to even.
  Value round(Value x);
  /// -1, 0 or 1; of NaN and of -0.0: 0 (as torch.sign).
  Value sign(Value x);
  Value relu(Value x);
  Value copysign(Value x, Value y);
  Value nextafter(Value x, Value y);
  /// NaN if either is (maximum, minimum); the other if one is NaN (fmax, fmin).
  Value maximum(Value a, Value b);
  Value minimum(Value a, Value b);
  Value fmax(Value a, Value b);
  Value fmin(Value a, Value b);

  // -- Predicates -----------------------------------------------------------------------------------------------
  Value isnan(Value x);
  Value isinf(Value x);
  Value isfinite(Value x);
  Value signbit(Value x);

  // -- Division -------------------------------------------------------------------------------------------------
  /// Exact, as C's fmod and torch.remainder.
  Value fmod(Value a, Value b);
  Value remainder(Value a, Value b);
  /// torch.div with rounding_mode "floor" and "trunc" on floats.
  Value divFloor(Value a, Value b);
  Value divTrunc(Value a, Value b);
  /// Integer division and remainder that cannot trap: x / 0 is 0, x % 0 is x; the most negative number / -1 is
  /// itself. `floor`: rounds towards minus infinity (remainder with the sign of b), otherwise towards 0. Integer
  /// division by zero must be diagnosed elsewhere, as eager does.
  Value intDiv(Value a, Value b, bool floor, bool isSigned = true);
  Value intRem(Value a, Value b, bool floor, bool isSigned = true);
  /// a^b on integers, wrapping; a negative exponent gives what eager gives: 0, but 1 and -1 stay on the unit.
  Value intPow(Value a, Value b, bool isSigned = true);

  // -- Conversions ----------------------------------------------------------------------------------------------
  /// Between f16, bf16, f32 and f64, to nearest even; subnormals kept, NaN stays NaN (bf16 in integer arithmetic:
  /// vcvtneps2bf16 would flush subnormals). f64 to f16 or bf16 goes through f32, as in PyTorch.
  Value convertFloat(Value x, Type elementType);
  /// x rounded to the given narrower float type and extended back: what a value that is written out and read again is.
  Value roundThrough(Value x, Type elementType);

  // -- Random numbers (RandomOps.td says which number belongs to which element) ----------------------------------
  /// The words of `count` consecutive elements from `first` on: vector<count x i32>. `seed` and `first` are i64;
  /// `first` must be a multiple of 4 and `count` a multiple of 4. Efficient when `count` is a multiple of 32
  /// (one 32 x 32 -> 64 bit multiplication of 8 lanes is one instruction).
  Value philoxRun(Value seed, int64_t stream, Value first, unsigned count);
  /// The words of arbitrary elements: `elements` is i64 or vector<Nxi64>; returns i32 or vector<Nxi32>.
  Value philoxAt(Value seed, int64_t stream, Value elements);
  /// Uniform numbers in [0, 1) from words, in f32, or f64 / f16 / bf16 by conversion.
  Value uniformFromWords(Value words, Type elementType);
  /// Normal numbers from the words of an even number of consecutive elements, the first of even index: a vector of
  /// the same length.
  Value normalFromWords(Value words, Type elementType);
  /// The normal numbers of arbitrary elements (draws both words of each pair).
  Value normalAt(Value seed, int64_t stream, Value elements, Type elementType);

  // -- The forms that the above are written with; also handy for callers -----------------------------------------
  /// The type with x's shape and this element type.
  Type like(Value x, Type elementType);
  /// A constant of x's shape.
  Value constant(Value x, double value);
  Value constantInt(Value x, Type elementType, int64_t value);
  Value fma(Value a, Value b, Value c);
  Value select(Value condition, Value a, Value b);

private:
  OpBuilder &b;
  Location loc;
  MathTarget target;
};

} // namespace mlir::trace

#endif
