//===- Barrier.cpp - Forward, get_grads, backward ---------------------------===//
#include "trace/Schedule/Barrier.h"

using namespace mlir;
using namespace mlir::trace;

FailureOr<Barrier> mlir::trace::findBarrier(func::FuncOp func) {
  Barrier barrier;
  Operation *between = nullptr;
  for (Operation &op : func.getBody().front()) {
    auto getGrad = dyn_cast<GetGradOp>(op);
    if (!getGrad) {
      if (barrier.exists() && !between)
        between = &op;
      continue;
    }
    if (between) {
      InFlightDiagnostic error =
          between->emitOpError("stands between two get_grads; trace-group-get-grads puts them together");
      error.attachNote(getGrad.getLoc()) << "the get_grad that comes later";
      return error;
    }
    barrier.getGrads.push_back(getGrad);
  }
  return barrier;
}

DenseSet<Operation *> mlir::trace::dependentOnGetGrads(func::FuncOp func) {
  DenseSet<Operation *> dependent;
  for (Operation &op : func.getBody().front()) {
    auto depends = [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return def && dependent.contains(def);
    };
    // Regions here are isolated from above, so that the operands are all that an op reads.
    if (isa<GetGradOp>(op) || llvm::any_of(op.getOperands(), depends))
      dependent.insert(&op);
  }
  return dependent;
}

bool mlir::trace::isHostFunction(func::FuncOp func) {
  return !func.isPrivate() && !func->hasAttr(attrs::fusion) && getReturn(func);
}

Value mlir::trace::getViewBase(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!def->hasTrait<trace::OpTrait::ViewLike>())
      break;
    value = def->getOperand(0);
  }
  return value;
}

int64_t mlir::trace::getByteSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  Type element = tensor.getElementType();
  int64_t bits = 64;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  return tensor.getNumElements() * ((bits + 7) / 8);
}
