//===- Planner.h - Cuts a fusion into kernels --------------------------------===//
//
// The state of kernel::schedule: what has to be put into memory (roots), which roots share a kernel, and how each
// kernel's loops run.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_CODEGEN_KERNEL_PLANNER_H
#define TRACE_LIB_CODEGEN_KERNEL_PLANNER_H

#include "GraphBuilder.h"
#include "trace/Codegen/Kernel/Schedule.h"
#include "trace/IR/TraceOps.h"
#include "llvm/ADT/SetVector.h"
#include <memory>
#include <optional>

namespace mlir::trace::kernel {

/// A value that a kernel puts into memory.
struct PlannedRoot {
  Root root;
  bool isFree = true; // no reduction decides about its outer loops
  llvm::SetVector<Value> reads;
  llvm::SetVector<Operation *> partialReads;
  int level = 0;
  int kernel = -1;
};

struct Planner {
  FusionSchedule &plan;
  FusionInfo &info;
  const ScheduleOptions &options;
  /// Column reductions that run along rows (accumulateColumns) only if there is something else to do with these rows.
  llvm::DenseSet<Operation *> byColumns;
  /// Reductions that a kernel, once its loops were known, would have had to run anew for inner loops.
  llvm::SetVector<Operation *> intoMemory;
  std::vector<std::unique_ptr<PlannedRoot>> roots;
  unsigned numScratch = 0;

  Planner(FusionSchedule &plan, const ScheduleOptions &options) : plan(plan), info(plan.info), options(options) {}

  void makeBuffers();
  unsigned addScratch(Type type, ArrayRef<int64_t> shape);
  PlannedRoot *rootOf(Value value, bool partial);
  void materialize(Value value);
  bool makePartial(Operation *op);
  int64_t rowsPerChunk(int64_t rows) const;
  void accumulateColumns();
  bool probe(PlannedRoot &planned);
  void levels();
  bool group();
  void finish(KernelSchedule &schedule);
  void collapse(Kernel &k);
  void chooseLanes(KernelSchedule &schedule);
  bool cutOuter(Kernel &k, unsigned lanesPosition);
};

/// The root's outer dimensions, were it to run over this many outer points with the rest of it in a space.
std::optional<SmallVector<int64_t, 4>> prefixDims(Value value, int64_t points);

} // namespace mlir::trace::kernel

#endif
