//===- Expr.cpp - Gradient rules as expressions -----------------------------===//
#include "Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

E autodiff::constantOf(E place, RankedTensorType type, double number) {
  if (auto complex = dyn_cast<ComplexType>(type.getElementType())) {
    const llvm::fltSemantics &semantics = cast<FloatType>(complex.getElementType()).getFloatSemantics();
    APFloat real(number), imaginary = APFloat::getZero(semantics);
    bool inexact;
    real.convert(semantics, APFloat::rmNearestTiesToEven, &inexact);
    auto splat = DenseElementsAttr::get(type, std::complex<APFloat>(real, imaginary));
    return place.with(ConstantOp::create(*place.builder, place.loc, type, cast<ElementsAttr>(splat)));
  }
  return place.with(createSplat(*place.builder, place.loc, type, number));
}

E autodiff::constantLike(E like, Type element, double number) {
  RankedTensorType type = like.type().clone(element);
  if (type.hasStaticShape())
    return constantOf(like, type, number);
  OpBuilder &builder = *like.builder;
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(tensor::DimOp::create(builder, like.loc, like.value, i));
  if (auto complex = dyn_cast<ComplexType>(element)) // trace.full has no complex value
    return convert(constantLike(like, complex.getElementType(), number), element);
  TypedAttr value = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, number))
                                            : TypedAttr(builder.getIntegerAttr(element, static_cast<int64_t>(number)));
  return like.with(FullOp::create(builder, like.loc, type, value, sizes));
}

E autodiff::constantLike(E like, double number) { return constantLike(like, like.type().getElementType(), number); }

E autodiff::convert(E x, Type element) {
  if (x.type().getElementType() == element)
    return x;
  return x.with(ConvertOp::create(*x.builder, x.loc, x.type().clone(element), x.value));
}

E autodiff::reshape(E x, RankedTensorType type) {
  if (x.type() == type)
    return x;
  return x.with(ReshapeOp::create(*x.builder, x.loc, type, x.value));
}

E autodiff::broadcastInDim(E x, ArrayRef<int64_t> dims, RankedTensorType type) {
  if (x.type() == type)
    return x;
  return x.with(BroadcastInDimOp::create(*x.builder, x.loc, type, x.value, dims));
}

E autodiff::reduceSum(E x, ArrayRef<int64_t> dims) { return dims.empty() ? x : build<ReduceSumOp>(x, dims); }

E autodiff::spread(E x, ArrayRef<int64_t> dims, RankedTensorType type) {
  return broadcastInDim(x, otherDims(type.getRank(), dims), type.clone(x.type().getElementType()));
}

E autodiff::reverse(E x, ArrayRef<int64_t> dims) { return build<ReverseOp>(x, dims); }

E autodiff::iota(E place, RankedTensorType type, int64_t dim) {
  return place.with(IotaOp::create(*place.builder, place.loc, type.clone(place.builder->getI64Type()), dim));
}

static SmallVector<int64_t> matrixTransposition(int64_t rank) {
  SmallVector<int64_t> perm = allDims(rank);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return perm;
}

E autodiff::matrixTransposed(E x) { return build<TransposeOp>(x, matrixTransposition(x.type().getRank())); }

RankedTensorType autodiff::matrixTransposed(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return type.clone(shape);
}

bool autodiff::isMatrixTransposition(TransposeOp op) {
  int64_t rank = op.getType().getRank();
  return rank >= 2 && op.getPerm() == ArrayRef<int64_t>(matrixTransposition(rank));
}

bool autodiff::keepsMatrices(RankedTensorType from, RankedTensorType to) {
  return from.getRank() >= 2 && to.getRank() >= 2 && from.hasStaticShape() && to.hasStaticShape() &&
         from.getShape().take_back(2) == to.getShape().take_back(2);
}

SmallVector<int64_t> autodiff::allDims(int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(0, rank)); }

SmallVector<int64_t> autodiff::otherDims(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      others.push_back(i);
  return others;
}
