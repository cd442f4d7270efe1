//===- BiasedProducts.cpp - A product and the bias added to it --------------===//
//
// Where a fusion does nothing but add a bias to a matrix product (the last linear layer of a model, mostly), aten.addmm
// does both: one sweep over memory less, and bit for bit what eager's linear computes.
//
//===----------------------------------------------------------------------===//
#include "LibraryForms.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::host;

namespace {
/// Numbers of a fusion's operands.
struct BiasAdd {
  unsigned bias, product;
};
} // namespace

/// The function adds a vector, along the last dimension, to a tensor of its result's shape, and does nothing else.
static std::optional<BiasAdd> matchBiasAdd(func::FuncOp fusion) {
  ReturnOp ret = getReturn(fusion);
  if (!ret || fusion.getNumArguments() != 2 || ret->getNumOperands() != 1)
    return std::nullopt;
  auto add = ret->getOperand(0).getDefiningOp<AddOp>();
  if (!add || !llvm::hasNItems(fusion.getBody().front(), 3)) // broadcast, add, return
    return std::nullopt;
  for (auto [one, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
    auto broadcast = one.getDefiningOp<BroadcastInDimOp>();
    auto product = dyn_cast<BlockArgument>(other);
    if (!broadcast || !product || add.getType().getRank() < 2)
      continue;
    auto bias = dyn_cast<BlockArgument>(broadcast.getInput());
    if (!bias || broadcast.getDims() != ArrayRef<int64_t>(add.getType().getRank() - 1) ||
        cast<RankedTensorType>(bias.getType()).getDimSize(0) != add.getType().getShape().back())
      continue;
    return BiasAdd{bias.getArgNumber(), product.getArgNumber()};
  }
  return std::nullopt;
}

bool mlir::trace::host::foldBiasIntoProduct(OpBuilder &builder, CallOp call, func::FuncOp callee) {
  std::optional<BiasAdd> match = matchBiasAdd(callee);
  if (!match)
    return false;
  // The product's rows may have been split: [tokens, n] seen as [batch, length, n].
  Value value = call->getOperand(match->product);
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    if (!value.hasOneUse())
      return false;
    value = reshape.getInput();
  }
  auto product = value.getDefiningOp<CallLibraryOp>();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!product || product.getName() != "aten.mm.default" || !value.hasOneUse() ||
      !isa<FloatType>(type.getElementType()) ||
      type.getShape().back() != cast<RankedTensorType>(call->getResult(0).getType()).getShape().back())
    return false;
  builder.setInsertionPoint(call);
  LibraryBuilder lib(builder, product.getLoc());
  Value sum = lib.call("aten.addmm.default", Type(type),
                       {call->getOperand(match->bias), product->getOperand(0), product->getOperand(1)});
  call->getResult(0).replaceAllUsesWith(
      lib.reshape(sum, cast<RankedTensorType>(call->getResult(0).getType()).getShape()));
  call.erase();
  return true;
}
