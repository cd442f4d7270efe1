//===- Faults.cpp - Accesses that the host cannot make ----------------------===//
#include "Faults.h"
#include "Machine.h"

using namespace mlir::trace::simulator;

#if defined(__x86_64__) && defined(__linux__)
static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
static struct sigaction oldActions[4];
static uintptr_t faultAddress;
static int faultSignal;

/// Where the thread goes on after a fault: on its own stack, from which everything has been dropped.
static void reportFault() {
  Machine &machine = getMachine();
  std::string text = machine.where(*machine.current);
  // A push onto a full stack faults in the page below it.
  if (machine.stacks.contains(faultAddress))
    text += ": the thread's stack is full (" + std::to_string(FiberStacks::stackBytes) + " bytes)";
  else if (faultSignal == SIGSEGV || faultSignal == SIGBUS)
    text += ": access to address 0x" + llvm::utohexstr(faultAddress, /*LowerCase=*/true) + ", which is not mapped";
  else
    text += ": an instruction that the host cannot execute";
  machine.setError(text);
  text = std::string();
  machine.leave();
}

static void handleFault(int signal, siginfo_t *info, void *contextPointer) {
  auto *context = static_cast<ucontext_t *>(contextPointer);
  Machine &machine = getMachine();
  uintptr_t stackPointer = context->uc_mcontext.gregs[REG_RSP];
  if (!machine.kernel || !machine.current || !machine.stacks.contains(stackPointer)) {
    // Not ours: let it happen again under the handler of before.
    for (int i = 0; i < 4; ++i)
      if (signals[i] == signal)
        sigaction(signal, &oldActions[i], nullptr);
    return;
  }
  faultAddress = reinterpret_cast<uintptr_t>(info->si_addr);
  faultSignal = signal;
  char *top = machine.stacks.getStack(machine.current->index) + FiberStacks::stackBytes;
  context->uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(top - 24);
  context->uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(reportFault);
}

FaultGuard::FaultGuard() {
  // The handler cannot run on a thread's stack, which may be full.
  static char handlerStack[64 * 1024];
  stack_t stack = {};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof(handlerStack);
  sigaltstack(&stack, &oldStack);
  struct sigaction action = {};
  action.sa_sigaction = handleFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int i = 0; i < 4; ++i)
    sigaction(signals[i], &action, &oldActions[i]);
}

FaultGuard::~FaultGuard() {
  for (int i = 0; i < 4; ++i)
    sigaction(signals[i], &oldActions[i], nullptr);
  sigaltstack(&oldStack, nullptr);
}
#else
FaultGuard::FaultGuard() = default;
FaultGuard::~FaultGuard() = default;
#endif
