//===- FreezeArguments.cpp - Ask for no gradients ---------------------------===//
#include "trace/Pipelines/Passes.h"

namespace mlir::trace {
#define GEN_PASS_DEF_FREEZEARGUMENTS
#include "trace/Pipelines/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {
struct FreezeArguments : trace::impl::FreezeArgumentsBase<FreezeArguments> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isPrivate())
      return;
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      func.removeArgAttr(i, attrs::requiresGrad);
  }
};
} // namespace
