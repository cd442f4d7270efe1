//===- Machine.cpp - Blocks, threads and barriers ---------------------------===//
#include "Machine.h"
#include "Faults.h"
#include "llvm/ADT/SmallVector.h"
#include <cstring>
#include <mutex>
#include <numeric>

using namespace mlir::trace::simulator;

Machine &mlir::trace::simulator::getMachine() {
  static Machine machine;
  return machine;
}

alignas(4096) static char sharedArena[sharedArenaBytes];
char *mlir::trace::simulator::getSharedArena() { return sharedArena; }

/// splitmix64.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <typename T> static void shuffle(T &values, uint64_t &random) {
  for (size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[nextRandom(random) % i]);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string toString(const Dim3 &dim) {
  return ("(" + llvm::Twine(dim[0]) + ", " + llvm::Twine(dim[1]) + ", " + llvm::Twine(dim[2]) + ")").str();
}

static Dim3 delinearize(uint32_t index, const Dim3 &extent) {
  return {index % extent[0], index / extent[0] % extent[1], index / extent[0] / extent[1]};
}

const std::vector<Site> &Machine::getSites() const { return getTables(*kernel->program).sites; }

std::string Machine::whereIs(uint32_t blockIndex, uint32_t threadIndex) const {
  return "block " + toString(delinearize(blockIndex, shape.grid)) + ", thread " +
         toString(delinearize(threadIndex, shape.block));
}

std::string Machine::where(const Thread &thread) const { return whereIs(blockIndex, thread.index); }

std::string Machine::describe(uint32_t index) const {
  const Site &site = getSites()[index];
  if (site.instruction.empty())
    return "";
  std::string text = " at '" + site.instruction + "'";
  if (site.function != kernel->name)
    text += " in @" + site.function;
  if (!site.location.empty())
    text += " (" + site.location + ")";
  return text;
}

void Machine::setError(const llvm::Twine &message) {
  if (failed)
    return;
  failed = true;
  error = ("kernel '" + llvm::Twine(kernel->name) + "', " + message).str();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void Machine::leave() {
  // Nothing on this stack has anything to destroy: compiled code has no destructors, and helpers leave last.
  current->state = ThreadState::Done;
  switchFiber(current->fiber, scheduler);
  __builtin_unreachable();
}

void Machine::wait() {
  ++switches;
  switchFiber(current->fiber, scheduler);
}

void Machine::finishThread() {
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): who runs here is the current thread of a kernel.
  Thread &thread = *current;
  thread.state = ThreadState::Done;
  --numLive;
  warps[thread.warp].live &= ~(1u << thread.lane);
  // Lanes that waited for this one wait no longer.
  unsigned first = thread.warp * warpSize, last = std::min<unsigned>(first + warpSize, numThreads);
  for (unsigned i = first; i < last && !failed; ++i)
    if (threads[i].state == ThreadState::InWarpOp && (threads[i].mask >> thread.lane & 1))
      tryWarp(threads[i]);
  switchFiber(thread.fiber, scheduler);
  __builtin_unreachable();
}

static void runThread() {
  Machine &machine = getMachine();
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): who runs here is the current thread of a kernel.
  machine.kernel->entry(machine.parameters);
  machine.finishThread();
}

/// Nobody can go on: says who waits for whom.
void Machine::reportDeadlock() {
  const Thread *waiting = nullptr;
  for (const Thread &thread : llvm::ArrayRef(threads).take_front(numThreads))
    if (thread.state != ThreadState::Done && (!waiting || thread.state == ThreadState::AtBarrier))
      if (!waiting || waiting->state != ThreadState::AtBarrier)
        waiting = &thread;
  const Thread *missing = nullptr;
  for (const Thread &thread : llvm::ArrayRef(threads).take_front(numThreads)) {
    if (&thread == waiting)
      continue;
    bool here;
    if (waiting->state == ThreadState::AtBarrier) {
      here = thread.state == ThreadState::AtBarrier && thread.barrier == waiting->barrier;
    } else {
      bool wanted = thread.warp == waiting->warp && (waiting->mask >> thread.lane & 1);
      here = !wanted || thread.state == ThreadState::Done ||
             (thread.state == ThreadState::InWarpOp && thread.mask == waiting->mask && thread.op == waiting->op);
    }
    if (!here) {
      missing = &thread;
      break;
    }
  }
  std::string text = where(*waiting) + ": ";
  if (waiting->state == ThreadState::AtBarrier) {
    const NamedBarrier &barrier = barriers[waiting->barrier];
    text += "waits for ever at a barrier that only " + std::to_string(barrier.arrived) + " of " +
            std::to_string(barrier.expected) + " threads reach" + describe(waiting->site);
  } else {
    text += "waits for ever in a warp operation with mask 0x" + llvm::utohexstr(waiting->mask, /*LowerCase=*/true) +
            describe(waiting->site);
  }
  if (missing) {
    text += "; thread " + toString(missing->tid);
    if (missing->state == ThreadState::Done)
      text += " has exited";
    else if (missing->state == ThreadState::AtBarrier)
      text += " waits at a barrier" + describe(missing->site);
    else
      text += " waits in another warp operation, with mask 0x" + llvm::utohexstr(missing->mask, /*LowerCase=*/true) +
              describe(missing->site);
  }
  setError(text);
}

void Machine::runBlock(uint64_t &random) {
  epoch = 0;
  barriers = {};
  numLive = numThreads;
  warps.fill({});
  for (unsigned i = 0; i < numThreads; ++i) {
    Thread &thread = threads[i];
    thread.state = ThreadState::Ready;
    thread.index = i;
    thread.warp = i / warpSize;
    thread.lane = i % warpSize;
    thread.tid = delinearize(i, shape.block);
    thread.clock = 0;
    thread.seen = {};
    warps[thread.warp].live |= 1u << thread.lane;
    // Stacks begin at different places of a page: otherwise the same few lines of the cache would hold them all.
    prepareFiber(thread.fiber, stacks.getStack(i), FiberStacks::stackBytes - i % 16 * 256, runThread);
  }
  beginBlockMemory(*this);

  llvm::SmallVector<uint16_t, 0> ready;
  while (numLive) {
    ready.clear();
    for (unsigned i = 0; i < numThreads; ++i)
      if (threads[i].state == ThreadState::Ready)
        ready.push_back(i);
    if (ready.empty())
      return reportDeadlock();
    if (shape.seed)
      shuffle(ready, random);
    for (uint16_t i : ready) {
      current = &threads[i];
      switchFiber(scheduler, current->fiber);
      if (failed)
        return;
    }
  }
  // Threads that only arrived at a barrier leave it half full: so does a device, which then is ready for the next
  // block.
}

llvm::Error Machine::run() {
  failed = false;
  error.clear();
  switches = 0;
  checked = kernel->program->isChecked();
  numThreads = shape.block[0] * shape.block[1] * shape.block[2];
  if (threads.size() < numThreads)
    threads.resize(numThreads);
  if (!stacks.reserve(numThreads))
    return llvm::createStringError("no memory for the stacks of %u threads", numThreads);
  beginLaunchMemory(*this);

  uint64_t random = shape.seed;
  uint32_t numBlocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
  std::vector<uint32_t> order(numBlocks);
  std::iota(order.begin(), order.end(), 0);
  if (shape.seed)
    shuffle(order, random);
  FaultGuard guard;
  for (uint32_t index : order) {
    blockIndex = index;
    block = delinearize(index, shape.grid);
    runBlock(random);
    if (failed)
      return llvm::createStringError(error);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static llvm::Error refuse(const Kernel &kernel, const llvm::Twine &why) {
  return llvm::createStringError("kernel '" + llvm::Twine(kernel.name) + "': " + why);
}

llvm::Error mlir::trace::simulator::checkLaunch(const Kernel &kernel, const LaunchShape &shape) {
  uint64_t threads = 1, blocks = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0 || shape.block[i] == 0)
      return refuse(kernel, "grid " + toString(shape.grid) + ", block " + toString(shape.block) + ": a size is zero");
    threads *= shape.block[i];
    blocks *= shape.grid[i];
  }
  if (threads > maxThreadsPerBlock || shape.block[2] > 64)
    return refuse(kernel, "block " + toString(shape.block) + " is too large");
  if (shape.grid[0] > 0x7fffffff || shape.grid[1] > 65535 || shape.grid[2] > 65535)
    return refuse(kernel, "grid " + toString(shape.grid) + " is too large");
  if (blocks > 0xffffffff)
    return refuse(kernel, "grid " + toString(shape.grid) + " has more blocks than the simulator counts");
  const Dim3 &required = kernel.requiredBlock;
  if (required[0] != 0 && required != shape.block)
    return refuse(kernel,
                  "was compiled for blocks " + toString(required) + " and is launched with " + toString(shape.block));
  if (kernel.maxThreads != 0 && threads > kernel.maxThreads)
    return refuse(kernel, "was compiled for at most " + llvm::Twine(kernel.maxThreads) +
                              " threads a block and is launched with " + llvm::Twine(threads));
  if (kernel.sharedBytes + shape.dynamicShared > maxSharedBytes)
    return refuse(kernel, llvm::Twine(kernel.sharedBytes + shape.dynamicShared) + " bytes of shared memory, at most " +
                              llvm::Twine(maxSharedBytes) + " are there");
  return llvm::Error::success();
}

llvm::Error mlir::trace::simulator::launch(const Kernel &kernel, const LaunchShape &shape, void **parameters) {
  if (llvm::Error error = checkLaunch(kernel, shape))
    return error;
  for (const auto &[i, parameter] : llvm::enumerate(kernel.parameters)) {
    if (!parameter.isPointer)
      continue;
    uintptr_t value;
    std::memcpy(&value, parameters[i], sizeof(value));
    if (value % parameter.pointeeAlign != 0)
      return refuse(kernel, "parameter " + llvm::Twine(i) + " (0x" + llvm::utohexstr(value, true) +
                                ") is not aligned to " + llvm::Twine(parameter.pointeeAlign) +
                                " bytes, which the kernel was promised");
  }
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_lock<std::mutex> memory = lockMemory();
  Machine &machine = getMachine();
  machine.kernel = &kernel;
  machine.shape = shape;
  machine.parameters = parameters;
  llvm::Error error = machine.run();
  machine.kernel = nullptr;
  return error;
}

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

static uint32_t readRegister(uint32_t id) {
  Machine &machine = getMachine();
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): who runs here is the current thread of a kernel.
  Thread &thread = *machine.current;
  uint32_t bit = 1u << thread.lane;
  switch (static_cast<Register>(id)) {
  case Register::TidX:
  case Register::TidY:
  case Register::TidZ:
    return thread.tid[id - static_cast<uint32_t>(Register::TidX)];
  case Register::CtaidX:
  case Register::CtaidY:
  case Register::CtaidZ:
    return machine.block[id - static_cast<uint32_t>(Register::CtaidX)];
  case Register::NtidX:
  case Register::NtidY:
  case Register::NtidZ:
    return machine.shape.block[id - static_cast<uint32_t>(Register::NtidX)];
  case Register::NctaidX:
  case Register::NctaidY:
  case Register::NctaidZ:
    return machine.shape.grid[id - static_cast<uint32_t>(Register::NctaidX)];
  case Register::Lane:
    return thread.lane;
  case Register::Warp:
    return thread.warp;
  case Register::LaneMaskEq:
    return bit;
  case Register::LaneMaskLe:
    return bit | (bit - 1);
  case Register::LaneMaskLt:
    return bit - 1;
  case Register::LaneMaskGe:
    return ~(bit - 1);
  case Register::LaneMaskGt:
    return ~(bit | (bit - 1));
  case Register::DynamicShared:
    return machine.shape.dynamicShared;
  case Register::TotalShared:
    return machine.shape.dynamicShared + machine.kernel->sharedBytes;
  case Register::Multiprocessor:
    return machine.blockIndex % 132;
  }
  return 0;
}

/// A clock that only says that time passes.
static uint64_t readClock() {
  static uint64_t time = 0;
  return time += 32;
}

static bool setBarrierError(Machine &machine, uint32_t site, const llvm::Twine &what) {
  machine.setError(machine.where(*machine.current) + ": " + what + machine.describe(site));
  return false;
}

/// Counts the running thread at a barrier; `count` 0 is the whole block. Returns false after an error.
static bool arrive(Machine &machine, uint32_t site, uint32_t id, uint32_t count, BarrierOp op, uint32_t value) {
  Thread &thread = *machine.current;
  if (id >= machine.barriers.size())
    return setBarrierError(machine, site, "barrier " + llvm::Twine(id) + " does not exist");
  NamedBarrier &barrier = machine.barriers[id];
  // A device counts warps, so that a short last one is as good as a whole one.
  uint32_t expected = count ? std::min(count, machine.numThreads) : machine.numThreads;
  if (count % warpSize != 0 || count > llvm::alignTo(machine.numThreads, warpSize))
    return setBarrierError(machine, site, "a barrier of " + llvm::Twine(count) + " threads is not possible");
  if (barrier.arrived == 0)
    barrier = {0, expected, 1, 0, 0};
  else if (barrier.expected != expected)
    return setBarrierError(machine, site,
                           "a barrier of " + llvm::Twine(expected) + " threads, where others wait for " +
                               llvm::Twine(barrier.expected));
  // A warp arrives at an aligned barrier as one: its lanes are all at this instruction.
  const std::vector<Site> &sites = machine.getSites();
  unsigned first = thread.warp * warpSize, last = std::min(first + warpSize, machine.numThreads);
  for (unsigned i = first; i < last; ++i) {
    const Thread &other = machine.threads[i];
    if (other.state != ThreadState::AtBarrier || other.site == site)
      continue;
    if (sites[site].aligned || sites[other.site].aligned)
      return setBarrierError(machine, site,
                             "threads of one warp wait at different barriers, here and" +
                                 llvm::Twine(machine.describe(other.site)) + " in thread " + toString(other.tid) +
                                 "; here");
  }
  barrier.all &= value != 0;
  barrier.any |= value != 0;
  barrier.population += value != 0;
  ++barrier.arrived;
  return true;
}

static uint32_t crossBarrier(uint32_t site, uint32_t id, uint32_t count, uint32_t opNumber, uint32_t value) {
  Machine &machine = getMachine();
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): who runs here is the current thread of a kernel.
  Thread &thread = *machine.current;
  BarrierOp op = static_cast<BarrierOp>(opNumber);
  if (!arrive(machine, site, id, count, op, value))
    machine.leave();
  NamedBarrier &barrier = machine.barriers[id];
  auto resultOf = [&](BarrierOp op) {
    return op == BarrierOp::And ? barrier.all : op == BarrierOp::Or ? barrier.any : barrier.population;
  };
  thread.value = opNumber;
  if (barrier.arrived < barrier.expected) {
    if (op == BarrierOp::Arrive)
      return 0;
    thread.state = ThreadState::AtBarrier;
    thread.site = site;
    thread.barrier = id;
    machine.wait();
    return thread.result;
  }
  ++machine.epoch;
  for (Thread &other : llvm::MutableArrayRef(machine.threads).take_front(machine.numThreads))
    if (other.state == ThreadState::AtBarrier && other.barrier == id) {
      other.state = ThreadState::Ready;
      other.result = resultOf(static_cast<BarrierOp>(other.value));
    }
  uint32_t result = resultOf(op);
  barrier = {};
  return result;
}

/// `what`: 0 a trap, 1 an assertion (message, file, line and function follow).
static void trap(uint32_t site, uint32_t what, const char *message, const char *file, uint32_t line) {
  Machine &machine = getMachine();
  if (what == 1)
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): who runs here is the current thread of a kernel.
    machine.setError(machine.where(*machine.current) + ": assertion '" + (message ? message : "") + "' failed (" +
                     (file ? file : "") + ":" + llvm::Twine(line) + ")");
  else
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): who runs here is the current thread of a kernel.
    machine.setError(machine.where(*machine.current) + ": trap" + machine.describe(site));
  machine.leave();
}

static void exitThread() { getMachine().finishThread(); }

/// The address space that a generic address lies in, as NVPTX numbers them.
static uint32_t spaceOf(void *pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return isShared(address) ? 3 : getMachine().stacks.contains(address) ? 5 : 1;
}

namespace mlir::trace::simulator {
uint64_t runWarpOp(uint32_t site, uint32_t op, uint32_t mask, uint64_t value, uint32_t b, uint32_t c);
uint32_t readWarpPredicate();
uint32_t readActiveMask();
} // namespace mlir::trace::simulator

std::vector<std::pair<llvm::StringRef, void *>> mlir::trace::simulator::getMachineSymbols() {
  auto pointer = [](auto *function) { return reinterpret_cast<void *>(function); };
  return {{"trace_sim_register", pointer(readRegister)},
          {"trace_sim_clock", pointer(readClock)},
          {"trace_sim_barrier", pointer(crossBarrier)},
          {"trace_sim_warp", pointer(runWarpOp)},
          {"trace_sim_warp_predicate", pointer(readWarpPredicate)},
          {"trace_sim_active_mask", pointer(readActiveMask)},
          {"trace_sim_trap", pointer(trap)},
          {"trace_sim_exit", pointer(exitThread)},
          {"trace_sim_space", pointer(spaceOf)},
          {"trace_sim_shared", sharedArena}};
}
