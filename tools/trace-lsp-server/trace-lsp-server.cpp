//===- trace-lsp-server.cpp - Editors' knowledge of the dialect -------------===//
//
// The Language Server Protocol over stdin and stdout: definitions, hovers, diagnostics of .mlir files.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "trace/IR/TraceDialect.h"
#include "trace/Target/Lowering.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::tensor::TensorDialect,
                  mlir::trace::TraceDialect>();
  mlir::trace::registerTargetDialects(registry); // lowered stages
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
