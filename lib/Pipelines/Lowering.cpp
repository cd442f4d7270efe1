//===- Lowering.cpp - Behind the split: to the LLVM dialect -----------------===//
#include "trace/Pipelines/Pipelines.h"

using namespace mlir;
using namespace mlir::trace;

void mlir::trace::addLoweringPasses(OpPassManager &pm, const PipelineSettings &settings) {
  (void)pm;
  (void)settings;
}
