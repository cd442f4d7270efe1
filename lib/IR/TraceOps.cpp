//===- TraceOps.cpp - Generated code of the ops, and shared helpers ---------===//
#include "trace/IR/TraceOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::trace;

#define GET_OP_CLASSES
#include "trace/IR/TraceOps.cpp.inc"

ReturnOp mlir::trace::getReturn(func::FuncOp func) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return nullptr;
  return dyn_cast<ReturnOp>(func.getBody().front().getTerminator());
}

TypedAttr mlir::trace::getSplatValue(Value value) {
  SplatElementsAttr splat;
  if (!value || !matchPattern(value, m_Constant(&splat)))
    return nullptr;
  return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
}

Value mlir::trace::createSplat(OpBuilder &builder, Location loc, RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute attr;
  if (auto floatType = dyn_cast<FloatType>(element))
    attr = FloatAttr::get(floatType, value);
  else
    attr = IntegerAttr::get(element, static_cast<int64_t>(value));
  return ConstantOp::create(builder, loc, type, cast<ElementsAttr>(DenseElementsAttr::get(type, attr)));
}

SmallVector<int64_t> mlir::trace::contiguousStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

bool mlir::trace::isFusible(Operation *op) {
  return op->hasTrait<trace::OpTrait::Elementwise>() || op->hasTrait<trace::OpTrait::ViewLike>() ||
         op->hasTrait<trace::OpTrait::DataMovement>() || op->hasTrait<trace::OpTrait::Reduction>() ||
         isa<ConstantOp, FullOp, IotaOp, RandomUniformOp, RandomNormalOp, GatherOp, TakeOp>(op);
}
