//===- Lanes.cpp - Functions that are computed lane by lane -------------------===//
#include "Formula.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::trace;

/// The function `name` of the module, declared if it is not there.
static func::FuncOp getOrDeclare(ModuleOp module, StringRef name, FunctionType type) {
  if (auto existing = module.lookupSymbol<func::FuncOp>(name))
    return existing;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto function = func::FuncOp::create(b, module.getLoc(), name, type);
  function.setPrivate();
  return function;
}

/// A function on vectors that calls the scalar one for each lane. It stays a function of its own, not inlined: its
/// callers are fast paths, or functions that cost hundreds of cycles anyway.
static func::FuncOp getOrCreateLoop(ModuleOp module, func::FuncOp scalar, VectorType vector, unsigned numOperands) {
  std::string element;
  llvm::raw_string_ostream(element) << vector.getElementType();
  std::string name =
      ("trace_lanes_" + scalar.getSymName() + "_" + Twine(vector.getNumElements()) + "x" + element).str();
  if (auto existing = module.lookupSymbol<func::FuncOp>(name))
    return existing;

  MLIRContext *context = module.getContext();
  Location loc = module.getLoc();
  SmallVector<Type> inputs(numOperands, vector);
  func::FuncOp loop = getOrDeclare(module, name, FunctionType::get(context, inputs, vector));
  loop->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  OpBuilder b(context);
  loop->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));

  b.setInsertionPointToStart(loop.addEntryBlock());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value lanes = arith::ConstantIndexOp::create(b, loc, vector.getNumElements());
  auto forOp = scf::ForOp::create(b, loc, zero, lanes, one, ValueRange(loop.getArgument(0)));
  b.setInsertionPointToStart(forOp.getBody());
  SmallVector<Value> operands;
  for (Value argument : loop.getArguments())
    operands.push_back(vector::ExtractOp::create(b, loc, argument, forOp.getInductionVar()));
  Value result = func::CallOp::create(b, loc, scalar, operands).getResult(0);
  Value updated = vector::InsertOp::create(b, loc, result, forOp.getRegionIterArg(0), forOp.getInductionVar());
  scf::YieldOp::create(b, loc, updated);
  b.setInsertionPointAfter(forOp);
  func::ReturnOp::create(b, loc, forOp.getResult(0));
  return loop;
}

/// An op of math for the functions of f64 that have one. Not for expm1, of which MLIR may make e^x - 1.
static Value emitMathOp(OpBuilder &b, Location loc, StringRef name, ArrayRef<Num> operands) {
  Value x = operands.front();
#define UNARY(function, OpTy)                                                                                          \
  if (name == function)                                                                                                \
    return math::OpTy::create(b, loc, x);
  UNARY("acos", AcosOp)
  UNARY("acosh", AcoshOp)
  UNARY("asin", AsinOp)
  UNARY("asinh", AsinhOp)
  UNARY("atan", AtanOp)
  UNARY("atanh", AtanhOp)
  UNARY("cos", CosOp)
  UNARY("cosh", CoshOp)
  UNARY("erf", ErfOp)
  UNARY("erfc", ErfcOp)
  UNARY("exp", ExpOp)
  UNARY("exp2", Exp2Op)
  UNARY("log", LogOp)
  UNARY("log10", Log10Op)
  UNARY("log1p", Log1pOp)
  UNARY("log2", Log2Op)
  UNARY("sin", SinOp)
  UNARY("sinh", SinhOp)
  UNARY("tan", TanOp)
  UNARY("tanh", TanhOp)
#undef UNARY
  if (name == "atan2")
    return math::Atan2Op::create(b, loc, x, operands[1]);
  if (name == "pow")
    return math::PowFOp::create(b, loc, x, operands[1]);
  if (name == "fmod")
    return arith::RemFOp::create(b, loc, x, operands[1]);
  return {};
}

/// libdevice's function of f64, declared in the nearest symbol table (the gpu.module), called for each lane.
static Value callLibdevice(OpBuilder &b, Location loc, StringRef name, ArrayRef<Num> operands) {
  Operation *table = SymbolTable::getNearestSymbolTable(b.getInsertionBlock()->getParentOp());
  std::string symbol = ("__nv_" + name).str();
  auto callee = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(table, symbol));
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&table->getRegion(0).front());
    Type f64 = b.getF64Type();
    callee = LLVM::LLVMFuncOp::create(b, table->getLoc(), symbol,
                                      LLVM::LLVMFunctionType::get(f64, SmallVector<Type>(operands.size(), f64)));
  }
  auto call = [&](ValueRange values) { return LLVM::CallOp::create(b, loc, callee, values).getResult(); };
  auto vector = dyn_cast<VectorType>(operands.front().type());
  SmallVector<Value> values(operands.begin(), operands.end());
  if (!vector)
    return call(values);
  SmallVector<Value> results;
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane)
    results.push_back(call(llvm::map_to_vector(
        values, [&](Value value) -> Value { return vector::ExtractOp::create(b, loc, value, lane); })));
  return vector::FromElementsOp::create(b, loc, vector, results);
}

Num trace::libm(StringRef name, ArrayRef<Num> operands) {
  Num x = operands.front();
  OpBuilder &b = x.in->b;
  if (x.in->target.gpu) {
    assert(x.width() == 64 && "a function of f32 calls nothing on a GPU");
    Value result = emitMathOp(b, x.in->loc, name, operands);
    return Num(result ? result : callLibdevice(b, x.in->loc, name, operands), *x.in);
  }
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  SmallVector<Type> inputs(operands.size(), x.element());
  func::FuncOp callee = getOrDeclare(module, name, b.getFunctionType(inputs, x.element()));
  if (auto vector = dyn_cast<VectorType>(x.type()))
    callee = getOrCreateLoop(module, callee, vector, operands.size());
  SmallVector<Value> values(operands.begin(), operands.end());
  return Num(func::CallOp::create(b, x.in->loc, callee, values).getResult(0), *x.in);
}
