//===- Lanes.cpp - Functions that are computed lane by lane -------------------===//
#include "Formula.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

Num trace::libm(StringRef name, ArrayRef<Num> operands) {
  Num x = operands.front();
  OpBuilder &b = x.in->b;
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  SmallVector<Type> inputs(operands.size(), x.element());
  func::FuncOp callee = getOrDeclare(module, name, b.getFunctionType(inputs, x.element()));
  if (auto vector = dyn_cast<VectorType>(x.type()))
    callee = getOrCreateLoop(module, callee, vector, operands.size());
  SmallVector<Value> values(operands.begin(), operands.end());
  return Num(func::CallOp::create(b, x.in->loc, callee, values).getResult(0), *x.in);
}
