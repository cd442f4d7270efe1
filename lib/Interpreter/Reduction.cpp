//===- Reduction.cpp - Reductions, argmax, scans ----------------------------===//
#include "Evaluate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

/// Folds the elements of each result position, in row-major order, from `start`. Floats accumulate in double and are
/// rounded once at the end.
template <typename F, typename I>
static LogicalResult reduce(Evaluation &eval, ArrayRef<int64_t> dims, double floatStart, int64_t intStart, F onFloat,
                            I onInt) {
  const Tensor &x = *eval.operands[0];
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < x.getRank(); ++i)
    if (!llvm::is_contained(dims, i))
      shape.push_back(x.getShape()[i]);
  SmallVector<int64_t> resultStrides = contiguousStrides(shape), strides;
  for (int64_t i = 0, kept = 0; i < x.getRank(); ++i)
    strides.push_back(llvm::is_contained(dims, i) ? 0 : resultStrides[kept++]);
  Tensor result = eval.makeResult(shape);
  llvm::fill(result.floats, floatStart);
  llvm::fill(result.ints, intStart);
  Type type = x.getElementType();
  int64_t from = 0;
  forEachIndex(x.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t to = linearIndex(index, strides);
    if (x.isFloat())
      result.floats[to] = onFloat(result.floats[to], x.floats[from]);
    else
      result.ints[to] = wrapToType(type, onInt(result.ints[to], x.ints[from]));
    ++from;
  });
  for (double &value : result.floats)
    value = eval.round(type, value);
  return eval.give(std::move(result));
}

/// max and min have no neutral element: the verifier refuses a dimension of size 0, a dynamic one is caught here.
static LogicalResult checkNotEmpty(Evaluation &eval, ArrayRef<int64_t> dims) {
  for (int64_t dim : dims)
    if (eval.operands[0]->getShape()[dim] == 0)
      return eval.op->emitError("IndexError: cannot reduce dimension ") << dim << " of size 0";
  return success();
}

static LogicalResult reduceExtreme(Evaluation &eval, ArrayRef<int64_t> dims, bool maximum) {
  if (failed(checkNotEmpty(eval, dims)))
    return failure();
  auto onFloat = [&](double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return std::nan("");
    if (a == b)
      return std::signbit(a) == maximum ? b : a;
    return (a > b) == maximum ? a : b;
  };
  auto onInt = [&](int64_t a, int64_t b) { return maximum ? std::max(a, b) : std::min(a, b); };
  // There is at least one element per result, so that the start never survives.
  return reduce(eval, dims, maximum ? -INFINITY : INFINITY, maximum ? INT64_MIN : INT64_MAX, onFloat, onInt);
}

static LogicalResult argReduce(Evaluation &eval, int64_t dim, bool maximum) {
  if (failed(checkNotEmpty(eval, {dim})))
    return failure();
  const Tensor &x = *eval.operands[0];
  SmallVector<int64_t> shape(x.getShape());
  shape.erase(shape.begin() + dim);
  Tensor result = eval.makeResult(shape);
  Axis axis(x.getShape(), dim);
  for (int64_t o = 0; o < axis.outer; ++o)
    for (int64_t n = 0; n < axis.inner; ++n) {
      int64_t best = 0;
      for (int64_t i = 1; i < axis.size; ++i) {
        int64_t a = axis.at(o, i, n), b = axis.at(o, best, n);
        bool better;
        if (!x.isFloat())
          better = maximum ? x.ints[a] > x.ints[b] : x.ints[a] < x.ints[b];
        else if (std::isnan(x.floats[b]))
          better = false;
        else
          better = std::isnan(x.floats[a]) || (maximum ? x.floats[a] > x.floats[b] : x.floats[a] < x.floats[b]);
        if (better)
          best = i;
      }
      result.ints[o * axis.inner + n] = best;
    }
  return eval.give(std::move(result));
}

template <typename F, typename I>
static LogicalResult scan(Evaluation &eval, int64_t dim, double floatStart, int64_t intStart, F onFloat, I onInt) {
  const Tensor &x = *eval.operands[0];
  Tensor result = eval.makeResult(x.getShape());
  Type type = x.getElementType();
  Axis axis(x.getShape(), dim);
  for (int64_t o = 0; o < axis.outer; ++o)
    for (int64_t n = 0; n < axis.inner; ++n) {
      double sum = floatStart;
      int64_t intSum = intStart;
      for (int64_t i = 0; i < axis.size; ++i) {
        int64_t at = axis.at(o, i, n);
        if (x.isFloat()) {
          sum = onFloat(sum, x.floats[at]);
          result.floats[at] = eval.round(type, sum);
        } else {
          intSum = onInt(intSum, x.ints[at]);
          result.ints[at] = wrapToType(type, intSum);
        }
      }
    }
  return eval.give(std::move(result));
}

static int64_t wrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
static int64_t wrappingMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
static double add(double a, double b) { return a + b; }
static double mul(double a, double b) { return a * b; }

std::optional<LogicalResult> interpreter::evaluateReduction(Evaluation &eval) {
  auto logicalOr = [](int64_t a, int64_t b) { return a | b; };
  auto logicalAnd = [](int64_t a, int64_t b) { return a & b; };
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(eval.op)
      .Case<ReduceSumOp>([&](ReduceSumOp op) {
        if (op.getType().getElementType().isInteger(1))
          return reduce(eval, op.getDims(), 0, 0, add, logicalOr);
        // -0.0 is the neutral element of IEEE addition, but PyTorch starts at 0.0.
        return reduce(eval, op.getDims(), 0, 0, add, wrappingAdd);
      })
      .Case<ReduceProdOp>([&](ReduceProdOp op) { return reduce(eval, op.getDims(), 1, 1, mul, wrappingMul); })
      .Case<ReduceMaxOp>([&](ReduceMaxOp op) { return reduceExtreme(eval, op.getDims(), true); })
      .Case<ReduceMinOp>([&](ReduceMinOp op) { return reduceExtreme(eval, op.getDims(), false); })
      .Case<ReduceAnyOp>([&](ReduceAnyOp op) { return reduce(eval, op.getDims(), 0, 0, add, logicalOr); })
      .Case<ReduceAllOp>([&](ReduceAllOp op) { return reduce(eval, op.getDims(), 0, 1, add, logicalAnd); })
      .Case<ArgmaxOp>([&](ArgmaxOp op) { return argReduce(eval, op.getDim(), true); })
      .Case<ArgminOp>([&](ArgminOp op) { return argReduce(eval, op.getDim(), false); })
      .Case<CumsumOp>([&](CumsumOp op) { return scan(eval, op.getDim(), 0, 0, add, wrappingAdd); })
      .Case<CumprodOp>([&](CumprodOp op) { return scan(eval, op.getDim(), 1, 1, mul, wrappingMul); })
      .Default([](Operation *) { return std::nullopt; });
}
