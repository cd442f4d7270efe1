//===- ReductionOps.cpp - Types and verifiers of reductions -----------------===//
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

static LogicalResult inferReduce(StringRef name, std::optional<Location> loc, Value input, ArrayRef<int64_t> dims,
                                 Type element, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (dim <= previous || dim >= type.getRank())
      return emitOptionalError(loc, "'", name, "' op dims must be strictly increasing dimensions of the operand");
    previous = dim;
  }
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      shape.push_back(size);
  types.push_back(RankedTensorType::get(shape, element ? element : type.getElementType()));
  return success();
}

#define REDUCE(OP)                                                                                                     \
  LogicalResult OP::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,                  \
                                     DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,      \
                                     SmallVectorImpl<Type> &types) {                                                   \
    OP##Adaptor adaptor(operands, attributes, properties, regions);                                                    \
    return inferReduce(getOperationName(), loc, adaptor.getInput(), adaptor.getDims(), Type(), types);                 \
  }
REDUCE(ReduceSumOp)
REDUCE(ReduceProdOp)
REDUCE(ReduceMaxOp)
REDUCE(ReduceMinOp)
REDUCE(ReduceAnyOp)
REDUCE(ReduceAllOp)

#define ARG_REDUCE(OP)                                                                                                 \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, ValueRange operands,           \
                                     DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,      \
                                     SmallVectorImpl<Type> &types) {                                                   \
    OP##Adaptor adaptor(operands, attributes, properties, regions);                                                    \
    return inferReduce(getOperationName(), loc, adaptor.getInput(), {static_cast<int64_t>(adaptor.getDim())},          \
                       IntegerType::get(context, 64), types);                                                          \
  }
ARG_REDUCE(ArgmaxOp)
ARG_REDUCE(ArgminOp)

/// max, min, argmax and argmin have no neutral element.
template <typename Op> static LogicalResult verifyNotEmpty(Op op, ArrayRef<int64_t> dims) {
  for (int64_t dim : dims)
    if (op.getInput().getType().getDimSize(dim) == 0)
      return op.emitOpError("cannot reduce dimension ") << dim << " of size 0: the operation has no neutral element";
  return success();
}

static LogicalResult verifyI1(Operation *op, Value input) {
  if (!cast<RankedTensorType>(input.getType()).getElementType().isInteger(1))
    return op->emitOpError("needs an operand of i1");
  return success();
}

LogicalResult ReduceSumOp::verify() { return success(); }
LogicalResult ReduceProdOp::verify() { return success(); }
LogicalResult ReduceMaxOp::verify() { return verifyNotEmpty(*this, getDims()); }
LogicalResult ReduceMinOp::verify() { return verifyNotEmpty(*this, getDims()); }
LogicalResult ReduceAnyOp::verify() { return verifyI1(*this, getInput()); }
LogicalResult ReduceAllOp::verify() { return verifyI1(*this, getInput()); }
LogicalResult ArgmaxOp::verify() { return verifyNotEmpty(*this, {static_cast<int64_t>(getDim())}); }
LogicalResult ArgminOp::verify() { return verifyNotEmpty(*this, {static_cast<int64_t>(getDim())}); }

static LogicalResult verifyDim(Operation *op, RankedTensorType type, int64_t dim) {
  if (dim < 0 || dim >= std::max<int64_t>(type.getRank(), 1))
    return op->emitOpError("dimension ") << dim << " is out of range for " << type;
  return success();
}
LogicalResult CumsumOp::verify() { return verifyDim(*this, getType(), getDim()); }
LogicalResult CumprodOp::verify() { return verifyDim(*this, getType(), getDim()); }
