//===- Evaluate.h - What the interpreter's files share ----------------------===//
#ifndef TRACE_LIB_INTERPRETER_EVALUATE_H
#define TRACE_LIB_INTERPRETER_EVALUATE_H

#include "trace/IR/TraceOps.h"
#include "trace/Interpreter/Interpreter.h"
#include <optional>

namespace mlir::trace::interpreter {

/// One op about to run: its operands' values, and the place for its results.
struct Evaluation {
  Operation *op;
  ArrayRef<const Tensor *> operands;
  SmallVectorImpl<Tensor> &results;
  const InterpreterOptions &options;

  /// Rounded as a value of `type` is kept.
  double round(Type type, double value) const { return options.f64 ? value : roundToType(type, value); }
  /// Values of `type` are computed in float (f32 and shorter), not in double.
  bool computesInFloat(Type type) const { return !options.f64 && !type.isF64(); }

  /// A tensor of zeros of a result's element type.
  Tensor makeResult(ArrayRef<int64_t> shape, unsigned i = 0) const {
    return Tensor(getElementTypeOrSelf(op->getResultTypes()[i]), shape);
  }
  LogicalResult give(Tensor tensor) {
    results.push_back(std::move(tensor));
    return success();
  }
  /// The shape of result `i`, which must be static: emits an error otherwise.
  FailureOr<SmallVector<int64_t>> staticShape(unsigned i = 0) const;
};

/// One per kind of op; nullopt where the op is of another kind.
std::optional<LogicalResult> evaluateUnary(Evaluation &eval);
std::optional<LogicalResult> evaluateBinary(Evaluation &eval);
std::optional<LogicalResult> evaluateConversion(Evaluation &eval);
std::optional<LogicalResult> evaluateShape(Evaluation &eval);
std::optional<LogicalResult> evaluateReduction(Evaluation &eval);
std::optional<LogicalResult> evaluateIndexing(Evaluation &eval);
std::optional<LogicalResult> evaluateProduct(Evaluation &eval);
std::optional<LogicalResult> evaluateRandom(Evaluation &eval);

/// Any op without regions, calls or effects: the above, tried in turn.
std::optional<LogicalResult> evaluatePrim(Evaluation &eval);

/// A library operator by its schema name (`aten.mm.default`), for trace.call_library and opaque bsyms; nullopt where
/// the operator is not known. `arguments` may be null: then the operands are the arguments.
std::optional<LogicalResult> evaluateLibrary(Evaluation &eval, StringRef name, ArrayAttr arguments);

/// Batched matrix product, and the accumulations that library operators share with prims.
Tensor matmul(const Evaluation &eval, const Tensor &lhs, const Tensor &rhs);
/// `aten.convolution` without bias; `result` comes as zeros of the right shape.
struct ConvolutionShape {
  ArrayRef<int64_t> stride, padding, dilation;
  bool transposed;
  int64_t groups;
};
void convolution(const Evaluation &eval, const ConvolutionShape &conv, const Tensor &input, const Tensor &weight,
                 Tensor &result);
void convolutionInputGrad(const Evaluation &eval, const ConvolutionShape &conv, const Tensor &grad,
                          const Tensor &weight, Tensor &result);
void convolutionWeightGrad(const Evaluation &eval, const ConvolutionShape &conv, const Tensor &grad,
                           const Tensor &input, Tensor &result);

/// result[i] = input[source[i]], of the given shape.
Tensor pick(const Tensor &input, ArrayRef<int64_t> shape, ArrayRef<int64_t> source);
Tensor transposed(const Tensor &input, ArrayRef<int64_t> perm);

/// Calls `body` with each index of a shape, in row-major order.
template <typename F> void forEachIndex(ArrayRef<int64_t> shape, F body) {
  for (int64_t size : shape)
    if (size == 0)
      return;
  SmallVector<int64_t> index(shape.size());
  while (true) {
    body(ArrayRef<int64_t>(index));
    int64_t i = static_cast<int64_t>(shape.size()) - 1;
    for (; i >= 0 && ++index[i] == shape[i]; --i)
      index[i] = 0;
    if (i < 0)
      return;
  }
}
inline int64_t linearIndex(ArrayRef<int64_t> index, ArrayRef<int64_t> strides) {
  int64_t linear = 0;
  for (auto [i, stride] : llvm::zip_equal(index, strides))
    linear += i * stride;
  return linear;
}

/// A shape split at one dimension: element (o, i, n) is at (o * size + i) * inner + n.
struct Axis {
  int64_t outer = 1, size = 1, inner = 1;
  Axis(ArrayRef<int64_t> shape, int64_t dim) {
    for (auto [i, s] : llvm::enumerate(shape)) {
      int64_t d = i;
      (d < dim ? outer : d == dim ? size : inner) *= s;
    }
  }
  int64_t at(int64_t o, int64_t i, int64_t n) const { return (o * size + i) * inner + n; }
};

} // namespace mlir::trace::interpreter

#endif
