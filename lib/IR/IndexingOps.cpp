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

/// A convolution and its two gradients are one relation of three shapes, whichever of them is computed.
template <typename OpTy>
static LogicalResult verifyConvolution(OpTy op, RankedTensorType input, RankedTensorType weight,
                                       RankedTensorType output) {
  int64_t spatial = input.getRank() - 2;
  if (spatial < 1 || spatial > 3 || weight.getRank() != spatial + 2 || output.getRank() != spatial + 2)
    return op.emitOpError("needs input, weight and output of one rank, 3 to 5, but has ")
           << input << ", " << weight << " and " << output;
  if (input.getElementType() != weight.getElementType() || input.getElementType() != output.getElementType())
    return op.emitOpError("needs one element type, but has ") << input << ", " << weight << " and " << output;
  for (ArrayRef<int64_t> list : {op.getStride(), op.getPadding(), op.getDilation(), op.getOutputPadding()})
    if (static_cast<int64_t>(list.size()) != spatial)
      return op.emitOpError("needs stride, padding, dilation and output_padding per spatial dimension");
  auto below = [](ArrayRef<int64_t> list, int64_t least) {
    return llvm::any_of(list, [=](int64_t n) { return n < least; });
  };
  if (below(op.getStride(), 1) || below(op.getDilation(), 1))
    return op.emitOpError("stride and dilation must be positive");
  if (below(op.getPadding(), 0) || below(op.getOutputPadding(), 0))
    return op.emitOpError("padding and output_padding must not be negative");
  int64_t groups = op.getGroups();
  if (groups < 1)
    return op.emitOpError("groups must be positive");

  auto differ = [](int64_t a, int64_t b) { return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b; };
  auto times = [](int64_t size, int64_t by) { return ShapedType::isDynamic(size) ? size : size * by; };
  // What the weight says of channels: in, out. A transposed convolution is the other's input gradient.
  int64_t channels[2] = {times(weight.getDimSize(1), groups), weight.getDimSize(0)};
  bool transposed = op.getTransposed();
  if (transposed)
    std::swap(channels[0], channels[1]);
  if (differ(input.getDimSize(1), channels[0]) || differ(output.getDimSize(1), channels[1]))
    return op.emitOpError("has a weight for ")
           << channels[0] << " input and " << channels[1] << " output channels, but input and output are " << input
           << " and " << output;
  if (!ShapedType::isDynamic(weight.getDimSize(0)) && weight.getDimSize(0) % groups != 0)
    return op.emitOpError("has ") << weight.getDimSize(0) << " channels, which " << groups << " groups do not divide";
  if (differ(input.getDimSize(0), output.getDimSize(0)))
    return op.emitOpError("needs one batch size, but input and output are ") << input << " and " << output;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t in = input.getDimSize(i + 2), out = output.getDimSize(i + 2), kernel = weight.getDimSize(i + 2);
    if (ShapedType::isDynamic(in) || ShapedType::isDynamic(out) || ShapedType::isDynamic(kernel))
      continue;
    int64_t reach = op.getDilation()[i] * (kernel - 1) + 1, pad = 2 * op.getPadding()[i], stride = op.getStride()[i];
    int64_t wanted = transposed          ? (in - 1) * stride - pad + reach + op.getOutputPadding()[i]
                     : in + pad >= reach ? (in + pad - reach) / stride + 1
                                         : 0;
    if (out != wanted)
      return op.emitOpError("has size ") << out << " in spatial dimension " << i << " of the output, but input and "
                                         << "weight give " << wanted;
  }
  return success();
}
LogicalResult ConvolutionOp::verify() {
  return verifyConvolution(*this, getInput().getType(), getWeight().getType(), getType());
}
LogicalResult ConvolutionInputGradOp::verify() {
  return verifyConvolution(*this, getType(), getWeight().getType(), getGrad().getType());
}
LogicalResult ConvolutionWeightGradOp::verify() {
  return verifyConvolution(*this, getInput().getType(), getType(), getGrad().getType());
}

static LogicalResult verifyRandom(Operation *op, RankedTensorType type) {
  if (!isa<FloatType>(type.getElementType()))
    return op->emitOpError("gives floating-point numbers only");
  return success();
}
LogicalResult RandomUniformOp::verify() { return verifyRandom(*this, getType()); }
LogicalResult RandomNormalOp::verify() { return verifyRandom(*this, getType()); }
