//===- SoftmaxShift.h - The maximum that softmax subtracts ------------------===//
#ifndef TRACE_LIB_AUTODIFF_SOFTMAXSHIFT_H
#define TRACE_LIB_AUTODIFF_SOFTMAXSHIFT_H

#include "mlir/IR/Operation.h"

namespace mlir::trace::autodiff {

/// `op` is a trace.reduce_max whose value cancels: softmax or log_softmax of x - max(x) is that of x. Its gradient,
/// zero but for rounding, is then not computed.
bool isSoftmaxShift(Operation *op);

} // namespace mlir::trace::autodiff

#endif
