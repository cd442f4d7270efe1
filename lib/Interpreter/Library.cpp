//===- Library.cpp - The common LibTorch operators, from prims --------------===//
//
// An operator is made of prims, each of which is built as an op of its own and evaluated at once: there is one
// definition of each computation, the prim's. What is not here is an error that names the operator.
//
//===----------------------------------------------------------------------===//
#include "LibraryCall.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

using Operand = Call::Operand;

/// beta * c + alpha * (a @ b).
static LogicalResult addProduct(Call &call) {
  double beta = call.number(3, 1), alpha = call.number(4, 1);
  Operand product = call.product(call.tensor(1), call.tensor(2));
  if (product && alpha != 1)
    product = call.elementwise("mul", {product, call.fill(alpha, call.resultType())});
  if (beta == 0) // what is added is ignored then, NaN too
    return call.give(product);
  Operand bias = call.as(0, call.resultType());
  if (beta != 1)
    bias = call.elementwise("mul", {bias, call.fill(beta, call.resultType())});
  return call.give(call.elementwise("add", {product, bias}));
}

/// x @ w^T + bias.
static LogicalResult linear(Call &call) {
  const Tensor &x = call.tensor(0), &w = call.tensor(1);
  if (w.getRank() != 2 || x.getRank() < 1)
    return call.eval.op->emitOpError("is interpreted for a weight of rank 2");
  int64_t features = x.getShape().back();
  Operand rows = call.reshape(x, {features ? x.getNumElements() / features : 0, features});
  Operand result = call.product(rows, call.transpose(w, {1, 0}));
  result = call.reshape(result, call.resultType().getShape());
  if (call.has(2))
    result = call.elementwise("add", {result, call.as(2, call.resultType())});
  return call.give(result);
}

/// softmax or its logarithm along a dimension.
static LogicalResult softmax(Call &call, bool logarithm) {
  Operand x = call.convert(call.tensor(0), call.element());
  if (!x || x->getRank() == 0)
    return call.eval.op->emitOpError("is interpreted for rank 1 and above");
  SmallVector<int64_t> dims = {call.dim(1, -1, x->getRank())}, shape(x->getShape());
  Operand top = call.broadcast(call.reduce("reduce_max", x, dims, true), shape);
  Operand shifted = call.elementwise("sub", {x, top});
  Operand exponentials = call.elementwise("exp", {shifted});
  Operand sum = call.reduce("reduce_sum", exponentials, dims, true);
  if (logarithm)
    return call.give(call.elementwise("sub", {shifted, call.broadcast(call.elementwise("log", {sum}), shape)}));
  return call.give(call.elementwise("div", {exponentials, call.broadcast(sum, shape)}));
}

static LogicalResult reduceSum(Call &call, bool mean, bool allDims) {
  Operand x = call.convert(call.tensor(0), call.element());
  SmallVector<int64_t> dims = allDims ? SmallVector<int64_t>() : call.integers(1);
  Operand sum = call.reduce("reduce_sum", x, dims, !allDims && call.boolean(2, false));
  if (!mean)
    return call.give(sum);
  if (!sum)
    return failure();
  double count = static_cast<double>(x->getNumElements()) / static_cast<double>(sum->getNumElements());
  return call.give(call.elementwise("div", {sum, call.fill(count, call.resultType())}));
}

static SmallVector<NamedAttribute> convolutionAttributes(Call &call, unsigned first) {
  return {call.array("stride", call.integers(first)),
          call.array("padding", call.integers(first + 1)),
          call.array("dilation", call.integers(first + 2)),
          call.flag("transposed", call.boolean(first + 3, false)),
          call.array("output_padding", call.integers(first + 4)),
          call.i64("groups", call.integer(first + 5, 1))};
}

static LogicalResult convolutionWithBias(Call &call) {
  Operand result =
      call.one("convolution", {call.tensor(0), call.tensor(1)}, call.resultType(), convolutionAttributes(call, 3));
  if (result && call.has(2)) {
    SmallVector<int64_t> shape(result->getRank(), 1);
    shape[1] = result->getShape()[1];
    Operand bias = call.broadcast(call.reshape(call.tensor(2), shape), result->getShape());
    result = call.elementwise("add", {result, bias});
  }
  return call.give(result);
}

/// (grad, input, weight, bias sizes, stride, padding, dilation, transposed, output padding, groups, mask). What the
/// mask leaves out is undefined; here it is zeros.
static LogicalResult convolutionBackward(Call &call) {
  SmallVector<int64_t> mask = call.integers(10);
  SmallVector<NamedAttribute> attributes = convolutionAttributes(call, 4);
  if (call.eval.op->getNumResults() != 3 || mask.size() != 3)
    return call.eval.op->emitOpError("needs three results and a mask of three");
  Operand grad = call.tensor(0);
  auto giveOr = [&](unsigned i, llvm::function_ref<Operand()> compute) {
    return call.give(mask[i] ? compute() : call.fill(0, call.resultType(i)));
  };
  SmallVector<int64_t> dims = {0};
  for (int64_t i = 2; i < grad->getRank(); ++i)
    dims.push_back(i);
  return success(succeeded(giveOr(0,
                                  [&] {
                                    return call.one("convolution_input_grad", {grad, call.tensor(2)},
                                                    call.resultType(0), attributes);
                                  })) &&
                 succeeded(giveOr(1,
                                  [&] {
                                    return call.one("convolution_weight_grad", {grad, call.tensor(1)},
                                                    call.resultType(1), attributes);
                                  })) &&
                 succeeded(giveOr(2, [&] { return call.reduce("reduce_sum", grad, dims, false); })));
}

static LogicalResult embedding(Call &call) {
  return call.give(call.one("take", {call.tensor(0), call.tensor(1)}, call.resultType(), call.i64("dim", 0)));
}

/// (grad, indices, number of rows, padding index, scale by frequency).
static LogicalResult embeddingBackward(Call &call) {
  if (call.boolean(4, false))
    return call.eval.op->emitOpError("is not interpreted with scale_grad_by_freq");
  Operand grad = call.tensor(0), zero = call.fill(0, call.resultType());
  int64_t padding = call.integer(3, -1), width = grad->getShape().back();
  const Tensor &index = call.tensor(1);
  for (int64_t i = 0; i < index.getNumElements(); ++i)
    if (index.ints[i] == padding)
      std::fill_n(grad->floats.begin() + i * width, width, 0.0);
  return call.give(call.one("index_add", {zero, index, grad}, call.resultType(), call.i64("dim", 0)));
}

/// `aten.<prim>.<overload>` where the prim has the operator's name, one or two operands, and nothing else.
static std::optional<LogicalResult> elementwise(Call &call, StringRef base, StringRef overload) {
  static const llvm::StringSet<> unary = {
      "abs",   "neg",   "sign",     "exp",     "exp2",        "expm1",     "log",     "log2",    "log10",
      "log1p", "sqrt",  "rsqrt",    "sin",     "cos",         "tan",       "asin",    "acos",    "atan",
      "sinh",  "cosh",  "tanh",     "asinh",   "acosh",       "atanh",     "erf",     "erfc",    "relu",
      "ceil",  "floor", "round",    "trunc",   "erfinv",      "lgamma",    "digamma", "sigmoid", "bitwise_not",
      "isnan", "isinf", "isfinite", "signbit", "logical_not", "reciprocal"};
  static const llvm::StringSet<> binary = {"add",
                                           "sub",
                                           "mul",
                                           "div",
                                           "remainder",
                                           "fmod",
                                           "pow",
                                           "atan2",
                                           "hypot",
                                           "copysign",
                                           "maximum",
                                           "minimum",
                                           "fmax",
                                           "fmin",
                                           "bitwise_and",
                                           "bitwise_or",
                                           "bitwise_xor",
                                           "nextafter",
                                           "bitwise_left_shift",
                                           "bitwise_right_shift"};
  static const llvm::StringSet<> comparisons = {"eq", "ne", "lt", "le", "gt", "ge"};
  RankedTensorType type = call.resultType();
  if (unary.contains(base) && overload == "default") {
    Type operandType = type.getElementType().isInteger(1) ? call.tensor(0).getElementType() : type.getElementType();
    return call.give(call.one(base, {call.convert(call.tensor(0), operandType)}, type));
  }
  if (comparisons.contains(base)) {
    // Of tensors of one type, or of a tensor and a number that its type holds.
    Type operandType = (call.isTensor(0) ? call.tensor(0) : call.tensor(1)).getElementType();
    if (call.isTensor(0) && call.isTensor(1) && call.tensor(0).getElementType() != call.tensor(1).getElementType())
      return call.eval.op->emitOpError("is interpreted for operands of one type");
    auto operands = RankedTensorType::get(type.getShape(), operandType);
    return call.give(call.one(base, {call.as(0, operands), call.as(1, operands)}, type));
  }
  if (!binary.contains(base))
    return std::nullopt;
  std::string name = base.str();
  if (base == "div" && call.string(2) == "floor")
    name = "div_floor";
  else if (base == "div" && call.string(2) == "trunc")
    name = "div_trunc";
  else if (base == "bitwise_left_shift")
    name = "shift_left";
  else if (base == "bitwise_right_shift")
    name = "shift_right";
  Operand rhs = call.as(1, type);
  if ((base == "add" || base == "sub") && call.number(2, 1) != 1)
    rhs = call.elementwise("mul", {rhs, call.fill(call.number(2, 1), type)});
  return call.give(call.elementwise(name, {call.as(0, type), rhs}));
}

std::optional<LogicalResult> interpreter::evaluateLibrary(Evaluation &eval, StringRef name, ArrayAttr arguments) {
  auto [library, rest] = name.split('.');
  auto [base, overload] = rest.split('.');
  if (library != "aten" || eval.op->getNumResults() == 0 || !llvm::all_of(eval.op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      }))
    return std::nullopt;
  if (overload.empty())
    overload = "default";
  Call call(eval, arguments);
  if (std::optional<LogicalResult> done = evaluateDataOperator(call, rest))
    return done;
  if (!call.isTensor(0) && !call.isTensor(1))
    return std::nullopt;
  if (base == "mm" || base == "bmm" || (base == "matmul" && call.tensor(0).getRank() == call.tensor(1).getRank()))
    return call.give(call.product(call.tensor(0), call.tensor(1)));
  if (base == "addmm" || base == "baddbmm")
    return addProduct(call);
  if (base == "linear")
    return linear(call);
  if (base == "convolution")
    return convolutionWithBias(call);
  if (base == "convolution_backward")
    return convolutionBackward(call);
  if (base == "embedding")
    return embedding(call);
  if (base == "embedding_dense_backward")
    return embeddingBackward(call);
  if (base == "_softmax" || base == "softmax")
    return softmax(call, false);
  if (base == "_log_softmax" || base == "log_softmax")
    return softmax(call, true);
  if (base == "sum" || base == "mean")
    return reduceSum(call, base == "mean", overload == "default");
  if (base == "amax" || base == "amin")
    return call.give(call.reduce(base == "amax" ? "reduce_max" : "reduce_min", call.tensor(0), call.integers(1),
                                 call.boolean(2, false)));
  if (base == "prod") {
    Operand x = call.convert(call.tensor(0), call.element());
    return call.give(call.reduce("reduce_prod", x, call.integers(1), call.boolean(2, false)));
  }
  if (base == "any" || base == "all")
    return call.give(call.reduce("reduce_" + base.str(), call.tensor(0), call.integers(1), call.boolean(2, false)));
  if (base == "where") {
    RankedTensorType type = call.resultType();
    auto condition = RankedTensorType::get(type.getShape(), IntegerType::get(type.getContext(), 1));
    return call.give(call.one("where", {call.as(0, condition), call.as(1, type), call.as(2, type)}, type));
  }
  if (base == "clamp") {
    // An absent bound is an infinity.
    RankedTensorType type = call.resultType();
    if (!isa<FloatType>(type.getElementType()) && (!call.has(1) || !call.has(2)))
      return eval.op->emitOpError("is interpreted with both bounds for integers");
    Operand low = call.has(1) ? call.as(1, type) : call.fill(-INFINITY, type);
    Operand high = call.has(2) ? call.as(2, type) : call.fill(INFINITY, type);
    return call.give(call.elementwise("clamp", {call.as(0, type), low, high}));
  }
  if (base == "cumsum" || base == "cumprod") {
    Operand x = call.convert(call.tensor(0), call.element());
    return call.give(call.one(base, {x}, call.resultType(), call.i64("dim", call.dim(1, 0, x->getRank()))));
  }
  return elementwise(call, base, overload);
}
