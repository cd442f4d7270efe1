//===- ShapeFolds.cpp - Folders of index maps and reductions ----------------===//
//
// Data is only moved here, so that everything is exact; what matters is that a fold's type is the result's.
//
//===----------------------------------------------------------------------===//
#include "trace/IR/TraceOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;

/// The same splat under another shape; null where `attr` is no splat or `type` is dynamic.
static Attribute resplat(Attribute attr, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(attr);
  auto tensor = cast<RankedTensorType>(type);
  if (!splat || !tensor.hasStaticShape() || splat.getElementType() != tensor.getElementType())
    return {};
  return splat.resizeSplat(tensor);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult FullOp::fold(FoldAdaptor) {
  // Of a static shape it is a constant.
  Type element = getType().getElementType();
  if (!getType().hasStaticShape() || !isa<FloatAttr, IntegerAttr>(getValue()) || !isa<FloatType, IntegerType>(element))
    return {};
  return SplatElementsAttr::get(getType(), getValue());
}

OpFoldResult IotaOp::fold(FoldAdaptor) {
  // Along a dimension of size 1 there is only 0.
  Type element = getType().getElementType();
  if (getType().getDimSize(getDim()) != 1 || !isa<FloatType, IntegerType>(element))
    return {};
  Attribute zero = isa<FloatType>(element) ? Attribute(FloatAttr::get(element, 0.0)) : IntegerAttr::get(element, 0);
  return SplatElementsAttr::get(getType(), zero);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType() && getType().hasStaticShape())
    return getInput();
  if (Attribute splat = resplat(adaptor.getInput(), getType()))
    return splat;
  if (auto inner = getInput().getDefiningOp<BroadcastInDimOp>()) {
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(getDims()[dim]);
    setDims(dims);
    setOperand(inner.getInput());
    return getResult();
  }
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType() && getType().getNumDynamicDims() <= 1)
    return getInput();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()); dense && getType().hasStaticShape())
    return dense.reshape(getType());
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getInput());
    return getResult();
  }
  return {};
}

static bool isIdentity(ArrayRef<int64_t> perm) {
  for (auto [i, p] : llvm::enumerate(perm))
    if (p != static_cast<int64_t>(i))
      return false;
  return true;
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getPerm()))
    return getInput();
  if (Attribute splat = resplat(adaptor.getInput(), getType()))
    return splat;
  if (auto inner = getInput().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> perm;
    for (int64_t p : getPerm())
      perm.push_back(inner.getPerm()[p]);
    setPerm(perm);
    setOperand(inner.getInput());
    return getResult();
  }
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (Attribute splat = resplat(adaptor.getInput(), getType()))
    return splat;
  RankedTensorType from = getInput().getType();
  if (from.hasStaticShape() && from == getType()) // all of every dimension, so that strides cannot skip
    return getInput();
  auto inner = getInput().getDefiningOp<SliceOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> starts, limits, strides;
  for (int64_t i = 0; i < getType().getRank(); ++i) {
    int64_t size = getType().getDimSize(i), stride = getStrides()[i] * inner.getStrides()[i];
    int64_t start = inner.getStarts()[i] + getStarts()[i] * inner.getStrides()[i];
    if (size == 0) // wherever it starts, within the operand
      start = inner.getStarts()[i];
    starts.push_back(start);
    limits.push_back(size == 0 ? start : start + (size - 1) * stride + 1);
    strides.push_back(size <= 1 ? 1 : stride);
  }
  setStarts(starts);
  setLimits(limits);
  setStrides(strides);
  setOperand(inner.getInput());
  return getResult();
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  bool nothing = llvm::all_of(getLow(), [](int64_t n) { return n == 0; }) &&
                 llvm::all_of(getHigh(), [](int64_t n) { return n == 0; });
  for (auto [interior, size] : llvm::zip_equal(getInterior(), getInput().getType().getShape()))
    nothing &= interior == 0 || size == 0 || size == 1;
  if (nothing)
    return getInput();
  auto input = dyn_cast_or_null<SplatElementsAttr>(adaptor.getInput());
  auto value = dyn_cast_or_null<SplatElementsAttr>(adaptor.getValue());
  if (input && value && input.getSplatValue<Attribute>() == value.getSplatValue<Attribute>())
    return resplat(input, getType());
  // Nothing is left of the operand.
  if (getInput().getType().hasStaticShape() && getInput().getType().getNumElements() == 0)
    return resplat(value, getType());
  return {};
}

/// Adjacent slices of one value, from the first on: the slice that holds them all, as starts and limits.
static bool mergeSlices(CatOp op, Value &source, SmallVector<int64_t> &starts, SmallVector<int64_t> &limits) {
  int64_t dim = op.getDim();
  for (auto [n, input] : llvm::enumerate(op.getInputs())) {
    auto slice = input.getDefiningOp<SliceOp>();
    if (!slice || llvm::any_of(slice.getStrides(), [](int64_t stride) { return stride != 1; }))
      return false;
    if (n == 0) {
      source = slice.getInput();
      starts.assign(slice.getStarts().begin(), slice.getStarts().end());
      limits.assign(slice.getLimits().begin(), slice.getLimits().end());
      continue;
    }
    if (slice.getInput() != source)
      return false;
    for (int64_t i = 0; i < static_cast<int64_t>(starts.size()); ++i)
      if (i == dim ? slice.getStarts()[i] != limits[i]
                   : slice.getStarts()[i] != starts[i] || slice.getLimits()[i] != limits[i])
        return false;
    limits[dim] = slice.getLimits()[dim];
  }
  return true;
}

OpFoldResult CatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs()[0];
  // Equal splats.
  auto first = dyn_cast_or_null<SplatElementsAttr>(adaptor.getInputs()[0]);
  if (first && llvm::all_of(adaptor.getInputs(), [&](Attribute attr) {
        auto splat = dyn_cast_or_null<SplatElementsAttr>(attr);
        return splat && splat.getSplatValue<Attribute>() == first.getSplatValue<Attribute>();
      }))
    return resplat(first, getType());
  // Empty operands say nothing.
  SmallVector<Value> kept;
  for (Value input : getInputs())
    if (cast<RankedTensorType>(input.getType()).getDimSize(getDim()) != 0)
      kept.push_back(input);
  if (!kept.empty() && kept.size() < getInputs().size()) {
    getInputsMutable().assign(kept);
    return getResult();
  }
  // All of a value, in pieces.
  Value source;
  SmallVector<int64_t> starts, limits;
  if (mergeSlices(*this, source, starts, limits) && source.getType() == getType() && getType().hasStaticShape())
    return source;
  return {};
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  // Dimensions of size 1 have one order only.
  if (llvm::all_of(getDims(), [&](int64_t dim) {
        int64_t size = getType().getDimSize(dim);
        return size == 0 || size == 1;
      }))
    return getInput();
  if (Attribute splat = resplat(adaptor.getInput(), getType()))
    return splat;
  if (auto inner = getInput().getDefiningOp<ReverseOp>(); inner && inner.getDims() == getDims())
    return inner.getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The sum of `count` equal numbers where every partial sum is a number of the accumulator's format, so that no order
/// of summing rounds: their significands need no more digits than it has.
static std::optional<APFloat> exactSum(const APFloat &value, int64_t count, unsigned digits) {
  if (!value.isFinite())
    return count > 0 ? std::optional<APFloat>(value) : std::nullopt;
  if (value.isZero())
    return APFloat::getZero(value.getSemantics()); // sums start at +0.0
  int exponent;
  double fraction = std::frexp(value.convertToDouble(), &exponent);
  auto significand = static_cast<uint64_t>(std::abs(std::ldexp(fraction, 53)));
  significand >>= llvm::countr_zero(significand);
  if (static_cast<uint64_t>(count) > (uint64_t(1) << digits) / significand)
    return std::nullopt;
  APFloat sum(value.convertToDouble() * static_cast<double>(count));
  bool losesInfo;
  sum.convert(value.getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return sum;
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getInput());
  if (!splat || !getType().hasStaticShape() || getType().getNumElements() == 0)
    return {};
  int64_t count = getInput().getType().getNumElements() / getType().getNumElements();
  Type element = getType().getElementType();
  if (element.isF16() || element.isBF16() || element.isF32() || element.isF64()) {
    std::optional<APFloat> sum = exactSum(splat.getSplatValue<APFloat>(), count, element.isF64() ? 53 : 24);
    return sum ? OpFoldResult(SplatElementsAttr::get(getType(), *sum)) : OpFoldResult();
  }
  if (isa<IntegerType>(element) && !element.isInteger(1)) {
    APInt value = splat.getSplatValue<APInt>();
    APInt sum = value * APInt(64, static_cast<uint64_t>(count)).trunc(value.getBitWidth());
    return SplatElementsAttr::get(getType(), sum);
  }
  return {};
}

/// max, min, any and all of equal elements is the element; of no dimension the operand.
template <typename Op> static OpFoldResult foldIdempotent(Op op, Attribute input) {
  if (op.getDims().empty())
    return op.getInput();
  RankedTensorType from = op.getInput().getType();
  if (from.hasStaticShape() && from.getNumElements() > 0)
    return resplat(input, op.getType());
  return {};
}
OpFoldResult ReduceMaxOp::fold(FoldAdaptor adaptor) { return foldIdempotent(*this, adaptor.getInput()); }
OpFoldResult ReduceMinOp::fold(FoldAdaptor adaptor) { return foldIdempotent(*this, adaptor.getInput()); }
OpFoldResult ReduceAnyOp::fold(FoldAdaptor adaptor) { return foldIdempotent(*this, adaptor.getInput()); }
OpFoldResult ReduceAllOp::fold(FoldAdaptor adaptor) { return foldIdempotent(*this, adaptor.getInput()); }
OpFoldResult ReduceProdOp::fold(FoldAdaptor) { return getDims().empty() ? OpFoldResult(getInput()) : OpFoldResult(); }
