//===- Fusion.cpp - Fusion functions, as code generators take them -----------===//
#include "trace/Codegen/Emission/Fusion.h"
#include "trace/Codegen/Emission/BodyCloner.h"
#include "trace/Codegen/Kernel/Emittable.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

LogicalResult kernel::checkFusion(func::FuncOp fusion, StringRef place) {
  ReturnOp ret = getReturn(fusion);
  if (!ret || !ret.getGradients().empty())
    return fusion.emitOpError("a fusion function has one block, which ends in trace.return outputs(..)");
  for (Operation &op : fusion.front().without_terminator()) {
    std::string why;
    if (!canEmit(&op, &why))
      return op.emitOpError("cannot be in ") << place << ": it " << why;
  }
  for (Type type : llvm::concat<const Type>(fusion.getArgumentTypes(), fusion.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !canEmitElementType(tensor.getElementType()))
      return fusion.emitOpError("has an operand or result of type ")
             << type << ", which cannot be accessed in " << place;
  }
  return success();
}

DenseElementsAttr kernel::getConstantElements(const Buffer &buffer) {
  Type type = memoryType(buffer.elementType);
  SmallVector<Attribute> values;
  if (buffer.elementType.isInteger(1)) {
    for (bool value : buffer.values.getValues<bool>())
      values.push_back(IntegerAttr::get(type, value));
  } else if (isa<FloatType>(buffer.elementType)) {
    llvm::append_range(values, buffer.values.getValues<Attribute>());
  } else {
    for (const APInt &value : buffer.values.getValues<APInt>())
      values.push_back(IntegerAttr::get(type, value));
  }
  return DenseElementsAttr::get(RankedTensorType::get({buffer.numElements()}, type), values);
}
