//===- Context.cpp - What an executable prepares once -----------------------===//
#include "Support.h"
#include <cstring>
#include <memory>
#include <vector>

using namespace trace_rt;

namespace {

enum SlotKind : int64_t { Call = 0, Constant = 1, BackLink = 2 };

/// Compiled code sees the slots after the first, which leads back here.
struct Context {
  std::vector<void *> slots;
  std::vector<int64_t> kinds;

  Context() : slots{this}, kinds{BackLink} {}
  ~Context() {
    for (size_t i = 0; i < slots.size(); ++i) {
      if (kinds[i] == Call)
        trace_rt_call_free(slots[i]);
      else if (kinds[i] == Constant)
        trace_rt_delete(slots[i]);
    }
  }
};

} // namespace

static int makeSlot(const TraceTableEntry &entry, void **slot) {
  if (entry.kind == Call)
    return trace_rt_call_create(entry.text, slot);
  void *data = nullptr;
  if (trace_rt_empty(entry.desc, slot, &data))
    return 1;
  // A tensor without elements has no address.
  if (data)
    std::memcpy(data, entry.data, entry.desc->bytes);
  return 0;
}

int trace_rt_context_create(const TraceTableEntry *entries, int64_t count, void **out) {
  return guarded([&] {
    auto context = std::make_unique<Context>();
    for (int64_t i = 0; i < count; ++i) {
      void *slot = nullptr;
      if (makeSlot(entries[i], &slot))
        return 1;
      context->slots.push_back(slot);
      context->kinds.push_back(entries[i].kind);
    }
    *out = context.release()->slots.data() + 1;
    return 0;
  });
}

void trace_rt_context_free(void *context) {
  if (context)
    delete static_cast<Context *>(static_cast<void **>(context)[-1]);
}
