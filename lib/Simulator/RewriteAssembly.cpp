//===- RewriteAssembly.cpp - libdevice's inline assembly on the host --------===//
//
// libdevice is LLVM IR but for a few pieces of PTX: sums and products of twice the width, out of 32-bit words with
// carries, and single instructions. They are recognised by their whole text. Any other assembly has no meaning here.
//
//===----------------------------------------------------------------------===//
#include "Rewrite.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir::trace::simulator;
using llvm::StringRef;
using llvm::Value;

namespace {
/// Of $2 and what follows, in numbers of twice the width: the low half is $0, the high half $1.
enum class Wide { None, Add, Subtract, Multiply, MultiplyAdd };
} // namespace

static Wide recogniseWide(StringRef text) {
  return llvm::StringSwitch<Wide>(text)
      .Case("{mad.lo.cc.u32$0,$2,$3,$4;madc.hi.u32$1,$2,$3,0;}", Wide::MultiplyAdd)
      .Case("{.reg.u32r0,r1,r2,r3,a0,a1,a2,a3,b0,b1,b2,b3;mov.b64{a0,a1},$2;mov.b64{a2,a3},$3;mov.b64{b0,b1},$4;"
            "mov.b64{b2,b3},$5;add.cc.u32r0,a0,b0;addc.cc.u32r1,a1,b1;addc.cc.u32r2,a2,b2;addc.u32r3,a3,b3;"
            "mov.b64$0,{r0,r1};mov.b64$1,{r2,r3};}",
            Wide::Add)
      .Case("{.reg.u32r0,r1,r2,r3,a0,a1,a2,a3,b0,b1,b2,b3;mov.b64{a0,a1},$2;mov.b64{a2,a3},$3;mov.b64{b0,b1},$4;"
            "mov.b64{b2,b3},$5;sub.cc.u32r0,a0,b0;subc.cc.u32r1,a1,b1;subc.cc.u32r2,a2,b2;subc.u32r3,a3,b3;"
            "mov.b64$0,{r0,r1};mov.b64$1,{r2,r3};}",
            Wide::Subtract)
      .Case("{.reg.u32r0,r1,r2,r3,alo,ahi,blo,bhi;mov.b64{alo,ahi},$2;mov.b64{blo,bhi},$3;mul.lo.u32r0,alo,blo;"
            "mul.hi.u32r1,alo,blo;mad.lo.cc.u32r1,alo,bhi,r1;madc.hi.u32r2,alo,bhi,0;mad.lo.cc.u32r1,ahi,blo,r1;"
            "madc.hi.cc.u32r2,ahi,blo,r2;madc.hi.u32r3,ahi,bhi,0;mad.lo.cc.u32r2,ahi,bhi,r2;addc.u32r3,r3,0;"
            "mov.b64$0,{r0,r1};mov.b64$1,{r2,r3};}",
            Wide::Multiply)
      .Case("{.reg.u32r0,r1,r2,r3,alo,ahi,blo,bhi,clo,chi;mov.b64{alo,ahi},$2;mov.b64{blo,bhi},$3;"
            "mov.b64{clo,chi},$4;mad.lo.cc.u32r0,alo,blo,clo;madc.hi.cc.u32r1,alo,blo,chi;madc.hi.u32r2,alo,bhi,0;"
            "mad.lo.cc.u32r1,alo,bhi,r1;madc.hi.cc.u32r2,ahi,blo,r2;madc.hi.u32r3,ahi,bhi,0;"
            "mad.lo.cc.u32r1,ahi,blo,r1;madc.lo.cc.u32r2,ahi,bhi,r2;addc.u32r3,r3,0;mov.b64$0,{r0,r1};"
            "mov.b64$1,{r2,r3};}",
            Wide::MultiplyAdd)
      .Default(Wide::None);
}

static Value *emitWide(llvm::CallInst &call, Wide operation) {
  llvm::IRBuilder<> b(&call);
  llvm::Type *half = call.getArgOperand(0)->getType();
  unsigned width = half->getIntegerBitWidth();
  llvm::Type *whole = b.getIntNTy(2 * width);
  auto argument = [&](unsigned i) { return b.CreateZExt(call.getArgOperand(i), whole); };
  auto pair = [&](unsigned i) { return b.CreateOr(argument(i), b.CreateShl(argument(i + 1), width)); };
  Value *result;
  if (operation == Wide::Add)
    result = b.CreateAdd(pair(0), pair(2));
  else if (operation == Wide::Subtract)
    result = b.CreateSub(pair(0), pair(2));
  else
    result = b.CreateMul(argument(0), argument(1));
  if (operation == Wide::MultiplyAdd)
    result = b.CreateAdd(result, argument(2));
  Value *both = llvm::PoisonValue::get(call.getType());
  both = b.CreateInsertValue(both, b.CreateTrunc(result, half), 0);
  return b.CreateInsertValue(both, b.CreateTrunc(b.CreateLShr(result, width), half), 1);
}

Value *mlir::trace::simulator::rewriteAssembly(llvm::CallInst &call) {
  const auto *assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  std::string text;
  for (char c : assembly->getAsmString())
    if (!llvm::isSpace(c))
      text += c;
  if (Wide operation = recogniseWide(text); operation != Wide::None)
    return emitWide(call, operation);
  // One instruction of all operands in order, "rcp.approx.ftz.f32 $0, $1;", is what the intrinsic of that name is.
  auto [name, operands] = StringRef(text).split('$');
  std::string expected = "0";
  for (unsigned i = 0; i < call.arg_size(); ++i)
    expected += ",$" + std::to_string(i + 1);
  if (operands != expected + ";" || !(name.ends_with(".f32") || name.ends_with(".f64")))
    return nullptr;
  bool isDouble = name.ends_with(".f64");
  return rewriteArithmetic(call, (name.drop_back(3) + (isDouble ? "d" : "f")).str());
}
