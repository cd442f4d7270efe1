//===- CompiledGraph.h - From a captured module to functions that run -------===//
//
// What the Python front end holds for each graph that Dynamo hands it: the IR of every stage, a report, and compiled
// forward and backward functions. The forward is compiled at once; a backward is compiled at its first use, for the
// set of cotangents that are really there (an unused output then costs nothing).
//
// Offline (CompileOptions::load is false), both are lowered at once, to data: what the host does as JSON, and the
// images of the kernels. Nothing is compiled for this machine or loaded then, and nothing can be run.
//
// Not thread safe for one graph; different graphs may be compiled from different threads only if their modules stand
// in different contexts.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_DRIVER_COMPILEDGRAPH_H
#define TRACE_DRIVER_COMPILEDGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlir::trace {

struct CompileOptions {
  /// The captured function in the module.
  std::string function = "main";
  /// Round f16 and bf16 after every operation inside a fusion, as eager does, instead of keeping f32.
  bool exactRounding = false;
  /// Run the stage's verifier after every pass.
  bool verifyStages = false;
  /// Stop fusing after so many regions (for bisection); negative: no limit.
  int64_t fuseLimit = -1;
  /// Widest vector in bits; 0: what the host has.
  unsigned vectorBits = 0;
  /// Print op locations in the stage texts.
  bool printLocations = false;
  /// What the fusions run on: "cpu" or "cuda".
  std::string device = "cpu";
  /// Of "cuda": the number of the device that the code is loaded on first.
  int deviceIndex = 0;
  /// Of "cuda": the architecture.
  std::string chip = "sm_90";
  /// Of "cuda": the kernels are for the simulator.
  bool emulated = false;
  /// False: lower only, the forward and the backward for all cotangents, and load nothing. Needs the device "cuda".
  bool load = true;
  /// Of "cuda": the forms of the kernels' code, of which the driver is offered one after the other. "cubin" is left out
  /// where no tool makes one, unless it is alone. What is loaded on the emulated device is "bitcode" whatever they are.
  std::vector<std::string> formats = {"cubin", "ptx"};
};

/// The code of a fusion's kernels in one form.
struct DeviceImage {
  /// "ptx", "cubin" or "bitcode".
  std::string kind;
  std::string bytes;
};

/// Where an argument of the backward comes from.
struct BackwardArgument {
  enum Kind { Saved, ForwardArgument, ForwardOutput, Cotangent } kind;
  /// The forward's saved result, its argument, its output, or the output of which it is the cotangent.
  int64_t index;
};

/// What torch_trace.report shows.
struct CompileReport {
  int64_t fusions = 0, libraryCalls = 0, savedTensors = 0, savedBytes = 0;
  std::vector<std::pair<std::string, double>> secondsByStage;
};

class CompiledGraph {
public:
  /// Compiles `module` (stage captured; it is not changed) up to a forward that runs. Errors are diagnostics of the
  /// module's context.
  static FailureOr<std::unique_ptr<CompiledGraph>> create(ModuleOp module, const CompileOptions &options);
  ~CompiledGraph();

  /// Stage name and IR, in order: captured, joint (training only), scheduled, forward, backward (training only),
  /// lowered (host and kernels, LLVM dialect; the backward's part once it is compiled). Offline, gpu and ptx are in the
  /// place of lowered.
  const std::vector<std::pair<std::string, std::string>> &getStages() const;
  CompileReport getReport() const;

  /// Results of the forward: the captured function's results, then this many saved values.
  int64_t getNumOutputs() const;
  int64_t getNumSaved() const;
  bool hasBackward() const;
  /// For each output: eager's requires_grad would be True.
  ArrayRef<bool> getDifferentiableOutputs() const;
  /// What the backward takes, in order. For a mask, the absent cotangents are left out of the list passed.
  ArrayRef<BackwardArgument> getBackwardArguments() const;
  /// The forward's argument of which each result of the backward is the gradient.
  ArrayRef<int64_t> getGradientArguments() const;

  /// Offline only: {"forward": plan, "backward": plan or null} as JSON text. A plan is what describeHostFunction gives
  /// (include/trace/Codegen/Host/DescribeHost.h), with the launches of its fusions beside it:
  ///   "fusions": {name: {"scratch": [bytes..], "kernels": [{"name", "grid", "block", "shared", "slots", "registers",
  ///               "spills", "stack"}..]}}
  /// where "registers", "spills" and "stack" are null without a ptxas that says them.
  std::string getDeviceProgram() const;
  enum class Side { Forward, Backward };
  /// Offline only: the images of a fusion of one side; forward and backward may have fusions of the same name. Empty
  /// for a name that is not there.
  ArrayRef<DeviceImage> getDeviceImages(Side side, StringRef fusion) const;

  /// Runs the forward on AtenTensorHandles. `arguments` stay the caller's; `results` are new references, outputs then
  /// saved values. On failure nothing is returned and `error` says why.
  LogicalResult runForward(ArrayRef<void *> arguments, SmallVectorImpl<void *> &results, std::string &error);

  /// Compiles (at first use of this mask) and runs the backward. `mask[k]` says whether the cotangent of output k is
  /// there; `arguments` are getBackwardArguments() without the absent cotangents. A gradient that needs none of the
  /// present cotangents is a null handle.
  LogicalResult runBackward(ArrayRef<bool> mask, ArrayRef<void *> arguments, SmallVectorImpl<void *> &gradients,
                            std::string &error);

private:
  CompiledGraph();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::trace

#endif
