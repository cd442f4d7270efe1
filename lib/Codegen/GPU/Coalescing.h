//===- Coalescing.h - Operands that lie the other way round ------------------===//
#ifndef TRACE_LIB_CODEGEN_GPU_COALESCING_H
#define TRACE_LIB_CODEGEN_GPU_COALESCING_H

#include "trace/Codegen/Kernel/Schedule.h"

namespace mlir::trace::cuda {

/// The tile's edge: a warp reads or writes one of its rows.
constexpr int64_t tileEdge = 32;

/// A pointwise kernel in which the lanes run across memory in some loads, while another outer loop runs along it: that
/// loop's position in Kernel::outer becomes the last but one of `outerOrder`, and the one along which results lie the
/// last. False, and nothing is changed, where there is no such load, or where one of the loops is too short for a tile.
bool chooseTiles(kernel::KernelSchedule &schedule);

/// The loads of a kernel with tiles that go through shared memory.
SmallVector<kernel::NodeId> transposedLoads(const kernel::KernelSchedule &schedule);

/// Blocks: tiles of the two last outer loops, for each point of the others.
int64_t tileBlocks(const kernel::KernelSchedule &schedule);

} // namespace mlir::trace::cuda

#endif
