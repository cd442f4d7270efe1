//===- Register.cpp - Attaches all gradient rules ---------------------------===//
#include "Rules.h"
#include "trace/Autodiff/Passes.h"

using namespace mlir;
using namespace mlir::trace;

void mlir::trace::registerAutodiffRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TraceDialect *) {
    autodiff::RuleTable rules(*context);
    autodiff::addElementwiseRules(rules);
    autodiff::addShapeRules(rules);
    autodiff::addReductionRules(rules);
    autodiff::addIndexingRules(rules);
    autodiff::addLibraryRules(rules);
    autodiff::addTrainingRules(rules);
  });
}
