//===- Launch.h - How a kernel's threads share its work ----------------------===//
//
// Decides, from the schedule of a kernel and a model of the device, how many threads run it and what each of them does:
// the last decision before code is emitted, and the only one that knows about warps, shared memory and occupancy.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_GPU_LAUNCH_H
#define TRACE_CODEGEN_GPU_LAUNCH_H

#include "trace/Codegen/Kernel/Schedule.h"
#include <optional>
#include <string>

namespace mlir::trace::cuda {

constexpr int64_t warpSize = 32;
/// What a block may have of static shared memory.
constexpr int64_t staticSharedBytes = 48 * 1024;

/// What a decision needs to know of a chip (CUDA C++ Programming Guide, compute capabilities; the number of
/// multiprocessors is that of the largest product of the architecture).
struct DeviceModel {
  llvm::StringLiteral chip;
  int64_t multiprocessors, threads, blocks, sharedBytes; // of which each multiprocessor has so many
  int64_t registers = 65536;
};

/// The model of "sm_80", "sm_86", "sm_89", "sm_90" or "sm_100"; an architecture in between ("sm_87", "sm_90a") has that
/// of the next older. Nothing for what is older than sm_80 or not of this form.
std::optional<DeviceModel> getDeviceModel(StringRef chip);

/// Wishes that replace what the heuristic would choose; 0: no wish. A width or number that the shapes do not allow is
/// brought to the nearest that they do.
struct LaunchOverrides {
  unsigned lanes = 0, unroll = 0, threads = 0;
};

struct Launch {
  enum Mapping {
    Points,  // no reduction: x threads along the loop on lanes, y outer points
    Rows,    // x threads run through a row together, y rows
    Columns, // x threads along the loop on lanes, y shares of what each column reduces
    Chunks,  // x threads run through the rows of a chunk, one after the other
    Tiles    // Points whose operands lie the other way round: 32 x 32 tiles through shared memory
  } mapping = Points;
  /// Elements of one access, and accesses that a thread makes before it needs the first.
  unsigned lanes = 1, unroll = 1;
  unsigned x = 32, y = 1;
  /// Rows, Chunks: a row is read once and stays in registers, `unroll` vectors a thread.
  bool inRegisters = false;
  int64_t blocks = 1;
  /// So many blocks are to run on a multiprocessor at a time (`.minnctapersm`), and so many registers a thread may have
  /// for that.
  int64_t resident = 1;
  int64_t maxRegisters = 255;

  /// Of operands, what a thread asks for before it needs the first: lanes x unroll elements of each.
  int64_t bytesInFlight = 0;

  int64_t threads() const { return static_cast<int64_t>(x) * y; }
  std::string str() const;
};

StringRef stringifyMapping(Launch::Mapping mapping);

/// Also writes the width and unrolling into the schedule, which is what the emitter reads.
Launch chooseLaunch(kernel::KernelSchedule &schedule, const DeviceModel &device, const LaunchOverrides &overrides);

/// Schedule options that make kernels for a GPU: costs count by the warp, reductions are cut for many blocks.
kernel::ScheduleOptions getScheduleOptions(bool exactRounding);

} // namespace mlir::trace::cuda

#endif
