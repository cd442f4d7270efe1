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
  uint16_t thread = 0;
  bool valid = false, atomic = false;
  /// An atomic access that is not the first: other threads made some too, which nothing orders.
  bool several = false;
};

/// What is known of some neighbouring bytes: the last write, and two reads since (of different threads and, where there
/// are such, of different blocks). Any access that races with a forgotten read races with a remembered one too, as far
/// as barriers of blocks go; only among threads ordered by bar.warp.sync may a third reader be missed.
struct Cell {
  Access write;
  Access reads[2];
};

/// Cells for memory, kept in pages of 4 KiB. A page has one cell for four bytes until something smaller is accessed.
class Shadow {
public:
  /// Drops everything.
  void clear() { pages.clear(), lastPage = nullptr; }
  /// The same, but keeps the pages' memory.
  void startAnew() { ++generation; }

  /// Looks at an access before it is remembered; returns the earlier access that it races with.
  const Access *touch(Machine &machine, uintptr_t address, uint64_t size, uint32_t site, SiteKind kind,
                      uintptr_t &where);
  /// Whether one of the bytes has been written since the start; `access` is the write.
  bool wasWritten(uintptr_t address, uint64_t size, Access &access);

private:
  static constexpr unsigned pageBits = 12;
  struct Page {
    uint32_t generation = 0;
    unsigned shift = 2;
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
