//===- ShapeOps.cpp - Types and verifiers of index maps and constants -------===//
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

//===----------------------------------------------------------------------===//
// Predicates and comparisons: an i1 of the operand's shape
//===----------------------------------------------------------------------===//

static LogicalResult inferI1(ValueRange operands, SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(operands[0].getType());
  if (!type)
    return failure();
  types.push_back(type.clone(IntegerType::get(type.getContext(), 1)));
  return success();
}
#define INFER_I1(OP)                                                                                                   \
  LogicalResult OP::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,      \
                                     OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {                    \
    return inferI1(operands, types);                                                                                   \
  }
INFER_I1(IsnanOp)
INFER_I1(IsinfOp)
INFER_I1(IsfiniteOp)
INFER_I1(SignbitOp)
INFER_I1(LogicalNotOp)
INFER_I1(EqOp)
INFER_I1(NeOp)
INFER_I1(LtOp)
INFER_I1(LeOp)
INFER_I1(GtOp)
INFER_I1(GeOp)

LogicalResult BitcastOp::verify() {
  if (getInput().getType().getElementTypeBitWidth() != getType().getElementTypeBitWidth())
    return emitOpError("needs element types of one width");
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult FullOp::verify() {
  if (getSizes().size() != static_cast<size_t>(getType().getNumDynamicDims()))
    return emitOpError("needs one size per dynamic dimension of ") << getType();
  if (getValueAttr().getType() != getType().getElementType())
    return emitOpError("value must have the element type of the result");
  return success();
}

LogicalResult IotaOp::verify() {
  if (static_cast<int64_t>(getDim()) < 0 || static_cast<int64_t>(getDim()) >= getType().getRank())
    return emitOpError("dimension ") << getDim() << " is out of range for " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  ArrayRef<int64_t> dims = getDims();
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return emitOpError("needs one entry of dims per dimension of the operand");
  if (from.getElementType() != to.getElementType())
    return emitOpError("cannot change the element type");
  int64_t previous = -1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim <= previous || dim >= to.getRank())
      return emitOpError("dims must be strictly increasing dimensions of the result");
    previous = dim;
    int64_t size = from.getDimSize(i);
    if (size != 1 && size != to.getDimSize(dim) && !ShapedType::isDynamic(size))
      return emitOpError("operand dimension ") << i << " of size " << size << " does not fit result dimension " << dim
                                               << " of size " << to.getDimSize(dim);
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("cannot change the element type");
  if (from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() != to.getNumElements())
    return emitOpError("cannot make ") << to.getNumElements() << " elements of " << from.getNumElements();
  return success();
}

static bool isPermutation(ArrayRef<int64_t> perm) {
  SmallVector<bool> seen(perm.size());
  for (int64_t p : perm) {
    if (p < 0 || p >= static_cast<int64_t>(perm.size()) || seen[p])
      return false;
    seen[p] = true;
  }
  return true;
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                            DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                            SmallVectorImpl<Type> &types) {
  TransposeOpAdaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> perm = adaptor.getPerm();
  if (static_cast<int64_t>(perm.size()) != type.getRank() || !isPermutation(perm))
    return emitOptionalError(loc, "'trace.transpose' op perm is not a permutation of the operand's dimensions");
  SmallVector<int64_t> shape;
  for (int64_t p : perm)
    shape.push_back(type.getDimSize(p));
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}
LogicalResult TransposeOp::verify() { return success(); }

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                        DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                        SmallVectorImpl<Type> &types) {
  SliceOpAdaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(), strides = adaptor.getStrides();
  size_t rank = type.getRank();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(loc, "'trace.slice' op needs a start, a limit and a stride per dimension");
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = type.getDimSize(i);
    if (starts[i] < 0 || limits[i] < starts[i] || (!ShapedType::isDynamic(size) && limits[i] > size) || strides[i] < 1)
      return emitOptionalError(loc, "'trace.slice' op ", starts[i], " to ", limits[i], " by ", strides[i],
                               " is not within dimension ", i, " of size ", size);
    shape.push_back((limits[i] - starts[i] + strides[i] - 1) / strides[i]);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}
LogicalResult SliceOp::verify() { return success(); }

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                      DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                      SmallVectorImpl<Type> &types) {
  PadOpAdaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  size_t rank = type.getRank();
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(), interior = adaptor.getInterior();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return emitOptionalError(loc, "'trace.pad' op needs low, high and interior per dimension");
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = type.getDimSize(i);
    if (ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    int64_t padded = low[i] + high[i] + size + std::max<int64_t>(size - 1, 0) * interior[i];
    if (interior[i] < 0 || padded < 0)
      return emitOptionalError(loc, "'trace.pad' op dimension ", i, " would get size ", padded);
    shape.push_back(padded);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}
LogicalResult PadOp::verify() {
  if (cast<RankedTensorType>(getValue().getType()).getElementType() != getInput().getType().getElementType())
    return emitOpError("value must have the operand's element type");
  return success();
}

LogicalResult CatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                      DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                      SmallVectorImpl<Type> &types) {
  CatOpAdaptor adaptor(operands, attributes, properties, regions);
  if (operands.empty())
    return emitOptionalError(loc, "'trace.cat' op needs an operand");
  auto first = cast<RankedTensorType>(operands[0].getType());
  int64_t dim = adaptor.getDim(), size = 0;
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(loc, "'trace.cat' op dimension ", dim, " is out of range");
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    bool fits = type.getRank() == first.getRank() && type.getElementType() == first.getElementType();
    for (int64_t i = 0; fits && i < type.getRank(); ++i)
      fits = i == dim || type.getDimSize(i) == first.getDimSize(i);
    if (!fits)
      return emitOptionalError(loc, "'trace.cat' op operands ", first, " and ", type, " do not fit along dimension ",
                               dim);
    size = ShapedType::isDynamic(size) || type.isDynamicDim(dim) ? ShapedType::kDynamic : size + type.getDimSize(dim);
  }
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = size;
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}
LogicalResult CatOp::verify() { return success(); }

LogicalResult ReverseOp::verify() {
  for (int64_t dim : getDims())
    if (dim < 0 || dim >= getType().getRank())
      return emitOpError("dimension ") << dim << " is out of range";
  return success();
}
