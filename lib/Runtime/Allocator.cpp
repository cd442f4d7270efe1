//===- Allocator.cpp - LibTorch's own allocations from the pool (C++) -------===//
//
// Results of library operators are allocated inside LibTorch. While a compiled function runs (PoolScope), its thread's
// CPU allocations come from our pool; everywhere else, eager code included, the allocator that was there serves them.
// Every buffer carries its own deleter, so it does not matter who frees it, when, or on which thread.
//
//===----------------------------------------------------------------------===//
#include "Support.h"
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <cstring>

using namespace trace_rt;

static thread_local bool fromPool = false;

namespace {

class PoolAllocator final : public c10::Allocator {
public:
  explicit PoolAllocator(c10::Allocator *previous) : previous(previous) {}

  c10::DataPtr allocate(size_t bytes) override {
    if (!fromPool)
      return previous->allocate(bytes);
    void *buffer = poolAllocate(static_cast<int64_t>(bytes));
    TORCH_CHECK_WITH(OutOfMemoryError, buffer, "torch-trace's pool cannot allocate ", bytes, " bytes");
    return {buffer, buffer, poolFree, c10::Device(c10::DeviceType::CPU)};
  }

  // Raw pointers (oneDNN's scratch memory) come without their deleter, perhaps long after they were allocated: this
  // one tells whose they are.
  c10::DeleterFnPtr raw_deleter() const override { return freeRaw; }

  void copy_data(void *dest, const void *src, std::size_t count) const override { std::memcpy(dest, src, count); }

private:
  static void freeRaw(void *pointer);
  c10::Allocator *previous;
};

} // namespace

static c10::Allocator *previousAllocator = nullptr;
/// Never destroyed: tensors may outlive every static object.
static PoolAllocator *poolAllocator = nullptr;

void PoolAllocator::freeRaw(void *pointer) {
  if (!pointer)
    return;
  if (isPoolBuffer(pointer))
    poolFree(pointer);
  else
    previousAllocator->raw_deleter()(pointer);
}

/// Installed once, for the life of the process.
static void install() {
  static bool installed = [] {
    previousAllocator = c10::GetAllocator(c10::DeviceType::CPU);
    poolAllocator = new PoolAllocator(previousAllocator);
    c10::SetAllocator(c10::DeviceType::CPU, poolAllocator, /*priority=*/255);
    return true;
  }();
  (void)installed;
}

PoolScope::PoolScope() : previous(fromPool) {
  install();
  fromPool = true;
}
PoolScope::~PoolScope() { fromPool = previous; }
