//===- IndexingOps.cpp - Types and verifiers of indexing, sorting, products -===//
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                         DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(tensorType(operands[1]).clone(tensorType(operands[0]).getElementType()));
  return success();
}

/// index has the operand's rank, `dim` is one of its dimensions, and index is no larger elsewhere.
static LogicalResult verifyGatherLike(Operation *op, RankedTensorType input, RankedTensorType index, int64_t dim) {
  if (input.getRank() != index.getRank())
    return op->emitOpError("needs an index of the operand's rank");
  if (dim < 0 || dim >= input.getRank())
    return op->emitOpError("dimension ") << dim << " is out of range";
  for (int64_t i = 0; i < input.getRank(); ++i)
    if (i != dim && !input.isDynamicDim(i) && !index.isDynamicDim(i) && index.getDimSize(i) > input.getDimSize(i))
      return op->emitOpError("index is larger than the operand in dimension ") << i;
  return success();
}
LogicalResult GatherOp::verify() {
  return verifyGatherLike(*this, getInput().getType(), getIndex().getType(), getDim());
}
LogicalResult ScatterAddOp::verify() {
  if (getSource().getType().getElementType() != getInput().getType().getElementType())
    return emitOpError("source must have the operand's element type");
  return verifyGatherLike(*this, getInput().getType(), getIndex().getType(), getDim());
}
LogicalResult ScatterOp::verify() {
  if (getSource().getType().getElementType() != getInput().getType().getElementType())
    return emitOpError("source must have the operand's element type");
  return verifyGatherLike(*this, getInput().getType(), getIndex().getType(), getDim());
}

static SmallVector<int64_t> takeShape(RankedTensorType input, RankedTensorType index, int64_t dim) {
  SmallVector<int64_t> shape(input.getShape().take_front(dim));
  llvm::append_range(shape, index.getShape());
  llvm::append_range(shape, input.getShape().drop_front(dim + 1));
  return shape;
}
LogicalResult TakeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                       DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                       SmallVectorImpl<Type> &types) {
  TakeOpAdaptor adaptor(operands, attributes, properties, regions);
  RankedTensorType input = tensorType(operands[0]);
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= input.getRank())
    return emitOptionalError(loc, "'trace.take' op dimension ", dim, " is out of range");
  types.push_back(RankedTensorType::get(takeShape(input, tensorType(operands[1]), dim), input.getElementType()));
  return success();
}
LogicalResult TakeOp::verify() { return success(); }
LogicalResult IndexAddOp::verify() {
  if (static_cast<int64_t>(getDim()) < 0 || static_cast<int64_t>(getDim()) >= getType().getRank())
    return emitOpError("dimension ") << getDim() << " is out of range";
  auto wanted = RankedTensorType::get(takeShape(getInput().getType(), getIndex().getType(), getDim()),
                                      getType().getElementType());
  if (getSource().getType() != wanted)
    return emitOpError("source must be ") << wanted << ", not " << getSource().getType();
  return success();
}

static LogicalResult verifyIndices(Operation *op, RankedTensorType input, OperandRange indices, ArrayRef<int64_t> dims,
                                   RankedTensorType result) {
  if (indices.empty() || indices.size() != dims.size())
    return op->emitOpError("needs one entry of dims per index");
  int64_t previous = -1;
  bool adjacent = true;
  for (int64_t dim : dims) {
    if (dim <= previous || dim >= input.getRank())
      return op->emitOpError("dims must be strictly increasing dimensions of the operand");
    adjacent &= previous == -1 || dim == previous + 1;
    previous = dim;
  }
  RankedTensorType index = tensorType(indices[0]);
  for (Value other : indices)
    if (other.getType() != index)
      return op->emitOpError("index tensors must have one shape");
  SmallVector<int64_t> shape;
  auto appendIndex = [&] { llvm::append_range(shape, index.getShape()); };
  if (!adjacent)
    appendIndex();
  for (int64_t i = 0; i < input.getRank(); ++i) {
    if (adjacent && i == dims[0])
      appendIndex();
    if (!llvm::is_contained(dims, i))
      shape.push_back(input.getDimSize(i));
  }
  auto wanted = RankedTensorType::get(shape, input.getElementType());
  if (result != wanted)
    return op->emitOpError("indexed value must be ") << wanted << ", not " << result;
  return success();
}
LogicalResult IndexOp::verify() {
  return verifyIndices(*this, getInput().getType(), getIndices(), getDims(), getType());
}
LogicalResult IndexPutOp::verify() {
  return verifyIndices(*this, getInput().getType(), getIndices(), getDims(), getSource().getType());
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, ValueRange operands,
                                       DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(operands[0].getType());
  types.push_back(tensorType(operands[0]).clone(IntegerType::get(context, 64)));
  return success();
}
LogicalResult SortOp::verify() {
  if (static_cast<int64_t>(getDim()) < 0 ||
      static_cast<int64_t>(getDim()) >= std::max<int64_t>(getInput().getType().getRank(), 1))
    return emitOpError("dimension ") << getDim() << " is out of range";
  return success();
}
LogicalResult TopkOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, ValueRange operands,
                                       DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                       SmallVectorImpl<Type> &types) {
  TopkOpAdaptor adaptor(operands, attributes, properties, regions);
  RankedTensorType input = tensorType(operands[0]);
  SmallVector<int64_t> shape(input.getShape());
  int64_t dim = adaptor.getDim(), k = adaptor.getK();
  if (!shape.empty()) {
    if (dim < 0 || dim >= input.getRank() || k < 0 || (!input.isDynamicDim(dim) && k > shape[dim]))
      return emitOptionalError(loc, "'trace.topk' op k = ", k, " does not fit dimension ", dim, " of ", input);
    shape[dim] = k;
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}
LogicalResult TopkOp::verify() { return success(); }

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                         DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = tensorType(operands[0]), rhs = tensorType(operands[1]);
  int64_t rank = lhs.getRank();
  bool fits = rank >= 2 && rhs.getRank() == rank && lhs.getElementType() == rhs.getElementType();
  for (int64_t i = 0; fits && i < rank - 2; ++i)
    fits = lhs.getDimSize(i) == rhs.getDimSize(i);
  if (!fits || lhs.getDimSize(rank - 1) != rhs.getDimSize(rank - 2))
    return emitOptionalError(loc, "'trace.matmul' op ", lhs, " and ", rhs, " cannot be multiplied");
  SmallVector<int64_t> shape(lhs.getShape());
  shape[rank - 1] = rhs.getDimSize(rank - 1);
  types.push_back(RankedTensorType::get(shape, lhs.getElementType()));
  return success();
}
LogicalResult MatmulOp::verify() { return success(); }

LogicalResult ConvolutionOp::verify() {
  int64_t spatial = getInput().getType().getRank() - 2;
  if (spatial < 1 || getWeight().getType().getRank() != spatial + 2 || getType().getRank() != spatial + 2)
    return emitOpError("needs input, weight and result of rank 3 to 5");
  for (ArrayRef<int64_t> list : {getStride(), getPadding(), getDilation(), getOutputPadding()})
    if (static_cast<int64_t>(list.size()) != spatial)
      return emitOpError("needs stride, padding, dilation and output_padding per spatial dimension");
  if (getGroups() < 1)
    return emitOpError("groups must be positive");
  return success();
}

static LogicalResult verifyRandom(Operation *op, RankedTensorType type) {
  if (!isa<FloatType>(type.getElementType()))
    return op->emitOpError("gives floating-point numbers only");
  return success();
}
LogicalResult RandomUniformOp::verify() { return verifyRandom(*this, getType()); }
LogicalResult RandomNormalOp::verify() { return verifyRandom(*this, getType()); }
