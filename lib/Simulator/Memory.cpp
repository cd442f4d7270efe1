//===- Memory.cpp - Device memory and the checks of accesses ----------------===//
#include "Shadow.h"
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using namespace mlir::trace::simulator;

namespace {
/// Memory that kernels may use.
struct Range {
  enum Kind { Allocation, Foreign, Global } kind = Foreign;
  uintptr_t start = 0;
  uint64_t bytes = 0;
  bool readOnly = false;
  std::string name;
  /// One byte for each, nonzero: written. Empty: all are.
  std::vector<uint8_t> written;

  bool contains(uintptr_t address) const { return address - start < bytes; }
};

struct Memory {
  std::mutex mutex;
  std::map<uintptr_t, Range> ranges;
  /// The range of the last access; most go to the same few.
  Range *last = nullptr;
  /// In a launch, by site: where its last access went to.
  struct Place {
    Range *range = nullptr;
    const SharedObject *object = nullptr;
  };
  std::vector<Place> places;
  Shadow global, shared;
  std::vector<uint8_t> sharedWritten = std::vector<uint8_t>(sharedArenaBytes);

  Range *find(uintptr_t address) {
    if (last && last->contains(address))
      return last;
    auto it = ranges.upper_bound(address);
    if (it == ranges.begin())
      return nullptr;
    Range &range = std::prev(it)->second;
    if (!range.contains(address))
      return nullptr;
    return last = &range;
  }
  /// Removes the ranges that [start, start + bytes) touches.
  void removeOverlaps(uintptr_t start, uint64_t bytes) {
    last = nullptr;
    auto it = ranges.upper_bound(start);
    if (it != ranges.begin() && std::prev(it)->second.contains(start))
      --it;
    while (it != ranges.end() && it->second.start < start + bytes)
      it = ranges.erase(it);
  }
  Range &add(Range::Kind kind, void *pointer, uint64_t bytes) {
    uintptr_t start = reinterpret_cast<uintptr_t>(pointer);
    removeOverlaps(start, bytes);
    Range &range = ranges[start];
    range.kind = kind;
    range.start = start;
    range.bytes = bytes;
    return range;
  }
};
} // namespace

static Memory &getMemory() {
  static Memory memory;
  return memory;
}

static std::string hex(uintptr_t value) { return "0x" + llvm::utohexstr(value, /*LowerCase=*/true); }

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// What cuMemAlloc promises. Addresses are aligned to this and to no more, so that who relies on more is found out.
static constexpr uint64_t allocationAlign = 256;

static char *allocationBlock(void *pointer) { return static_cast<char *>(pointer) - allocationAlign; }

void *mlir::trace::simulator::allocate(uint64_t bytes) {
  if (bytes > (uint64_t(1) << 46))
    return nullptr;
  Memory &memory = getMemory();
  // An odd multiple of the alignment, with a margin on both sides that belongs to nobody.
  uint64_t total = llvm::alignTo(bytes, 2 * allocationAlign) + 4 * allocationAlign;
  auto *block = static_cast<char *>(std::aligned_alloc(2 * allocationAlign, total));
  if (!block)
    return nullptr;
  std::memset(block, 0xff, total);
  std::lock_guard<std::mutex> lock(memory.mutex);
  Range &range = memory.add(Range::Allocation, block + allocationAlign, bytes);
  range.written.assign(bytes, 0);
  return block + allocationAlign;
}

bool mlir::trace::simulator::release(void *pointer) {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  auto it = memory.ranges.find(reinterpret_cast<uintptr_t>(pointer));
  if (it == memory.ranges.end() || it->second.kind != Range::Allocation)
    return false;
  memory.ranges.erase(it);
  memory.last = nullptr;
  std::free(allocationBlock(pointer));
  return true;
}

bool mlir::trace::simulator::findRange(const void *pointer, void **start, uint64_t *bytes) {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  Range *range = memory.find(reinterpret_cast<uintptr_t>(pointer));
  if (!range)
    return false;
  *start = reinterpret_cast<void *>(range->start);
  *bytes = range->bytes;
  return true;
}

void mlir::trace::simulator::registerRange(void *pointer, uint64_t bytes) {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  if (bytes)
    memory.add(Range::Foreign, pointer, bytes);
}

void mlir::trace::simulator::forgetRange(void *pointer) {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  auto it = memory.ranges.find(reinterpret_cast<uintptr_t>(pointer));
  if (it != memory.ranges.end() && it->second.kind == Range::Foreign)
    memory.ranges.erase(it);
  memory.last = nullptr;
}

void mlir::trace::simulator::forgetAllRanges() {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  memory.last = nullptr;
  for (auto it = memory.ranges.begin(); it != memory.ranges.end();)
    it = it->second.kind == Range::Foreign ? memory.ranges.erase(it) : std::next(it);
}

static void mark(Range &range, uintptr_t address, uint64_t bytes, bool written) {
  uint64_t offset = address - range.start;
  bytes = std::min(bytes, range.bytes - offset);
  if (range.written.empty()) {
    if (written)
      return;
    range.written.assign(range.bytes, 1);
  }
  std::memset(range.written.data() + offset, written, bytes);
}

void mlir::trace::simulator::markUninitialised(void *pointer, uint64_t bytes) {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  Range *range = memory.find(address);
  if (!range && bytes)
    range = &memory.add(Range::Foreign, pointer, bytes);
  if (range)
    mark(*range, address, bytes, false);
}

void mlir::trace::simulator::markInitialised(void *pointer, uint64_t bytes) {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (Range *range = memory.find(address))
    mark(*range, address, bytes, true);
}

void mlir::trace::simulator::copy(void *destination, const void *source, uint64_t bytes) {
  std::memmove(destination, source, bytes);
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  uintptr_t to = reinterpret_cast<uintptr_t>(destination), from = reinterpret_cast<uintptr_t>(source);
  Range *target = memory.find(to), *origin = memory.find(from);
  if (!target)
    return;
  mark(*target, to, bytes, true);
  if (!origin || origin->written.empty())
    return;
  if (target->written.empty())
    target->written.assign(target->bytes, 1);
  uint64_t at = to - target->start, fromAt = from - origin->start;
  uint64_t count = std::min({bytes, target->bytes - at, origin->bytes - fromAt});
  std::memmove(target->written.data() + at, origin->written.data() + fromAt, count);
}

void mlir::trace::simulator::registerGlobal(const Global &global) {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  if (!global.size)
    return;
  Range &range = memory.add(Range::Global, global.address, global.size);
  range.readOnly = global.constant;
  range.name = global.name;
}

void mlir::trace::simulator::forgetGlobal(const Global &global) {
  Memory &memory = getMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  memory.last = nullptr;
  auto it = memory.ranges.find(reinterpret_cast<uintptr_t>(global.address));
  if (it != memory.ranges.end() && it->second.kind == Range::Global)
    memory.ranges.erase(it);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

std::unique_lock<std::mutex> mlir::trace::simulator::lockMemory() { return std::unique_lock(getMemory().mutex); }

void mlir::trace::simulator::beginLaunchMemory(Machine &machine) {
  Memory &memory = getMemory();
  memory.global.startAnew();
  memory.places.assign(machine.getSites().size(), Memory::Place());
}

void mlir::trace::simulator::beginBlockMemory(Machine &machine) {
  const Kernel &kernel = *machine.kernel;
  uint64_t start = kernel.arenaStart;
  uint64_t bytes = kernel.arenaEnd - start + (kernel.usesDynamicShared ? machine.shape.dynamicShared : 0);
  if (bytes == 0)
    return;
  // The last block's values are not this one's; NaNs tell that they were read even where nothing is checked.
  std::memset(getSharedArena() + start, 0xff, bytes);
  Memory &memory = getMemory();
  std::memset(memory.sharedWritten.data() + start, 0, bytes);
  memory.shared.startAnew();
}

//===----------------------------------------------------------------------===//
// Checks. Each ends the launch from a frame that has nothing to destroy.
//===----------------------------------------------------------------------===//

static const char *nameOf(SiteKind kind) {
  return kind == SiteKind::Load ? "load" : kind == SiteKind::Store ? "store" : "atomic access";
}

static std::string describeAccess(const Site &site, uint64_t size) {
  std::string text = std::string(nameOf(site.kind)) + " of " + std::to_string(size) + (size == 1 ? " byte" : " bytes");
  if (site.parameter >= 0)
    text += " through parameter " + std::to_string(site.parameter);
  return text;
}

/// "0x10 (byte 4096 of an allocation of 4096 bytes)".
static std::string describeAddress(uintptr_t address, const Range *range) {
  std::string text = hex(address);
  if (!range)
    return text;
  int64_t offset = static_cast<int64_t>(address - range->start);
  std::string what = range->kind == Range::Allocation ? "an allocation"
                     : range->kind == Range::Foreign  ? "a registered range"
                                                      : "@" + range->name;
  return text + " (byte " + std::to_string(offset) + " of " + what + " of " + std::to_string(range->bytes) + " bytes)";
}

static std::string describeShared(uintptr_t address, const SharedObject *object, uint64_t bytes) {
  uint64_t offset = address - reinterpret_cast<uintptr_t>(getSharedArena());
  if (!object)
    return "shared memory outside every variable";
  return "byte " + std::to_string(static_cast<int64_t>(offset - object->offset)) + " of the shared variable @" +
         object->name + " of " + std::to_string(bytes) + " bytes";
}

static void reportAccess(Machine &machine, uint32_t site, uint64_t size, const std::string &what) {
  machine.setError(machine.where(*machine.current) + ": " + describeAccess(machine.getSites()[site], size) + " " +
                   what + machine.describe(site));
}

static void reportRace(Machine &machine, uint32_t site, uint64_t size, const std::string &place, const Access &other) {
  SiteKind kind = machine.getSites()[other.site].kind;
  reportAccess(machine, site, size,
               "of " + place + (kind == SiteKind::Atomic ? " races with an " : " races with a ") + nameOf(kind) +
                   " by " + machine.whereIs(other.block, other.thread) + machine.describe(other.site) + "; here");
}

/// The first of `size` bytes that is not written; `size`: all are.
static uint64_t findUnwritten(const uint8_t *written, uint64_t size) {
  const void *found = std::memchr(written, 0, size);
  return found ? static_cast<const uint8_t *>(found) - written : size;
}

static bool checkShared(Machine &machine, Memory &memory, uintptr_t address, uint64_t size, uint32_t siteIndex,
                        uintptr_t base) {
  const Site &site = machine.getSites()[siteIndex];
  uintptr_t arena = reinterpret_cast<uintptr_t>(getSharedArena());
  const SharedObject *object = nullptr;
  uint64_t objectBytes = 0, offset = address - arena;
  // The variable that the pointer comes from where that is known, else the one that it points into.
  uint64_t key = isShared(base) ? base - arena : offset;
  auto bytesOf = [&](const SharedObject &candidate) {
    return candidate.dynamic ? machine.shape.dynamicShared : candidate.size;
  };
  auto holds = [&](const SharedObject &candidate) {
    return key == candidate.offset || key - candidate.offset < bytesOf(candidate);
  };
  const SharedObject *&known = memory.places[siteIndex].object;
  if (known && holds(*known)) {
    object = known;
  } else {
    for (const SharedObject &candidate : getTables(*machine.kernel->program).shared)
      if (holds(candidate)) {
        object = known = &candidate;
        break;
      }
  }
  if (object)
    objectBytes = bytesOf(*object);
  if (!object || offset < object->offset || offset - object->offset + size > objectBytes) {
    reportAccess(machine, siteIndex, size, "is out of bounds: " + describeShared(address, object, objectBytes));
    return false;
  }
  if (site.kind != SiteKind::Store)
    if (uint64_t i = findUnwritten(memory.sharedWritten.data() + offset, size); i < size) {
      reportAccess(machine, siteIndex, size,
                   "reads what no thread has written: " + describeShared(address + i, object, objectBytes));
      return false;
    }
  uintptr_t where;
  if (const Access *race = memory.shared.touch(machine, address, size, siteIndex, site.kind, where)) {
    reportRace(machine, siteIndex, size, describeShared(where, object, objectBytes), *race);
    return false;
  }
  if (site.kind != SiteKind::Load)
    std::memset(memory.sharedWritten.data() + offset, 1, size);
  return true;
}

static bool checkGlobal(Machine &machine, Memory &memory, uintptr_t address, uint64_t size, uint32_t siteIndex,
                        uintptr_t base) {
  const Site &site = machine.getSites()[siteIndex];
  // A pointer that comes from a known range stays in it, wherever it points to; one of unknown origin is held to the
  // range that it points into.
  uintptr_t key = base ? base : address;
  Range *&known = memory.places[siteIndex].range, *range = known;
  if (!range || !range->contains(key))
    known = range = memory.find(key);
  if (address < 4096) {
    reportAccess(machine, siteIndex, size, "goes through a null pointer: " + hex(address));
    return false;
  }
  if (range && (address < range->start || address - range->start + size > range->bytes)) {
    reportAccess(machine, siteIndex, size, "is out of bounds: " + describeAddress(address, range));
    return false;
  }
  if (range && range->readOnly) {
    if (site.kind == SiteKind::Load)
      return true;
    reportAccess(machine, siteIndex, size, "writes to a constant: " + describeAddress(address, range));
    return false;
  }
  uint64_t offset = range ? address - range->start : 0;
  if (range && !range->written.empty() && site.kind != SiteKind::Store)
    if (uint64_t i = findUnwritten(range->written.data() + offset, size); i < size) {
      reportAccess(machine, siteIndex, size, "reads what nothing has written: " + describeAddress(address + i, range));
      return false;
    }
  uintptr_t where;
  if (const Access *other = memory.global.touch(machine, address, size, siteIndex, site.kind, where)) {
    if (site.invariant)
      reportAccess(machine, siteIndex, size,
                   "may be served from a read-only cache, but " + describeAddress(where, range) +
                       " was written in this launch by " + machine.whereIs(other->block, other->thread) +
                       machine.describe(other->site) + "; here");
    else
      reportRace(machine, siteIndex, size, describeAddress(where, range), *other);
    return false;
  }
  if (range && !range->written.empty() && site.kind != SiteKind::Load)
    std::memset(range->written.data() + offset, 1, size);
  return true;
}

static bool checkOne(Machine &machine, uintptr_t address, uint64_t size, uint32_t siteIndex, uintptr_t base) {
  const Site &site = machine.getSites()[siteIndex];
  if (size == 0)
    return true;
  if (address % site.align != 0) {
    reportAccess(machine, siteIndex, size,
                 "is misaligned: " + hex(address) + " is not a multiple of " + std::to_string(site.align));
    return false;
  }
  Memory &memory = getMemory();
  if (isShared(base ? base : address))
    return checkShared(machine, memory, address, size, siteIndex, base);
  if (machine.stacks.contains(address))
    return true;
  return checkGlobal(machine, memory, address, size, siteIndex, base);
}

/// Called before each access. `base` is where the pointer comes from (a parameter, a variable) or null.
static void checkAccess(uintptr_t address, uint64_t size, uint32_t site, uintptr_t base) {
  Machine &machine = getMachine();
  if (!checkOne(machine, address, size, site, base))
    machine.leave();
}

std::vector<std::pair<llvm::StringRef, void *>> mlir::trace::simulator::getMemorySymbols() {
  return {{"trace_sim_check", reinterpret_cast<void *>(checkAccess)}};
}
