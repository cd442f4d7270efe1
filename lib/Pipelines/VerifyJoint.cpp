//===- VerifyJoint.cpp - The contract of the joint stage --------------------===//
#include "trace/IR/TraceOps.h"
#include "trace/Pipelines/Passes.h"
#include "trace/Pipelines/Verify.h"
#include "trace/Schedule/Barrier.h"

namespace mlir::trace {
#define GEN_PASS_DEF_VERIFYJOINT
#include "trace/Pipelines/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

LogicalResult mlir::trace::verifyJoint(func::FuncOp func) {
  if (!isHostFunction(func) || func->hasAttr(attrs::side))
    return success();
  ReturnOp ret = getReturn(func);
  bool joint = func->hasAttr(attrs::joint);
  llvm::SmallDenseMap<int64_t, GetGradOp> positions;
  DenseSet<Operation *> dependent = dependentOnGetGrads(func);
  for (Operation &op : func.getBody().front()) {
    // An executor may keep a composite whole (trace.executor); one that nobody claimed is inlined.
    auto bsym = dyn_cast<BsymOp>(op);
    if (isa<CustomGradOp, CheckpointOp>(op) || (bsym && !bsym.getBody().empty() && !bsym->hasAttr("trace.executor")))
      return op.emitOpError("is a composite: trace-claim and trace-autodiff leave none in a joint");
    auto getGrad = dyn_cast<GetGradOp>(op);
    if (!getGrad)
      continue;
    int64_t output = getGrad.getOutput();
    if (auto [first, isNew] = positions.try_emplace(output, getGrad); !isNew) {
      InFlightDiagnostic error = getGrad.emitOpError("is the second of output ") << output;
      error.attachNote(first->second.getLoc()) << "the first stands here";
      return error;
    }
    if (func.getResultAttr(output, attrs::nonDifferentiable)) {
      InFlightDiagnostic error = getGrad.emitOpError("asks for the cotangent of output ")
                                 << output << ", which has none";
      error.attachNote(func.getLoc()) << "the output is marked '" << attrs::nonDifferentiable << "'";
      return error;
    }
  }
  if (!joint && !ret.getGradients().empty())
    return ret.emitOpError("gives gradients, but the function is no joint");

  for (auto [i, output] : llvm::enumerate(ret.getOutputs()))
    if (Operation *def = output.getDefiningOp(); def && dependent.contains(def)) {
      InFlightDiagnostic error = ret.emitOpError("output ") << i << " depends on a cotangent";
      error.attachNote(def->getLoc()) << "it is computed here";
      return error;
    }
  llvm::SmallDenseMap<int64_t, unsigned> gradients;
  for (auto [i, argument] : llvm::enumerate(ret.getGradientOf())) {
    if (auto [first, isNew] = gradients.try_emplace(argument, i); !isNew)
      return ret.emitOpError("gives two gradients of argument ") << argument;
    // Numbers and types are checked by trace.return's own verifier; that the argument wants one, here.
    if (!func.getArgAttr(argument, attrs::requiresGrad)) {
      InFlightDiagnostic error = ret.emitOpError("gives a gradient of argument ") << argument << ", which wants none";
      error.attachNote(func.getArgument(argument).getLoc()) << "the argument";
      return error;
    }
  }
  return success();
}

namespace {
struct VerifyJoint : trace::impl::VerifyJointBase<VerifyJoint> {
  void runOnOperation() override {
    if (failed(verifyJoint(getOperation())))
      signalPassFailure();
  }
};
} // namespace
