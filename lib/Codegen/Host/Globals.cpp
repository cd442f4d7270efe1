//===- Globals.cpp - Constants of a host module -----------------------------===//
#include "Globals.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::host;

int32_t mlir::trace::host::getRuntimeElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.isUnsigned())
      return integer.getWidth() == 8 ? 1 : -1;
    switch (integer.getWidth()) {
    case 1:
      return 0;
    case 8:
      return 2;
    case 16:
      return 3;
    case 32:
      return 4;
    case 64:
      return 5;
    default:
      return -1;
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? 12 : complex.getElementType().isF64() ? 13 : -1;
  return llvm::TypeSwitch<Type, int32_t>(type)
      .Case<Float16Type>([](auto) { return 6; })
      .Case<BFloat16Type>([](auto) { return 7; })
      .Case<Float32Type>([](auto) { return 8; })
      .Case<Float64Type>([](auto) { return 9; })
      .Case<Float8E4M3FNType>([](auto) { return 10; })
      .Case<Float8E5M2Type>([](auto) { return 11; })
      .Default([](Type) { return -1; });
}

int64_t mlir::trace::host::getElementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complex.getElementType());
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

int64_t mlir::trace::host::getStorageBytes(RankedTensorType type, ArrayRef<int64_t> strides) {
  if (type.getNumElements() == 0)
    return 0;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    last += (size - 1) * stride;
  return (last + 1) * getElementBytes(type.getElementType());
}

Globals::Globals(ModuleOp module)
    : module(module), symbols(module), pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

LLVM::GlobalOp Globals::make(StringRef kind, StringRef key, Type type, Attribute value,
                             function_ref<Value(OpBuilder &)> initializer) {
  LLVM::GlobalOp &global = known[(kind + "\n" + key).str()];
  if (global)
    return global;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto made = LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                     ("trace_" + kind).str(), value);
  symbols.insert(made); // renames it where the name is taken
  if (initializer) {
    OpBuilder inner(module.getContext());
    inner.setInsertionPointToStart(&made.getInitializerRegion().emplaceBlock());
    Value result = initializer(inner);
    LLVM::ReturnOp::create(inner, module.getLoc(), result);
  }
  // `known` may have grown meanwhile.
  return known[(kind + "\n" + key).str()] = made;
}

LLVM::GlobalOp Globals::makeText(StringRef text) {
  std::string terminated = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(IntegerType::get(module.getContext(), 8), terminated.size());
  return make("text", text, type, StringAttr::get(module.getContext(), terminated));
}

LLVM::GlobalOp Globals::makeIntegers(ArrayRef<int64_t> values) {
  Type i64 = IntegerType::get(module.getContext(), 64);
  std::string key;
  llvm::raw_string_ostream os(key);
  llvm::interleaveComma(values, os);
  auto type = LLVM::LLVMArrayType::get(i64, values.size());
  return make("ints", key, type, DenseElementsAttr::get(RankedTensorType::get(values.size(), i64), values));
}

Value Globals::addressOf(OpBuilder &b, Location loc, LLVM::GlobalOp global) {
  return LLVM::AddressOfOp::create(b, loc, pointer, global.getSymName());
}

Value Globals::null(OpBuilder &b, Location loc) { return LLVM::ZeroOp::create(b, loc, pointer); }

Value Globals::makeStruct(OpBuilder &b, Location loc, LLVM::LLVMStructType type, ValueRange fields) {
  Value value = LLVM::UndefOp::create(b, loc, type);
  for (auto [i, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(b, loc, value, field, ArrayRef<int64_t>(static_cast<int64_t>(i)));
  return value;
}

LLVM::GlobalOp Globals::makeDesc(RankedTensorType tensor, ArrayRef<int64_t> strides, int64_t offset) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << tensor << ' ' << offset << ' ';
  llvm::interleaveComma(strides, os);
  MLIRContext *context = module.getContext();
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  auto type = LLVM::LLVMStructType::getLiteral(context, {i32, i32, i64, i64, pointer, pointer});
  LLVM::GlobalOp sizes, steps;
  if (tensor.getRank() > 0) {
    sizes = makeIntegers(tensor.getShape());
    steps = makeIntegers(strides);
  }
  return make("desc", key, type, Attribute(), [&](OpBuilder &b) {
    Location loc = module.getLoc();
    auto constant = [&](Type type, int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
    };
    return makeStruct(b, loc, type,
                      {constant(i32, getRuntimeElementType(tensor.getElementType())), constant(i32, tensor.getRank()),
                       constant(i64, offset), constant(i64, getStorageBytes(tensor, strides)),
                       sizes ? addressOf(b, loc, sizes) : null(b, loc),
                       steps ? addressOf(b, loc, steps) : null(b, loc)});
  });
}

Value Globals::text(OpBuilder &b, Location loc, StringRef text) { return addressOf(b, loc, makeText(text)); }

Value Globals::desc(OpBuilder &b, Location loc, RankedTensorType type, ArrayRef<int64_t> strides, int64_t offset) {
  return addressOf(b, loc, makeDesc(type, strides, offset));
}

Value Globals::descArray(OpBuilder &b, Location loc, ArrayRef<DescKey> descs) {
  std::string key;
  llvm::raw_string_ostream os(key);
  SmallVector<LLVM::GlobalOp> globals;
  for (const DescKey &desc : descs) {
    globals.push_back(desc.type ? makeDesc(desc.type, desc.strides, 0) : LLVM::GlobalOp());
    os << (globals.back() ? globals.back().getSymName() : "null") << ' ';
  }
  auto type = LLVM::LLVMArrayType::get(pointer, descs.size());
  LLVM::GlobalOp array = make("descs", key, type, Attribute(), [&](OpBuilder &inner) -> Value {
    Value value = LLVM::UndefOp::create(inner, loc, type);
    for (auto [i, global] : llvm::enumerate(globals))
      value = LLVM::InsertValueOp::create(inner, loc, value, global ? addressOf(inner, loc, global) : null(inner, loc),
                                          ArrayRef<int64_t>(static_cast<int64_t>(i)));
    return value;
  });
  return addressOf(b, loc, array);
}

int64_t Globals::addCall(StringRef text) {
  auto [it, added] = knownEntries.try_emplace(("call\n" + text).str(), entries.size());
  if (added)
    entries.push_back({Entry::Call, text.str(), {}, {}});
  return it->second;
}

int64_t Globals::addConstant(RankedTensorType type, ArrayRef<int64_t> strides, StringRef data) {
  LLVM::GlobalOp desc = makeDesc(type, strides, 0);
  std::string key = ("constant\n" + desc.getSymName() + "\n" + data).str();
  auto [it, added] = knownEntries.try_emplace(key, entries.size());
  if (added) {
    entries.push_back({Entry::Constant, "", desc, makeBytes("data", data)});
  }
  return it->second;
}

//===----------------------------------------------------------------------===//
// Kernels of a GPU
//===----------------------------------------------------------------------===//

LLVM::GlobalOp Globals::makeBytes(StringRef kind, StringRef bytes) {
  auto array = LLVM::LLVMArrayType::get(IntegerType::get(module.getContext(), 8), bytes.size());
  return make(kind, bytes, array, StringAttr::get(module.getContext(), bytes));
}

static StringRef kindName(gpu::CompilationTarget format) {
  switch (format) {
  case gpu::CompilationTarget::Assembly:
    return "ptx";
  case gpu::CompilationTarget::Binary:
    return "cubin";
  case gpu::CompilationTarget::Offload:
    return "bitcode";
  case gpu::CompilationTarget::Fatbin:
    return "fatbin";
  }
  llvm_unreachable("a form of a gpu.object");
}

/// A TraceDeviceModule with its TraceDeviceImages.
LLVM::GlobalOp Globals::makeImages(gpu::BinaryOp binary) {
  MLIRContext *context = module.getContext();
  Type i64 = IntegerType::get(context, 64);
  Location loc = module.getLoc();
  struct Image {
    LLVM::GlobalOp kind, data;
    int64_t bytes;
  };
  SmallVector<Image> images;
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    // The driver reads PTX up to a zero byte, which MLIR may have put there already.
    std::string bytes = object.getObject().getValue().str();
    int64_t size = bytes.size();
    bytes += '\0';
    images.push_back({makeText(kindName(object.getFormat())), makeBytes("image", bytes), size});
  }
  auto constant = [&](OpBuilder &b, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
  };
  auto imageType = LLVM::LLVMStructType::getLiteral(context, {pointer, pointer, i64});
  auto arrayType = LLVM::LLVMArrayType::get(imageType, images.size());
  std::string key = binary.getSymName().str();
  LLVM::GlobalOp array = make("images", key, arrayType, Attribute(), [&](OpBuilder &b) -> Value {
    Value value = LLVM::UndefOp::create(b, loc, arrayType);
    for (auto [i, image] : llvm::enumerate(images))
      value = LLVM::InsertValueOp::create(
          b, loc, value,
          makeStruct(b, loc, imageType,
                     {addressOf(b, loc, image.kind), addressOf(b, loc, image.data), constant(b, image.bytes)}),
          ArrayRef<int64_t>(static_cast<int64_t>(i)));
    return value;
  });
  auto type = LLVM::LLVMStructType::getLiteral(context, {i64, pointer});
  return make("module", key, type, Attribute(), [&](OpBuilder &b) {
    return makeStruct(b, loc, type, {constant(b, images.size()), addressOf(b, loc, array)});
  });
}

/// A TraceDeviceKernel.
LLVM::GlobalOp Globals::makeLaunch(int64_t moduleEntry, DictionaryAttr kernel, ArrayRef<int64_t> slots) {
  MLIRContext *context = module.getContext();
  Type i64 = IntegerType::get(context, 64);
  Location loc = module.getLoc();
  auto triple = LLVM::LLVMArrayType::get(i64, 3);
  auto type = LLVM::LLVMStructType::getLiteral(context, {i64, triple, triple, i64, pointer});
  LLVM::GlobalOp places = slots.empty() ? LLVM::GlobalOp() : makeIntegers(slots);
  std::string key = std::to_string(moduleEntry) + " " + kernel.getAs<StringAttr>("name").str();
  return make("kernel", key, type, Attribute(), [&](OpBuilder &b) {
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
    };
    auto makeTriple = [&](StringRef name) {
      Value value = LLVM::UndefOp::create(b, loc, triple);
      for (auto [i, size] : llvm::enumerate(kernel.getAs<DenseI64ArrayAttr>(name).asArrayRef()))
        value = LLVM::InsertValueOp::create(b, loc, value, constant(size), ArrayRef<int64_t>(static_cast<int64_t>(i)));
      return value;
    };
    return makeStruct(b, loc, type,
                      {constant(moduleEntry), makeTriple("grid"), makeTriple("block"), constant(slots.size()),
                       places ? addressOf(b, loc, places) : null(b, loc)});
  });
}

FailureOr<SmallVector<int64_t>> Globals::addKernels(gpu::BinaryOp binary) {
  if (auto *found = kernels.find(binary); found != kernels.end())
    return found->second;
  auto launches = binary->getAttrOfType<ArrayAttr>("trace.kernels");
  if (!launches)
    return binary.emitOpError("does not say in trace.kernels how its kernels are launched");
  SmallVector<int64_t> numbers;
  if (!launches.empty()) {
    int64_t moduleEntry = entries.size();
    entries.push_back({Entry::Module, binary.getSymName().str(), {}, makeImages(binary)});
    for (Attribute attribute : launches) {
      auto kernel = dyn_cast<DictionaryAttr>(attribute);
      auto name = kernel ? kernel.getAs<StringAttr>("name") : StringAttr();
      auto grid = kernel ? kernel.getAs<DenseI64ArrayAttr>("grid") : DenseI64ArrayAttr();
      auto block = kernel ? kernel.getAs<DenseI64ArrayAttr>("block") : DenseI64ArrayAttr();
      auto slots = kernel ? kernel.getAs<DenseI64ArrayAttr>("slots") : DenseI64ArrayAttr();
      if (!name || !grid || grid.size() != 3 || !block || block.size() != 3 || !slots)
        return binary.emitOpError("has in trace.kernels no name, grid, block and slots of a kernel, but ") << attribute;
      numbers.push_back(entries.size());
      entries.push_back({Entry::Kernel, name.str(), {}, makeLaunch(moduleEntry, kernel, slots.asArrayRef())});
    }
  }
  return kernels[binary] = numbers;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

LogicalResult Globals::finish() {
  constexpr StringLiteral name = "trace_get_table";
  if (Operation *taken = symbols.lookup(name)) {
    InFlightDiagnostic error =
        module.emitError("has a @trace_get_table already: host functions of one module are lowered together");
    error.attachNote(taken->getLoc()) << "here";
    return error;
  }
  MLIRContext *context = module.getContext();
  Type i64 = IntegerType::get(context, 64);
  auto entryType = LLVM::LLVMStructType::getLiteral(context, {i64, pointer, pointer, pointer});
  auto type = LLVM::LLVMArrayType::get(entryType, entries.size());
  Location loc = module.getLoc();
  SmallVector<LLVM::GlobalOp> texts;
  for (const Entry &entry : entries)
    texts.push_back(entry.kind == Entry::Constant ? LLVM::GlobalOp() : makeText(entry.text));
  LLVM::GlobalOp table = make("table", "", type, Attribute(), [&](OpBuilder &b) -> Value {
    Value array = LLVM::UndefOp::create(b, loc, type);
    for (auto [i, entry] : llvm::enumerate(entries)) {
      auto address = [&](LLVM::GlobalOp global) { return global ? addressOf(b, loc, global) : null(b, loc); };
      Value kind = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(entry.kind));
      Value element =
          makeStruct(b, loc, entryType, {kind, address(texts[i]), address(entry.desc), address(entry.data)});
      array = LLVM::InsertValueOp::create(b, loc, array, element, ArrayRef<int64_t>(static_cast<int64_t>(i)));
    }
    return array;
  });
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto func = func::FuncOp::create(b, loc, name, b.getFunctionType({pointer}, {pointer}));
  b.setInsertionPointToStart(func.addEntryBlock());
  Value count = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(entries.size()));
  LLVM::StoreOp::create(b, loc, count, func.getArgument(0));
  func::ReturnOp::create(b, loc, addressOf(b, loc, table));
  return success();
}
