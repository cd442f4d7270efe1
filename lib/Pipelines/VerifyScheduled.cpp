//===- VerifyScheduled.cpp - The contract of the scheduled stage ------------===//
#include "trace/IR/TraceOps.h"
#include "trace/Pipelines/Passes.h"
#include "trace/Pipelines/Verify.h"
#include "trace/Schedule/Barrier.h"

namespace mlir::trace {
#define GEN_PASS_DEF_VERIFYSCHEDULED
#include "trace/Pipelines/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

LogicalResult mlir::trace::verifyScheduled(func::FuncOp func) {
  if (!isHostFunction(func) || func->hasAttr(attrs::side))
    return success();
  if (failed(verifyJoint(func)))
    return failure();
  // Where get_grads stand together, SSA order alone keeps all that depends on one behind the first; nothing can stand
  // between the first and the last.
  FailureOr<Barrier> barrier = findBarrier(func);
  if (failed(barrier))
    return failure();
  for (auto recompute : func.getOps<RecomputeBarrierOp>())
    if (!barrier->isBackward(recompute)) {
      InFlightDiagnostic error =
          recompute.emitOpError("stands before the barrier: nothing is recomputed in the forward");
      if (barrier->exists())
        error.attachNote(barrier->getGrads.front().getLoc()) << "the barrier";
      return error;
    }
  return success();
}

namespace {
struct VerifyScheduled : trace::impl::VerifyScheduledBase<VerifyScheduled> {
  void runOnOperation() override {
    if (failed(verifyScheduled(getOperation())))
      signalPassFailure();
  }
};
} // namespace
