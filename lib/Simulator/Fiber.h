//===- Fiber.h - A stack that can be left and come back to ------------------===//
#ifndef TRACE_LIB_SIMULATOR_FIBER_H
#define TRACE_LIB_SIMULATOR_FIBER_H

#include <cstddef>
#include <cstdint>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace mlir::trace::simulator {

/// Where a stack stands while another one runs.
struct Fiber {
#if defined(__x86_64__)
  void *stackPointer = nullptr;
#else
  ucontext_t context;
#endif
};

/// Makes `fiber` start in `entry`, which must never return, on the stack of `size` bytes from `stack` upwards.
void prepareFiber(Fiber &fiber, char *stack, size_t size, void (*entry)());
/// Leaves the running stack in `from` and goes on with `to`.
void switchFiber(Fiber &from, Fiber &to);

/// Equal stacks in one mapping, each with a page below it that cannot be touched.
class FiberStacks {
public:
  static constexpr size_t stackBytes = 128 * 1024;
  static constexpr size_t guardBytes = 4096;

  ~FiberStacks();
  /// At least `count` stacks; false if the system has no memory for them.
  bool reserve(unsigned count);
  char *getStack(unsigned i) const { return memory + i * (stackBytes + guardBytes) + guardBytes; }
  bool contains(uintptr_t address) const {
    return address - reinterpret_cast<uintptr_t>(memory) < count * (stackBytes + guardBytes);
  }

private:
  char *memory = nullptr;
  size_t count = 0;
};

} // namespace mlir::trace::simulator

#endif
