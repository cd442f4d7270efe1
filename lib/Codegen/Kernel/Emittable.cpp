//===- Emittable.cpp - What one kernel can hold -----------------------------===//
#include "trace/Codegen/Kernel/Emittable.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

bool kernel::canEmitElementType(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return false;
  if (integer.isUnsigned())
    return integer.getWidth() == 8;
  return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

static bool no(std::string *why, const Twine &reason) {
  if (why)
    *why = reason.str();
  return false;
}

bool kernel::canEmit(Operation *op, std::string *why) {
  bool known =
      op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::ViewLike>() ||
      op->hasTrait<OpTrait::DataMovement>() || op->hasTrait<OpTrait::Reduction>() ||
      isa<GatherOp, TakeOp, IotaOp, ConstantOp, FullOp, RandomUniformOp, RandomNormalOp, RecomputeBarrierOp>(op);
  if (!known)
    return no(why, "has no code generator");
  auto checkType = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return no(why, "has a value that is no ranked tensor");
    if (!tensor.hasStaticShape())
      return no(why, "has a dynamic shape");
    if (!canEmitElementType(tensor.getElementType())) {
      std::string text;
      llvm::raw_string_ostream(text) << "has elements of " << tensor.getElementType();
      return no(why, text);
    }
    return true;
  };
  return llvm::all_of(op->getOperandTypes(), checkType) && llvm::all_of(op->getResultTypes(), checkType);
}
