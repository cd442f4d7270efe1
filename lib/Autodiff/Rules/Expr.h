//===- Expr.h - Gradient rules as expressions -------------------------------===//
//
// A value under construction, with operators, so that a gradient rule reads as its formula:
// `unary<SinOp>([](E x, E y, E g) { return g * cos(x); })`.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_AUTODIFF_RULES_EXPR_H
#define TRACE_LIB_AUTODIFF_RULES_EXPR_H

#include "trace/IR/TraceOps.h"

namespace mlir::trace::autodiff {

/// A tensor with the place where what is computed from it goes. A null value is a symbolic zero.
struct E {
  OpBuilder *builder;
  Location loc;
  Value value;

  E(OpBuilder &builder, Location loc, Value value) : builder(&builder), loc(loc), value(value) {}
  RankedTensorType type() const { return cast<RankedTensorType>(value.getType()); }
  E with(Value other) const { return E(*builder, loc, other); }
};

/// `number` everywhere, with the type of `like` (which gives the sizes of dynamic dimensions).
E constantLike(E like, double number);
/// `number` everywhere, with `like`'s sizes and the given element type.
E constantLike(E like, Type element, double number);
/// `number` everywhere in a static shape.
E constantOf(E place, RankedTensorType type, double number);

/// Ops whose result type follows from their operands.
template <typename Op, typename... Args> E build(E x, Args &&...args) {
  return x.with(Op::create(*x.builder, x.loc, x.value, std::forward<Args>(args)...)->getResult(0));
}

inline E operator+(E a, E b) { return build<AddOp>(a, b.value); }
inline E operator-(E a, E b) { return build<SubOp>(a, b.value); }
inline E operator*(E a, E b) { return build<MulOp>(a, b.value); }
inline E operator/(E a, E b) { return build<DivOp>(a, b.value); }
inline E operator-(E a) { return build<NegOp>(a); }
inline E operator+(E a, double b) { return a + constantLike(a, b); }
inline E operator-(E a, double b) { return a - constantLike(a, b); }
inline E operator-(double a, E b) { return constantLike(b, a) - b; }
inline E operator*(E a, double b) { return a * constantLike(a, b); }
inline E operator/(E a, double b) { return a / constantLike(a, b); }

#define TRACE_EXPR_UNARY(NAME, OP)                                                                                     \
  inline E NAME(E x) { return build<OP>(x); }
TRACE_EXPR_UNARY(sign, SignOp)
TRACE_EXPR_UNARY(exp, ExpOp)
TRACE_EXPR_UNARY(log, LogOp)
TRACE_EXPR_UNARY(sqrt, SqrtOp)
TRACE_EXPR_UNARY(rsqrt, RsqrtOp)
TRACE_EXPR_UNARY(reciprocal, ReciprocalOp)
TRACE_EXPR_UNARY(sin, SinOp)
TRACE_EXPR_UNARY(cos, CosOp)
TRACE_EXPR_UNARY(sinh, SinhOp)
TRACE_EXPR_UNARY(cosh, CoshOp)
TRACE_EXPR_UNARY(digamma, DigammaOp)
TRACE_EXPR_UNARY(isnan, IsnanOp)
#undef TRACE_EXPR_UNARY

inline E square(E x) { return x * x; }
inline E pow(E a, E b) { return build<PowOp>(a, b.value); }
inline E divFloor(E a, E b) { return build<DivFloorOp>(a, b.value); }
inline E divTrunc(E a, E b) { return build<DivTruncOp>(a, b.value); }

// Comparisons and their combination: i1 tensors.
inline E eq(E a, E b) { return build<EqOp>(a, b.value); }
inline E lt(E a, E b) { return build<LtOp>(a, b.value); }
inline E le(E a, E b) { return build<LeOp>(a, b.value); }
inline E gt(E a, E b) { return build<GtOp>(a, b.value); }
inline E ge(E a, E b) { return build<GeOp>(a, b.value); }
inline E eq(E a, double b) { return eq(a, constantLike(a, b)); }
inline E lt(E a, double b) { return lt(a, constantLike(a, b)); }
inline E le(E a, double b) { return le(a, constantLike(a, b)); }
inline E ge(E a, double b) { return ge(a, constantLike(a, b)); }
inline E operator&&(E a, E b) { return build<BitwiseAndOp>(a, b.value); }
inline E operator||(E a, E b) { return build<BitwiseOrOp>(a, b.value); }

inline E where(E condition, E onTrue, E onFalse) { return build<WhereOp>(condition, onTrue.value, onFalse.value); }
inline E where(E condition, E onTrue, double onFalse) {
  return where(condition, onTrue, constantLike(onTrue, onFalse));
}
inline E where(E condition, double onTrue, E onFalse) {
  return where(condition, constantLike(onFalse, onTrue), onFalse);
}

/// The same values as another element type; nothing to do if it has that type.
E convert(E x, Type element);
/// The same elements under another shape; nothing to do if it has that shape.
E reshape(E x, RankedTensorType type);
/// Dimensions of `x` placed at `dims` of `type`; nothing to do if `x` has that type.
E broadcastInDim(E x, ArrayRef<int64_t> dims, RankedTensorType type);
/// Sum over `dims`; nothing to do if there are none.
E reduceSum(E x, ArrayRef<int64_t> dims);
/// A value reduced over `dims` of a tensor of `type`, spread over these dimensions again.
E spread(E x, ArrayRef<int64_t> dims, RankedTensorType type);
E reverse(E x, ArrayRef<int64_t> dims);
/// 0, 1, .. along `dim`, as i64, with the (static) sizes of `type`.
E iota(E place, RankedTensorType type, int64_t dim);

/// The last two dimensions exchanged.
E matrixTransposed(E x);
RankedTensorType matrixTransposed(RankedTensorType type);
/// `op` exchanges the last two dimensions and nothing else.
bool isMatrixTransposition(TransposeOp op);
/// A reshape between these types (of one number of elements) merges or splits the dimensions before the last two only.
bool keepsMatrices(RankedTensorType from, RankedTensorType to);

/// 0, 1, .. n - 1.
SmallVector<int64_t> allDims(int64_t rank);
/// The dimensions of 0 .. rank - 1 that are not in `dims`.
SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> dims);

} // namespace mlir::trace::autodiff

#endif
