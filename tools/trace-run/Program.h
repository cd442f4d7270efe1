//===- Program.h - What trace-run runs, and on what -------------------------===//
#ifndef TRACE_TOOLS_TRACERUN_PROGRAM_H
#define TRACE_TOOLS_TRACERUN_PROGRAM_H

#include "Backend.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::trace {

/// A training step or plain function at any stage: a function (a joint where it has get_grads), or, after the split, a
/// forward and perhaps a backward.
struct Program {
  func::FuncOp function; // null after the split
  func::FuncOp forward, backward;
  /// The module that has the code, where the functions are declarations only; null before the lowered stage.
  ModuleOp lowered;

  /// The function `name` of a module, or the pair `name_forward`, `name_backward`. With an empty name: the only public
  /// function or pair. Emits an error where there is none. `declarations` are those of declareHostFunctions, null
  /// before the lowered stage.
  static FailureOr<Program> find(ModuleOp module, StringRef name, ModuleOp declarations = nullptr);

  /// The function whose arguments are the program's.
  func::FuncOp getEntry() const { return function ? function : forward; }
  /// Numbers and types of the outputs that have cotangents.
  SmallVector<std::pair<int64_t, RankedTensorType>> getCotangents() const;
  /// Runs it: outputs, followed by the gradients. Fails with a diagnostic.
  FailureOr<SmallVector<Tensor>> run(Backend &backend, ArrayRef<Tensor> arguments,
                                     const llvm::DenseMap<int64_t, Tensor> &cotangents) const;

private:
  FailureOr<SmallVector<Tensor>> runFunction(Backend &backend, func::FuncOp func, ArrayRef<Tensor> arguments,
                                             const llvm::DenseMap<int64_t, Tensor> &cotangents) const;
};

/// How values that the user does not give are made.
struct InputOptions {
  uint64_t seed = 0;
  double low = -1, high = 1;
  int64_t integers = 10;   // integers are in [0, integers)
  int64_t dynamicSize = 3; // of each `?`
};

/// A random tensor, a function of the options and `salt` only.
FailureOr<Tensor> randomTensor(Location loc, Type type, const InputOptions &options, uint64_t salt);

/// A value that the user writes: `file.npy`, a number, or `uniform(lo,hi)`.
FailureOr<Tensor> parseInput(Location loc, Type type, StringRef text, const InputOptions &options, uint64_t salt);

/// Differentiates a function (or takes a joint as it is) and compares its gradients with finite differences.
struct GradientOptions {
  bool secondOrder = false;
  double tolerance = 1e-5;
  int64_t maxElements = 64; // that are perturbed, of each argument
  InputOptions inputs;
  /// Argument number -> text, as in --arg.
  llvm::DenseMap<int64_t, std::string> given;
};
LogicalResult checkGradients(ModuleOp module, StringRef function, const GradientOptions &options, raw_ostream &os);

} // namespace mlir::trace

#endif
