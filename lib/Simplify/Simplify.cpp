//===- Simplify.cpp - trace-simplify ----------------------------------------===//
#include "Patterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "trace/Simplify/Passes.h"

namespace mlir::trace {
#define GEN_PASS_DEF_SIMPLIFY
#include "trace/Simplify/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {
struct Simplify : trace::impl::SimplifyBase<Simplify> {
  using SimplifyBase::SimplifyBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet list(context);
    auto *dialect = context->getLoadedDialect<TraceDialect>();
    dialect->getCanonicalizationPatterns(list);
    for (RegisteredOperationName op : context->getRegisteredOperationsByDialect(dialect->getNamespace()))
      op.getCanonicalizationPatterns(list, context);
    populateOneHotPatterns(list);
    populateRepeatedSumPatterns(list);
    patterns = FrozenRewritePatternSet(std::move(list));
    return success();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    GreedyRewriteConfig config;
    // Functions have one block each, and CSE follows.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    IRRewriter rewriter(&getContext());
    for (unsigned round = 0; round < maxRounds; ++round) {
      bool rewritten = false, merged = false;
      // Not converging within the driver's own bound leaves valid IR: go on.
      (void)applyPatternsGreedily(root, patterns, config, &rewritten);
      DominanceInfo dominance(root);
      eliminateCommonSubExpressions(rewriter, dominance, root, &merged);
      if (!merged)
        return;
    }
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
