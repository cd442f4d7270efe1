//===- Formula.h - Writing formulas as formulas ------------------------------===//
//
// A Num is a value (scalar or vector, float or integer) with the place where ops on it are built, so that a
// polynomial reads like one: mulAdd(r * r, p, r). A plain number beside a Num is a constant of its type. Integer Nums
// add, multiply and shift as signless integers. Nothing here carries fast-math flags.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_CODEGEN_COMMON_FORMULA_H
#define TRACE_LIB_CODEGEN_COMMON_FORMULA_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "trace/Codegen/Common/VectorMath.h"

namespace mlir::trace {

/// Where ops are built.
struct Formula {
  OpBuilder &b;
  Location loc;
  MathTarget target;
};

struct Num {
  Value value;
  const Formula *in;

  Num(Value value, const Formula &in) : value(value), in(&in) {}
  operator Value() const { return value; }

  Type type() const { return value.getType(); }
  Type element() const { return getElementTypeOrSelf(value.getType()); }
  unsigned width() const { return element().getIntOrFloatBitWidth(); }
  bool isFloat() const { return isa<FloatType>(element()); }
  /// The type of this shape with another element.
  Type with(Type element) const;
};

/// Constants of x's shape: of its own element type, or of a given one.
Num splat(Num x, double value);
Num splatInt(Num x, int64_t value);
Num splatInt(Num x, Type element, int64_t value);

Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num operator-(Num a);
Num operator&(Num a, Num b);
Num operator|(Num a, Num b);
Num operator^(Num a, Num b);
/// `not` of i1.
Num operator!(Num a);
inline Num operator+(Num a, double c) { return a + splat(a, c); }
inline Num operator-(Num a, double c) { return a - splat(a, c); }
inline Num operator*(Num a, double c) { return a * splat(a, c); }
inline Num operator/(Num a, double c) { return a / splat(a, c); }
inline Num operator+(double c, Num a) { return splat(a, c) + a; }
inline Num operator-(double c, Num a) { return splat(a, c) - a; }
inline Num operator*(double c, Num a) { return splat(a, c) * a; }
inline Num operator/(double c, Num a) { return splat(a, c) / a; }

Num shiftLeft(Num a, int64_t bits);
Num shiftRight(Num a, int64_t bits);
Num shiftRightUnsigned(Num a, int64_t bits);

/// Floats: ordered comparisons (false on NaN), but `differs` is true on NaN. Integers: signed.
Num less(Num a, Num b);
Num lessEqual(Num a, Num b);
Num greater(Num a, Num b);
Num greaterEqual(Num a, Num b);
Num equal(Num a, Num b);
Num differs(Num a, Num b);
Num isNan(Num a);
inline Num less(Num a, double c) { return less(a, splat(a, c)); }
inline Num lessEqual(Num a, double c) { return lessEqual(a, splat(a, c)); }
inline Num greater(Num a, double c) { return greater(a, splat(a, c)); }
inline Num greaterEqual(Num a, double c) { return greaterEqual(a, splat(a, c)); }
inline Num equal(Num a, double c) { return equal(a, splat(a, c)); }
inline Num differs(Num a, double c) { return differs(a, splat(a, c)); }

Num choose(Num condition, Num a, Num b);
inline Num choose(Num condition, Num a, double b) { return choose(condition, a, splat(a, b)); }
inline Num choose(Num condition, double a, Num b) { return choose(condition, splat(b, a), b); }

/// Limits that let NaN through; one instruction each on x86 (the operand order is what makes it so).
Num atLeast(Num x, double low);
Num atMost(Num x, double high);

Num mulAdd(Num a, Num b, Num c);
inline Num mulAdd(Num a, double b, Num c) { return mulAdd(a, splat(a, b), c); }
inline Num mulAdd(Num a, Num b, double c) { return mulAdd(a, b, splat(a, c)); }
inline Num mulAdd(Num a, double b, double c) { return mulAdd(a, splat(a, b), splat(a, c)); }
/// coefficients[0] + coefficients[1] x + ... by Horner's rule.
Num polynomial(Num x, ArrayRef<double> coefficients);

Num absolute(Num x);
Num squareRoot(Num x);
Num copySign(Num magnitude, Num sign);
Num roundDown(Num x);
Num roundUp(Num x);
Num roundToZero(Num x);
Num roundToEven(Num x);
/// The sign bit is set, of NaN and -0.0 too.
Num hasSign(Num x);

/// The bits of a float as an integer of its width, and back.
Num bitsOf(Num x);
Num floatOf(Num bits);
/// Conversions of value: between float types, from float to signed integer (in range only) and back.
Num toFloat(Num x, FloatType type);
Num toDouble(Num x);
Num toSingle(Num x);
Num toInt(Num x, unsigned width);
Num signedToFloat(Num x, FloatType type);
/// Integers made narrower, or wider with sign or zeros.
Num truncateInt(Num x, unsigned width);
Num extendSigned(Num x, unsigned width);
Num extendUnsigned(Num x, unsigned width);

/// True if any lane of the i1 vector (or the i1 itself) is.
Value anyOf(Num condition);
/// The body's result if any lane needs it, otherwise `common`. Both have the type of `common`.
Num ifAny(Num condition, Num common, function_ref<Num()> rare);

/// f(x) or f(x, y) of libm, lane by lane; `name` is the function of the operands' type ("sin", "fmodf"). Adds the
/// declaration, and for vectors a function with a loop over lanes, to the module. On a GPU, functions of f64 only: an
/// op of math, or a call of libdevice for each lane.
Num libm(StringRef name, ArrayRef<Num> operands);

/// Runs `formula` on operands that are f32 or f64: of these types themselves; f16 and bf16 go through f32. A result
/// of float type is converted back.
Value evaluate(const Formula &in, ValueRange operands, function_ref<Num(ArrayRef<Num>)> formula);

} // namespace mlir::trace

#endif
