//===- Interpreter.h - The reference interpreter of the dialect -------------===//
//
// Plain loops over whole tensors, one op after the other: slow, simple, and what every other way of running the
// dialect is compared with. Each op's result is rounded to its element type; sums, products of matrices and scans
// accumulate in double. Errors of the program (an index out of range, an integer division by zero) and ops that
// cannot be interpreted are diagnostics at the op.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_INTERPRETER_INTERPRETER_H
#define TRACE_INTERPRETER_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trace/Interpreter/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::trace {

/// The values that `trace.stop_gradient`s had in one run, so that another run can hold them fixed. This is what makes
/// finite differences of a function see no change through a stop_gradient.
struct StopGradientValues {
  enum class Mode { Record, Replay } mode = Mode::Record;
  llvm::DenseMap<Operation *, SmallVector<Tensor, 1>> values;
  llvm::DenseMap<Operation *, unsigned> cursor;
};

struct InterpreterOptions {
  /// Keep every floating-point value as a double, whatever its type says.
  bool f64 = false;
  /// In a joint function: the cotangents that get_grads give, by output number.
  llvm::DenseMap<int64_t, Tensor> cotangents;
  /// In a joint function: compute the outputs only, not the gradients (the result is shorter by them).
  bool outputsOnly = false;
  StopGradientValues *stopGradients = nullptr;
};

/// Runs a function on arguments of its types (a `?` takes any size). The results are those of its trace.return: the
/// outputs, then the gradients.
FailureOr<SmallVector<Tensor>> interpret(func::FuncOp func, ArrayRef<Tensor> arguments,
                                         const InterpreterOptions &options = InterpreterOptions());

} // namespace mlir::trace

#endif
