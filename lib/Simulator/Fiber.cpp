//===- Fiber.cpp - A stack that can be left and come back to ----------------===//
#include "Fiber.h"
#include <sys/mman.h>

using namespace mlir::trace::simulator;

#if defined(__x86_64__)
// Saves what a callee must preserve on the stack being left. The floating-point control words are not saved: whoever
// changes them changes them back before it lets another fiber run.
extern "C" void trace_sim_switch(void **save, void *load) __attribute__((visibility("hidden")));
asm(R"(
.pushsection .text
.p2align 4
.hidden trace_sim_switch
.globl trace_sim_switch
.type trace_sim_switch, @function
trace_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size trace_sim_switch, .-trace_sim_switch
.popsection
)");

void mlir::trace::simulator::prepareFiber(Fiber &fiber, char *stack, size_t size, void (*entry)()) {
  // The return address, below it the six registers. A function is entered with the stack 8 bytes off a multiple of 16.
  auto *top = reinterpret_cast<void **>(stack + size - 16);
  *--top = nullptr;
  *--top = reinterpret_cast<void *>(entry);
  for (int i = 0; i < 6; ++i)
    *--top = nullptr;
  fiber.stackPointer = top;
}

void mlir::trace::simulator::switchFiber(Fiber &from, Fiber &to) {
  trace_sim_switch(&from.stackPointer, to.stackPointer);
}
#else
void mlir::trace::simulator::prepareFiber(Fiber &fiber, char *stack, size_t size, void (*entry)()) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack;
  fiber.context.uc_stack.ss_size = size;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, entry, 0);
}

void mlir::trace::simulator::switchFiber(Fiber &from, Fiber &to) { swapcontext(&from.context, &to.context); }
#endif

FiberStacks::~FiberStacks() {
  if (memory)
    munmap(memory, count * (stackBytes + guardBytes));
}

bool FiberStacks::reserve(unsigned wanted) {
  if (wanted <= count)
    return true;
  if (memory)
    munmap(memory, count * (stackBytes + guardBytes));
  memory = nullptr;
  count = 0;
  void *mapped = mmap(nullptr, wanted * (stackBytes + guardBytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return false;
  memory = static_cast<char *>(mapped);
  count = wanted;
  for (unsigned i = 0; i < wanted; ++i)
    mprotect(memory + i * (stackBytes + guardBytes), guardBytes, PROT_NONE);
  return true;
}
