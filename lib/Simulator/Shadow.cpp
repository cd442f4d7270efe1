//===- Shadow.cpp - Who accessed which bytes last ---------------------------===//
#include "Shadow.h"
#include "llvm/ADT/bit.h"

using namespace mlir::trace::simulator;

/// Whether `access` came before what the running thread does now, by program order, a barrier of the block or a
/// synchronisation of the warp.
static bool isOrdered(const Machine &machine, const Access &access) {
  const Thread &thread = *machine.current;
  if (access.block != machine.blockIndex)
    return false;
  if (access.thread == thread.index || access.epoch != machine.epoch)
    return true;
  const Thread &other = machine.threads[access.thread];
  return other.warp == thread.warp && thread.seen[other.lane] > access.clock;
}

static bool isSameThread(const Access &a, const Access &b) { return a.block == b.block && a.thread == b.thread; }

Shadow::Page &Shadow::getPage(uintptr_t number, unsigned shift) {
  if (!lastPage || lastNumber != number) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
      page = std::make_unique<Page>();
    lastPage = page.get();
    lastNumber = number;
  }
  Page &page = *lastPage;
  if (page.generation != generation) {
    page.generation = generation;
    page.shift = std::min(page.shift, shift);
    page.cells.assign(size_t(1) << (pageBits - page.shift), Cell());
  } else if (shift < page.shift) {
    std::vector<Cell> finer;
    finer.reserve(size_t(1) << (pageBits - shift));
    for (const Cell &cell : page.cells)
      finer.insert(finer.end(), size_t(1) << (page.shift - shift), cell);
    page.cells = std::move(finer);
    page.shift = shift;
  }
  return page;
}

unsigned Shadow::shiftOf(uintptr_t address, uint64_t size) {
  return llvm::countr_zero(address | size | (uintptr_t(1) << maxShift));
}

static void rememberRead(const Machine &machine, Cell &cell, const Access &access) {
  Access *reads = cell.reads;
  for (int i = 0; i < 2; ++i)
    if (!reads[i].valid || isSameThread(reads[i], access)) {
      reads[i] = access;
      return;
    }
  for (int i = 0; i < 2; ++i)
    if (isOrdered(machine, reads[i])) {
      reads[i] = access;
      return;
    }
  if (reads[0].block == reads[1].block && access.block != reads[0].block)
    reads[1] = access;
}

const Access *Shadow::touch(Machine &machine, uintptr_t address, uint64_t size, uint32_t site, SiteKind kind,
                            uintptr_t &where) {
  Access access;
  access.block = machine.blockIndex;
  access.site = site;
  access.epoch = machine.epoch;
  access.clock = machine.current->clock;
  access.thread = machine.current->index;
  access.valid = true;
  access.atomic = kind == SiteKind::Atomic;
  bool invariant = machine.getSites()[site].invariant;

  unsigned shift = shiftOf(address, size);
  for (uintptr_t at = address, end = address + size; at < end;) {
    uintptr_t number = at >> pageBits, pageEnd = std::min<uintptr_t>(end, (number + 1) << pageBits);
    Page &page = getPage(number, shift);
    size_t offset = at & ((uintptr_t(1) << pageBits) - 1);
    for (size_t i = offset >> page.shift; at < pageEnd; ++i, at += uintptr_t(1) << page.shift) {
      Cell &cell = page.cells[i];
      where = at;
      Access &write = cell.write;
      bool ordered = !write.valid || isOrdered(machine, write);
      bool both = write.atomic && access.atomic;
      if (write.valid && invariant)
        return &write;
      if (!both && (!ordered || (write.valid && write.several && write.epoch == machine.epoch)))
        return &write;
      if (kind == SiteKind::Load) {
        rememberRead(machine, cell, access);
        continue;
      }
      for (const Access &read : cell.reads)
        if (read.valid && !isOrdered(machine, read))
          return &read;
      bool several = both && (write.several || !ordered);
      write = access;
      write.several = several;
    }
  }
  return nullptr;
}
