//===- RewriteArithmetic.cpp - NVVM's arithmetic on the host ----------------===//
//
// NVVM's names are made of parts: the operation, the rounding, .ftz (subnormal inputs and results become zeros), .sat
// (the result is clamped to [0, 1]), .relu, and the type. Approximate operations are computed exactly rounded, or as
// the host's libm has them: how inexact a device is, is not simulated.
//
//===----------------------------------------------------------------------===//
#include "Rewrite.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"

using namespace mlir::trace::simulator;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;

namespace {
struct Arithmetic {
  llvm::CallInst &call;
  llvm::IRBuilder<> b;
  llvm::SmallVector<StringRef, 6> parts;
  bool ftz, saturate, relu;

  Arithmetic(llvm::CallInst &call, StringRef name) : call(call), b(&call) {
    name.split(parts, '.');
    ftz = has("ftz");
    saturate = has("sat");
    relu = has("relu");
  }
  bool has(StringRef part) const { return llvm::is_contained(parts, part); }
  Type *type() const { return call.getType(); }

  Value *argument(unsigned i) { return flush(call.getArgOperand(i)); }
  Value *flush(Value *value) {
    if (!ftz || !value->getType()->getScalarType()->isFloatTy())
      return value;
    Value *small = b.CreateFCmpOLT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value),
                                   llvm::ConstantFP::get(value->getType(), 0x1p-126));
    Value *zero = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::get(value->getType(), 0), value);
    return b.CreateSelect(small, zero, value);
  }
  Value *finish(Value *value) {
    value = flush(value);
    Value *zero = llvm::ConstantFP::get(value->getType(), 0);
    // Both turn a NaN into zero, as maxnum does.
    if (saturate || relu)
      value = b.CreateMaxNum(value, zero);
    if (saturate)
      value = b.CreateMinNum(value, llvm::ConstantFP::get(value->getType(), 1));
    return value;
  }
  Value *one() { return llvm::ConstantFP::get(type(), 1); }
  Value *unary(ID id) { return finish(b.CreateUnaryIntrinsic(id, argument(0))); }
  Value *binary(ID id) { return finish(b.CreateBinaryIntrinsic(id, argument(0), argument(1))); }

  /// rz, rm, rp: computed under the host's rounding mode.
  Value *rounded(unsigned operation) {
    Type *element = type();
    if (!element->isFloatTy() && !element->isDoubleTy())
      return nullptr;
    unsigned mode = has("rz") ? 0 : has("rm") ? 1 : 2;
    Value *zero = llvm::ConstantFP::get(element, 0);
    llvm::SmallVector<Value *> arguments{b.getInt32(operation), b.getInt32(mode), zero, zero, zero};
    for (unsigned i = 0; i < call.arg_size(); ++i)
      arguments[2 + i] = argument(i);
    llvm::FunctionCallee helper =
        call.getModule()->getOrInsertFunction(element->isFloatTy() ? "trace_sim_round_f32" : "trace_sim_round_f64",
                                              element, b.getInt32Ty(), b.getInt32Ty(), element, element, element);
    return finish(b.CreateCall(helper, arguments));
  }
  bool isDirected() const { return has("rz") || has("rm") || has("rp"); }

  Value *minMax(ID quiet, ID propagating) {
    if (has("xorsign"))
      return nullptr;
    return binary(has("nan") ? propagating : quiet);
  }

  /// To an integer: rounded as asked, values out of range clamped, NaN to zero.
  Value *toInteger(bool isSigned) {
    ID rounding = has("rn")   ? llvm::Intrinsic::roundeven
                  : has("rz") ? llvm::Intrinsic::trunc
                  : has("rm") ? llvm::Intrinsic::floor
                              : llvm::Intrinsic::ceil;
    Value *whole = b.CreateUnaryIntrinsic(rounding, argument(0));
    return b.CreateIntrinsic(isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                             {type(), whole->getType()}, {whole});
  }
  Value *multiplyHigh(bool isSigned) {
    Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
    unsigned width = type()->getIntegerBitWidth();
    Type *wide = b.getIntNTy(2 * width);
    auto widen = [&](Value *v) { return isSigned ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide); };
    return b.CreateTrunc(b.CreateLShr(b.CreateMul(widen(x), widen(y)), width), type());
  }
  Value *multiply24(bool isSigned) {
    auto low = [&](Value *v) {
      v = b.CreateShl(v, 8);
      return isSigned ? b.CreateAShr(v, 8) : b.CreateLShr(v, 8);
    };
    return b.CreateMul(low(call.getArgOperand(0)), low(call.getArgOperand(1)));
  }
  /// Two floats into a vector; the first argument goes to the upper half.
  Value *pack(Type *element) {
    Value *result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, 2));
    result = b.CreateInsertElement(result, b.CreateFPTrunc(call.getArgOperand(1), element), uint64_t(0));
    result = b.CreateInsertElement(result, b.CreateFPTrunc(call.getArgOperand(0), element), uint64_t(1));
    result = finish(result);
    return result->getType() == type() ? result : b.CreateBitCast(result, type());
  }
  Value *convertTo(Type *element) {
    Value *result = finish(b.CreateFPTrunc(argument(0), element));
    return result->getType() == type() ? result : b.CreateBitCast(result, type());
  }
  /// The position of the highest bit that differs from the sign; -1: there is none.
  Value *findLeadingOne(bool isSigned) {
    Value *x = call.getArgOperand(0);
    unsigned width = x->getType()->getIntegerBitWidth();
    if (isSigned)
      x = b.CreateXor(x, b.CreateAShr(x, width - 1));
    Value *zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b.getFalse());
    Value *position = b.CreateZExtOrTrunc(b.CreateSub(llvm::ConstantInt::get(x->getType(), width - 1), zeros), type());
    bool shift = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne();
    if (!shift)
      return position;
    Value *none = b.CreateICmpEQ(x, llvm::ConstantInt::get(x->getType(), 0));
    return b.CreateSelect(none, llvm::ConstantInt::getSigned(type(), -1), b.CreateZExtOrTrunc(zeros, type()));
  }
  Value *permute() {
    Value *pair = b.CreateOr(b.CreateZExt(call.getArgOperand(0), b.getInt64Ty()),
                             b.CreateShl(b.CreateZExt(call.getArgOperand(1), b.getInt64Ty()), 32));
    Value *selector = call.getArgOperand(2), *result = b.getInt32(0);
    for (unsigned i = 0; i < 4; ++i) {
      Value *choice = b.CreateAnd(b.CreateLShr(selector, 4 * i), 15);
      Value *at = b.CreateZExt(b.CreateShl(b.CreateAnd(choice, 7), 3), b.getInt64Ty());
      Value *byte = b.CreateTrunc(b.CreateLShr(pair, at), b.getInt8Ty());
      Value *sign = b.CreateAShr(byte, 7);
      byte = b.CreateSelect(b.CreateIsNotNull(b.CreateAnd(choice, 8)), sign, byte);
      result = b.CreateOr(result, b.CreateShl(b.CreateZExt(byte, b.getInt32Ty()), 8 * i));
    }
    return result;
  }

  Value *rewrite();
};
} // namespace

Value *Arithmetic::rewrite() {
  StringRef op = parts[0];
  // The operations with a rounding, as trace_sim_round_* numbers them.
  int directed = llvm::StringSwitch<int>(op)
                     .Case("add", 0)
                     .Case("mul", 1)
                     .Case("div", 2)
                     .Case("fma", 3)
                     .Case("sqrt", 4)
                     .Case("rcp", 5)
                     .Default(-1);
  if (directed >= 0 && isDirected())
    return rounded(directed);
  if (op == "add")
    return finish(b.CreateFAdd(argument(0), argument(1)));
  if (op == "mul")
    return finish(b.CreateFMul(argument(0), argument(1)));
  if (op == "div")
    return finish(b.CreateFDiv(argument(0), argument(1)));
  if (op == "fma")
    return finish(b.CreateIntrinsic(llvm::Intrinsic::fma, {type()}, {argument(0), argument(1), argument(2)}));
  if (op == "sqrt")
    return unary(llvm::Intrinsic::sqrt);
  if (op == "rcp")
    return finish(b.CreateFDiv(one(), argument(0)));
  if (op == "rsqrt")
    return finish(b.CreateFDiv(one(), b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, argument(0))));
  if (op == "ex2")
    return unary(llvm::Intrinsic::exp2);
  if (op == "lg2")
    return unary(llvm::Intrinsic::log2);
  if (op == "sin")
    return unary(llvm::Intrinsic::sin);
  if (op == "cos")
    return unary(llvm::Intrinsic::cos);
  if (op == "tanh")
    return unary(llvm::Intrinsic::tanh);
  if (op == "fabs")
    return unary(llvm::Intrinsic::fabs);
  if (op == "floor")
    return unary(llvm::Intrinsic::floor);
  if (op == "ceil")
    return unary(llvm::Intrinsic::ceil);
  if (op == "trunc")
    return unary(llvm::Intrinsic::trunc);
  if (op == "round")
    return unary(llvm::Intrinsic::roundeven);
  if (op == "saturate") {
    saturate = true;
    return finish(argument(0));
  }
  if (op == "fmin")
    return minMax(llvm::Intrinsic::minnum, llvm::Intrinsic::minimum);
  if (op == "fmax")
    return minMax(llvm::Intrinsic::maxnum, llvm::Intrinsic::maximum);

  if (op == "f2i" || op == "d2i" || op == "f2ll" || op == "d2ll") {
    if (has("lo") || has("hi")) {
      Value *bits = b.CreateBitCast(call.getArgOperand(0), b.getInt64Ty());
      return b.CreateTrunc(has("hi") ? b.CreateLShr(bits, 32) : bits, b.getInt32Ty());
    }
    return toInteger(true);
  }
  if (op == "f2ui" || op == "d2ui" || op == "f2ull" || op == "d2ull")
    return toInteger(false);
  if ((op == "i2f" || op == "i2d" || op == "ll2f" || op == "ll2d") && has("rn"))
    return b.CreateSIToFP(call.getArgOperand(0), type());
  if ((op == "ui2f" || op == "ui2d" || op == "ull2f" || op == "ull2d") && has("rn"))
    return b.CreateUIToFP(call.getArgOperand(0), type());
  if (op == "d2f" && has("rn"))
    return finish(b.CreateFPTrunc(call.getArgOperand(0), type()));
  if (has("rn") && !has("satfinite")) {
    if (op == "f2bf16")
      return convertTo(b.getBFloatTy());
    if (op == "f2f16" || op == "f2h")
      return convertTo(b.getHalfTy());
    if (op == "ff2bf16x2")
      return pack(b.getBFloatTy());
    if (op == "ff2f16x2")
      return pack(b.getHalfTy());
  }
  if (op == "lohi" && has("i2d")) {
    Value *low = b.CreateZExt(call.getArgOperand(0), b.getInt64Ty());
    Value *high = b.CreateShl(b.CreateZExt(call.getArgOperand(1), b.getInt64Ty()), 32);
    return b.CreateBitCast(b.CreateOr(low, high), type());
  }
  if (op == "mulhi")
    return multiplyHigh(!parts.back().starts_with("u"));
  if (op == "mul24")
    return multiply24(parts.back() == "i");
  if (op == "sad") {
    bool isSigned = !parts.back().starts_with("u");
    Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
    ID largest = isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax;
    ID smallest = isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
    Value *difference = b.CreateSub(b.CreateBinaryIntrinsic(largest, x, y), b.CreateBinaryIntrinsic(smallest, x, y));
    return b.CreateAdd(difference, call.getArgOperand(2));
  }
  if (op == "flo")
    return findLeadingOne(parts[1] == "s");
  if (op == "prmt" && parts.size() == 1)
    return permute();
  if (op == "move")
    return call.getArgOperand(0);
  return nullptr;
}

Value *mlir::trace::simulator::rewriteArithmetic(llvm::CallInst &call, StringRef name) {
  return Arithmetic(call, name).rewrite();
}
