//===- TraceTraits.h - What a pass may ask of any op ------------------------===//
//
// The classes of ops that fusion, rematerialisation and code generation tell apart. A pass asks these, never the
// name of an op.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_IR_TRACETRAITS_H
#define TRACE_IR_TRACETRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::trace::OpTrait {

/// A result element depends on the operand elements at the same index only.
template <typename Op> class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};
/// The result can be a view of operand 0.
template <typename Op> class ViewLike : public mlir::OpTrait::TraitBase<Op, ViewLike> {};
/// An index map with a condition (cat, pad, reverse).
template <typename Op> class DataMovement : public mlir::OpTrait::TraitBase<Op, DataMovement> {};
/// Reduces some dimensions of operand 0.
template <typename Op> class Reduction : public mlir::OpTrait::TraitBase<Op, Reduction> {};
/// Runs through LibTorch.
template <typename Op> class Library : public mlir::OpTrait::TraitBase<Op, Library> {};

} // namespace mlir::trace::OpTrait

#endif
