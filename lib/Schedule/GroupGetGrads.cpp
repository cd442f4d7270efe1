//===- GroupGetGrads.cpp - One barrier between forward and backward ---------===//
#include "trace/Schedule/Barrier.h"
#include "trace/Schedule/Passes.h"

namespace mlir::trace {
#define GEN_PASS_DEF_GROUPGETGRADS
#include "trace/Schedule/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {

struct GroupGetGrads : trace::impl::GroupGetGradsBase<GroupGetGrads> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!isHostFunction(func) || !func->hasAttr(attrs::joint))
      return;
    Block &block = func.getBody().front();
    ReturnOp ret = getReturn(func);

    DenseSet<Operation *> dependent = dependentOnGetGrads(func);
    if (dependent.empty())
      return;
    for (auto [i, output] : llvm::enumerate(ret.getOutputs()))
      if (Operation *def = output.getDefiningOp(); def && dependent.contains(def))
        return reportDependentOutput(ret, i, output, dependent);

    // One reverse sweep finds what the outputs need; an effect (a check, a library call that writes) happens in the
    // forward, where the user wrote it.
    DenseSet<Operation *> forward;
    auto need = [&](Value value) {
      if (Operation *def = value.getDefiningOp())
        forward.insert(def);
    };
    llvm::for_each(ret.getOutputs(), need);
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (dependent.contains(&op))
        continue;
      if (!isMemoryEffectFree(&op))
        forward.insert(&op);
      if (forward.contains(&op))
        llvm::for_each(op.getOperands(), need);
    }

    // Stable partition: forward ops stay in place, the others move behind them, get_grads first.
    SmallVector<Operation *> getGrads, backward;
    for (Operation &op : block.without_terminator()) {
      if (isa<GetGradOp>(op))
        getGrads.push_back(&op);
      else if (!forward.contains(&op))
        backward.push_back(&op);
    }
    for (Operation *op : llvm::concat<Operation *>(getGrads, backward))
      op->moveBefore(ret);
  }

  void reportDependentOutput(ReturnOp ret, unsigned index, Value output, const DenseSet<Operation *> &dependent) {
    // Follow any dependent operand up to a get_grad: the cause.
    Operation *cause = output.getDefiningOp();
    while (!isa<GetGradOp>(cause))
      for (Value operand : cause->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && dependent.contains(def)) {
          cause = def;
          break;
        }
    InFlightDiagnostic error = ret.emitOpError("output ")
                               << index << " depends on a cotangent, which exists only after "
                               << "the forward has returned";
    error.attachNote(cause->getLoc()) << "the cotangent";
    signalPassFailure();
  }
};

} // namespace
