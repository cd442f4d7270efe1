//===- Emittable.h - What one kernel can hold -------------------------------===//
//
// The contract between the fusion pass and the code generator: a fusion function all of whose operations satisfy
// `canEmit` is emitted, whatever the shape of its graph. So a pass that forms fusions asks this of each operation
// and nothing of the group.
//
// One operation can be emitted if
//   * it is elementwise, a view (broadcast_in_dim, reshape, transpose, slice), data movement (cat, pad, reverse), a
//     reduction over any dimensions (sum, prod, max, min, any, all, argmax, argmin), a gather or take whose indices
//     are known to be in range (a trace.check_index before the fusion saw to that), a random number, an iota, a
//     constant, a full, a stop_gradient or a recompute_barrier;
//   * all its operands and results are tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16,
//     i32, i64 or ui8.
//
// What follows inside a fusion, so that a cost model knows:
//   * pointwise results of one shape, and reductions along what the others keep as their rows, share one loop;
//   * a reduction whose result is read by other rows than the one that makes it (a column mean subtracted from every
//     row) is written to scratch memory and read again: one kernel more, never a wrong result;
//   * a value is computed again rather than kept wherever that is cheaper than memory.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_KERNEL_EMITTABLE_H
#define TRACE_CODEGEN_KERNEL_EMITTABLE_H

#include "mlir/IR/Operation.h"
#include <string>

namespace mlir::trace::kernel {

/// Whether the operation can stand in a kernel. Where it cannot and `why` is given, `*why` says why, as the end of a
/// sentence that starts with the operation's name ("has a dynamic shape").
bool canEmit(Operation *op, std::string *why = nullptr);

/// Whether elements of this type can be read, computed with and written.
bool canEmitElementType(Type type);

} // namespace mlir::trace::kernel

#endif
