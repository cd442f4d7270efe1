//===- LibraryCall.h - A call of a LibTorch operator, made of prims ---------===//
#ifndef TRACE_LIB_INTERPRETER_LIBRARYCALL_H
#define TRACE_LIB_INTERPRETER_LIBRARYCALL_H

#include "Evaluate.h"

namespace mlir::trace::interpreter {

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
  /// Tensors of a list argument; null for None.
  SmallVector<const Tensor *> tensors(unsigned i) const {
    SmallVector<const Tensor *> result;
    if (auto array = has(i) ? dyn_cast<ArrayAttr>(list[i]) : ArrayAttr())
      for (Attribute attr : array) {
        auto ref = dyn_cast<OperandRefAttr>(attr);
        result.push_back(ref ? eval.operands[ref.getIndex()] : nullptr);
      }
    return result;
  }
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

/// Operators that only move data, index or search; nullopt for others.
std::optional<LogicalResult> evaluateDataOperator(Call &call, StringRef base);

} // namespace mlir::trace::interpreter

#endif
