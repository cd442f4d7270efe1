//===- Context.cpp - What an executable prepares once -----------------------===//
//
// A context has what the entries of a table become on each device that it runs on: prepared calls, constants, loaded
// modules and their kernels.
//
//===----------------------------------------------------------------------===//
#include "Context.h"
#include "CudaDriver.h"
#include "Support.h"
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

using namespace trace_rt;

namespace {

enum SlotKind : int64_t { Call = 0, Constant = 1, Module = 2, Kernel = 3, BackLink = 4 };

struct Context;

/// Compiled code sees the slots after the first, which leads back here.
struct DeviceState {
  Context *context;
  const CudaDevice *device; // null for the CPU
  std::vector<void *> slots;
  std::vector<int64_t> kinds;
  /// PyTorch's numbers of the streams where functions have run; of a CUDA device only.
  std::vector<int64_t> streams;
  std::mutex mutex;

  DeviceState(Context *context, const CudaDevice *device)
      : context(context), device(device), slots{this}, kinds{BackLink} {}
  ~DeviceState();
  int fill();
  int makeSlot(const TraceTableEntry &entry, void **slot);
  void noteStream(int64_t stream);
};

struct Context {
  const TraceTableEntry *entries;
  int64_t count;
  int32_t kind;
  std::mutex mutex;
  std::vector<std::unique_ptr<DeviceState>> states; // the first is the one that it was created for
};

} // namespace

DeviceState::~DeviceState() {
  // Constants may still be read on streams that they were not allocated on.
  if (device && device->kind == TRACE_DEVICE_CUDA)
    for (size_t i = 0; i < slots.size(); ++i)
      if (kinds[i] == Constant)
        for (int64_t stream : streams)
          recordStream(slots[i], stream, device->index);
  // Kernels come behind their modules.
  for (size_t i = slots.size(); i-- > 0;) {
    if (kinds[i] == Call)
      trace_rt_call_free(slots[i]);
    else if (kinds[i] == Constant)
      trace_rt_delete(slots[i]);
    else if (kinds[i] == Kernel)
      delete static_cast<CudaKernel *>(slots[i]);
    else if (kinds[i] == Module)
      unloadModule(*device, static_cast<CUmodule>(slots[i]));
  }
}

static int makeConstant(const TraceTableEntry &entry, void **slot) {
  void *data = nullptr;
  if (trace_rt_empty(entry.desc, slot, &data))
    return 1;
  // A tensor without elements has no address.
  if (!data)
    return 0;
  if (here().kind == TRACE_DEVICE_CUDA)
    return copyFromHost(*slot, entry.data, entry.desc->bytes);
  std::memcpy(data, entry.data, entry.desc->bytes);
  return 0;
}

int DeviceState::makeSlot(const TraceTableEntry &entry, void **slot) {
  switch (entry.kind) {
  case Call:
    return trace_rt_call_create(entry.text, slot);
  case Constant:
    return makeConstant(entry, slot);
  case Module: {
    if (!device)
      return fail(std::string("the device module ") + entry.text + " is in an executable that was loaded for the CPU");
    CUmodule module = nullptr;
    if (loadModule(*device, entry.text, *static_cast<const TraceDeviceModule *>(entry.data), &module))
      return 1;
    *slot = module;
    return 0;
  }
  case Kernel: {
    const auto *launch = static_cast<const TraceDeviceKernel *>(entry.data);
    auto kernel = std::make_unique<CudaKernel>();
    kernel->device = device;
    kernel->name = entry.text;
    kernel->launch = launch;
    if (findKernel(*device, static_cast<CUmodule>(slots[launch->module + 1]), entry.text, &kernel->function))
      return 1;
    *slot = kernel.release();
    return 0;
  }
  default:
    return fail("a table has an entry of the unknown kind " + std::to_string(entry.kind));
  }
}

int DeviceState::fill() {
  for (int64_t i = 0; i < context->count; ++i) {
    void *slot = nullptr;
    int failed = makeSlot(context->entries[i], &slot);
    // A constant that could not be filled is there all the same.
    if (slot) {
      slots.push_back(slot);
      kinds.push_back(context->entries[i].kind);
    }
    if (failed)
      return 1;
  }
  return 0;
}

void DeviceState::noteStream(int64_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  for (int64_t known : streams)
    if (known == stream)
      return;
  streams.push_back(stream);
}

static DeviceState &stateOf(void *context) { return *static_cast<DeviceState *>(static_cast<void **>(context)[-1]); }

/// With the device entered.
static DeviceState *addState(Context &context, const CudaDevice *device) {
  auto state = std::make_unique<DeviceState>(&context, device);
  if (state->fill())
    return nullptr;
  context.states.push_back(std::move(state));
  return context.states.back().get();
}

int32_t trace_rt::getContextDevice(void *context) { return stateOf(context).context->kind; }

void *trace_rt::enterContext(void *given, int index, DeviceScope &scope) {
  DeviceState *state = &stateOf(given);
  Context &context = *state->context;
  if (index < 0)
    index = state->device->index;
  if (scope.enter(context.kind, index))
    return nullptr;
  if (state->device != here().device) {
    std::lock_guard<std::mutex> lock(context.mutex);
    state = nullptr;
    for (auto &each : context.states)
      if (each->device == here().device)
        state = each.get();
    if (!state && !(state = addState(context, here().device)))
      return nullptr;
  }
  if (context.kind == TRACE_DEVICE_CUDA)
    state->noteStream(here().streamId);
  return state->slots.data() + 1;
}

int trace_rt_context_create(const TraceTableEntry *entries, int64_t count, int32_t device, int32_t index, void **out) {
  return guarded([&] {
    auto context = std::make_unique<Context>();
    context->entries = entries;
    context->count = count;
    context->kind = device;
    DeviceScope scope;
    if (device != TRACE_DEVICE_CPU && scope.enter(device, index))
      return 1;
    DeviceState *state = addState(*context, here().device);
    if (!state)
      return 1;
    *out = state->slots.data() + 1;
    (void)context.release();
    return 0;
  });
}

void trace_rt_context_free(void *context) {
  if (context)
    delete stateOf(context).context;
}
