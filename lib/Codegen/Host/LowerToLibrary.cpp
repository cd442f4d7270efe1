//===- LowerToLibrary.cpp - Ops without a kernel become library calls -------===//
#include "LibraryForms.h"
#include "mlir/IR/Remarks.h"
#include "trace/Codegen/Host/Host.h"
#include "trace/Codegen/Host/Passes.h"
#include "trace/Schedule/Barrier.h"

namespace mlir::trace {
#define GEN_PASS_DEF_LOWERTOLIBRARY
#include "trace/Codegen/Host/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::host;

/// What the later host passes take as it is.
static bool isHostOp(Operation *op) {
  return isa<CallLibraryOp, CallOp, ConstantOp, CheckIndexOp, ReleaseOp, ReturnOp>(op) ||
         op->hasTrait<trace::OpTrait::ViewLike>();
}

namespace {

class Rewriter {
public:
  Rewriter(func::FuncOp func, SymbolTable &symbols) : func(func), symbols(symbols), builder(func.getContext()) {}

  LogicalResult run() {
    for (CallOp call : llvm::make_early_inc_range(func.getOps<CallOp>()))
      takeConstants(call);
    // Convolutions' gradients first: two ops become one call.
    for (Operation &op : llvm::make_early_inc_range(func.getBody().front()))
      if (auto grad = dyn_cast<ConvolutionInputGradOp>(op))
        mergeConvolutionGradients(grad);
    LogicalResult result = success();
    for (Operation &op : llvm::make_early_inc_range(func.getBody().front()))
      if (failed(rewrite(&op)))
        result = failure();
    for (CallOp call : llvm::make_early_inc_range(func.getOps<CallOp>()))
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        foldBiasIntoProduct(builder, call, callee);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
      eraseIfDead(&op);
    return result;
  }

private:
  /// Views and literals that nothing reads any more (they might cost a copy), and products whose bias was folded in.
  static void eraseIfDead(Operation *op) {
    auto library = dyn_cast<CallLibraryOp>(op);
    if (!op->hasTrait<trace::OpTrait::ViewLike>() && !isa<ConstantOp>(op) && !(library && !library.getImpure()))
      return;
    if (!llvm::all_of(op->getUsers(), llvm::IsaPred<ReleaseOp>))
      return;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      auto release = cast<ReleaseOp>(use.getOwner());
      if (release->getNumOperands() == 1)
        release.erase();
      else
        release->eraseOperand(use.getOperandNumber());
    }
    op->erase();
  }

  /// A fusion that only makes literals is no kernel: a splat is one element on the host, and library calls can see that
  /// it is zero.
  void takeConstants(CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    ReturnOp ret = callee ? getReturn(callee) : ReturnOp();
    if (!ret || !call.getOperands_().empty() ||
        !llvm::all_of(callee.getBody().front().without_terminator(), llvm::IsaPred<ConstantOp>))
      return;
    builder.setInsertionPoint(call);
    for (auto [result, value] : llvm::zip_equal(call.getResults(), ret->getOperands()))
      result.replaceAllUsesWith(builder.clone(*value.getDefiningOp())->getResult(0));
    call.erase();
  }

  void mergeConvolutionGradients(ConvolutionInputGradOp inputGrad) {
    // Equal in all but the class of op, so compare what both hold.
    for (Operation *user : inputGrad.getGrad().getUsers()) {
      auto weightGrad = dyn_cast<ConvolutionWeightGradOp>(user);
      if (!weightGrad || weightGrad->getBlock() != inputGrad->getBlock() ||
          weightGrad.getGrad() != inputGrad.getGrad() ||
          weightGrad->getAttrDictionary() != inputGrad->getAttrDictionary() ||
          weightGrad.getInput().getType() != inputGrad.getType() ||
          inputGrad.getWeight().getType() != weightGrad.getType())
        continue;
      // The call stands at the first of the two, where the second's operand must be there.
      Operation *first = inputGrad->isBeforeInBlock(weightGrad) ? inputGrad.getOperation() : weightGrad.getOperation();
      Value late = first == inputGrad ? weightGrad.getInput() : inputGrad.getWeight();
      if (Operation *def = late.getDefiningOp(); def && !def->isBeforeInBlock(first))
        continue;
      builder.setInsertionPoint(first);
      SmallVector<Value> grads = buildConvolutionBackward(builder, inputGrad, weightGrad);
      inputGrad.replaceAllUsesWith(grads[0]);
      weightGrad.replaceAllUsesWith(grads[1]);
      // The weight's gradient may be the op that the caller's walk comes to next.
      dead.push_back(weightGrad);
      inputGrad.erase();
      return;
    }
  }

  LogicalResult rewrite(Operation *op) {
    if (llvm::is_contained(dead, op)) {
      op->erase();
      return success();
    }
    if (isHostOp(op))
      return success();
    builder.setInsertionPoint(op);
    if (auto bsym = dyn_cast<BsymOp>(op))
      return rewriteBsym(bsym);
    if (isa<StopGradientOp>(op)) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
      return success();
    }
    SmallVector<Value> results;
    if (auto grad = dyn_cast<ConvolutionInputGradOp>(op))
      results = buildConvolutionBackward(builder, grad, nullptr);
    else if (auto grad = dyn_cast<ConvolutionWeightGradOp>(op))
      results = buildConvolutionBackward(builder, nullptr, grad);
    else
      results = buildLibraryForm(builder, op);
    if (results.empty())
      return op->emitOpError("has no kernel and no LibTorch operator computes it");
    if (isFusible(op))
      remark::missed(op->getLoc(), remark::RemarkOpts::name("LibraryCall").category("trace-lower-to-library"))
          << (op->getName().getStringRef() + " is outside a fusion and runs through LibTorch").str();
    op->replaceAllUsesWith(results);
    op->erase();
    return success();
  }

  LogicalResult rewriteBsym(BsymOp bsym) {
    if (!bsym.getBody().empty())
      return bsym.emitOpError("\"") << bsym.getName()
                                    << "\" still has its decomposition: trace-claim has to come first";
    auto call =
        CallLibraryOp::create(builder, bsym.getLoc(), bsym.getResultTypes(), bsym.getNameAttr(), bsym.getOperands_(),
                              bsym.getArgumentsAttr(), bsym.getResultStridesAttr(), bsym.getImpureAttr());
    bsym.replaceAllUsesWith(call.getResults());
    bsym.erase();
    return success();
  }

  func::FuncOp func;
  SymbolTable &symbols;
  OpBuilder builder;
  SmallVector<Operation *> dead;
};

struct LowerToLibrary : mlir::trace::impl::LowerToLibraryBase<LowerToLibrary> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (isHostFunction(func) && failed(Rewriter(func, symbols).run()))
        signalPassFailure();
    // Gradient rules that only bound symbols named, and fusions of which only literals were left.
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (func.isPrivate() && getReturn(func) && SymbolTable::symbolKnownUseEmpty(func, getOperation()))
        func.erase();
  }
};

} // namespace
