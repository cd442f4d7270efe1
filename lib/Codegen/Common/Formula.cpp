//===- Formula.cpp - Writing formulas as formulas ----------------------------===//
#include "Formula.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::trace;

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Type Num::with(Type element) const { return withElement(type(), element); }

template <typename OpTy, typename... Args> static Num build(Num x, Args &&...args) {
  return Num(OpTy::create(x.in->b, x.in->loc, std::forward<Args>(args)...), *x.in);
}

static Num constantOf(Num x, Type type, TypedAttr scalar) {
  TypedAttr value = scalar;
  if (auto vector = dyn_cast<VectorType>(type))
    value = cast<TypedAttr>(Attribute(DenseElementsAttr::get(vector, Attribute(scalar))));
  return build<arith::ConstantOp>(x, type, value);
}

Num trace::splat(Num x, double value) {
  if (!x.isFloat())
    return splatInt(x, static_cast<int64_t>(value));
  return constantOf(x, x.type(), x.in->b.getFloatAttr(x.element(), value));
}

Num trace::splatInt(Num x, int64_t value) { return splatInt(x, x.element(), value); }

Num trace::splatInt(Num x, Type element, int64_t value) {
  llvm::APInt bits(element.getIntOrFloatBitWidth(), static_cast<uint64_t>(value), /*isSigned=*/true,
                   /*implicitTrunc=*/true);
  return constantOf(x, x.with(element), x.in->b.getIntegerAttr(element, bits));
}

Num trace::operator+(Num a, Num b) {
  return a.isFloat() ? build<arith::AddFOp>(a, a.value, b.value) : build<arith::AddIOp>(a, a.value, b.value);
}
Num trace::operator-(Num a, Num b) {
  return a.isFloat() ? build<arith::SubFOp>(a, a.value, b.value) : build<arith::SubIOp>(a, a.value, b.value);
}
Num trace::operator*(Num a, Num b) {
  return a.isFloat() ? build<arith::MulFOp>(a, a.value, b.value) : build<arith::MulIOp>(a, a.value, b.value);
}
Num trace::operator/(Num a, Num b) { return build<arith::DivFOp>(a, a.value, b.value); }
Num trace::operator-(Num a) { return a.isFloat() ? build<arith::NegFOp>(a, a.value) : splatInt(a, 0) - a; }
Num trace::operator&(Num a, Num b) { return build<arith::AndIOp>(a, a.value, b.value); }
Num trace::operator|(Num a, Num b) { return build<arith::OrIOp>(a, a.value, b.value); }
Num trace::operator^(Num a, Num b) { return build<arith::XOrIOp>(a, a.value, b.value); }
Num trace::operator!(Num a) { return a ^ splatInt(a, 1); }

Num trace::shiftLeft(Num a, int64_t bits) { return build<arith::ShLIOp>(a, a.value, splatInt(a, bits).value); }
Num trace::shiftRight(Num a, int64_t bits) { return build<arith::ShRSIOp>(a, a.value, splatInt(a, bits).value); }
Num trace::shiftRightUnsigned(Num a, int64_t bits) {
  return build<arith::ShRUIOp>(a, a.value, splatInt(a, bits).value);
}

static Num compare(Num a, Num b, arith::CmpFPredicate floats, arith::CmpIPredicate integers) {
  return a.isFloat() ? build<arith::CmpFOp>(a, floats, a.value, b.value)
                     : build<arith::CmpIOp>(a, integers, a.value, b.value);
}
Num trace::less(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt); }
Num trace::lessEqual(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle); }
Num trace::greater(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt); }
Num trace::greaterEqual(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge); }
Num trace::equal(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq); }
Num trace::differs(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne); }
Num trace::isNan(Num a) { return build<arith::CmpFOp>(a, arith::CmpFPredicate::UNO, a.value, a.value); }

Num trace::choose(Num condition, Num a, Num b) { return build<arith::SelectOp>(a, condition.value, a.value, b.value); }

Num trace::atLeast(Num x, double low) {
  Num c = splat(x, low);
  return choose(greater(c, x), c, x);
}
Num trace::atMost(Num x, double high) {
  Num c = splat(x, high);
  return choose(less(c, x), c, x);
}

Num trace::mulAdd(Num a, Num b, Num c) { return build<math::FmaOp>(a, a.value, b.value, c.value); }

Num trace::polynomial(Num x, ArrayRef<double> coefficients) {
  Num result = splat(x, coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    result = mulAdd(result, x, c);
  return result;
}

Num trace::absolute(Num x) { return build<math::AbsFOp>(x, x.value); }
Num trace::squareRoot(Num x) { return build<math::SqrtOp>(x, x.value); }
Num trace::copySign(Num magnitude, Num sign) { return build<math::CopySignOp>(magnitude, magnitude.value, sign.value); }
Num trace::roundDown(Num x) { return build<math::FloorOp>(x, x.value); }
Num trace::roundUp(Num x) { return build<math::CeilOp>(x, x.value); }
Num trace::roundToZero(Num x) { return build<math::TruncOp>(x, x.value); }
Num trace::roundToEven(Num x) { return build<math::RoundEvenOp>(x, x.value); }
Num trace::hasSign(Num x) {
  Num bits = bitsOf(x);
  return less(bits, splatInt(bits, 0));
}

Num trace::bitsOf(Num x) { return build<arith::BitcastOp>(x, x.with(x.in->b.getIntegerType(x.width())), x.value); }
Num trace::floatOf(Num bits) {
  OpBuilder &b = bits.in->b;
  Type element = bits.width() == 64 ? Type(b.getF64Type()) : Type(b.getF32Type());
  return build<arith::BitcastOp>(bits, bits.with(element), bits.value);
}

Num trace::toFloat(Num x, FloatType type) {
  if (x.element() == type)
    return x;
  if (x.width() < type.getWidth())
    return build<arith::ExtFOp>(x, x.with(type), x.value);
  return build<arith::TruncFOp>(x, x.with(type), x.value);
}
Num trace::toDouble(Num x) { return toFloat(x, x.in->b.getF64Type()); }
Num trace::toSingle(Num x) { return toFloat(x, x.in->b.getF32Type()); }
Num trace::toInt(Num x, unsigned width) {
  return build<arith::FPToSIOp>(x, x.with(x.in->b.getIntegerType(width)), x.value);
}
Num trace::signedToFloat(Num x, FloatType type) { return build<arith::SIToFPOp>(x, x.with(type), x.value); }
Num trace::truncateInt(Num x, unsigned width) {
  return x.width() == width ? x : build<arith::TruncIOp>(x, x.with(x.in->b.getIntegerType(width)), x.value);
}
Num trace::extendSigned(Num x, unsigned width) {
  return x.width() == width ? x : build<arith::ExtSIOp>(x, x.with(x.in->b.getIntegerType(width)), x.value);
}
Num trace::extendUnsigned(Num x, unsigned width) {
  return x.width() == width ? x : build<arith::ExtUIOp>(x, x.with(x.in->b.getIntegerType(width)), x.value);
}

Value trace::anyOf(Num condition) {
  if (!isa<VectorType>(condition.type()))
    return condition.value;
  return vector::ReductionOp::create(condition.in->b, condition.in->loc, vector::CombiningKind::OR, condition.value);
}

Num trace::ifAny(Num condition, Num common, function_ref<Num()> rare) {
  OpBuilder &b = common.in->b;
  auto ifOp = scf::IfOp::create(b, common.in->loc, common.type(), anyOf(condition), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  scf::YieldOp::create(b, common.in->loc, rare().value);
  b.setInsertionPointToStart(ifOp.elseBlock());
  scf::YieldOp::create(b, common.in->loc, common.value);
  return Num(ifOp.getResult(0), *common.in);
}

Value trace::evaluate(const Formula &in, ValueRange operands, function_ref<Num(ArrayRef<Num>)> formula) {
  auto element = cast<FloatType>(getElementTypeOrSelf(operands.front().getType()));
  VectorMath conversions(in.b, in.loc, in.target);
  SmallVector<Num> numbers;
  for (Value operand : operands)
    numbers.emplace_back(element.getWidth() == 16 ? conversions.convertFloat(operand, in.b.getF32Type()) : operand, in);
  Num result = formula(numbers);
  if (result.isFloat() && result.element() != element)
    return conversions.convertFloat(result, element);
  return result;
}
