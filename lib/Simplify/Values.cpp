//===- Values.cpp - What is known of a value's elements ---------------------===//
#include "Patterns.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::trace;

static RankedTensorType withoutDim(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

/// The operand of a broadcast without the dimension of size 1 that became `dim`, or as it is where none did.
static Value broadcastWithout(OpBuilder *builder, BroadcastInDimOp op, int64_t dim) {
  RankedTensorType from = op.getInput().getType();
  SmallVector<int64_t> shape, dims;
  for (auto [i, to] : llvm::enumerate(op.getDims())) {
    if (to == dim) {
      if (from.getDimSize(i) != 1)
        return nullptr;
      continue;
    }
    shape.push_back(from.getDimSize(i));
    dims.push_back(to < dim ? to : to - 1);
  }
  if (!from.hasStaticShape())
    return nullptr;
  if (!builder)
    return op.getResult();
  Value input = op.getInput();
  if (static_cast<int64_t>(shape.size()) != from.getRank())
    input = ReshapeOp::create(*builder, op.getLoc(), RankedTensorType::get(shape, from.getElementType()), input);
  return BroadcastInDimOp::create(*builder, op.getLoc(), withoutDim(op.getType(), dim), input, dims);
}

Value mlir::trace::withoutDimension(OpBuilder *builder, Value value, int64_t dim, int depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || !type.hasStaticShape())
    return nullptr;
  RankedTensorType reduced = withoutDim(type, dim);
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return nullptr;
    return builder ? ConstantOp::create(*builder, op->getLoc(), reduced, cast<ElementsAttr>(splat.resizeSplat(reduced)))
                         .getResult()
                   : value;
  }
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op))
    return broadcastWithout(builder, broadcast, dim);
  // An elementwise op of such operands, computed once instead of along the dimension.
  if (!op->hasTrait<trace::OpTrait::Elementwise>() || op->getNumResults() != 1 || op->getNumRegions() || depth == 0 ||
      isa<StopGradientOp>(op))
    return nullptr;
  for (Value operand : op->getOperands())
    if (!withoutDimension(nullptr, operand, dim, depth - 1))
      return nullptr;
  if (!builder)
    return value;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, withoutDimension(builder, operand, dim, depth - 1));
  Operation *clone = builder->clone(*op, mapping);
  clone->getResult(0).setType(reduced);
  return clone->getResult(0);
}

bool mlir::trace::isNeverNegativeZero(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  auto operand = [&](unsigned i) { return isNeverNegativeZero(op->getOperand(i), depth - 1); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      // Sums start at 0.0, and x + 0.0 is 0.0 for both zeros.
      .Case<ExpOp, Exp2Op, SigmoidOp, AbsOp, ReduceSumOp, CoshOp, ErfcOp, IotaOp, RandomUniformOp>(
          [](auto) { return true; })
      .Case<MulOp>([](MulOp mul) { return mul.getLhs() == mul.getRhs(); })
      .Case<AddOp>([&](auto) { return operand(0) || operand(1); })
      .Case<WhereOp>([&](auto) { return operand(1) && operand(2); })
      .Case<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, SqrtOp>([&](auto) { return operand(0); })
      .Case<ConstantOp>([](ConstantOp constant) {
        auto attr = dyn_cast_or_null<FloatAttr>(getSplatValue(constant.getResult()));
        return attr && !attr.getValue().isNegZero();
      })
      .Default([](Operation *) { return false; });
}
