//===- LowerHost.cpp - Host functions become calls of the runtime -----------===//
//
// Every tensor value shows a *root*: an argument, a literal, or what a fusion or a library call has made. Views have no
// code of their own: a value is its root, an offset and strides. What a use needs is made where it stands: an address
// for a fusion, a handle for everything else.
//
// A fusion is a call of its entry on the CPU, or, where a gpu.binary stands for it, the launches of its kernels.
//
// Handles and buffers that the function owns lie in two arrays on its stack, from which the error path frees what is
// there; so an entry is null before its value exists and after it was freed or given away.
//
//===----------------------------------------------------------------------===//
#include "Globals.h"
#include "Literals.h"
#include "trace/Codegen/Host/Host.h"
#include "trace/Codegen/Host/Passes.h"
#include "trace/Codegen/Host/Signature.h"
#include "trace/IR/TraceOps.h"
#include "trace/Schedule/Barrier.h"

namespace mlir::trace {
#define GEN_PASS_DEF_LOWERHOST
#include "trace/Codegen/Host/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::host;

using Strides = SmallVector<int64_t>;

static constexpr StringLiteral scratchAttr = "trace.scratch";

namespace {

struct Root {
  enum Kind { Argument, Constant, Handle, Buffer } kind;
  /// Number of the argument, of the table's entry, or of the slot in the arrays of handles or buffers.
  unsigned index = 0;
  RankedTensorType type;
  Strides strides;
  /// Somebody needs a tensor, not just an address.
  bool needsHandle = false;
  /// It starts at a multiple of 16 bytes, as a kernel of a GPU needs.
  bool aligned = false;
  Operation *lastUse = nullptr;
  /// Slots of handles of views of it.
  SmallVector<unsigned> viewSlots;
  // Emitted code, made at first use.
  Value handle, address;
};

struct View {
  Root *root = nullptr;
  int64_t offset = 0; // in elements
  Strides strides;
  Value handle;
  int slot = -1;
};

class Lowering {
public:
  Lowering(func::FuncOp func, Globals &globals, SymbolTable &symbols)
      : func(func), globals(globals), symbols(symbols), b(func.getContext()), pointer(globals.getPointerType()),
        i32(b.getI32Type()), i64(b.getI64Type()) {}

  LogicalResult run();

private:
  // -- analysis
  LogicalResult analyse();
  LogicalResult analyse(Operation *op);
  LogicalResult checkType(Operation *op, Type type);
  FailureOr<int64_t> addConstant(ConstantOp op);
  Root *addRoot(Value value, Root::Kind kind, unsigned index, Strides strides, Operation *def);
  void use(Value value, Operation *user, bool handle);
  FailureOr<Strides> layoutOf(Operation *op, unsigned result);

  // -- emission
  void emitPrologue();
  LogicalResult emit(Operation *op);
  LogicalResult emitFusion(CallOp call);
  LogicalResult emitLaunches(CallOp call, gpu::BinaryOp binary);
  LogicalResult emitLibrary(CallLibraryOp call);
  void emitCheckIndex(CheckIndexOp check);
  void emitReturn(ReturnOp ret);
  void emitFail();
  void freeAfter(Operation *op);
  void freeRoot(Root &root);

  Value constant(Type type, int64_t value);
  Value slotAddress(Value array, unsigned slot);
  Value handleOf(Value value);
  Value rootHandle(Root &root);
  Value addressOf(Value value);
  Value rootAddress(Root &root);
  Value runtime(StringRef name, TypeRange results, ValueRange operands);
  void check(StringRef name, ValueRange operands);
  void failUnless(Value condition);
  /// The kernels of a fusion for a GPU; null where it runs on the CPU.
  gpu::BinaryOp binaryOf(CallOp call) { return symbols.lookup<gpu::BinaryOp>((call.getCallee() + "__gpu").str()); }
  /// For a kernel of a GPU, the bytes to copy where the value is not at a multiple of 16 bytes; -1 where it always is.
  int64_t bytesToAlign(Value value);
  Value where();
  void store(Value value, Value address) { LLVM::StoreOp::create(b, loc(), value, address); }
  Value load(Value address) { return LLVM::LoadOp::create(b, loc(), pointer, address); }
  Location loc() { return current ? current->getLoc() : func.getLoc(); }
  RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  func::FuncOp func, lowered;
  Globals &globals;
  SymbolTable &symbols;
  OpBuilder b;
  LLVM::LLVMPointerType pointer;
  Type i32, i64;

  SmallVector<std::unique_ptr<Root>> roots;
  DenseMap<Value, View> views;
  unsigned numHandles = 0, numBuffers = 0, numTemporaries = 1;
  /// Of the buffers, the last: scratch memory and aligned operands of the fusion that is being launched.
  unsigned firstLaunchBuffer = 0, numLaunchBuffers = 0;

  /// The op that code is made for (null: the function), and the one that the error path would name now.
  Operation *current = nullptr;
  std::optional<Operation *> stated;
  Block *failBlock = nullptr;
  Value handles, buffers, adapted, temporaries, dataSlot, whereSlot;
};

} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

LogicalResult Lowering::checkType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || getRuntimeElementType(tensor.getElementType()) < 0)
    return op->emitOpError("has a value of type ") << type << ", which the runtime does not know";
  return success();
}

Root *Lowering::addRoot(Value value, Root::Kind kind, unsigned index, Strides strides, Operation *def) {
  auto root = std::make_unique<Root>();
  root->kind = kind;
  root->index = index;
  root->type = typeOf(value);
  root->strides = strides;
  root->lastUse = def;
  views[value] = View{root.get(), 0, strides, Value(), -1};
  roots.push_back(std::move(root));
  return roots.back().get();
}

void Lowering::use(Value value, Operation *user, bool handle) {
  View &view = views[value];
  view.root->lastUse = user;
  view.root->needsHandle |= handle;
  // A view's handle lies in a slot of its own.
  bool isRoot = view.offset == 0 && view.strides == view.root->strides && typeOf(value) == view.root->type;
  if (handle && !isRoot && view.slot < 0) {
    view.slot = numHandles++;
    view.root->viewSlots.push_back(view.slot);
  }
}

FailureOr<Strides> Lowering::layoutOf(Operation *op, unsigned result) {
  auto layouts = op->getAttrOfType<ArrayAttr>(layoutsAttr);
  if (!layouts || layouts.size() != op->getNumResults() || !isa<DenseI64ArrayAttr>(layouts[result]))
    return op->emitOpError("has no layout: trace-assign-layouts has to come first");
  return Strides(cast<DenseI64ArrayAttr>(layouts[result]).asArrayRef());
}

FailureOr<int64_t> Lowering::addConstant(ConstantOp op) {
  std::optional<std::string> bytes = getLiteralBytes(op.getValue());
  if (!bytes)
    return op.emitOpError("has a value that cannot be written into the executable");
  FailureOr<Strides> strides = layoutOf(op, 0);
  if (failed(strides))
    return failure();
  return globals.addConstant(typeOf(op), *strides, *bytes);
}

LogicalResult Lowering::analyse() {
  if (func.getNumArguments() > 0)
    for (BlockArgument argument : func.getArguments()) {
      if (failed(checkType(func, argument.getType())))
        return failure();
      auto strides = func.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), attrs::strides);
      addRoot(argument, Root::Argument, argument.getArgNumber(),
              strides ? Strides(strides.asArrayRef()) : contiguousStrides(typeOf(argument).getShape()), nullptr);
    }
  for (Operation &op : func.getBody().front())
    if (failed(analyse(&op)))
      return failure();
  return success();
}

LogicalResult Lowering::analyse(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  if (op->hasTrait<trace::OpTrait::ViewLike>()) {
    View source = views[op->getOperand(0)];
    auto layout = getViewLayout(op, source.strides);
    if (!layout)
      return op->emitOpError("cannot be a view of this layout: trace-assign-layouts has to come first");
    views[op->getResult(0)] = View{source.root, source.offset + layout->offset, layout->strides, Value(), -1};
    return success();
  }
  if (isa<ReleaseOp>(op))
    return success();
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    FailureOr<int64_t> entry = addConstant(constant);
    FailureOr<Strides> strides = layoutOf(op, 0);
    if (failed(entry) || failed(strides))
      return failure();
    addRoot(constant, Root::Constant, *entry, *strides, nullptr)->aligned = true;
    return success();
  }
  bool isFusion = isa<CallOp>(op);
  if (!isFusion && !isa<CallLibraryOp, CheckIndexOp, ReturnOp>(op))
    return op->emitOpError("has no host form; run trace-lower-to-library");
  for (Value operand : op->getOperands())
    use(operand, op, /*handle=*/!isFusion);
  numTemporaries = std::max(numTemporaries, op->getNumOperands() + op->getNumResults());
  if (auto check = dyn_cast<CheckIndexOp>(op); check && !check.getWrap()) {
    View source = views[check.getIndex()];
    views[check] = View{source.root, source.offset, source.strides, Value(), -1};
    return success();
  }
  for (Value result : op->getResults()) {
    FailureOr<Strides> strides = layoutOf(op, cast<OpResult>(result).getResultNumber());
    if (failed(strides))
      return failure();
    // Whether a fusion's result is a plain buffer is only known once all uses are: see below.
    Root *root = addRoot(result, isFusion ? Root::Buffer : Root::Handle, 0, *strides, op);
    root->aligned = isFusion;
    if (!isFusion)
      root->index = numHandles++;
  }
  if (auto call = dyn_cast<CallOp>(op))
    if (gpu::BinaryOp binary = binaryOf(call)) {
      auto scratch = binary->getAttrOfType<DenseI64ArrayAttr>(scratchAttr);
      unsigned numScratch = scratch ? scratch.size() : 0;
      numTemporaries = std::max(numTemporaries, op->getNumOperands() + op->getNumResults() + numScratch);
      numLaunchBuffers = std::max(numLaunchBuffers, op->getNumOperands() + numScratch);
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Small pieces of code
//===----------------------------------------------------------------------===//

Value Lowering::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc(), type, b.getIntegerAttr(type, value));
}

Value Lowering::slotAddress(Value array, unsigned slot) {
  return LLVM::GEPOp::create(b, loc(), pointer, pointer, array, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
}

Value Lowering::runtime(StringRef name, TypeRange results, ValueRange operands) {
  if (!symbols.lookup(name)) {
    OpBuilder outer(func.getContext());
    auto declared =
        func::FuncOp::create(outer, func.getLoc(), name, outer.getFunctionType(TypeRange(operands), results));
    declared.setPrivate();
    symbols.insert(declared);
  }
  auto call = func::CallOp::create(b, loc(), name, results, operands);
  return call.getNumResults() ? call.getResult(0) : Value();
}

Value Lowering::where() {
  std::string text;
  if (auto call = dyn_cast_or_null<CallLibraryOp>(current))
    text = call.getName().str();
  else if (auto call = dyn_cast_or_null<CallOp>(current))
    text = call.getCallee().str();
  else
    text = current ? current->getName().getStringRef().str() : func.getSymName().str();
  std::string place = describeLocation(loc());
  return globals.text(b, loc(), place.empty() ? text : text + " at " + place);
}

/// Goes on where the condition holds, to the error path otherwise.
///
/// What failed is written to memory rather than handed over as a block argument: a phi with thousands of entries takes
/// LLVM seconds.
void Lowering::failUnless(Value condition) {
  if (stated != current) {
    store(where(), whereSlot);
    stated = current;
  }
  Block *here = b.getInsertionBlock(), *next = b.createBlock(failBlock);
  b.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(b, loc(), condition, next, failBlock);
  b.setInsertionPointToEnd(next);
}

void Lowering::check(StringRef name, ValueRange operands) {
  Value code = runtime(name, TypeRange(i32), operands);
  failUnless(LLVM::ICmpOp::create(b, loc(), LLVM::ICmpPredicate::eq, code, constant(i32, 0)));
}

Value Lowering::rootHandle(Root &root) {
  if (root.handle)
    return root.handle;
  if (root.kind == Root::Argument)
    return root.handle = load(slotAddress(adapted, root.index));
  assert(root.kind == Root::Constant && "made where it is defined");
  return root.handle = load(slotAddress(lowered.getArgument(0), root.index));
}

Value Lowering::rootAddress(Root &root) {
  if (!root.address)
    root.address = runtime("trace_rt_data", TypeRange(pointer), ValueRange(rootHandle(root)));
  return root.address;
}

Value Lowering::handleOf(Value value) {
  View &view = views[value];
  if (view.slot < 0)
    return rootHandle(*view.root);
  if (!view.handle) {
    Value slot = slotAddress(handles, view.slot);
    check("trace_rt_view",
          {rootHandle(*view.root), globals.desc(b, loc(), typeOf(value), view.strides, view.offset), slot});
    view.handle = load(slot);
  }
  return view.handle;
}

Value Lowering::addressOf(Value value) {
  View &view = views[value];
  Value address = rootAddress(*view.root);
  int64_t bytes = view.offset * getElementBytes(typeOf(value).getElementType());
  if (bytes == 0)
    return address;
  return LLVM::GEPOp::create(b, loc(), pointer, b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(constant(i64, bytes))});
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Lowering::emitPrologue() {
  // One piece of memory, zeroed by the runtime. LLVM cannot see that it is this function's stack, and so does not look
  // through all of its uses again and again, which takes it seconds when there are thousands.
  unsigned numArguments = func.getNumArguments(), total = numHandles + numBuffers + numArguments + numTemporaries + 2;
  Value memory = LLVM::AllocaOp::create(b, loc(), pointer, pointer, constant(i64, total));
  Value frame = runtime("trace_rt_frame", TypeRange(pointer), {memory, constant(i64, int64_t(total) * 8)});
  unsigned next = 0;
  auto array = [&](unsigned count) {
    Value start = slotAddress(frame, next);
    next += count;
    return start;
  };
  handles = array(numHandles);
  buffers = array(numBuffers);
  adapted = array(numArguments);
  temporaries = array(numTemporaries);
  dataSlot = array(1);
  whereSlot = array(1);
  if (func.getNumArguments() == 0)
    return;
  SmallVector<Globals::DescKey> descs;
  for (BlockArgument argument : func.getArguments())
    descs.push_back({typeOf(argument), views[argument].strides});
  Value count = constant(i64, func.getNumArguments());
  check("trace_rt_adapt", {lowered.getArgument(1), globals.descArray(b, loc(), descs), count, adapted});
}

int64_t Lowering::bytesToAlign(Value value) {
  View &view = views[value];
  int64_t offset = view.offset * getElementBytes(typeOf(value).getElementType());
  return view.root->aligned && offset % 16 == 0 ? -1 : getStorageBytes(typeOf(value), view.strides);
}

/// With the addresses of operands and results in `temporaries`.
LogicalResult Lowering::emitLaunches(CallOp call, gpu::BinaryOp binary) {
  FailureOr<SmallVector<int64_t>> kernels = globals.addKernels(binary);
  if (failed(kernels))
    return failure();
  // Results without elements need no kernel.
  if (kernels->empty())
    return success();
  unsigned numOperands = call.getOperands_().size(), place = numOperands + call.getNumResults();
  unsigned nextBuffer = firstLaunchBuffer;
  auto null = [&] { return LLVM::ZeroOp::create(b, loc(), pointer); };
  SmallVector<int64_t> bytes =
      llvm::map_to_vector(call.getOperands_(), [&](Value operand) { return bytesToAlign(operand); });
  if (llvm::any_of(bytes, [](int64_t n) { return n >= 0; })) {
    check("trace_rt_align", {temporaries, constant(i64, numOperands), globals.integers(b, loc(), bytes),
                             slotAddress(buffers, nextBuffer)});
    nextBuffer += numOperands;
  }
  if (auto scratch = binary->getAttrOfType<DenseI64ArrayAttr>(scratchAttr))
    for (int64_t size : scratch.asArrayRef()) {
      Value buffer = runtime("trace_rt_buffer", TypeRange(pointer), ValueRange(constant(i64, size)));
      store(buffer, slotAddress(buffers, nextBuffer++));
      store(buffer, slotAddress(temporaries, place++));
      failUnless(LLVM::ICmpOp::create(b, loc(), LLVM::ICmpPredicate::ne, buffer, null()));
    }
  for (int64_t kernel : *kernels)
    check("trace_rt_launch", {load(slotAddress(lowered.getArgument(0), kernel)), temporaries});
  // Kernels still run; what is launched after them on this stream may have the memory.
  if (nextBuffer != firstLaunchBuffer)
    runtime("trace_rt_buffers_free", TypeRange(),
            {slotAddress(buffers, firstLaunchBuffer), constant(i64, nextBuffer - firstLaunchBuffer)});
  return success();
}

LogicalResult Lowering::emitFusion(CallOp call) {
  for (Value result : call.getResults()) {
    Root &root = *views[result].root;
    if (root.kind == Root::Handle) {
      Value slot = slotAddress(handles, root.index);
      check("trace_rt_empty", {globals.desc(b, loc(), root.type, root.strides), slot, dataSlot});
      root.handle = load(slot);
      root.address = load(dataSlot);
      continue;
    }
    root.address = runtime("trace_rt_buffer", TypeRange(pointer),
                           ValueRange(constant(i64, getStorageBytes(root.type, root.strides))));
    store(root.address, slotAddress(buffers, root.index));
    failUnless(
        LLVM::ICmpOp::create(b, loc(), LLVM::ICmpPredicate::ne, root.address, LLVM::ZeroOp::create(b, loc(), pointer)));
  }
  unsigned place = 0;
  for (Value value :
       llvm::concat<Value>(SmallVector<Value>(call.getOperands_()), SmallVector<Value>(call.getResults())))
    store(addressOf(value), slotAddress(temporaries, place++));
  if (gpu::BinaryOp binary = binaryOf(call))
    return emitLaunches(call, binary);
  runtime((call.getCallee() + "__entry").str(), TypeRange(), ValueRange(temporaries));
  return success();
}

/// The operands have batch dimensions, the same ones; PyTorch's aten.matmul allows more.
static bool matmulHasOneBatch(CallLibraryOp call) {
  auto lhs = cast<RankedTensorType>(call.getOperand(0).getType()),
       rhs = cast<RankedTensorType>(call.getOperand(1).getType());
  return lhs.getRank() > 2 && rhs.getRank() > 2 && lhs.getShape().drop_back(2) == rhs.getShape().drop_back(2);
}

/// The runtime's own entry for an operator that is called on its operands alone, in order; empty where there is none.
static StringRef getFastPath(CallLibraryOp call) {
  if (auto arguments = call.getArguments()) {
    if (arguments->size() != call.getOperands_().size())
      return "";
    for (auto [i, argument] : llvm::enumerate(*arguments))
      if (auto operand = dyn_cast<OperandRefAttr>(argument); !operand || operand.getIndex() != static_cast<int64_t>(i))
        return "";
  }
  return llvm::StringSwitch<StringRef>(call.getName())
      .Case("aten.mm.default", "trace_rt_mm")
      .Case("aten.bmm.default", "trace_rt_bmm")
      .Case("aten.matmul.default", call.getNumOperands() == 2 && matmulHasOneBatch(call) ? "trace_rt_matmul" : "")
      .Case("aten.addmm.default", "trace_rt_addmm")
      .Case("aten.clone.default", "trace_rt_copy")
      .Default("");
}

LogicalResult Lowering::emitLibrary(CallLibraryOp call) {
  SmallVector<Value> operands;
  for (Value operand : call.getOperands_())
    operands.push_back(handleOf(operand));
  auto finish = [&] {
    for (Value result : call.getResults())
      if (!isOnlyReleased(result))
        views[result].root->handle = load(slotAddress(handles, views[result].root->index));
  };
  if (StringRef fast = getFastPath(call); !fast.empty() && call.getNumResults() == 1) {
    Root &root = *views[call.getResult(0)].root;
    operands.push_back(globals.desc(b, loc(), root.type, root.strides));
    operands.push_back(slotAddress(handles, root.index));
    check(fast, operands);
    finish();
    return success();
  }
  FailureOr<std::string> text = getCallText(call);
  if (failed(text))
    return failure();
  Value prepared = load(slotAddress(lowered.getArgument(0), globals.addCall(*text)));
  for (auto [i, operand] : llvm::enumerate(operands))
    store(operand, slotAddress(temporaries, i));
  SmallVector<Globals::DescKey> descs;
  for (Value result : call.getResults())
    descs.push_back(isOnlyReleased(result) ? Globals::DescKey{}
                                           : Globals::DescKey{typeOf(result), views[result].root->strides});
  // The results' slots are neighbours: they were numbered together.
  Value first = call.getNumResults() ? slotAddress(handles, views[call.getResult(0)].root->index) : handles;
  check("trace_rt_call",
        {prepared, temporaries, globals.descArray(b, loc(), descs), constant(i64, call.getNumResults()), first});
  finish();
  return success();
}

void Lowering::emitCheckIndex(CheckIndexOp op) {
  Value null = LLVM::ZeroOp::create(b, loc(), pointer);
  Value slot = null, desc = null;
  if (op.getWrap()) {
    Root &root = *views[op].root;
    slot = slotAddress(handles, root.index);
    desc = globals.desc(b, loc(), root.type, root.strides);
  }
  std::optional<uint64_t> ignore = op.getIgnore();
  check("trace_rt_check_index",
        {handleOf(op.getIndex()), constant(i64, op.getSize()), constant(i32, op.getWrap()),
         constant(i32, ignore.has_value()), constant(i64, static_cast<int64_t>(ignore.value_or(0))), desc, slot});
  if (op.getWrap())
    views[op].root->handle = load(slot);
}

void Lowering::emitReturn(ReturnOp ret) {
  // First everything that can fail: views' handles. Then ownership moves: the first time a handle of ours is returned
  // it is given away, afterwards (and for arguments) another handle to the same tensor is made.
  SmallVector<Value> given;
  DenseMap<Value, unsigned> owned; // handle to slot
  for (Value value : ret->getOperands()) {
    View &view = views[value];
    Value handle = handleOf(value);
    if (view.slot >= 0)
      owned.try_emplace(handle, view.slot);
    else if (view.root->kind == Root::Handle)
      owned.try_emplace(handle, view.root->index);
    given.push_back(handle);
  }
  SmallVector<unsigned> extraSlots;
  DenseSet<Value> moved;
  for (auto [i, value] : llvm::enumerate(ret->getOperands())) {
    Value handle = given[i];
    if (owned.contains(handle) && moved.insert(handle).second)
      continue;
    View &view = views[value];
    // An argument that is returned is returned as it came, whatever was made of it for the kernels.
    Value source = handle;
    if (view.root->kind == Root::Argument && view.slot < 0)
      source = load(slotAddress(lowered.getArgument(1), view.root->index));
    Value slot = slotAddress(temporaries, i);
    store(LLVM::ZeroOp::create(b, loc(), pointer), slot);
    check("trace_rt_new_handle", {source, slot});
    given[i] = load(slot);
  }
  for (auto [i, handle] : llvm::enumerate(given))
    store(handle, slotAddress(lowered.getArgument(2), i));
  // What was given away is no longer ours.
  DenseSet<unsigned> gone;
  for (Value handle : moved)
    gone.insert(owned.lookup(handle));
  for (auto &root : roots) {
    if (root->lastUse != ret)
      continue;
    for (unsigned slot : root->viewSlots)
      if (!gone.contains(slot))
        runtime("trace_rt_delete", TypeRange(), ValueRange(load(slotAddress(handles, slot))));
    if (root->kind == Root::Handle && !gone.contains(root->index))
      runtime("trace_rt_delete", TypeRange(), ValueRange(root->handle));
  }
  if (func.getNumArguments() > 0)
    runtime("trace_rt_free_adapted", TypeRange(),
            {lowered.getArgument(1), adapted, constant(i64, func.getNumArguments())});
  func::ReturnOp::create(b, loc(), constant(i32, 0));
}

void Lowering::freeRoot(Root &root) {
  Value null;
  auto clear = [&](Value slot) {
    if (!null)
      null = LLVM::ZeroOp::create(b, loc(), pointer);
    store(null, slot);
  };
  for (unsigned slot : root.viewSlots) {
    runtime("trace_rt_delete", TypeRange(), ValueRange(load(slotAddress(handles, slot))));
    clear(slotAddress(handles, slot));
  }
  if (root.kind == Root::Handle) {
    Value slot = slotAddress(handles, root.index);
    runtime("trace_rt_delete", TypeRange(), ValueRange(root.handle ? root.handle : load(slot)));
    clear(slot);
  } else if (root.kind == Root::Buffer) {
    runtime("trace_rt_buffer_free", TypeRange(), ValueRange(root.address));
    clear(slotAddress(buffers, root.index));
  }
}

void Lowering::freeAfter(Operation *op) {
  SmallPtrSet<Root *, 8> touched;
  for (Value value : op->getOperands())
    touched.insert(views[value].root);
  for (Value value : op->getResults())
    touched.insert(views[value].root);
  // In the order of definition, so that the same program gives the same code.
  SmallVector<Root *> dead;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()), SmallVector<Value>(op->getResults())))
    if (Root *root = views[value].root; root->lastUse == op && touched.erase(root))
      dead.push_back(root);
  for (Root *root : dead)
    freeRoot(*root);
}

LogicalResult Lowering::emit(Operation *op) {
  current = op;
  if (op->hasTrait<trace::OpTrait::ViewLike>() || isa<ReleaseOp, ConstantOp>(op))
    return success();
  if (auto ret = dyn_cast<ReturnOp>(op)) {
    emitReturn(ret);
    return success();
  }
  LogicalResult emitted = success();
  if (auto call = dyn_cast<CallOp>(op))
    emitted = emitFusion(call);
  else if (auto check = dyn_cast<CheckIndexOp>(op))
    emitCheckIndex(check);
  else
    emitted = emitLibrary(cast<CallLibraryOp>(op));
  if (failed(emitted))
    return failure();
  freeAfter(op);
  return success();
}

void Lowering::emitFail() {
  current = nullptr;
  b.setInsertionPointToEnd(failBlock);
  runtime("trace_rt_error_at", TypeRange(), ValueRange(load(whereSlot)));
  runtime("trace_rt_unwind", TypeRange(), {handles, constant(i64, numHandles), buffers, constant(i64, numBuffers)});
  if (func.getNumArguments() > 0)
    runtime("trace_rt_free_adapted", TypeRange(),
            {lowered.getArgument(1), adapted, constant(i64, func.getNumArguments())});
  func::ReturnOp::create(b, func.getLoc(), constant(i32, 1));
}

LogicalResult Lowering::run() {
  if (failed(analyse()))
    return failure();
  for (auto &root : roots) {
    if (root->kind != Root::Buffer)
      continue;
    if (root->needsHandle) {
      root->kind = Root::Handle;
      root->index = numHandles++;
    } else {
      root->index = numBuffers++;
    }
  }
  firstLaunchBuffer = numBuffers;
  numBuffers += numLaunchBuffers;
  OpBuilder outer(func);
  lowered = func::FuncOp::create(outer, func.getLoc(), func.getSymName(),
                                 outer.getFunctionType({pointer, pointer, pointer}, {i32}));
  setSignature(lowered, func);
  Block *entry = lowered.addEntryBlock();
  failBlock = b.createBlock(&lowered.getBody(), lowered.getBody().end());
  b.setInsertionPointToEnd(entry);
  emitPrologue();
  for (Operation &op : func.getBody().front())
    if (failed(emit(&op))) {
      lowered.erase();
      return failure();
    }
  emitFail();
  func.erase();
  return success();
}

namespace {

struct LowerHost : mlir::trace::impl::LowerHostBase<LowerHost> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    Globals globals(module);
    bool any = false;
    for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!isHostFunction(func))
        continue;
      any = true;
      if (failed(Lowering(func, globals, symbols).run()))
        return signalPassFailure();
    }
    if (!any)
      return;
    for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (func->hasAttr(attrs::fusion))
        func.erase();
    // What is in them is data of the host module now.
    for (auto binary : llvm::make_early_inc_range(module.getOps<gpu::BinaryOp>()))
      if (binary->hasAttr("trace.kernels"))
        binary.erase();
    if (failed(globals.finish()))
      signalPassFailure();
  }
};

} // namespace
