//===- CompiledBackend.cpp - Functions as the product runs them -------------===//
//
// A function is brought from the stage that it is at to machine code and run on the runtime's tensors; a joint is
// split, and runs as forward and backward.
//
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "mlir/Pass/PassManager.h"
#include "trace/Driver/HostModule.h"
#include "trace/Driver/RuntimeLibrary.h"
#include "trace/Pipelines/Pipelines.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::trace;

/// The module with `function` and all functions that it names, directly or not.
static OwningOpRef<ModuleOp> extract(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> wanted;
  wanted.insert(function);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(&cast<func::FuncOp>(wanted[i]).getBody()))
      for (SymbolTable::SymbolUse use : *uses)
        if (auto callee = symbols.lookup<func::FuncOp>(use.getSymbolRef().getRootReference()))
          wanted.insert(callee);
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  for (Operation &op : *module.getBody())
    if (wanted.contains(&op))
      result->push_back(op.clone());
  return result;
}

static Stage stageOf(func::FuncOp func) {
  if (func->hasAttr(attrs::side))
    return Stage::Split;
  bool outlined = func.walk([](CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (outlined)
    return Stage::Scheduled;
  return func->hasAttr(attrs::joint) ? Stage::Joint : Stage::Captured;
}

namespace {

class CompiledBackend : public Backend {
public:
  CompiledBackend(const RuntimeLibrary &runtime, PipelineSettings settings) : runtime(runtime), settings(settings) {
    // A captured function is run as it is: its gradients are asked for by giving a joint.
    this->settings.training = false;
  }

  FailureOr<SmallVector<Tensor>> run(func::FuncOp func, ArrayRef<Tensor> arguments,
                                     const llvm::DenseMap<int64_t, Tensor> &cotangents) override {
    Stage stage = stageOf(func);
    if (stage == Stage::Split)
      return runSide(func, arguments);
    OwningOpRef<ModuleOp> split = extract(func);
    PassManager pm(func.getContext());
    buildPipeline(pm, stage, Stage::Split, settings);
    if (failed(pm.run(*split)))
      return failure();
    FailureOr<Program> program = Program::find(*split, func.getName());
    if (failed(program))
      return failure();
    return program->run(*this, arguments, cotangents);
  }

  FailureOr<SmallVector<Tensor>> runLowered(ModuleOp lowered, func::FuncOp declaration,
                                            ArrayRef<Tensor> arguments) override {
    std::unique_ptr<HostModule> &module = loaded[lowered]; // a forward and its backward are in one
    if (!module) {
      FailureOr<std::unique_ptr<HostModule>> code = load(lowered);
      if (failed(code))
        return failure();
      module = std::move(*code);
    }
    return runHost(*module, declaration, arguments);
  }

private:
  /// A forward or a backward.
  FailureOr<SmallVector<Tensor>> runSide(func::FuncOp func, ArrayRef<Tensor> arguments) {
    OwningOpRef<ModuleOp> lowered = extract(func);
    PassManager pm(func.getContext());
    buildPipeline(pm, Stage::Split, Stage::Lowered, settings);
    if (failed(pm.run(*lowered)))
      return failure();
    FailureOr<std::unique_ptr<HostModule>> module = load(*lowered);
    if (failed(module))
      return failure();
    return runHost(**module, func, arguments);
  }

  FailureOr<std::unique_ptr<HostModule>> load(ModuleOp lowered) {
    JitOptions jit;
    jit.vectorBits = settings.vectorBits;
    return HostModule::create(lowered, jit);
  }

  /// `func` has the name and the types; the code is the module's.
  FailureOr<SmallVector<Tensor>> runHost(HostModule &module, func::FuncOp func, ArrayRef<Tensor> arguments) {
    SmallVector<TraceTensor> handles, results(func.getNumResults());
    llvm::scope_exit free([&] {
      for (TraceTensor handle : llvm::concat<TraceTensor>(handles, results))
        runtime.deleteTensor(handle);
    });
    for (const Tensor &argument : arguments) {
      handles.push_back(nullptr);
      if (failed(toRuntime(func.getLoc(), argument, handles.back())))
        return failure();
    }
    std::string error;
    if (failed(module.run(func.getName(), handles, results.data(), error)))
      return func.emitError(error);
    SmallVector<Tensor> values;
    for (auto [type, handle] : llvm::zip_equal(func.getResultTypes(), results)) {
      FailureOr<Tensor> value = fromRuntime(func.getLoc(), cast<RankedTensorType>(type), handle);
      if (failed(value))
        return failure();
      values.push_back(std::move(*value));
    }
    return values;
  }

  /// A contiguous tensor of the runtime; `strides` keeps what the description points to.
  static TraceTensorDesc describe(RankedTensorType type, SmallVectorImpl<int64_t> &strides) {
    strides = contiguousStrides(type.getShape());
    return {elementType(type.getElementType()),
            static_cast<int32_t>(type.getRank()),
            0,
            type.getNumElements() * elementBytes(type.getElementType()),
            type.getShape().data(),
            strides.data()};
  }

  static int64_t elementBytes(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

  static int32_t elementType(Type type) {
    return llvm::TypeSwitch<Type, int32_t>(type)
        .Case([](Float16Type) { return TRACE_FLOAT16; })
        .Case([](BFloat16Type) { return TRACE_BFLOAT16; })
        .Case([](Float32Type) { return TRACE_FLOAT32; })
        .Case([](Float64Type) { return TRACE_FLOAT64; })
        .Case([](Float8E4M3FNType) { return TRACE_FLOAT8_E4M3FN; })
        .Case([](Float8E5M2Type) { return TRACE_FLOAT8_E5M2; })
        .Case([](IntegerType integer) {
          switch (integer.getWidth()) {
          case 1:
            return TRACE_BOOL;
          case 8:
            return integer.isUnsigned() ? TRACE_UINT8 : TRACE_INT8;
          case 16:
            return TRACE_INT16;
          case 32:
            return TRACE_INT32;
          case 64:
            return TRACE_INT64;
          default:
            return TRACE_NUM_ELEMENT_TYPES;
          }
        })
        .Default([](Type) { return TRACE_NUM_ELEMENT_TYPES; });
  }

  LogicalResult toRuntime(Location loc, const Tensor &value, TraceTensor &handle) {
    if (elementType(value.getElementType()) == TRACE_NUM_ELEMENT_TYPES)
      return emitError(loc) << "the runtime has no " << value.getElementType();
    SmallVector<int64_t> strides;
    RankedTensorType type = value.getType();
    TraceTensorDesc desc = describe(type, strides);
    void *data = nullptr;
    if (runtime.empty(&desc, &handle, &data))
      return emitError(loc) << runtime.error();
    int64_t bytes = elementBytes(value.getElementType());
    for (int64_t i = 0, e = value.getNumElements(); i < e; ++i) {
      uint64_t bits = elementBits(value, i); // little endian: the low bytes are the element's
      memcpy(static_cast<char *>(data) + i * bytes, &bits, bytes);
    }
    return success();
  }

  FailureOr<Tensor> fromRuntime(Location loc, RankedTensorType type, TraceTensor handle) {
    SmallVector<int64_t> strides;
    TraceTensorDesc desc = describe(type, strides);
    TraceTensor contiguous = nullptr;
    if (runtime.copy(handle, &desc, &contiguous))
      return emitError(loc) << runtime.error();
    Tensor value(type.getElementType(), type.getShape());
    int64_t bytes = elementBytes(type.getElementType());
    auto *data = static_cast<const char *>(runtime.data(contiguous));
    for (int64_t i = 0, e = value.getNumElements(); i < e; ++i) {
      uint64_t bits = 0;
      memcpy(&bits, data + i * bytes, bytes);
      setElementBits(value, i, bits);
    }
    runtime.deleteTensor(contiguous);
    return value;
  }

  const RuntimeLibrary &runtime;
  PipelineSettings settings;
  llvm::DenseMap<Operation *, std::unique_ptr<HostModule>> loaded;
};

} // namespace

std::unique_ptr<Backend> mlir::trace::createCompiledBackend(StringRef runtimePath, bool exactRounding,
                                                            std::string &error) {
  const RuntimeLibrary *runtime = loadRuntimeLibrary(runtimePath, error);
  if (!runtime)
    return nullptr;
  PipelineSettings settings;
  settings.exactRounding = exactRounding;
  return std::make_unique<CompiledBackend>(*runtime, settings);
}
