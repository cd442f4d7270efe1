//===- State.h - What stands behind the driver's handles --------------------===//
#ifndef TRACE_LIB_EMULATEDCUDA_STATE_H
#define TRACE_LIB_EMULATEDCUDA_STATE_H

#include "CudaTypes.h"
#include "trace/Simulator/Simulator.h"
#include <functional>
#include <vector>

struct CUmod_st {
  std::shared_ptr<mlir::trace::simulator::Program> program;
  std::vector<struct CUfunc_st *> functions;
};

struct CUfunc_st {
  CUmodule module;
  const mlir::trace::simulator::Kernel *kernel;
  int maxDynamicShared;
};

/// A stream does everything at once, or, while it is captured, remembers it.
struct CUstream_st {
  CUgraph capture = nullptr;
};

struct CUevent_st {
  double seconds = -1;
};

struct CUgraph_st {
  std::vector<std::function<CUresult()>> nodes;
};
struct CUgraphExec_st {
  std::vector<std::function<CUresult()>> nodes;
};

namespace mlir::trace::emulated {

/// Remembers why a call failed, for trace_emulated_cuda_error of the same thread, and returns `code`.
CUresult fail(CUresult code, const llvm::Twine &why);
/// Null for the default stream, which cannot be captured.
CUstream_st *getStream(CUstream stream);
/// Does `work` now, or when the graph is launched that the stream is captured into.
CUresult enqueue(CUstream stream, std::function<CUresult()> work);
/// The address of an emulated function, or null.
void *lookupFunction(llvm::StringRef name);

} // namespace mlir::trace::emulated

#endif
