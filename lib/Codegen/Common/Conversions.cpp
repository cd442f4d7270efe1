//===- Conversions.cpp - Between float types ---------------------------------===//
#include "Formula.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::trace;

/// The bits of x rounded to bf16, in the upper half; the lower half is garbage of the rounding.
static Num roundedUpperHalf(Num x) {
  Num bits = bitsOf(x);
  Num lastBit = shiftRightUnsigned(bits, 16) & splatInt(bits, 1);
  Num rounded = bits + splatInt(bits, 0x7fff) + lastBit;
  // A NaN must not round to an infinity. Without mask registers, tested in integers: the comparison of floats then
  // falls apart into scalars.
  Num nan = x.in->target.avx512 ? isNan(x) : greater(bits & splatInt(bits, 0x7fffffff), splatInt(bits, 0x7f800000));
  return choose(nan, splatInt(bits, 0x7fc00000), rounded);
}

static constexpr int64_t upperHalf = 0xffff0000;

/// The bits of x in f32 if its lower half is known to be zero, because it has been rounded to bf16 or read from one.
static Value getBitsOfRounded(Value x) {
  auto cast = x.getDefiningOp<arith::BitcastOp>();
  if (!cast)
    return {};
  Value bits = cast.getIn();
  APInt constant;
  if (auto mask = bits.getDefiningOp<arith::AndIOp>())
    if (matchPattern(mask.getRhs(), m_ConstantInt(&constant)) && constant == APInt(32, upperHalf))
      return bits;
  if (auto shift = bits.getDefiningOp<arith::ShLIOp>())
    if (matchPattern(shift.getRhs(), m_ConstantInt(&constant)) && constant == 16)
      return bits;
  return {};
}

Value VectorMath::convertFloat(Value x, Type elementType) {
  Formula in{b, loc, target};
  Num number(x, in);
  Type from = number.element();
  if (from == elementType)
    return x;
  // A GPU's conversions round once and keep subnormals.
  bool direct = target.gpu && !from.isF64() && !(from.isF16() && elementType.isBF16());
  if (direct && from.getIntOrFloatBitWidth() < 32 && elementType.getIntOrFloatBitWidth() == 16)
    return convertFloat(toSingle(number), elementType);
  if (direct && !elementType.isBF16())
    return toFloat(number, cast<FloatType>(elementType));
  if (from.isBF16()) {
    Num bits = Num(arith::BitcastOp::create(b, loc, number.with(b.getI16Type()), x), in);
    return convertFloat(floatOf(shiftLeft(extendUnsigned(bits, 32), 16)), elementType);
  }
  if (from.isF64() && elementType.getIntOrFloatBitWidth() == 16)
    return convertFloat(toSingle(number), elementType);
  if (from.isF16() && elementType.isBF16())
    return convertFloat(toSingle(number), elementType);
  if (!elementType.isBF16())
    return toFloat(number, cast<FloatType>(elementType));
  // What is a bf16 already is not rounded again.
  if (auto extension = x.getDefiningOp<arith::ExtFOp>();
      extension && extension.getIn().getType() == number.with(elementType))
    return extension.getIn();
  if (target.gpu)
    return toFloat(number, cast<FloatType>(elementType));
  Value rounded = getBitsOfRounded(x);
  Num upper = rounded ? Num(rounded, in) : roundedUpperHalf(number);
  Num bits = truncateInt(shiftRightUnsigned(upper, 16), 16);
  return arith::BitcastOp::create(b, loc, number.with(elementType), bits.value);
}

Value VectorMath::roundThrough(Value x, Type elementType) {
  Formula in{b, loc, target};
  Num number(x, in);
  if (number.element().isF32() && elementType.isBF16() && !target.gpu) {
    if (getBitsOfRounded(x))
      return x;
    Num bits = roundedUpperHalf(number);
    return floatOf(bits & splatInt(bits, upperHalf));
  }
  return convertFloat(convertFloat(x, elementType), number.element());
}

Type VectorMath::like(Value x, Type elementType) { return Num(x, Formula{b, loc, target}).with(elementType); }
Value VectorMath::constant(Value x, double value) {
  Formula in{b, loc, target};
  return splat(Num(x, in), value);
}
Value VectorMath::constantInt(Value x, Type elementType, int64_t value) {
  Formula in{b, loc, target};
  return splatInt(Num(x, in), elementType, value);
}
Value VectorMath::fma(Value a, Value b, Value c) {
  Formula in{this->b, loc, target};
  return mulAdd(Num(a, in), Num(b, in), Num(c, in));
}
Value VectorMath::select(Value condition, Value a, Value b) {
  Formula in{this->b, loc, target};
  return choose(Num(condition, in), Num(a, in), Num(b, in));
}
