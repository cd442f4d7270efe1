//===- BodyCloner.cpp - Scalar operations on scalars or vectors --------------===//
#include "trace/Codegen/Emission/BodyCloner.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

Type kernel::memoryType(Type type) {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

Value BodyCloner::fromMemory(Value x, Type type) {
  if (type.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, math.constantInt(x, b.getI8Type(), 0));
  if (isa<Float16Type, BFloat16Type>(type))
    return arith::ExtFOp::create(b, loc, like(x, b.getF32Type()), x);
  return x;
}

Value BodyCloner::toMemory(Value x, Type type) {
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b, loc, like(x, b.getI8Type()), x);
  if (isa<Float16Type, BFloat16Type>(type) && getElementTypeOrSelf(x) != type)
    return math.convertFloat(x, type);
  return x;
}

static bool isSigned(Type type) { return !type.isUnsignedInteger() && !type.isInteger(1); }

Value BodyCloner::convert(Value x, Type from, Type to) {
  Type compute = computeType(to);
  if (to.isInteger(1)) {
    if (from.isInteger(1))
      return x;
    if (isa<FloatType>(from)) // NaN is true
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x, math.constant(x, 0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, math.constantInt(x, computeType(from), 0));
  }
  if (auto toFloat = dyn_cast<FloatType>(to)) {
    Value result = x;
    if (!isa<FloatType>(from)) {
      if (isSigned(from))
        result = arith::SIToFPOp::create(b, loc, like(x, compute), x);
      else
        result = arith::UIToFPOp::create(b, loc, like(x, compute), x);
    } else if (getElementTypeOrSelf(x) != compute) {
      result = math.convertFloat(x, compute);
    }
    // A conversion to a narrow type shows its rounding, unless the number was of that type before.
    if (compute != to && from != to)
      result = math.roundThrough(result, to);
    return result;
  }
  unsigned width = cast<IntegerType>(compute).getWidth();
  if (isa<FloatType>(from)) {
    // x86 gives the most negative number where the value does not fit; narrow types are cut from a wider one.
    unsigned through = to.isUnsignedInteger() || width == 64 ? 64 : 32;
    Type integer = b.getIntegerType(through);
    double limit = through == 64 ? 9223372036854775808.0 : 2147483648.0;
    Value fits = arith::AndIOp::create(
        b, loc, arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, x, math.constant(x, -limit)),
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, math.constant(x, limit)));
    Value safe = math.select(fits, x, math.constant(x, 0));
    Value number = arith::FPToSIOp::create(b, loc, like(x, integer), safe);
    number = math.select(fits, number,
                         math.constantInt(x, integer, through == 64 ? INT64_MIN : static_cast<int64_t>(INT32_MIN)));
    if (through > width)
      number = arith::TruncIOp::create(b, loc, like(x, compute), number);
    return number;
  }
  unsigned fromWidth = cast<IntegerType>(from).getWidth();
  if (fromWidth < width) {
    if (isSigned(from))
      return arith::ExtSIOp::create(b, loc, like(x, compute), x);
    return arith::ExtUIOp::create(b, loc, like(x, compute), x);
  }
  if (fromWidth > width)
    return arith::TruncIOp::create(b, loc, like(x, compute), x);
  return x;
}

Value BodyCloner::bitcast(Value x, Type from, Type to) {
  Value bits = toMemory(x, from);
  if (memoryType(from) != memoryType(to))
    bits = arith::BitcastOp::create(b, loc, like(x, memoryType(to)), bits);
  return fromMemory(bits, to);
}

Value BodyCloner::elementwise(Operation *op, ValueRange operands) {
  Type from = cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  Type to = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (isa<ConvertOp>(op))
    return convert(operands[0], from, to);
  if (isa<BitcastOp>(op))
    return bitcast(operands[0], from, to);
  if (isa<WhereOp>(op))
    return math.select(operands[0], operands[1], operands[2]);
  if (isa<ClampOp>(op)) {
    Value low = math.emit("maximum", {operands[0], operands[1]}, isSigned(from));
    return math.emit("minimum", {low, operands[2]}, isSigned(from));
  }
  return math.emit(op->getName().stripDialect(), operands, isSigned(from));
}

Value BodyCloner::combine(ReduceKind kind, Value a, Value x, bool isSigned) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x));
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat ? Value(arith::AddFOp::create(b, loc, a, x)) : Value(arith::AddIOp::create(b, loc, a, x));
  case ReduceKind::Prod:
    return isFloat ? Value(arith::MulFOp::create(b, loc, a, x)) : Value(arith::MulIOp::create(b, loc, a, x));
  case ReduceKind::Any:
    return arith::OrIOp::create(b, loc, a, x);
  case ReduceKind::All:
    return arith::AndIOp::create(b, loc, a, x);
  case ReduceKind::Max:
  case ReduceKind::Min: {
    bool max = kind == ReduceKind::Max;
    if (!isFloat)
      return math.emit(max ? "maximum" : "minimum", {a, x}, isSigned);
    // Takes x where it is further out or NaN; an accumulator that is NaN compares false and stays.
    Value further = arith::CmpFOp::create(b, loc, max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, x, a);
    Value nan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    return math.select(arith::OrIOp::create(b, loc, further, nan), x, a);
  }
  case ReduceKind::ArgMax:
  case ReduceKind::ArgMin:
    llvm_unreachable("combined with their indices");
  }
  llvm_unreachable("unknown reduction");
}

TypedAttr BodyCloner::neutral(ReduceKind kind, Type type, bool isSigned) {
  bool isMax = kind == ReduceKind::Max || kind == ReduceKind::ArgMax;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    switch (kind) {
    case ReduceKind::Sum:
      return FloatAttr::get(type, 0.0);
    case ReduceKind::Prod:
      return FloatAttr::get(type, 1.0);
    default:
      return FloatAttr::get(type, APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/isMax));
    }
  }
  unsigned width = cast<IntegerType>(type).getWidth();
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Any:
    return IntegerAttr::get(type, APInt(width, 0));
  case ReduceKind::Prod:
  case ReduceKind::All:
    return IntegerAttr::get(type, APInt(width, 1));
  default:
    if (width == 1 || !isSigned)
      return IntegerAttr::get(type, isMax ? APInt::getMinValue(width) : APInt::getMaxValue(width));
    return IntegerAttr::get(type, isMax ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
  }
}
