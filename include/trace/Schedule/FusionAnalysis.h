//===- FusionAnalysis.h - Which ops one kernel can compute --------*- C++ -*-===//
//
// What one loop nest can do, apart from the decision (FusionPlan.h) and the rewrite (FuseForm.cpp). That the code
// generator takes each op alone is trace/Codegen/Kernel/Emittable.h's to say; it also takes regions that are no single
// loop nest, in several kernels, which then are better formed as several regions.
//
// A kernel runs over `elements` = rows x columns. Each value of a region is evaluated in one or more contexts:
//
//   Element   once per element of the space, at the element's own row-major index;
//   Row       once per row (the result of a reduction over the columns and what is computed from it);
//   Mapped    wherever a consumer asks for it, at an index that transposes, slices, pads, cats, reversals,
//             broadcasts or gathers make of the consumer's index: the expression is computed in place.
//
// What leaves a region is per element, per row, or the result of a reduction that is complete only after the last row
// (over the rows, over everything), with what is computed from that and is no larger. A value that depends on a
// reduction used in the region is known only within its row, so that it has no Mapped context.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_SCHEDULE_FUSIONANALYSIS_H
#define TRACE_SCHEDULE_FUSIONANALYSIS_H

#include "trace/IR/TraceOps.h"

namespace mlir::trace {

/// The iteration space of a region.
struct FusionSpace {
  /// Elements of the space.
  int64_t elements = 0;
  /// Elements of a row; 0 where no reduction asks for rows.
  int64_t columns = 0;
};

/// Whether one kernel can compute `ops` (in order, all fusible, static shapes). `escapes` says of a result whether it
/// is used outside. Failure with the reason, for a remark, in `why`.
FailureOr<FusionSpace> analyzeFusion(ArrayRef<Operation *> ops, function_ref<bool(Value)> escapes, StringRef &why);

/// Cost of one element of `op` in units of an addition: 0 for an index map or a constant, 1 for arithmetic, more for
/// division, transcendental functions and random numbers.
int64_t getElementCost(Operation *op);

/// The dimensions that a reduction (of either kind) removes.
SmallVector<int64_t> getReducedDims(Operation *op);

} // namespace mlir::trace

#endif
