//===- InsertReleases.cpp - Buffers go back after their last use ------------===//
#include "trace/Schedule/Barrier.h"
#include "trace/Schedule/Passes.h"

namespace mlir::trace {
#define GEN_PASS_DEF_INSERTRELEASES
#include "trace/Schedule/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {

struct InsertReleases : trace::impl::InsertReleasesBase<InsertReleases> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!isHostFunction(func))
      return;
    Block &block = func.getBody().front();
    Operation *ret = block.getTerminator();

    // Backwards, so that a view's last use is known before its base's. The return as last use: the caller has it.
    DenseMap<Value, Operation *> lastUse;
    DenseMap<Operation *, SmallVector<Value>> releases;
    DenseMap<Operation *, unsigned> position;
    unsigned number = 0;
    for (Operation &op : block)
      position[&op] = number++;
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      for (Value result : op.getResults()) {
        if (!isa<RankedTensorType>(result.getType()))
          continue;
        Operation *last = &op;
        for (Operation *user : result.getUsers()) {
          if (isa<ReleaseOp>(user))
            return; // done already
          Operation *use = user->hasTrait<trace::OpTrait::ViewLike>() ? lastUse.at(user->getResult(0)) : user;
          if (position.at(use) > position.at(last))
            last = use;
        }
        lastUse[result] = last;
        if (last != ret)
          releases[last].push_back(result);
      }
    }
    for (auto &[op, values] : releases) {
      OpBuilder builder(func.getContext());
      builder.setInsertionPointAfter(op);
      // In order of definition.
      ReleaseOp::create(builder, op->getLoc(), llvm::to_vector(llvm::reverse(values)));
    }
  }
};

} // namespace
