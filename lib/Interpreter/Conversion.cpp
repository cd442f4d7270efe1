//===- Conversion.cpp - convert and bitcast ---------------------------------===//
#include "Evaluate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

/// A float as an integer, as PyTorch's CPU kernels do on x86: to 64 bits for i64, else to 32 bits and then wrapped;
/// what does not fit (NaN too) is the smallest number of that width.
static int64_t truncateToInteger(double value, Type to) {
  if (to.isInteger(64) || to.isIndex())
    return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : INT64_MIN;
  // The compared bounds are those of the truncated value.
  int64_t whole = value > -0x1p31 - 1 && value < 0x1p31 ? static_cast<int64_t>(value) : INT32_MIN;
  return wrapToType(to, whole);
}

static LogicalResult convert(Evaluation &eval) {
  const Tensor &x = *eval.operands[0];
  Tensor result = eval.makeResult(x.getShape());
  Type to = result.getElementType();
  for (int64_t i = 0, e = x.getNumElements(); i < e; ++i) {
    if (result.isFloat()) {
      if (x.isFloat())
        result.floats[i] = eval.round(to, x.floats[i]);
      else if (eval.computesInFloat(to)) // an int64 is rounded once, not by way of double
        result.floats[i] = eval.round(to, static_cast<float>(x.ints[i]));
      else
        result.floats[i] = static_cast<double>(x.ints[i]);
    } else if (to.isInteger(1)) {
      result.ints[i] = x.isFloat() ? x.floats[i] != 0 : x.ints[i] != 0;
    } else {
      result.ints[i] = x.isFloat() ? truncateToInteger(x.floats[i], to) : wrapToType(to, x.ints[i]);
    }
  }
  return eval.give(std::move(result));
}

static LogicalResult bitcast(Evaluation &eval) {
  const Tensor &x = *eval.operands[0];
  Tensor result = eval.makeResult(x.getShape());
  for (int64_t i = 0, e = x.getNumElements(); i < e; ++i)
    setElementBits(result, i, elementBits(x, i));
  return eval.give(std::move(result));
}

std::optional<LogicalResult> interpreter::evaluateConversion(Evaluation &eval) {
  if (isa<ConvertOp>(eval.op))
    return convert(eval);
  if (isa<BitcastOp>(eval.op))
    return bitcast(eval);
  return std::nullopt;
}
