//===- trace-opt.cpp - The driver: passes and pipelines on .mlir files ------===//
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "trace/IR/TraceDialect.h"
#include "trace/Target/Lowering.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::trace::TraceDialect, mlir::func::FuncDialect>();
  mlir::trace::registerTargetDialects(registry);
  mlir::registerTransformsPasses();
  mlir::trace::registerTargetPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "torch-trace optimizer driver\n", registry));
}
