//===- Schedule.h - How a fusion is cut into kernels and run -----------------===//
//
// Decides, from index expressions alone, which kernels a fusion needs and how each runs: which loops are parallel,
// which loop is laid onto vector lanes, what goes through scratch memory. No IR is made here.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_KERNEL_SCHEDULE_H
#define TRACE_CODEGEN_KERNEL_SCHEDULE_H

#include "trace/Codegen/Kernel/Graph.h"
#include <memory>

namespace mlir::trace::kernel {

struct ScheduleOptions {
  /// Width of a vector register in bits.
  unsigned vectorBits = 256;
  bool exactRounding = false;
  /// Fewer outer points than this do not keep the machine busy; a reduction of much data is then cut into chunks.
  int64_t fewPoints = 32;
  /// The same where the outer points are on lanes, which makes fewer units of them.
  int64_t fewColumns = 1024;
  /// Most chunks of a reduction; least rows of one that adds up whole rows.
  int64_t maxChunks = 64, minRowsPerChunk = 16;
};

struct KernelSchedule {
  Kernel kernel;
  /// Lanes run over an outer loop (each lane an outer point) rather than over the innermost loop of each space.
  bool lanesOuter = false;
  /// Order of Kernel::outer, outermost first; with lanesOuter the last is the one on lanes.
  SmallVector<unsigned, 4> outerOrder;
  /// Order in which units run through the outer loops (the one on lanes in blocks): usually outerOrder. Where a loop
  /// runs along memory that the lanes run across, that loop is last, so that what a block of lanes touches is reused.
  SmallVector<unsigned, 4> unitOrder;
  /// lanesOuter: how many points of that loop one unit of parallel work has.
  int64_t block = 1;
  /// For each space the order of its loops; without lanesOuter the last is on lanes.
  SmallVector<SmallVector<unsigned, 4>> spaceOrder;
  unsigned lanes = 8;
  /// Vectors per turn of the innermost loop.
  unsigned unroll = 1;
  /// Parallel work: so many units, of which at least `grain` make a task.
  int64_t units = 1, grain = 1;

  /// The loop on lanes in a box of a space, or the outer one.
  unsigned lanesLoop(unsigned space, unsigned box) const;
  std::string str() const;
};

struct FusionSchedule {
  FusionInfo info;
  std::vector<std::unique_ptr<KernelSchedule>> kernels;
};

/// The type that numbers of an element type are computed in: f32 for f16 and bf16, signless for unsigned.
Type computeType(Type elementType);

/// A fusion function's schedule. Any function whose operations can all be emitted has one.
std::unique_ptr<FusionSchedule> schedule(func::FuncOp func, const ScheduleOptions &options);

} // namespace mlir::trace::kernel

#endif
