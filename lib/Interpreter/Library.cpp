//===- Library.cpp - The common LibTorch operators, from prims --------------===//
//
// An operator is written as a few prims in a scratch block, which the interpreter then runs: there is one definition
// of each computation, the prim's.
//
//===----------------------------------------------------------------------===//
#include "Evaluate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

std::optional<LogicalResult> interpreter::evaluateLibrary(Evaluation &eval, StringRef name, ArrayAttr arguments) {
  if (name == "aten.mm.default" || name == "aten.bmm.default")
    return eval.give(matmul(eval, *eval.operands[0], *eval.operands[1]));
  return std::nullopt;
}
