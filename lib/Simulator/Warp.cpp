//===- Warp.cpp - Operations between the lanes of a warp --------------------===//
//
// A lane waits until every lane of its mask that has not exited is at an operation of the same kind with the same mask.
// The last one computes for all. Lanes that have exited, or that a short last warp does not have, may be in a mask, as
// on a device; to read from them is an error.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

using namespace mlir::trace::simulator;

namespace {
/// The lanes of one operation.
struct Group {
  Machine &machine;
  uint32_t mask;
  /// The lanes that take part, by lane; null: not in the mask, or exited.
  std::array<Thread *, warpSize> lanes = {};
  llvm::SmallVector<Thread *, warpSize> members = {};
};
} // namespace

static const char *nameOf(WarpOp op) { return op <= WarpOp::ShuffleIndex ? "shuffle" : "warp operation"; }

/// The lane that a shuffle reads, by the rule of PTX's shfl.
static unsigned sourceOf(const Thread &thread, bool &inRange) {
  int lane = thread.lane, b = thread.b & 31, clamp = thread.c & 31, segment = thread.c >> 8 & 31;
  int maxLane = (lane & segment) | (clamp & ~segment), minLane = lane & segment, source;
  switch (thread.op) {
  case WarpOp::ShuffleUp:
    source = lane - b;
    inRange = source >= maxLane;
    break;
  case WarpOp::ShuffleDown:
    source = lane + b;
    inRange = source <= maxLane;
    break;
  case WarpOp::ShuffleButterfly:
    source = lane ^ b;
    inRange = source <= maxLane;
    break;
  default:
    source = minLane | (b & ~segment);
    inRange = source <= maxLane;
    break;
  }
  return inRange ? source : lane;
}

static void shuffleLanes(Group &group) {
  for (Thread *thread : group.members) {
    bool inRange;
    unsigned source = sourceOf(*thread, inRange);
    Thread *from = group.lanes[source];
    if (!from) {
      uint32_t index = thread->warp * warpSize + source;
      std::string why = !(group.mask >> source & 1)         ? "is not in the mask"
                        : index >= group.machine.numThreads ? "does not exist"
                                                            : "has exited";
      group.machine.setError(group.machine.where(*thread) + ": a shuffle reads from lane " + llvm::Twine(source) +
                             ", which " + why + " (mask 0x" + llvm::utohexstr(group.mask, true) + ")" +
                             group.machine.describe(thread->site));
      return;
    }
    thread->result = from->value;
    thread->predicate = inRange;
  }
}

static void vote(Group &group, WarpOp op) {
  uint32_t ballot = 0, lanes = 0;
  for (Thread *thread : group.members) {
    lanes |= 1u << thread->lane;
    ballot |= uint32_t(thread->value & 1) << thread->lane;
  }
  uint32_t result = ballot;
  if (op == WarpOp::VoteAll)
    result = ballot == lanes;
  else if (op == WarpOp::VoteAny)
    result = ballot != 0;
  else if (op == WarpOp::VoteUniform)
    result = ballot == 0 || ballot == lanes;
  for (Thread *thread : group.members)
    thread->result = result;
}

static void match(Group &group, WarpOp op) {
  for (Thread *thread : group.members) {
    uint32_t equal = 0;
    for (Thread *other : group.members)
      equal |= uint32_t(other->value == thread->value) << other->lane;
    thread->predicate = llvm::popcount(equal) == int(group.members.size());
    thread->result = op == WarpOp::MatchAny || thread->predicate ? equal : 0;
  }
}

static void reduce(Group &group, WarpOp op) {
  uint32_t result = group.members.front()->value;
  for (Thread *thread : llvm::ArrayRef(group.members).drop_front()) {
    uint32_t value = thread->value;
    int32_t a = result, b = value;
    switch (op) {
    case WarpOp::ReduceAdd:
      result += value;
      break;
    case WarpOp::ReduceMin:
      result = std::min(a, b);
      break;
    case WarpOp::ReduceMax:
      result = std::max(a, b);
      break;
    case WarpOp::ReduceUnsignedMin:
      result = std::min(result, value);
      break;
    case WarpOp::ReduceUnsignedMax:
      result = std::max(result, value);
      break;
    case WarpOp::ReduceAnd:
      result &= value;
      break;
    case WarpOp::ReduceOr:
      result |= value;
      break;
    default:
      result ^= value;
      break;
    }
  }
  for (Thread *thread : group.members)
    thread->result = result;
}

/// Orders what the lanes did before against what they do after. Only bar.warp.sync does: a shuffle exchanges registers
/// and says nothing of memory.
static void synchronise(Group &group) {
  std::array<uint32_t, warpSize> known = {};
  for (Thread *thread : group.members) {
    ++thread->clock;
    for (unsigned i = 0; i < warpSize; ++i)
      known[i] = std::max(known[i], thread->seen[i]);
  }
  for (Thread *thread : group.members)
    known[thread->lane] = thread->clock;
  for (Thread *thread : group.members)
    thread->seen = known;
}

/// Completes the operation that `thread` is in, if all its lanes have come.
void Machine::tryWarp(Thread &thread) {
  Warp &warp = warps[thread.warp];
  if (thread.mask & warp.live & ~warp.waiting)
    return;
  Group group{*this, thread.mask};
  for (uint32_t left = thread.mask & warp.live; left; left &= left - 1) {
    unsigned lane = llvm::countr_zero(left);
    Thread &other = threads[thread.warp * warpSize + lane];
    if (other.mask != thread.mask || other.op != thread.op)
      return;
    group.lanes[lane] = &other;
    group.members.push_back(&other);
  }
  WarpOp op = thread.op;
  // PTX would let them meet. What the compiler makes has all lanes at one instruction, or has gone astray.
  for (Thread *member : group.members)
    if (op != WarpOp::Sync && member->site != thread.site) {
      setError(where(thread) + ": lanes of one warp meet at different instructions, here and" +
               llvm::Twine(describe(member->site)) + " in lane " + llvm::Twine(member->lane) + "; here" +
               describe(thread.site));
      return;
    }
  if (op <= WarpOp::ShuffleIndex)
    shuffleLanes(group);
  else if (op <= WarpOp::VoteBallot)
    vote(group, op);
  else if (op <= WarpOp::MatchAll)
    match(group, op);
  else if (op == WarpOp::Sync)
    synchronise(group);
  else if (op == WarpOp::Elect)
    for (Thread *member : group.members) {
      member->result = group.members.front()->lane;
      member->predicate = member == group.members.front();
    }
  else
    reduce(group, op);
  for (Thread *member : group.members) {
    member->state = ThreadState::Ready;
    warp.waiting &= ~(1u << member->lane);
  }
}

namespace mlir::trace::simulator {
uint64_t runWarpOp(uint32_t site, uint32_t op, uint32_t mask, uint64_t value, uint32_t b, uint32_t c);
uint32_t readWarpPredicate();
uint32_t readActiveMask();
} // namespace mlir::trace::simulator

static bool enter(Machine &machine, uint32_t site, WarpOp op, uint32_t mask) {
  Thread &thread = *machine.current;
  if (mask >> thread.lane & 1)
    return true;
  machine.setError(machine.where(thread) + ": the mask 0x" + llvm::utohexstr(mask, true) + " of a " + nameOf(op) +
                   " does not hold the thread's own lane " + llvm::Twine(thread.lane) + machine.describe(site));
  return false;
}

uint64_t mlir::trace::simulator::runWarpOp(uint32_t site, uint32_t opNumber, uint32_t mask, uint64_t value, uint32_t b,
                                           uint32_t c) {
  Machine &machine = getMachine();
  Thread &thread = *machine.current;
  if (!enter(machine, site, static_cast<WarpOp>(opNumber), mask))
    machine.leave();
  thread.op = static_cast<WarpOp>(opNumber);
  thread.site = site;
  thread.mask = mask;
  thread.value = value;
  thread.b = b;
  thread.c = c;
  thread.state = ThreadState::InWarpOp;
  machine.warps[thread.warp].waiting |= 1u << thread.lane;
  machine.tryWarp(thread);
  if (machine.failed)
    machine.leave();
  if (thread.state == ThreadState::InWarpOp)
    machine.wait();
  return thread.result;
}

/// The predicate that the thread's last operation gave besides its result.
uint32_t mlir::trace::simulator::readWarpPredicate() { return getMachine().current->predicate; }

/// Lanes that have not exited. On a device it is those that run together at the moment, which may be fewer.
uint32_t mlir::trace::simulator::readActiveMask() {
  Machine &machine = getMachine();
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint32_t index = machine.current->warp * warpSize + lane;
    if (index < machine.numThreads && machine.threads[index].state != ThreadState::Done)
      mask |= 1u << lane;
  }
  return mask;
}
