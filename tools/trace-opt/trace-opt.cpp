//===- trace-opt.cpp - The driver: passes and pipelines on .mlir files ------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "trace/Autodiff/Passes.h"
#include "trace/Executors/Passes.h"
#include "trace/IR/TraceDialect.h"
#include "trace/Schedule/Passes.h"
#include "trace/Split/Passes.h"
#include "trace/Target/Lowering.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::tensor::TensorDialect,
                  mlir::trace::TraceDialect>();
  mlir::trace::registerAutodiffRules(registry);
  mlir::trace::registerTargetDialects(registry);
  mlir::trace::registerTraceAutodiffPasses();
  mlir::trace::registerTraceExecutorsPasses();
  mlir::registerTransformsPasses();
  mlir::trace::registerTraceSchedulePasses();
  mlir::trace::registerTraceSplitPasses();
  mlir::trace::registerTargetPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "torch-trace optimizer driver\n", registry));
}
