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
    // All arguments and results at once: one at a time is quadratic.
    SmallVector<unsigned> positions(getGrads.size(), func.getNumArguments());
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    SmallVector<Location> locations;
    for (auto [output, getGrad] : getGrads) {
      auto role = RoleAttr::get(&getContext(), RoleKind::Cotangent, output, StringAttr());
      types.push_back(getGrad.getType());
      attributes.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(attrs::role, role), builder.getNamedAttr(attrs::requiresGrad, builder.getUnitAttr())}));
      locations.push_back(getGrad.getLoc());
    }
    unsigned inputs = func.getNumArguments();
    if (failed(func.insertArguments(positions, types, attributes, locations)))
      return signalPassFailure();
    for (auto [i, entry] : llvm::enumerate(getGrads)) {
      GetGradOp getGrad = entry.second;
      getGrad.replaceAllUsesWith(Value(func.getArgument(inputs + i)));
      getGrad.erase();
    }

    SmallVector<DictionaryAttr> results;
    func.getAllResultAttrs(results);
    for (unsigned i = ret.getOutputs().size(); i < results.size(); ++i) {
      NamedAttrList list(results[i]);
      list.set(attrs::role, RoleAttr::get(&getContext(), RoleKind::Output, i, StringAttr()));
      list.erase(attrs::reachedBy);
      results[i] = list.getDictionary(&getContext());
    }
    func.setAllResultAttrs(results);
    func->removeAttr(attrs::joint);
    OpBuilder at(ret);
    ReturnOp::create(at, ret.getLoc(), ret.getOperands());
    ret.erase();
  }
};
} // namespace
