//===- LibraryData.cpp - Library operators that move, index or search -------===//
#include "LibraryCall.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

using Operand = Call::Operand;

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

/// (x, indices with None, values.., ): `trace.index` or `trace.index_put`.
static LogicalResult indexTensors(Call &call, bool put) {
  SmallVector<const Tensor *> list = call.tensors(1);
  SmallVector<int64_t> dims;
  SmallVector<Operand> operands = {call.tensor(0)};
  if (put)
    operands.push_back(call.tensor(2));
  for (auto [dim, index] : llvm::enumerate(list)) {
    if (!index)
      continue;
    if (!index->getElementType().isSignlessInteger(64))
      return call.eval.op->emitOpError("is interpreted for i64 indices only");
    dims.push_back(dim);
    operands.push_back(*index);
    // PyTorch counts from the end where an index is negative.
    int64_t size = operands[0]->getShape()[dim];
    for (int64_t &i : operands.back()->ints)
      i += i < 0 ? size : 0;
  }
  if (dims.empty())
    return call.eval.op->emitOpError("has no index tensor");
  if (put)
    return call.give(call.one("index_put", operands, call.resultType(),
                              {call.array("dims", dims), call.flag("accumulate", call.boolean(3, false))}));
  return call.give(call.one("index", operands, call.resultType(), call.array("dims", dims)));
}

/// (full, window, sizes, strides, offset): the window's elements at offset + index * strides of `full`.
static LogicalResult stridedScatter(Call &call) {
  Operand full = call.tensor(0);
  const Tensor &window = call.tensor(1);
  SmallVector<int64_t> sizes = call.integers(2), strides = call.integers(3);
  int64_t offset = call.integer(4, 0), from = 0;
  bool inside = true;
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    int64_t to = offset + linearIndex(index, strides);
    inside &= to >= 0 && to < full->getNumElements();
    if (!inside)
      return;
    if (full->isFloat())
      full->floats[to] = window.floats[from++];
    else
      full->ints[to] = window.ints[from++];
  });
  return inside ? call.give(full) : call.eval.op->emitError("the window reaches beyond the tensor");
}

static LogicalResult arange(Call &call) {
  double start = call.number(0, 0), step = call.number(2, 1);
  Tensor result(call.element(), call.resultType().getShape());
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i) {
    double value = start + static_cast<double>(i) * step;
    if (result.isFloat())
      result.floats[i] = call.eval.round(call.element(), value);
    else
      result.ints[i] = wrapToType(call.element(), static_cast<int64_t>(value));
  }
  return call.eval.give(std::move(result));
}

std::optional<LogicalResult> interpreter::evaluateDataOperator(Call &call, StringRef name) {
  auto [base, overload] = name.split('.');
  if (base == "arange" && !call.isTensor(0))
    return arange(call);
  if (base == "cat") {
    SmallVector<Operand> operands;
    for (const Tensor *x : call.tensors(0))
      operands.push_back(*x);
    int64_t dim = call.dim(1, 0, call.resultType().getRank());
    return call.give(call.one("cat", operands, call.resultType(), call.i64("dim", dim)));
  }
  if (!call.isTensor(0))
    return std::nullopt;
  const Tensor &x = call.tensor(0);
  int64_t rank = x.getRank();
  if (base == "sort")
    return sortOrTopk(call, true, overload == "stable" ? 2 : 1);
  if (base == "topk")
    return sortOrTopk(call, false, 0);
  if ((base == "argmax" || base == "argmin") && call.has(1)) {
    int64_t dim = call.dim(1, 0, rank);
    SmallVector<int64_t> shape(x.getShape());
    shape.erase(shape.begin() + dim);
    Operand result = call.one(base, {x}, RankedTensorType::get(shape, call.element()), call.i64("dim", dim));
    return call.give(call.reshape(result, call.resultType().getShape()));
  }
  if (base == "index")
    return indexTensors(call, false);
  if (base == "index_put")
    return indexTensors(call, true);
  if (base == "gather")
    return call.give(call.one(base, {x, call.tensor(2)}, call.resultType(), call.i64("dim", call.dim(1, 0, rank))));
  if (base == "scatter_add" || (base == "scatter" && overload == "src") || base == "index_add") {
    if (base == "index_add" && call.number(4, 1) != 1)
      return call.eval.op->emitOpError("is interpreted with alpha 1 only");
    return call.give(
        call.one(base, {x, call.tensor(2), call.tensor(3)}, call.resultType(), call.i64("dim", call.dim(1, 0, rank))));
  }
  if (base == "index_select")
    return call.give(call.one("take", {x, call.tensor(2)}, call.resultType(), call.i64("dim", call.dim(1, 0, rank))));
  if (base == "as_strided_scatter")
    return stridedScatter(call);
  if (base == "flip") {
    SmallVector<int64_t> dims = call.integers(1);
    for (int64_t &dim : dims)
      dim = dim < 0 ? dim + rank : dim;
    return call.give(call.one("reverse", {x}, call.resultType(), call.array("dims", dims)));
  }
  if (base == "view" && overload == "dtype")
    return call.give(call.one("bitcast", {x}, call.resultType()));
  if (base == "t" && rank == 2)
    return call.give(call.transpose(x, {1, 0}));
  if (base == "permute" || base == "transpose") {
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (base == "transpose")
      std::swap(perm[call.dim(1, 0, rank)], perm[call.dim(2, 0, rank)]);
    else
      for (auto [i, dim] : llvm::enumerate(call.integers(1)))
        perm[i] = dim < 0 ? dim + rank : dim;
    return call.give(call.transpose(x, perm));
  }
  if (base == "view" || base == "reshape" || base == "_unsafe_view" || base == "squeeze" || base == "unsqueeze")
    return call.give(call.reshape(x, call.resultType().getShape()));
  if (base == "expand")
    return call.give(call.broadcast(x, call.resultType().getShape()));
  if (base == "clone" || base == "detach" || base == "alias" || base == "contiguous")
    return call.give(x);
  if (base == "_to_copy")
    return call.giveAs(x);
  return std::nullopt;
}
