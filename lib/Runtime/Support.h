//===- Support.h - Shared by the runtime's files ----------------------------===//
#ifndef TRACE_LIB_RUNTIME_SUPPORT_H
#define TRACE_LIB_RUNTIME_SUPPORT_H

#include "trace/Runtime/Runtime.h"
#include <exception>
#include <string>

namespace trace_rt {

/// Sets the thread's message; returns 1, so that a function can `return fail(...)`.
int fail(std::string message);

/// Runs `body` (which returns an int) and makes a failure of any exception.
template <typename Body> int guarded(Body &&body) {
  try {
    return body();
  } catch (const std::exception &error) {
    return fail(error.what());
  } catch (...) {
    return fail("unknown error");
  }
}

/// Why the last call of a stable C function failed on this thread (torch >= 2.13 says so; before, a general text).
std::string lastTorchError();

/// Torch's number of an element type of ours.
int32_t torchType(int32_t elementType);
/// "float32", for messages.
const char *elementTypeName(int32_t elementType);

/// The CPU's buffers, wherever the thread's function runs.
void *poolAllocate(int64_t bytes);
void poolFree(void *buffer); // null is allowed
/// `pointer`, 64-byte aligned and from any allocator that keeps a header of its own, is a live buffer of the pool.
bool isPoolBuffer(const void *pointer);

/// While one lives, LibTorch's CPU allocations of this thread come from the pool.
class PoolScope {
public:
  PoolScope();
  ~PoolScope();
  PoolScope(const PoolScope &) = delete;
  PoolScope &operator=(const PoolScope &) = delete;

private:
  bool previous;
};

} // namespace trace_rt

#endif
