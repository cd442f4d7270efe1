//===- Library.cpp - The common LibTorch operators, from prims --------------===//
//
// An operator is made of prims, each of which is built as an op of its own and evaluated at once: there is one
// definition of each computation, the prim's. What is not here is an error that names the operator.
//
//===----------------------------------------------------------------------===//
#include "Evaluate.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

namespace {
/// A call: its arguments by position, and ways to evaluate prims.
class Call {
public:
  Call(Evaluation &eval, ArrayAttr arguments) : eval(eval), builder(eval.op->getContext()) {
    if (arguments)
      list.assign(arguments.begin(), arguments.end());
    else
      for (unsigned i = 0; i < eval.operands.size(); ++i)
        list.push_back(OperandRefAttr::get(builder.getContext(), i));
  }

  // ---- arguments
  bool has(unsigned i) const { return i < list.size() && !isa<UnitAttr>(list[i]); }
  bool isTensor(unsigned i) const { return has(i) && isa<OperandRefAttr>(list[i]); }
  const Tensor &tensor(unsigned i) const { return *eval.operands[cast<OperandRefAttr>(list[i]).getIndex()]; }
  double number(unsigned i, double otherwise) const {
    if (isTensor(i) && tensor(i).getNumElements() == 1)
      return tensor(i).get(0);
    if (!has(i))
      return otherwise;
    if (auto value = dyn_cast<FloatAttr>(list[i]))
      return value.getValueAsDouble();
    if (auto value = dyn_cast<BoolAttr>(list[i]))
      return value.getValue();
    auto value = dyn_cast<IntegerAttr>(list[i]);
    return value ? static_cast<double>(value.getInt()) : otherwise;
  }
  int64_t integer(unsigned i, int64_t otherwise) const { return static_cast<int64_t>(number(i, otherwise)); }
  bool boolean(unsigned i, bool otherwise) const { return number(i, otherwise) != 0; }
  StringRef string(unsigned i) const {
    auto value = has(i) ? dyn_cast<StringAttr>(list[i]) : StringAttr();
    return value ? value.getValue() : StringRef();
  }
  SmallVector<int64_t> integers(unsigned i) const {
    SmallVector<int64_t> result;
    if (!has(i))
      return result;
    if (auto dense = dyn_cast<DenseI64ArrayAttr>(list[i]))
      result.assign(dense.asArrayRef().begin(), dense.asArrayRef().end());
    else if (auto array = dyn_cast<ArrayAttr>(list[i]))
      for (Attribute attr : array)
        result.push_back(isa<IntegerAttr>(attr) ? cast<IntegerAttr>(attr).getInt() : 0);
    else if (auto single = dyn_cast<IntegerAttr>(list[i]))
      result.push_back(single.getInt());
    return result;
  }

  // ---- results
  RankedTensorType resultType(unsigned i = 0) const { return cast<RankedTensorType>(eval.op->getResultTypes()[i]); }
  Type element() const { return resultType().getElementType(); }

  // ---- prims: null after an error
  using Operand = std::optional<Tensor>;
  /// One op by name; its results go to `results`.
  LogicalResult prim(StringRef name, ArrayRef<Operand> operands, TypeRange types, ArrayRef<NamedAttribute> attributes,
                     SmallVectorImpl<Tensor> &results) {
    Location loc = eval.op->getLoc();
    Block block;
    OperationState state(loc, ("trace." + name).str());
    SmallVector<const Tensor *> values;
    for (const Operand &operand : operands) {
      if (!operand)
        return failure();
      state.addOperands(block.addArgument(operand->getType(), loc));
      values.push_back(&*operand);
    }
    state.addTypes(types);
    state.addAttributes(attributes);
    builder.setInsertionPointToEnd(&block);
    Operation *op = builder.create(state);
    Evaluation inner{op, values, results, eval.options};
    std::optional<LogicalResult> done = evaluatePrim(inner);
    return done ? *done : eval.op->emitOpError("has no interpretation");
  }
  Operand one(StringRef name, ArrayRef<Operand> operands, Type type, ArrayRef<NamedAttribute> attributes = {}) {
    SmallVector<Tensor> results;
    if (failed(prim(name, operands, type, attributes, results)))
      return std::nullopt;
    return std::move(results[0]);
  }
  NamedAttribute attr(StringRef name, Attribute value) { return builder.getNamedAttr(name, value); }
  NamedAttribute array(StringRef name, ArrayRef<int64_t> values) {
    return attr(name, builder.getDenseI64ArrayAttr(values));
  }
  NamedAttribute i64(StringRef name, int64_t value) { return attr(name, builder.getI64IntegerAttr(value)); }
  NamedAttribute flag(StringRef name, bool value) { return attr(name, builder.getBoolAttr(value)); }

  Operand elementwise(StringRef name, ArrayRef<Operand> operands) {
    if (!operands[0])
      return std::nullopt;
    return one(name, operands, operands[0]->getType());
  }
  Operand convert(const Operand &x, Type to) {
    if (!x || x->getElementType() == to)
      return x;
    return one("convert", {x}, RankedTensorType::get(x->getShape(), to));
  }
  Operand reshape(const Operand &x, ArrayRef<int64_t> shape) { return x ? Operand(x->reshaped(shape)) : std::nullopt; }
  /// PyTorch's broadcasting: dimensions are aligned at the end.
  Operand broadcast(const Operand &x, ArrayRef<int64_t> shape) {
    if (!x)
      return std::nullopt;
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < x->getRank(); ++i)
      dims.push_back(static_cast<int64_t>(shape.size()) - x->getRank() + i);
    return one("broadcast_in_dim", {x}, RankedTensorType::get(shape, x->getElementType()), array("dims", dims));
  }
  /// An argument as a tensor of a type: a number fills it.
  Operand as(unsigned i, RankedTensorType type) {
    if (isTensor(i))
      return broadcast(convert(tensor(i), type.getElementType()), type.getShape());
    return fill(number(i, 0), type);
  }
  Operand fill(double value, RankedTensorType type) {
    Tensor result(type.getElementType(), type.getShape());
    llvm::fill(result.floats, eval.round(type.getElementType(), value));
    llvm::fill(result.ints, static_cast<int64_t>(value));
    return result;
  }
  Operand transpose(const Operand &x, ArrayRef<int64_t> perm) {
    return x ? Operand(transposed(*x, perm)) : std::nullopt;
  }
  Operand product(const Operand &a, const Operand &b) {
    if (!a || !b || a->getRank() != b->getRank() || a->getRank() < 2)
      return std::nullopt;
    SmallVector<int64_t> shape(a->getShape());
    shape.back() = b->getShape().back();
    return one("matmul", {a, b}, RankedTensorType::get(shape, a->getElementType()));
  }
  /// Over `dims` (all where empty), which stay as 1 where `keep` says so.
  Operand reduce(StringRef name, const Operand &x, SmallVector<int64_t> dims, bool keep) {
    if (!x)
      return std::nullopt;
    SmallVector<int64_t> shape, kept;
    for (int64_t &dim : dims)
      dim = dim < 0 ? dim + x->getRank() : dim;
    if (dims.empty())
      dims = llvm::to_vector(llvm::seq<int64_t>(0, x->getRank()));
    llvm::sort(dims);
    for (int64_t i = 0; i < x->getRank(); ++i) {
      bool reduced = llvm::is_contained(dims, i);
      if (!reduced)
        shape.push_back(x->getShape()[i]);
      kept.push_back(reduced ? 1 : x->getShape()[i]);
    }
    Operand result = one(name, {x}, RankedTensorType::get(shape, x->getElementType()), array("dims", dims));
    return keep ? reshape(result, kept) : result;
  }
  int64_t dim(unsigned i, int64_t otherwise, int64_t rank) const {
    int64_t d = integer(i, otherwise);
    return d < 0 ? d + rank : d;
  }

  LogicalResult give(Operand result) {
    if (!result)
      return failure();
    return eval.give(std::move(*result));
  }
  LogicalResult giveAs(Operand result) { return give(convert(result, element())); }

  Evaluation &eval;

private:
  OpBuilder builder;
  SmallVector<Attribute> list;
};
} // namespace

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

/// (grad, input, weight, bias sizes, stride, padding, dilation, transposed, output padding, groups, mask): the results
/// that the mask asks for, in order.
static LogicalResult convolutionBackward(Call &call) {
  SmallVector<int64_t> mask = call.integers(10);
  SmallVector<NamedAttribute> attributes = convolutionAttributes(call, 4);
  auto wanted = [&](unsigned i) { return i >= mask.size() || mask[i] != 0; };
  Operand grad = call.tensor(0);
  auto typeOf = [&](unsigned i) { return call.tensor(i).getType(); };
  if (wanted(0) && failed(call.give(call.one("convolution_input_grad", {grad, call.tensor(2)}, typeOf(1), attributes))))
    return failure();
  if (wanted(1) &&
      failed(call.give(call.one("convolution_weight_grad", {grad, call.tensor(1)}, typeOf(2), attributes))))
    return failure();
  if (!wanted(2))
    return success();
  SmallVector<int64_t> dims = {0};
  for (int64_t i = 2; i < grad->getRank(); ++i)
    dims.push_back(i);
  return call.give(call.reduce("reduce_sum", grad, dims, false));
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

static LogicalResult sortOrTopk(Call &call, bool isSort, unsigned stable) {
  int64_t rank = call.tensor(0).getRank();
  SmallVector<NamedAttribute> attributes;
  if (isSort)
    attributes = {call.i64("dim", call.dim(stable, -1, rank)), call.flag("descending", call.boolean(stable + 1, false)),
                  call.flag("stable", true)};
  else
    attributes = {call.i64("dim", call.dim(2, -1, rank)), call.i64("k", call.integer(1, 1)),
                  call.flag("largest", call.boolean(3, true)), call.flag("sorted", true)};
  return call.prim(isSort ? "sort" : "topk", {Operand(call.tensor(0))}, call.eval.op->getResultTypes(), attributes,
                   call.eval.results);
}

/// `aten.<prim>.<overload>` where the prim has the operator's name, one or two operands, and nothing else.
static std::optional<LogicalResult> elementwise(Call &call, StringRef base, StringRef overload) {
  static const llvm::StringSet<> unary = {
      "abs",   "neg",   "sign",     "exp",     "exp2",        "expm1",     "log",     "log2",    "log10",
      "log1p", "sqrt",  "rsqrt",    "sin",     "cos",         "tan",       "asin",    "acos",    "atan",
      "sinh",  "cosh",  "tanh",     "asinh",   "acosh",       "atanh",     "erf",     "erfc",    "relu",
      "ceil",  "floor", "round",    "trunc",   "erfinv",      "lgamma",    "digamma", "sigmoid", "bitwise_not",
      "isnan", "isinf", "isfinite", "signbit", "logical_not", "reciprocal"};
  static const llvm::StringSet<> binary = {"add",  "sub",   "mul",         "div",        "remainder",  "fmod",
                                           "pow",  "atan2", "hypot",       "copysign",   "maximum",    "minimum",
                                           "fmax", "fmin",  "bitwise_and", "bitwise_or", "bitwise_xor"};
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
  Operand rhs = call.as(1, type);
  if ((base == "add" || base == "sub") && call.number(2, 1) != 1)
    rhs = call.elementwise("mul", {rhs, call.fill(call.number(2, 1), type)});
  return call.give(call.elementwise(name, {call.as(0, type), rhs}));
}

std::optional<LogicalResult> interpreter::evaluateLibrary(Evaluation &eval, StringRef name, ArrayAttr arguments) {
  auto [library, rest] = name.split('.');
  auto [base, overload] = rest.split('.');
  if (library != "aten" || eval.operands.empty() || eval.op->getNumResults() == 0 ||
      !llvm::all_of(eval.op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      }))
    return std::nullopt;
  if (overload.empty())
    overload = "default";
  Call call(eval, arguments);
  if (!call.isTensor(0) && !call.isTensor(1))
    return std::nullopt;
  if (base == "mm" || base == "bmm")
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
  if (base == "cumsum" || base == "cumprod") {
    Operand x = call.convert(call.tensor(0), call.element());
    return call.give(call.one(base, {x}, call.resultType(), call.i64("dim", call.dim(1, 0, x->getRank()))));
  }
  if (base == "sort")
    return sortOrTopk(call, true, overload == "stable" ? 2 : 1);
  if (base == "topk")
    return sortOrTopk(call, false, 0);
  if (base == "t" && call.tensor(0).getRank() == 2)
    return call.give(call.transpose(call.tensor(0), {1, 0}));
  if (base == "permute" || base == "transpose") {
    int64_t rank = call.tensor(0).getRank();
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (base == "transpose")
      std::swap(perm[call.dim(1, 0, rank)], perm[call.dim(2, 0, rank)]);
    else
      for (auto [i, dim] : llvm::enumerate(call.integers(1)))
        perm[i] = dim < 0 ? dim + rank : dim;
    return call.give(call.transpose(call.tensor(0), perm));
  }
  if (base == "view" || base == "reshape" || base == "_unsafe_view" || base == "squeeze" || base == "unsqueeze")
    return call.give(call.reshape(call.tensor(0), call.resultType().getShape()));
  if (base == "expand")
    return call.give(call.broadcast(call.tensor(0), call.resultType().getShape()));
  if (base == "clone" || base == "detach" || base == "alias" || base == "contiguous")
    return call.give(call.tensor(0));
  if (base == "_to_copy")
    return call.giveAs(call.tensor(0));
  return elementwise(call, base, overload);
}
