//===- LibraryForms.cpp - Which LibTorch operator computes an op ------------===//
//
// Arguments are in the order of the schema; trailing ones that are left out take its defaults.
//
//===----------------------------------------------------------------------===//
#include "LibraryForms.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::host;

using Argument = LibraryBuilder::Argument;

//===----------------------------------------------------------------------===//
// LibraryBuilder
//===----------------------------------------------------------------------===//

StringRef mlir::trace::host::getTorchName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.isUnsigned())
      return integer.getWidth() == 8 ? "torch.uint8" : "";
    switch (integer.getWidth()) {
    case 1:
      return "torch.bool";
    case 8:
      return "torch.int8";
    case 16:
      return "torch.int16";
    case 32:
      return "torch.int32";
    case 64:
      return "torch.int64";
    default:
      return "";
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32()   ? "torch.complex64"
           : complex.getElementType().isF64() ? "torch.complex128"
                                              : "";
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case<Float16Type>([](auto) { return "torch.float16"; })
      .Case<BFloat16Type>([](auto) { return "torch.bfloat16"; })
      .Case<Float32Type>([](auto) { return "torch.float32"; })
      .Case<Float64Type>([](auto) { return "torch.float64"; })
      .Case<Float8E4M3FNType>([](auto) { return "torch.float8_e4m3fn"; })
      .Case<Float8E5M2Type>([](auto) { return "torch.float8_e5m2"; })
      .Default([](Type) { return ""; });
}

Attribute LibraryBuilder::dtype(Type type) { return b.getStringAttr(getTorchName(type)); }

ResultRange LibraryBuilder::call(StringRef name, TypeRange results, ArrayRef<Argument> arguments) {
  SmallVector<Value> operands;
  SmallVector<Attribute> list;
  for (const Argument &argument : arguments) {
    if (!argument.value) {
      list.push_back(argument.attribute);
      continue;
    }
    list.push_back(OperandRefAttr::get(b.getContext(), operands.size()));
    operands.push_back(argument.value);
  }
  auto op = CallLibraryOp::create(b, loc, results, b.getStringAttr(name), operands, b.getArrayAttr(list),
                                  /*result_strides=*/ArrayAttr(), /*impure=*/UnitAttr());
  return op->getResults();
}

ResultRange LibraryBuilder::callWithList(StringRef name, TypeRange results, ValueRange list, ArrayRef<Argument> before,
                                         ArrayRef<Argument> after) {
  SmallVector<Value> operands;
  SmallVector<Attribute> arguments, elements;
  auto reference = [&](Value value) -> Attribute {
    operands.push_back(value);
    return OperandRefAttr::get(b.getContext(), operands.size() - 1);
  };
  for (const Argument &argument : before)
    arguments.push_back(argument.value ? reference(argument.value) : argument.attribute);
  for (Value value : list)
    elements.push_back(value ? reference(value) : none());
  arguments.push_back(b.getArrayAttr(elements));
  for (const Argument &argument : after)
    arguments.push_back(argument.value ? reference(argument.value) : argument.attribute);
  auto op = CallLibraryOp::create(b, loc, results, b.getStringAttr(name), operands, b.getArrayAttr(arguments),
                                  ArrayAttr(), UnitAttr());
  return op->getResults();
}

Value LibraryBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return ReshapeOp::create(b, loc, type.clone(shape), value);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// The operator of an op that takes the op's operands and nothing else.
static StringRef getPlainOperator(Operation *op) {
  StringRef name = op->getName().stripDialect();
  // Those whose names or overloads differ from `aten.<mnemonic>.default`.
  static const llvm::StringMap<StringRef> special = {
      {"add", "aten.add.Tensor"},
      {"sub", "aten.sub.Tensor"},
      {"mul", "aten.mul.Tensor"},
      {"div", "aten.div.Tensor"},
      {"remainder", "aten.remainder.Tensor"},
      {"fmod", "aten.fmod.Tensor"},
      {"pow", "aten.pow.Tensor_Tensor"},
      {"copysign", "aten.copysign.Tensor"},
      {"bitwise_and", "aten.bitwise_and.Tensor"},
      {"bitwise_or", "aten.bitwise_or.Tensor"},
      {"bitwise_xor", "aten.bitwise_xor.Tensor"},
      {"shift_left", "aten.bitwise_left_shift.Tensor"},
      {"shift_right", "aten.bitwise_right_shift.Tensor"},
      {"eq", "aten.eq.Tensor"},
      {"ne", "aten.ne.Tensor"},
      {"lt", "aten.lt.Tensor"},
      {"le", "aten.le.Tensor"},
      {"gt", "aten.gt.Tensor"},
      {"ge", "aten.ge.Tensor"},
      {"where", "aten.where.self"},
      {"clamp", "aten.clamp.Tensor"},
      {"scatter", "aten.scatter.src"},
  };
  static const llvm::StringMap<std::string> plain = [] {
    llvm::StringMap<std::string> map;
    for (StringRef mnemonic :
         {"abs",         "neg",     "sign",    "exp",        "exp2",    "expm1",       "log",   "log2",  "log10",
          "log1p",       "sqrt",    "rsqrt",   "reciprocal", "sin",     "cos",         "tan",   "asin",  "acos",
          "atan",        "sinh",    "cosh",    "tanh",       "asinh",   "acosh",       "atanh", "erf",   "erfc",
          "erfinv",      "lgamma",  "digamma", "sigmoid",    "relu",    "ceil",        "floor", "round", "trunc",
          "bitwise_not", "isnan",   "isinf",   "isfinite",   "signbit", "logical_not", "atan2", "hypot", "nextafter",
          "maximum",     "minimum", "fmax",    "fmin"})
      map[mnemonic] = ("aten." + mnemonic + ".default").str();
    return map;
  }();
  if (auto it = special.find(name); it != special.end())
    return it->second;
  auto it = plain.find(name);
  return it == plain.end() ? StringRef() : StringRef(it->second);
}

static Value buildElementwise(LibraryBuilder &lib, Operation *op) {
  Type result = op->getResult(0).getType();
  Type element = cast<RankedTensorType>(result).getElementType();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](DivFloorOp div) {
        return lib.call("aten.div.Tensor_mode", result, {div.getLhs(), div.getRhs(), lib.b.getStringAttr("floor")});
      })
      .Case([&](DivTruncOp div) {
        return lib.call("aten.div.Tensor_mode", result, {div.getLhs(), div.getRhs(), lib.b.getStringAttr("trunc")});
      })
      .Case([&](ConvertOp convert) {
        return lib.call("aten._to_copy.default", result, {convert.getInput(), lib.dtype(element)});
      })
      .Case([&](BitcastOp bitcast) {
        return lib.call("aten.view.dtype", result, {bitcast.getInput(), lib.dtype(element)});
      })
      .Default([&](Operation *) -> Value {
        StringRef name = getPlainOperator(op);
        if (name.empty())
          return nullptr;
        return lib.call(name, result, SmallVector<Argument>(op->operand_begin(), op->operand_end()));
      });
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

static Value buildReduction(LibraryBuilder &lib, Operation *op) {
  Value input = op->getOperand(0);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dims"); dims && dims.empty())
    return input; // of nothing: LibTorch would take an empty list for all
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ReduceSumOp sum) {
        return lib.call("aten.sum.dim_IntList", type,
                        {input, lib.integers(sum.getDims()), lib.boolean(false), lib.dtype(type.getElementType())});
      })
      .Case([&](ReduceProdOp prod) {
        // One dimension at a time, from the last, so that the earlier ones keep their numbers.
        Value value = input;
        for (int64_t dim : llvm::reverse(prod.getDims())) {
          auto from = cast<RankedTensorType>(value.getType());
          SmallVector<int64_t> shape(from.getShape());
          shape.erase(shape.begin() + dim);
          value = lib.call("aten.prod.dim_int", from.clone(shape),
                           {value, lib.integer(dim), lib.boolean(false), lib.dtype(type.getElementType())});
        }
        return value;
      })
      .Case([&](ReduceMaxOp max) { return lib.call("aten.amax.default", type, {input, lib.integers(max.getDims())}); })
      .Case([&](ReduceMinOp min) { return lib.call("aten.amin.default", type, {input, lib.integers(min.getDims())}); })
      .Case([&](ReduceAnyOp any) { return lib.call("aten.any.dims", type, {input, lib.integers(any.getDims())}); })
      .Case([&](ReduceAllOp all) { return lib.call("aten.all.dims", type, {input, lib.integers(all.getDims())}); })
      .Case([&](ArgmaxOp arg) { return lib.call("aten.argmax.default", type, {input, lib.integer(arg.getDim())}); })
      .Case([&](ArgminOp arg) { return lib.call("aten.argmin.default", type, {input, lib.integer(arg.getDim())}); })
      .Case([&](CumsumOp scan) {
        return lib.call("aten.cumsum.default", type,
                        {input, lib.integer(scan.getDim()), lib.dtype(type.getElementType())});
      })
      .Case([&](CumprodOp scan) {
        return lib.call("aten.cumprod.default", type,
                        {input, lib.integer(scan.getDim()), lib.dtype(type.getElementType())});
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

/// The operand is written into a tensor full of the padding value: into a strided window of it where there is interior
/// padding.
static Value buildPad(LibraryBuilder &lib, PadOp pad) {
  Value input = pad.getInput();
  auto from = cast<RankedTensorType>(input.getType());
  RankedTensorType to = pad.getType();
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return nullptr;
  SmallVector<int64_t> toStrides = contiguousStrides(to.getShape()), starts, limits, steps, windowStrides;
  int64_t offset = 0;
  for (int64_t d = 0; d < from.getRank(); ++d) {
    int64_t low = pad.getLow()[d], step = pad.getInterior()[d] + 1, size = from.getDimSize(d), room = to.getDimSize(d);
    // Element i lies at low + i * step: those before 0 and from `room` on are cut off.
    int64_t start = low < 0 ? (-low + step - 1) / step : 0;
    int64_t limit = std::min(size, room - low > 0 ? (room - low + step - 1) / step : 0);
    start = std::min(start, size);
    starts.push_back(start);
    limits.push_back(std::max(start, limit));
    steps.push_back(1);
    offset += (low + start * step) * toStrides[d];
    windowStrides.push_back(step * toStrides[d]);
  }
  Value window = SliceOp::create(lib.b, lib.loc, input, starts, limits, steps);
  auto windowType = cast<RankedTensorType>(window.getType());
  Value full = BroadcastInDimOp::create(lib.b, lib.loc, to, pad.getValue(), ArrayRef<int64_t>());
  full = lib.call("aten.clone.default", to, {full, lib.b.getStringAttr("torch.contiguous_format")});
  if (windowType.getNumElements() == 0)
    return full;
  return lib.call(
      "aten.as_strided_scatter.default", to,
      {full, window, lib.integers(windowType.getShape()), lib.integers(windowStrides), lib.integer(offset)});
}

static Value buildDataMovement(LibraryBuilder &lib, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](CatOp cat) {
        return lib.callWithList("aten.cat.default", type, cat.getInputs(), {}, {lib.integer(cat.getDim())})[0];
      })
      .Case([&](ReverseOp reverse) {
        return lib.call("aten.flip.default", type, {reverse.getInput(), lib.integers(reverse.getDims())});
      })
      .Case([&](PadOp pad) { return buildPad(lib, pad); })
      .Case([&](IotaOp iota) -> Value {
        int64_t size = type.getDimSize(iota.getDim());
        Value line = lib.call("aten.arange.start_step", type.clone(ArrayRef<int64_t>(size)),
                              {lib.integer(0), lib.integer(size), lib.integer(1), lib.dtype(type.getElementType())});
        return BroadcastInDimOp::create(lib.b, lib.loc, type, line,
                                        ArrayRef<int64_t>(static_cast<int64_t>(iota.getDim())));
      })
      .Case([&](FullOp full) -> Value {
        if (!type.hasStaticShape())
          return nullptr;
        return ConstantOp::create(lib.b, lib.loc, type,
                                  cast<ElementsAttr>(DenseElementsAttr::get(type, Attribute(full.getValueAttr()))));
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

static int64_t numElements(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

/// PyTorch's list of indices: None for the dimensions that are not indexed.
static SmallVector<Value> indexList(ValueRange indices, ArrayRef<int64_t> dims) {
  SmallVector<Value> list;
  for (auto [index, dim] : llvm::zip_equal(indices, dims)) {
    if (static_cast<int64_t>(list.size()) <= dim)
      list.resize(dim + 1);
    list[dim] = index;
  }
  return list;
}

static Value buildIndexAdd(LibraryBuilder &lib, IndexAddOp add) {
  RankedTensorType type = add.getType();
  int64_t dim = add.getDim(), count = numElements(add.getIndex());
  auto zero = dyn_cast_or_null<FloatAttr>(getSplatValue(add.getInput()));
  if (zero && zero.getValue().isPosZero() && dim == 0 && type.getRank() == 2)
    return lib.call(
        "aten.embedding_dense_backward.default", type,
        {add.getSource(), add.getIndex(), lib.integer(type.getDimSize(0)), lib.integer(-1), lib.boolean(false)});
  SmallVector<int64_t> sourceShape(type.getShape());
  sourceShape[dim] = count;
  return lib.call("aten.index_add.default", type,
                  {add.getInput(), lib.integer(dim), lib.reshape(add.getIndex(), count),
                   lib.reshape(add.getSource(), sourceShape)});
}

static Value buildTake(LibraryBuilder &lib, TakeOp take) {
  int64_t dim = take.getDim(), count = numElements(take.getIndex());
  auto input = cast<RankedTensorType>(take.getInput().getType());
  SmallVector<int64_t> shape(input.getShape());
  shape[dim] = count;
  Value flat = lib.call("aten.index_select.default", input.clone(shape),
                        {take.getInput(), lib.integer(dim), lib.reshape(take.getIndex(), count)});
  return lib.reshape(flat, cast<RankedTensorType>(take.getType()).getShape());
}

static SmallVector<Value> buildIndexing(LibraryBuilder &lib, Operation *op) {
  Type type = op->getResult(0).getType();
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](GatherOp gather) -> SmallVector<Value> {
        return {lib.call("aten.gather.default", type,
                         {gather.getInput(), lib.integer(gather.getDim()), gather.getIndex()})};
      })
      .Case([&](TakeOp take) -> SmallVector<Value> { return {buildTake(lib, take)}; })
      .Case([&](IndexAddOp add) -> SmallVector<Value> { return {buildIndexAdd(lib, add)}; })
      .Case([&](ScatterAddOp scatter) -> SmallVector<Value> {
        return {lib.call("aten.scatter_add.default", type,
                         {scatter.getInput(), lib.integer(scatter.getDim()), scatter.getIndex(), scatter.getSource()})};
      })
      .Case([&](ScatterOp scatter) -> SmallVector<Value> {
        return {lib.call("aten.scatter.src", type,
                         {scatter.getInput(), lib.integer(scatter.getDim()), scatter.getIndex(), scatter.getSource()})};
      })
      .Case([&](IndexOp index) -> SmallVector<Value> {
        return {lib.callWithList("aten.index.Tensor", type, indexList(index.getIndices(), index.getDims()),
                                 {index.getInput()}, {})[0]};
      })
      .Case([&](IndexPutOp put) -> SmallVector<Value> {
        return {lib.callWithList("aten.index_put.default", type, indexList(put.getIndices(), put.getDims()),
                                 {put.getInput()}, {put.getSource(), lib.boolean(put.getAccumulate())})[0]};
      })
      .Case([&](SortOp sort) -> SmallVector<Value> {
        return llvm::to_vector_of<Value>(lib.call("aten.sort.stable", TypeRange(op->getResultTypes()),
                                                  {sort.getInput(), lib.boolean(sort.getStable()),
                                                   lib.integer(sort.getDim()), lib.boolean(sort.getDescending())}));
      })
      .Case([&](TopkOp topk) -> SmallVector<Value> {
        return llvm::to_vector_of<Value>(
            lib.call("aten.topk.default", TypeRange(op->getResultTypes()),
                     {topk.getInput(), lib.integer(topk.getK()), lib.integer(topk.getDim()),
                      lib.boolean(topk.getLargest()), lib.boolean(topk.getSorted())}));
      })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

//===----------------------------------------------------------------------===//
// Matrix products and convolutions
//===----------------------------------------------------------------------===//

/// The operand of a batched product before its batch dimensions were flattened into one (`[b, h, m, k]` of a reshape to
/// `[b * h, m, k]`, perhaps transposed afterwards); null where it was not.
static Value beforeFlattening(LibraryBuilder &lib, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    auto from = cast<RankedTensorType>(reshape.getInput().getType());
    if (from.getRank() > 3 && type.getRank() == 3 && from.getShape().take_back(2) == type.getShape().take_back(2))
      return reshape.getInput();
  }
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose || transpose.getPerm() != ArrayRef<int64_t>({0, 2, 1}))
    return nullptr;
  Value inner = beforeFlattening(lib, transpose.getInput());
  if (!inner)
    return nullptr;
  auto perm = llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(inner.getType()).getRank()));
  std::swap(perm[perm.size() - 2], perm.back());
  return TransposeOp::create(lib.b, lib.loc, inner, perm);
}

/// Two dimensions are aten.mm, three aten.bmm. More batch dimensions stay as they are (aten.matmul): flattened, their
/// strides often could not be expressed, and the operands would have to be copied. That holds for products that were
/// flattened further up, too.
static Value buildMatmul(LibraryBuilder &lib, MatmulOp matmul) {
  auto result = cast<RankedTensorType>(matmul.getType());
  Value lhs = matmul.getLhs(), rhs = matmul.getRhs();
  int64_t rank = result.getRank();
  if (rank == 2)
    return lib.call("aten.mm.default", result, {lhs, rhs});
  if (rank > 3)
    return lib.call("aten.matmul.default", result, {lhs, rhs});
  Value wideLhs = beforeFlattening(lib, lhs), wideRhs = beforeFlattening(lib, rhs);
  if (!wideLhs && !wideRhs)
    return lib.call("aten.bmm.default", result, {lhs, rhs});
  auto batchOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape().drop_back(2); };
  SmallVector<int64_t> batch(batchOf(wideLhs ? wideLhs : wideRhs));
  // An operand that was not flattened, or otherwise, is split alike, which is always a view.
  auto widen = [&](Value wide, Value flat) {
    if (wide && batchOf(wide) == ArrayRef<int64_t>(batch))
      return wide;
    SmallVector<int64_t> shape(batch);
    llvm::append_range(shape, cast<RankedTensorType>(flat.getType()).getShape().take_back(2));
    return lib.reshape(flat, shape);
  };
  SmallVector<int64_t> shape(batch);
  llvm::append_range(shape, result.getShape().take_back(2));
  Value wide = lib.call("aten.matmul.default", result.clone(shape), {widen(wideLhs, lhs), widen(wideRhs, rhs)});
  // Who makes the batch dimensions out of the result again has them already.
  for (Operation *user : llvm::make_early_inc_range(matmul->getUsers()))
    if (auto reshape = dyn_cast<ReshapeOp>(user); reshape && reshape.getType() == wide.getType())
      reshape.replaceAllUsesWith(wide);
  return lib.reshape(wide, result.getShape());
}

template <typename Op> static SmallVector<Argument> convolutionAttributes(LibraryBuilder &lib, Op op) {
  return {lib.integers(op.getStride()),    lib.integers(op.getPadding()),       lib.integers(op.getDilation()),
          lib.boolean(op.getTransposed()), lib.integers(op.getOutputPadding()), lib.integer(op.getGroups())};
}

SmallVector<Value> mlir::trace::host::buildConvolutionBackward(OpBuilder &builder, ConvolutionInputGradOp inputGrad,
                                                               ConvolutionWeightGradOp weightGrad) {
  Operation *first = inputGrad ? inputGrad.getOperation() : weightGrad.getOperation();
  LibraryBuilder lib(builder, first->getLoc());
  // The operator wants input and weight even for their shape only: a broadcast zero then.
  auto shapeOnly = [&](Type type) -> Value {
    auto tensor = cast<RankedTensorType>(type);
    return createSplat(builder, first->getLoc(), tensor, 0.0);
  };
  Value input = weightGrad ? weightGrad.getInput() : shapeOnly(inputGrad.getType());
  Value weight = inputGrad ? inputGrad.getWeight() : shapeOnly(weightGrad.getType());
  SmallVector<Argument> arguments = {first->getOperand(0), input, weight, lib.none()};
  llvm::append_range(arguments,
                     inputGrad ? convolutionAttributes(lib, inputGrad) : convolutionAttributes(lib, weightGrad));
  arguments.push_back(builder.getBoolArrayAttr({bool(inputGrad), bool(weightGrad), false}));
  // The bias' gradient, and one that is masked, come back undefined: their types are those of what is not there.
  Type biasType = RankedTensorType::get({cast<RankedTensorType>(first->getOperand(0).getType()).getDimSize(1)},
                                        cast<RankedTensorType>(first->getOperand(0).getType()).getElementType());
  ResultRange results = lib.call("aten.convolution_backward.default",
                                 TypeRange({input.getType(), weight.getType(), biasType}), arguments);
  SmallVector<Value> grads;
  if (inputGrad)
    grads.push_back(results[0]);
  if (weightGrad)
    grads.push_back(results[1]);
  return grads;
}

SmallVector<Value> mlir::trace::host::buildLibraryForm(OpBuilder &builder, Operation *op) {
  LibraryBuilder lib(builder, op->getLoc());
  auto one = [](Value value) { return value ? SmallVector<Value>{value} : SmallVector<Value>(); };
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return one(buildMatmul(lib, matmul));
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    SmallVector<Argument> arguments = {convolution.getInput(), convolution.getWeight(), lib.none()};
    llvm::append_range(arguments, convolutionAttributes(lib, convolution));
    return one(lib.call("aten.convolution.default", Type(convolution.getType()), arguments));
  }
  if (op->hasTrait<trace::OpTrait::Elementwise>())
    return one(buildElementwise(lib, op));
  if (op->hasTrait<trace::OpTrait::Reduction>() || isa<CumsumOp, CumprodOp>(op))
    return one(buildReduction(lib, op));
  if (op->hasTrait<trace::OpTrait::DataMovement>() || isa<IotaOp, FullOp>(op))
    return one(buildDataMovement(lib, op));
  return buildIndexing(lib, op);
}
