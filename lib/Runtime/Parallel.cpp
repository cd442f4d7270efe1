//===- Parallel.cpp - Ranges on ATen's threads ------------------------------===//
#include "Support.h"
#include <torch/csrc/stable/c/shim.h>

namespace {
struct Job {
  TraceKernel kernel;
  void **args;
};
} // namespace

static void runRange(int64_t lo, int64_t hi, void *context) {
  auto *job = static_cast<Job *>(context);
  uint32_t thread = 0;
  torch_get_thread_idx(&thread);
  job->kernel(job->args, lo, hi, thread);
}

void trace_rt_parallel_for(TraceKernel kernel, void **args, int64_t extent, int64_t grain) {
  if (extent <= 0)
    return;
  if (extent <= grain) {
    kernel(args, 0, extent, 0);
    return;
  }
  Job job = {kernel, args};
  torch_parallel_for(0, extent, grain < 1 ? 1 : grain, runRange, &job);
}

int64_t trace_rt_num_threads(void) {
  uint32_t count = 1;
  torch_get_num_threads(&count);
  return count;
}
