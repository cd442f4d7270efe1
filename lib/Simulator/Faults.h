//===- Faults.h - Accesses that the host cannot make ------------------------===//
#ifndef TRACE_LIB_SIMULATOR_FAULTS_H
#define TRACE_LIB_SIMULATOR_FAULTS_H

#include <csignal>

namespace mlir::trace::simulator {

/// While it lives, a fault in a thread of the running launch (an address that is not mapped, a stack that is full) ends
/// the launch with an error instead of the process. Faults anywhere else go where they went before.
class FaultGuard {
public:
  FaultGuard();
  ~FaultGuard();

private:
#if defined(__x86_64__) && defined(__linux__)
  stack_t oldStack;
#endif
};

} // namespace mlir::trace::simulator

#endif
