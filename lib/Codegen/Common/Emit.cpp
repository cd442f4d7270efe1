//===- Emit.cpp - Elementwise prims by name -----------------------------------===//
#include "Formula.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::trace;

using Unary = Value (VectorMath::*)(Value);
using Binary = Value (VectorMath::*)(Value, Value);

/// The prims of which VectorMath has a function of its own, for floats.
static Unary getFloatUnary(StringRef name) {
  return llvm::StringSwitch<Unary>(name)
      .Case("abs", &VectorMath::abs)
      .Case("acos", &VectorMath::acos)
      .Case("acosh", &VectorMath::acosh)
      .Case("asin", &VectorMath::asin)
      .Case("asinh", &VectorMath::asinh)
      .Case("atan", &VectorMath::atan)
      .Case("atanh", &VectorMath::atanh)
      .Case("ceil", &VectorMath::ceil)
      .Case("cos", &VectorMath::cos)
      .Case("cosh", &VectorMath::cosh)
      .Case("digamma", &VectorMath::digamma)
      .Case("erf", &VectorMath::erf)
      .Case("erfc", &VectorMath::erfc)
      .Case("erfinv", &VectorMath::erfinv)
      .Case("exp", &VectorMath::exp)
      .Case("exp2", &VectorMath::exp2)
      .Case("expm1", &VectorMath::expm1)
      .Case("floor", &VectorMath::floor)
      .Case("isfinite", &VectorMath::isfinite)
      .Case("isinf", &VectorMath::isinf)
      .Case("isnan", &VectorMath::isnan)
      .Case("lgamma", &VectorMath::lgamma)
      .Case("log", &VectorMath::log)
      .Case("log10", &VectorMath::log10)
      .Case("log1p", &VectorMath::log1p)
      .Case("log2", &VectorMath::log2)
      .Case("reciprocal", &VectorMath::reciprocal)
      .Case("relu", &VectorMath::relu)
      .Case("round", &VectorMath::round)
      .Case("rsqrt", &VectorMath::rsqrt)
      .Case("sigmoid", &VectorMath::sigmoid)
      .Case("sign", &VectorMath::sign)
      .Case("signbit", &VectorMath::signbit)
      .Case("sin", &VectorMath::sin)
      .Case("sinh", &VectorMath::sinh)
      .Case("sqrt", &VectorMath::sqrt)
      .Case("tan", &VectorMath::tan)
      .Case("tanh", &VectorMath::tanh)
      .Case("trunc", &VectorMath::trunc)
      .Default(nullptr);
}

static Binary getFloatBinary(StringRef name) {
  return llvm::StringSwitch<Binary>(name)
      .Case("atan2", &VectorMath::atan2)
      .Case("copysign", &VectorMath::copysign)
      .Case("div_floor", &VectorMath::divFloor)
      .Case("div_trunc", &VectorMath::divTrunc)
      .Case("fmax", &VectorMath::fmax)
      .Case("fmin", &VectorMath::fmin)
      .Case("fmod", &VectorMath::fmod)
      .Case("hypot", &VectorMath::hypot)
      .Case("maximum", &VectorMath::maximum)
      .Case("minimum", &VectorMath::minimum)
      .Case("nextafter", &VectorMath::nextafter)
      .Case("pow", &VectorMath::pow)
      .Case("remainder", &VectorMath::remainder)
      .Default(nullptr);
}

/// Arithmetic and comparisons of floats; null if it is none.
static Value emitFloatOperator(const Formula &in, StringRef name, ValueRange operands) {
  enum Kind { None, Neg, LogicalNot, Add, Sub, Mul, Div, Eq, Ne, Lt, Le, Gt, Ge };
  Kind kind = llvm::StringSwitch<Kind>(name)
                  .Case("neg", Neg)
                  .Case("logical_not", LogicalNot)
                  .Case("add", Add)
                  .Case("sub", Sub)
                  .Case("mul", Mul)
                  .Case("div", Div)
                  .Case("eq", Eq)
                  .Case("ne", Ne)
                  .Case("lt", Lt)
                  .Case("le", Le)
                  .Case("gt", Gt)
                  .Case("ge", Ge)
                  .Default(None);
  if (kind == None)
    return {};
  return evaluate(in, operands, [&](ArrayRef<Num> v) {
    switch (kind) {
    case None:
      llvm_unreachable("handled above");
    case Neg:
      return -v[0];
    case LogicalNot:
      return equal(v[0], 0.0);
    case Add:
      return v[0] + v[1];
    case Sub:
      return v[0] - v[1];
    case Mul:
      return v[0] * v[1];
    case Div:
      return v[0] / v[1];
    case Eq:
      return equal(v[0], v[1]);
    case Ne:
      return differs(v[0], v[1]);
    case Lt:
      return less(v[0], v[1]);
    case Le:
      return lessEqual(v[0], v[1]);
    case Gt:
      return greater(v[0], v[1]);
    case Ge:
      return greaterEqual(v[0], v[1]);
    }
    llvm_unreachable("all kinds are handled");
  });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Num lessInteger(Num a, Num b, bool isSigned) {
  auto predicate = isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  return Num(arith::CmpIOp::create(a.in->b, a.in->loc, predicate, a, b), *a.in);
}

/// x shifted, where the distance may be anything: as if bit by bit. Distances below 0 count as too large.
static Num shift(Num x, Num distance, bool left, bool isSigned) {
  OpBuilder &b = x.in->b;
  Location loc = x.in->loc;
  Num width = splatInt(x, x.width());
  Num within = lessInteger(distance, width, /*isSigned=*/false);
  if (left) {
    Num safe = choose(within, distance, splatInt(x, 0));
    return choose(within, Num(arith::ShLIOp::create(b, loc, x, safe), *x.in), splatInt(x, 0));
  }
  if (!isSigned) {
    Num safe = choose(within, distance, splatInt(x, 0));
    return choose(within, Num(arith::ShRUIOp::create(b, loc, x, safe), *x.in), splatInt(x, 0));
  }
  return Num(arith::ShRSIOp::create(b, loc, x, choose(within, distance, splatInt(x, x.width() - 1))), *x.in);
}

static Value emitIntegerUnary(StringRef name, Num x, bool isSigned) {
  Num zero = splatInt(x, 0), one = splatInt(x, 1);
  Type i1 = x.in->b.getI1Type();
  bool isBool = x.width() == 1;
  auto always = [&](bool value) { return splatInt(x, i1, value); };
  if (name == "bitwise_not")
    return x ^ splatInt(x, -1);
  if (name == "logical_not")
    return equal(x, zero);
  if (name == "isnan" || name == "isinf")
    return always(false);
  if (name == "isfinite")
    return always(true);
  if (name == "signbit")
    return isSigned && !isBool ? less(x, zero) : always(false);
  // Whole numbers are what these leave alone.
  if (name == "ceil" || name == "floor" || name == "round" || name == "trunc")
    return x;
  if (isBool)
    return name == "abs" || name == "sign" || name == "relu" ? x : Value();
  if (name == "neg")
    return -x;
  if (name == "abs")
    return isSigned ? choose(less(x, zero), -x, x) : x;
  if (name == "relu")
    return isSigned ? choose(less(x, zero), zero, x) : x;
  if (name == "sign") {
    Num unit = choose(equal(x, zero), zero, one);
    return isSigned ? choose(less(x, zero), splatInt(x, -1), unit) : unit;
  }
  return {};
}

static Value emitIntegerComparison(StringRef name, Num a, Num b, bool isSigned) {
  if (name == "eq")
    return equal(a, b);
  if (name == "ne")
    return differs(a, b);
  if (name == "lt")
    return lessInteger(a, b, isSigned);
  if (name == "gt")
    return lessInteger(b, a, isSigned);
  if (name == "le")
    return !lessInteger(b, a, isSigned);
  if (name == "ge")
    return !lessInteger(a, b, isSigned);
  return {};
}

static Value emitIntegerBinary(VectorMath &math, StringRef name, Num a, Num b, bool isSigned) {
  // True is more than false: i1 compares as an unsigned number.
  bool isBool = a.width() == 1;
  isSigned = isSigned && !isBool;
  if (Value comparison = emitIntegerComparison(name, a, b, isSigned))
    return comparison;
  if (name == "bitwise_and")
    return a & b;
  if (name == "bitwise_or")
    return a | b;
  if (name == "bitwise_xor")
    return a ^ b;
  if (name == "maximum" || name == "fmax")
    return choose(lessInteger(a, b, isSigned), b, a);
  if (name == "minimum" || name == "fmin")
    return choose(lessInteger(b, a, isSigned), b, a);
  // Of truth values, the sum is "or" and the product "and".
  if (name == "add")
    return isBool ? a | b : a + b;
  if (name == "mul")
    return isBool ? a & b : a * b;
  if (isBool)
    return {};
  if (name == "sub")
    return a - b;
  if (name == "div_floor")
    return math.intDiv(a, b, /*floor=*/true, isSigned);
  if (name == "div_trunc")
    return math.intDiv(a, b, /*floor=*/false, isSigned);
  if (name == "remainder")
    return math.intRem(a, b, /*floor=*/true, isSigned);
  if (name == "fmod")
    return math.intRem(a, b, /*floor=*/false, isSigned);
  if (name == "pow")
    return math.intPow(a, b, isSigned);
  if (name == "shift_left")
    return shift(a, b, /*left=*/true, isSigned);
  if (name == "shift_right")
    return shift(a, b, /*left=*/false, isSigned);
  return {};
}

Value VectorMath::emit(StringRef mnemonic, ValueRange operands, bool isSigned) {
  Formula in{b, loc, target};
  if (operands.empty() || operands.size() > 2)
    return {};
  Type element = getElementTypeOrSelf(operands[0].getType());
  if (element.isF16() || element.isBF16() || element.isF32() || element.isF64()) {
    if (operands.size() == 1)
      if (Unary function = getFloatUnary(mnemonic))
        return (this->*function)(operands[0]);
    if (operands.size() == 2)
      if (Binary function = getFloatBinary(mnemonic))
        return (this->*function)(operands[0], operands[1]);
    return emitFloatOperator(in, mnemonic, operands);
  }
  // f8 and complex numbers are for others.
  if (!element.isSignlessInteger())
    return {};
  if (operands.size() == 1)
    return emitIntegerUnary(mnemonic, Num(operands[0], in), isSigned);
  return emitIntegerBinary(*this, mnemonic, Num(operands[0], in), Num(operands[1], in), isSigned);
}
