//===- DropCotangents.cpp - Backward functions without some cotangents ------===//
#include "mlir/IR/IRMapping.h"
#include "trace/Schedule/Barrier.h"
#include "trace/Schedule/Passes.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::trace {
#define GEN_PASS_DEF_DROPCOTANGENTS
#include "trace/Schedule/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {

/// A region's or function's block in place of the op that runs it.
void inlineBody(Operation *op, Block &body) {
  OpBuilder builder(op);
  IRMapping map;
  map.map(body.getArguments(), op->getOperands());
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, map);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(map.lookup(value));
  op->erase();
}

class ZeroPropagation {
public:
  ZeroPropagation(func::FuncOp func) : func(func), builder(func.getContext()) {}

  LogicalResult run(ArrayRef<int64_t> absentOutputs) {
    absent = absentOutputs;
    llvm::BitVector dropped(func.getNumArguments());
    SmallVector<int64_t> numbers;
    for (BlockArgument argument : func.getArguments()) {
      auto role = func.getArgAttrOfType<RoleAttr>(argument.getArgNumber(), attrs::role);
      if (!role || role.getKind() != RoleKind::Cotangent || !llvm::is_contained(absent, role.getIndex().value_or(-1)))
        continue;
      dropped.set(argument.getArgNumber());
      numbers.push_back(*role.getIndex());
      zeros.insert(argument);
    }
    Block &block = func.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (failed(visit(&op)))
        return failure();
    if (failed(dropGradients()))
      return failure();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    (void)func.eraseArguments(dropped);
    func->setAttr(attrs::absentCotangents, builder.getDenseI64ArrayAttr(numbers));
    return success();
  }

private:
  bool isZero(Value value) const { return zeros.contains(value); }
  /// Zero by its value: what pads or is added to.
  bool isZeroOrConstant(Value value) const {
    if (isZero(value))
      return true;
    TypedAttr splat = getSplatValue(value);
    if (auto number = dyn_cast_if_present<FloatAttr>(splat))
      return number.getValue().isZero();
    auto integer = dyn_cast_if_present<IntegerAttr>(splat);
    return integer && integer.getValue().isZero();
  }

  /// The result is zero as well.
  LogicalResult makeZero(Operation *op) {
    zeros.insert(op->result_begin(), op->result_end());
    return success();
  }
  /// The result is this value.
  LogicalResult replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return isZero(operand); }))
      return success();
    auto zero = [&](unsigned operand) { return isZero(op->getOperand(operand)); };
    bool all = llvm::all_of(op->getOperands(), [&](Value operand) { return isZero(operand); });
    if (op->hasTrait<trace::OpTrait::ViewLike>() ||
        isa<NegOp, ConvertOp, StopGradientOp, ReverseOp, ReduceSumOp, CumsumOp, MulOp, MatmulOp, ConvolutionOp,
            ConvolutionInputGradOp, ConvolutionWeightGradOp>(op))
      return makeZero(op);
    if (isa<DivOp, GatherOp, TakeOp, IndexOp>(op) && zero(0))
      return makeZero(op);
    if (isa<AddOp>(op))
      return all ? makeZero(op) : replace(op, op->getOperand(zero(0) ? 1 : 0));
    if (isa<SubOp>(op)) {
      if (all)
        return makeZero(op);
      if (zero(1))
        return replace(op, op->getOperand(0));
      builder.setInsertionPoint(op);
      return replace(op, NegOp::create(builder, op->getLoc(), op->getOperand(1)));
    }
    if (isa<CatOp>(op) && all)
      return makeZero(op);
    if (isa<PadOp>(op) && zero(0) && isZeroOrConstant(op->getOperand(1)))
      return makeZero(op);
    if (isa<WhereOp>(op) && isZeroOrConstant(op->getOperand(1)) && isZeroOrConstant(op->getOperand(2)))
      return makeZero(op);
    // input + source at places: without the source the input is left.
    if (auto [base, source] = getAccumulation(op); source && isZero(source)) {
      if (isZeroOrConstant(base))
        return makeZero(op);
      return replace(op, base);
    }
    return materialize(op);
  }

  /// What an op adds to, and what it adds.
  static std::pair<Value, Value> getAccumulation(Operation *op) {
    if (auto add = dyn_cast<IndexAddOp>(op))
      return {add.getInput(), add.getSource()};
    if (auto add = dyn_cast<ScatterAddOp>(op))
      return {add.getInput(), add.getSource()};
    if (auto put = dyn_cast<IndexPutOp>(op); put && put.getAccumulate())
      return {put.getInput(), put.getSource()};
    return {};
  }

  /// Zeros in memory, for an op of which it is not known to be linear, or that reads other values beside them.
  LogicalResult materialize(Operation *op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isZero(operand.get()))
        continue;
      auto type = cast<RankedTensorType>(operand.get().getType());
      if (!type.hasStaticShape())
        return op->emitOpError("needs zeros in place of an absent cotangent, but their sizes are not known: ") << type;
      operand.set(createSplat(builder, op->getLoc(), type, 0.0));
    }
    return success();
  }

  /// None of the cotangents that reach the gradient's argument is left.
  bool isAbsent(unsigned result) {
    auto reachedBy = func.getResultAttrOfType<DenseI64ArrayAttr>(result, attrs::reachedBy);
    return reachedBy && llvm::all_of(reachedBy.asArrayRef(), [&](int64_t k) { return llvm::is_contained(absent, k); });
  }

  /// Gradients that nothing reaches are not given; others are, be they zero.
  LogicalResult dropGradients() {
    ReturnOp ret = getReturn(func);
    SmallVector<Value> gradients;
    SmallVector<int64_t> numbers;
    llvm::BitVector dropped(func.getNumResults());
    for (auto [i, gradient, number] : llvm::enumerate(ret.getGradients(), ret.getGradientOf())) {
      if (isAbsent(i)) {
        dropped.set(i);
        continue;
      }
      if (isZero(gradient)) {
        auto type = cast<RankedTensorType>(gradient.getType());
        if (!type.hasStaticShape())
          return ret.emitOpError("gives a gradient of zeros, but their sizes are not known: ") << type;
        builder.setInsertionPoint(ret);
        gradient = createSplat(builder, ret.getLoc(), type, 0.0);
      }
      gradients.push_back(gradient);
      numbers.push_back(number);
    }
    builder.setInsertionPoint(ret);
    ReturnOp::create(builder, ret.getLoc(), ValueRange(), gradients, numbers);
    ret.erase();
    (void)func.eraseResults(dropped);
    return success();
  }

  func::FuncOp func;
  OpBuilder builder;
  DenseSet<Value> zeros;
  ArrayRef<int64_t> absent;
};

struct DropCotangents : trace::impl::DropCotangentsBase<DropCotangents> {
  using DropCotangentsBase::DropCotangentsBase;

  void runOnOperation() override {
    if (absent.empty())
      return;
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (auto func : module.getOps<func::FuncOp>()) {
      auto side = func->getAttrOfType<StringAttr>(attrs::side);
      if (!side || side.getValue() != "backward" || !getReturn(func))
        continue;
      for (Operation &op : llvm::make_early_inc_range(func.getBody().front()))
        if (auto fusion = dyn_cast<FusionOp>(op))
          inlineBody(fusion, fusion.getBody().front());
        else if (auto call = dyn_cast<CallOp>(op))
          if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()); callee && getReturn(callee))
            inlineBody(call, callee.getBody().front());
      if (failed(ZeroPropagation(func).run(absent)))
        return signalPassFailure();
    }
    // Fusions that nothing calls any more.
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (func.isPrivate() && func->hasAttr(attrs::fusion) && users.useEmpty(func))
        func.erase();
  }
};

} // namespace
