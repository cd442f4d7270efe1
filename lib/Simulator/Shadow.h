//===- Shadow.h - Who accessed which bytes last -----------------------------===//
#ifndef TRACE_LIB_SIMULATOR_SHADOW_H
#define TRACE_LIB_SIMULATOR_SHADOW_H

#include "Machine.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::trace::simulator {

/// An access to memory by one thread.
struct Access {
  uint32_t block = 0, site = 0;
  /// The block's epoch and the thread's clock at the time.
  uint32_t epoch = 0, clock = 0;
  uint16_t thread : 10;
  uint16_t valid : 1, atomic : 1;
  /// An atomic access that is not the first: other threads made some too, which nothing orders.
  uint16_t several : 1;

  Access() : thread(0), valid(false), atomic(false), several(false) {}
};
static_assert(maxThreadsPerBlock <= 1 << 10);

/// What is known of some neighbouring bytes: the last write, and two reads since (of different threads and, where there
/// are such, of different blocks). Any access that races with a forgotten read races with a remembered one too, as far
/// as barriers of blocks go; only among threads ordered by bar.warp.sync may a third reader be missed.
struct Cell {
  Access write;
  Access reads[2];
};

/// Cells for memory, kept in pages of 4 KiB. A page's cells are of the size of its first access, at most 16 bytes,
/// until something smaller is accessed.
class Shadow {
public:
  /// Forgets everything. Keeps the pages' memory for the same addresses, unless it has become much.
  void startAnew() {
    ++generation;
    if (pages.size() > 4096) {
      pages.clear();
      lastPage = nullptr;
    }
  }

  /// Looks at an access before it is remembered; returns the earlier access that it races with. An invariant load races
  /// with every write of the launch, ordered or not.
  const Access *touch(Machine &machine, uintptr_t address, uint64_t size, uint32_t site, SiteKind kind,
                      uintptr_t &where);

private:
  static constexpr unsigned pageBits = 12, maxShift = 4;
  /// The size of the cells that an access needs, as a power of two.
  static unsigned shiftOf(uintptr_t address, uint64_t size);
  struct Page {
    uint32_t generation = 0;
    unsigned shift = maxShift;
    std::vector<Cell> cells;
  };
  Page &getPage(uintptr_t number, unsigned shift);

  llvm::DenseMap<uintptr_t, std::unique_ptr<Page>> pages;
  Page *lastPage = nullptr;
  uintptr_t lastNumber = 0;
  uint32_t generation = 1;
};

} // namespace mlir::trace::simulator

#endif
