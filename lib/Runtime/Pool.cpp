//===- Pool.cpp - The caching buffer pool -----------------------------------===//
//
// Fresh pages are the largest hidden cost of memory-bound kernels on CPU (about 2 us per 4 KiB page), so buffers are
// kept for reuse. Sizes are rounded up to classes (eight per power of two, so at most 12.5 % is lost); a free buffer
// serves a request of its own class or of the few below. Buffers of 2 MiB and more are mapped on their own, at a huge
// page's boundary, and ask for huge pages; smaller ones come from aligned_alloc. Large buffers start at different
// offsets within a page ("colours"): streams at equal offsets would fight for the same cache sets and make loads wait
// for unrelated stores.
//
// What is kept is bounded: before a large buffer is mapped, kept large buffers are unmapped, oldest first, until
// the pool's reservation is within a quarter of the greatest use so far.
//
// A buffer has a header of 64 bytes right before it, with its class; so freeing needs no table.
//
//===----------------------------------------------------------------------===//
#include "Support.h"
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace {

constexpr int64_t headerBytes = 64, pageBytes = 4096;
constexpr int64_t largeBytes = int64_t(2) << 20;
constexpr int stepsPerPower = 8;
/// A kept buffer may serve a request up to this many classes below its own (4 of 8 steps: 1.5 times the size).
constexpr int reuseSteps = 4;
/// Kept memory below this is never worth unmapping.
constexpr int64_t slackBytes = int64_t(64) << 20;
constexpr uint64_t liveMark = 0x7472616365627566, freeMark = 0x6672656562756666;

struct Header {
  uint64_t mark;
  int32_t sizeClass;
  int64_t blockBytes; // all that the system gave for it
  void *block;        // where that starts
  void *buffer;       // the address right behind the header
};
static_assert(sizeof(Header) <= headerBytes);

/// Sizes 64, 128, .. 512 are classes 0..7; above, eight classes per power of two.
int classOf(int64_t bytes) {
  if (bytes <= 512)
    return bytes <= 64 ? 0 : static_cast<int>((bytes + 63) / 64) - 1;
  int power = 63 - __builtin_clzll(static_cast<uint64_t>(bytes - 1)); // 2^power < bytes <= 2^(power+1)
  int64_t step = int64_t(1) << (power - 3);
  int index = static_cast<int>((bytes - (int64_t(1) << power) + step - 1) / step); // 1..8
  return stepsPerPower * (power - 8) + index - 1;
}

int64_t sizeOf(int sizeClass) {
  if (sizeClass < stepsPerPower)
    return 64 * (sizeClass + 1);
  int power = sizeClass / stepsPerPower + 8;
  return (int64_t(1) << power) + (int64_t(sizeClass % stepsPerPower) + 1) * (int64_t(1) << (power - 3));
}

class Pool {
public:
  void *allocate(int64_t bytes) {
    if (bytes < 0 || bytes > (int64_t(1) << 60))
      return nullptr;
    int wanted = classOf(bytes);
    std::lock_guard<std::mutex> lock(mutex);
    ++stats.requests;
    int last = sizeOf(wanted) >= largeBytes ? wanted + reuseSteps : wanted;
    for (int c = wanted; c <= last && c < static_cast<int>(kept.size()); ++c) {
      if (kept[c].empty())
        continue;
      Header *header = kept[c].back();
      kept[c].pop_back();
      ++stats.hits;
      return hand(header);
    }
    if (sizeOf(wanted) >= largeBytes)
      trim(sizeOf(wanted));
    Header *header = obtain(sizeOf(wanted));
    if (!header) {
      releaseAll();
      header = obtain(sizeOf(wanted));
      if (!header)
        return nullptr;
    }
    stats.reserved += header->blockBytes;
    header->sizeClass = wanted;
    return hand(header);
  }

  void free(void *buffer) {
    auto *header = reinterpret_cast<Header *>(static_cast<char *>(buffer) - headerBytes);
    if (header->mark != liveMark)
      std::abort(); // freed twice, or not ours: memory is corrupt
    std::lock_guard<std::mutex> lock(mutex);
    header->mark = freeMark;
    stats.allocated -= header->blockBytes;
    if (stats.cap >= 0 && stats.reserved - stats.allocated > stats.cap) {
      giveBack(header);
      return;
    }
    if (header->sizeClass >= static_cast<int>(kept.size()))
      kept.resize(header->sizeClass + 1);
    kept[header->sizeClass].push_back(header);
  }

  void empty() {
    std::lock_guard<std::mutex> lock(mutex);
    releaseAll();
  }

  void setCap(int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    stats.cap = bytes;
    if (bytes >= 0 && stats.reserved - stats.allocated > bytes)
      releaseAll();
  }

  TracePoolStats getStats() {
    std::lock_guard<std::mutex> lock(mutex);
    return stats;
  }

  void resetPeak() {
    std::lock_guard<std::mutex> lock(mutex);
    stats.peak = stats.allocated;
  }

private:
  void *hand(Header *header) {
    header->mark = liveMark;
    header->buffer = reinterpret_cast<char *>(header) + headerBytes;
    stats.allocated += header->blockBytes;
    stats.peak = std::max(stats.peak, stats.allocated);
    greatest = std::max(greatest, stats.allocated);
    return header->buffer;
  }

  Header *obtain(int64_t bytes) {
    if (bytes < largeBytes) {
      void *block = std::aligned_alloc(64, bytes + headerBytes);
      if (!block)
        return nullptr;
      auto *header = static_cast<Header *>(block);
      header->block = block;
      header->blockBytes = bytes + headerBytes;
      return header;
    }
    // A page for the header, the data from a huge page's boundary on, a page that the colour may use up.
    int64_t blockBytes = (pageBytes + bytes + pageBytes - 1) / pageBytes * pageBytes + pageBytes;
    size_t mapped = blockBytes + largeBytes;
    void *memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    auto address = reinterpret_cast<uintptr_t>(memory);
    uintptr_t boundary = (address + pageBytes + largeBytes - 1) / largeBytes * largeBytes;
    uintptr_t start = boundary - pageBytes, end = start + blockBytes;
    if (start != address)
      munmap(memory, start - address);
    if (end != address + mapped)
      munmap(reinterpret_cast<void *>(end), address + mapped - end);
    madvise(reinterpret_cast<void *>(boundary), end - boundary, MADV_HUGEPAGE);
    colour = (colour + 11) % (pageBytes / 64);
    auto *header = reinterpret_cast<Header *>(boundary + colour * 64 - headerBytes);
    header->block = reinterpret_cast<void *>(start);
    header->blockBytes = blockBytes;
    return header;
  }

  void giveBack(Header *header) {
    stats.reserved -= header->blockBytes;
    if (header->block == header)
      std::free(header);
    else
      munmap(header->block, header->blockBytes);
  }

  void releaseAll() {
    for (auto &list : kept) {
      for (Header *header : list)
        giveBack(header);
      list.clear();
    }
  }

  /// Before `more` bytes are mapped: unmaps kept large buffers until reservation stays near the greatest use.
  void trim(int64_t more) {
    int64_t need = std::max(greatest, stats.allocated + more);
    int64_t limit = need + need / 4 + slackBytes;
    int firstLarge = classOf(largeBytes);
    for (int c = static_cast<int>(kept.size()) - 1; c >= firstLarge && stats.reserved + more > limit; --c)
      while (!kept[c].empty() && stats.reserved + more > limit) {
        giveBack(kept[c].front());
        kept[c].pop_front();
      }
  }

  std::mutex mutex;
  std::vector<std::deque<Header *>> kept; // by class
  TracePoolStats stats = {0, 0, 0, -1, 0, 0};
  int64_t greatest = 0;
  int64_t colour = 0;
};

/// Never destroyed: tensors may outlive every static object.
Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

} // namespace

using namespace trace_rt;

bool trace_rt::isPoolBuffer(const void *pointer) {
  auto *header = reinterpret_cast<const Header *>(static_cast<const char *>(pointer) - headerBytes);
  return header->mark == liveMark && header->buffer == pointer;
}

void *trace_rt::poolAllocate(int64_t bytes) { return pool().allocate(bytes); }
void trace_rt::poolFree(void *buffer) {
  if (buffer)
    pool().free(buffer);
}
void *trace_rt_scratch(int64_t bytes) { return poolAllocate(bytes); }
void trace_rt_scratch_free(void *buffer) { poolFree(buffer); }
void trace_rt_pool_stats(TracePoolStats *stats) { *stats = pool().getStats(); }
void trace_rt_pool_reset_peak(void) { pool().resetPeak(); }
void trace_rt_pool_empty(void) { pool().empty(); }
void trace_rt_pool_set_cap(int64_t bytes) { pool().setCap(bytes); }
