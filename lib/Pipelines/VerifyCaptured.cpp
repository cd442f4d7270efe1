//===- VerifyCaptured.cpp - The contract of the captured stage --------------===//
#include "trace/IR/TraceOps.h"
#include "trace/Pipelines/Passes.h"
#include "trace/Pipelines/Verify.h"
#include "trace/Schedule/Barrier.h"

namespace mlir::trace {
#define GEN_PASS_DEF_VERIFYCAPTURED
#include "trace/Pipelines/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

static RoleAttr roleOf(Attribute attribute) { return dyn_cast_if_present<RoleAttr>(attribute); }

LogicalResult mlir::trace::verifyCaptured(func::FuncOp func) {
  if (!isHostFunction(func))
    return success();
  ReturnOp ret = getReturn(func);
  for (StringRef later : {attrs::joint, attrs::side})
    if (func->hasAttr(later))
      return func.emitOpError("has '") << later << "', which no captured function has";
  if (!ret.getGradients().empty())
    return ret.emitOpError("gives gradients in a captured function");
  for (Operation &op : func.getBody().front())
    if (isa<GetGradOp, RecomputeBarrierOp, FusionOp, CallOp, CallLibraryOp, ReleaseOp>(op)) {
      InFlightDiagnostic error = op.emitOpError("belongs to a later stage than captured");
      error.attachNote(func.getLoc()) << "in this function";
      return error;
    }

  llvm::SmallDenseMap<int64_t, unsigned> inputs, outputs;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (RoleAttr role = roleOf(func.getArgAttr(i, attrs::role));
        role && role.getKind() == RoleKind::Input && role.getIndex())
      if (auto [first, isNew] = inputs.try_emplace(*role.getIndex(), i); !isNew)
        return func.emitOpError("arguments ")
               << first->second << " and " << i << " both are input " << *role.getIndex();
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    RoleAttr role = roleOf(func.getResultAttr(i, attrs::role));
    if (!role)
      continue;
    if (role.getKind() == RoleKind::Output && role.getIndex())
      if (auto [first, isNew] = outputs.try_emplace(*role.getIndex(), i); !isNew)
        return func.emitOpError("results ") << first->second << " and " << i << " both are output " << *role.getIndex();
    if (role.getKind() != RoleKind::Mutated && role.getKind() != RoleKind::Alias)
      continue;
    int64_t argument = role.getIndex().value_or(-1);
    if (argument < 0 || argument >= static_cast<int64_t>(func.getNumArguments()))
      return func.emitOpError("result ") << i << " names argument " << argument << " of " << func.getNumArguments();
    if (role.getKind() == RoleKind::Mutated && func.getArgumentTypes()[argument] != func.getResultTypes()[i]) {
      InFlightDiagnostic error = func.emitOpError("result ")
                                 << i << " is the new value of argument " << argument << ", but has another type";
      error.attachNote(func.getArgument(argument).getLoc()) << "the argument is " << func.getArgumentTypes()[argument];
      return error;
    }
  }
  return success();
}

namespace {
struct VerifyCaptured : trace::impl::VerifyCapturedBase<VerifyCaptured> {
  void runOnOperation() override {
    if (failed(verifyCaptured(getOperation())))
      signalPassFailure();
  }
};
} // namespace
