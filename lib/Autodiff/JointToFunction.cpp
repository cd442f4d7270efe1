//===- JointToFunction.cpp - trace-joint-to-function ------------------------===//
#include "trace/Autodiff/Passes.h"
#include "trace/IR/TraceOps.h"
#include <map>

namespace mlir::trace {
#define GEN_PASS_DEF_JOINTTOFUNCTION
#include "trace/Autodiff/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {
struct JointToFunction : trace::impl::JointToFunctionBase<JointToFunction> {
  using JointToFunctionBase::JointToFunctionBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr(attrs::joint))
      return;
    ReturnOp ret = getReturn(func);
    Builder builder(func.getContext());

    std::map<uint64_t, GetGradOp> getGrads; // by output, in order
    for (auto getGrad : func.getOps<GetGradOp>()) {
      auto [it, isNew] = getGrads.try_emplace(getGrad.getOutput(), getGrad);
      if (isNew)
        continue;
      InFlightDiagnostic error = getGrad.emitOpError("is the second one of output ") << getGrad.getOutput();
      error.attachNote(it->second.getLoc()) << "the first one stands here";
      return signalPassFailure();
    }
    for (auto [output, getGrad] : getGrads) {
      auto role = RoleAttr::get(&getContext(), RoleKind::Cotangent, output, StringAttr());
      auto attributes = builder.getDictionaryAttr(
          {builder.getNamedAttr(attrs::role, role), builder.getNamedAttr(attrs::requiresGrad, builder.getUnitAttr())});
      unsigned position = func.getNumArguments();
      if (failed(func.insertArgument(position, getGrad.getType(), attributes, getGrad.getLoc())))
        return signalPassFailure();
      getGrad.replaceAllUsesWith(Value(func.getArgument(position)));
      getGrad.erase();
    }

    unsigned outputs = ret.getOutputs().size();
    for (unsigned i = outputs; i < func.getNumResults(); ++i)
      func.setResultAttr(i, attrs::role, RoleAttr::get(&getContext(), RoleKind::Output, i, StringAttr()));
    func->removeAttr(attrs::joint);
    OpBuilder at(ret);
    ReturnOp::create(at, ret.getLoc(), ret.getOperands());
    ret.erase();
  }
};
} // namespace
