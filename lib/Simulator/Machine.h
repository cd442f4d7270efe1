//===- Machine.h - The state of a launch ------------------------------------===//
#ifndef TRACE_LIB_SIMULATOR_MACHINE_H
#define TRACE_LIB_SIMULATOR_MACHINE_H

#include "Fiber.h"
#include "trace/Simulator/Simulator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <mutex>

namespace mlir::trace::simulator {

constexpr unsigned warpSize = 32;

/// What an instrumented instruction does. The order is known to no one but this enum's users.
enum class SiteKind : uint8_t { Load, Store, Atomic, Barrier, WarpOp, Trap };

/// An instruction of the program that may be at fault.
struct Site {
  SiteKind kind = SiteKind::Load;
  /// A load that a device may serve from a cache that writes of the same launch do not reach.
  bool invariant = false;
  /// A barrier that all threads of a warp must reach together, at the same instruction.
  bool aligned = false;
  uint32_t align = 1;
  /// The instruction as text, the function that holds it, and "file:line:column" where it has a debug location.
  std::string instruction, function, location;
  /// Index of the kernel's parameter through which it goes, or -1.
  int parameter = -1;
};

/// A variable in shared memory.
struct SharedObject {
  std::string name;
  uint64_t offset = 0, size = 0;
  /// Its size is given at the launch.
  bool dynamic = false;
};

enum class WarpOp : uint8_t {
  ShuffleUp,
  ShuffleDown,
  ShuffleButterfly,
  ShuffleIndex,
  VoteAll,
  VoteAny,
  VoteUniform,
  VoteBallot,
  MatchAny,
  MatchAll,
  Elect,
  ReduceAdd,
  ReduceMin,
  ReduceMax,
  ReduceUnsignedMin,
  ReduceUnsignedMax,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  Sync
};

enum class BarrierOp : uint8_t { Sync, Arrive, And, Or, PopulationCount };

enum class Register : uint32_t {
  TidX,
  TidY,
  TidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NtidX,
  NtidY,
  NtidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Lane,
  Warp,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  DynamicShared,
  TotalShared,
  Multiprocessor
};

enum class ThreadState : uint8_t { Ready, AtBarrier, InWarpOp, Done };

struct Thread {
  Fiber fiber;
  ThreadState state = ThreadState::Ready;
  uint16_t index = 0, warp = 0, lane = 0;
  Dim3 tid = {};
  /// The barrier or the warp operation that it waits in.
  uint32_t site = 0;
  uint32_t barrier = 0;
  WarpOp op = WarpOp::Sync;
  uint32_t mask = 0, b = 0, c = 0;
  uint64_t value = 0;
  /// What that gives.
  uint64_t result = 0;
  bool predicate = false;
  /// How many times the thread has synchronised with lanes of its warp, and what it knows of theirs.
  uint32_t clock = 0;
  std::array<uint32_t, warpSize> seen = {};
};

/// Which lanes of a warp have not exited, and which of them wait in a warp operation.
struct Warp {
  uint32_t live = 0, waiting = 0;
};

struct NamedBarrier {
  uint32_t arrived = 0, expected = 0;
  uint32_t all = 1, any = 0, population = 0;
};

/// The one launch that runs.
struct Machine {
  const Kernel *kernel = nullptr;
  void **parameters = nullptr;
  LaunchShape shape;
  bool checked = true;
  Dim3 block = {};
  uint32_t blockIndex = 0, numThreads = 0, numLive = 0;
  /// Counts the barriers of the block: two accesses of a block in different epochs are ordered.
  uint32_t epoch = 0;
  std::vector<Thread> threads;
  std::array<Warp, maxThreadsPerBlock / warpSize> warps;
  FiberStacks stacks;
  Fiber scheduler;
  Thread *current = nullptr;
  std::array<NamedBarrier, 16> barriers;
  bool failed = false;
  std::string error;
  uint64_t switches = 0;

  const std::vector<Site> &getSites() const;
  /// "block (0, 0, 0), thread (1, 0, 0)".
  std::string where(const Thread &thread) const;
  std::string whereIs(uint32_t blockIndex, uint32_t threadIndex) const;
  /// " at store … in @k (file:line)".
  std::string describe(uint32_t site) const;
  /// Remembers what went wrong; the launch ends when the thread leaves.
  void setError(const llvm::Twine &message);
  /// Ends the launch from within a thread.
  [[noreturn]] void leave();
  /// The running thread waits until it is made ready.
  void wait();
  void finishThread();
  void tryWarp(Thread &thread);

  llvm::Error run();

private:
  void runBlock(uint64_t &random);
  void reportDeadlock();
};

Machine &getMachine();

/// The shared memory of the block that runs.
constexpr uint64_t sharedArenaBytes = 4 * 1024 * 1024;
char *getSharedArena();
inline bool isShared(uintptr_t address) {
  return address - reinterpret_cast<uintptr_t>(getSharedArena()) < sharedArenaBytes;
}

//===----------------------------------------------------------------------===//
// Memory.cpp
//===----------------------------------------------------------------------===//

/// Ranges stay as they are while this is held, as a launch does.
std::unique_lock<std::mutex> lockMemory();
/// Before a launch, and before each block of it.
void beginLaunchMemory(Machine &machine);
void beginBlockMemory(Machine &machine);
/// Globals of a program are ranges as long as it lives.
void registerGlobal(const Global &global);
void forgetGlobal(const Global &global);

/// The names that compiled code calls, with their addresses.
std::vector<std::pair<llvm::StringRef, void *>> getMachineSymbols();
std::vector<std::pair<llvm::StringRef, void *>> getMemorySymbols();
std::vector<std::pair<llvm::StringRef, void *>> getMathSymbols();

//===----------------------------------------------------------------------===//
// What the compiler keeps of a program
//===----------------------------------------------------------------------===//

struct ProgramTables {
  /// Site 0 is "unknown".
  std::vector<Site> sites;
  std::vector<SharedObject> shared;
};
const ProgramTables &getTables(const Program &program);

} // namespace mlir::trace::simulator

#endif
