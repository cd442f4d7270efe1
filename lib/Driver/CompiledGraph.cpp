//===- CompiledGraph.cpp - From a captured module to functions that run -----===//
#include "trace/Driver/CompiledGraph.h"
#include "DeviceProgram.h"
#include "SplitModule.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "trace/Autodiff/Passes.h"
#include "trace/Codegen/Host/Host.h"
#include "trace/Driver/HostModule.h"
#include "trace/IR/TraceOps.h"
#include "trace/Pipelines/Pipelines.h"
#include "trace/Target/Lowering.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <map>

using namespace mlir;
using namespace mlir::trace;
namespace json = llvm::json;

namespace {

/// A backward for one set of cotangents.
struct Backward {
  std::unique_ptr<HostModule> code;
  /// For each of the function's arguments, its position in the list that the caller passes.
  SmallVector<int64_t> argumentPositions;
  /// For each of the function's results, its position among getGradientArguments().
  SmallVector<int64_t> gradientPositions;
};

} // namespace

struct CompiledGraph::Impl {
  CompileOptions options;
  PipelineSettings settings;
  /// The backward as the split made it, with its fusions: specialisations start from it.
  OwningOpRef<ModuleOp> backwardModule;
  /// The forward after its layouts were assigned, body and all left as they were: backwards take theirs from it.
  OwningOpRef<ModuleOp> forwardLayouts;
  std::string forwardName, backwardName;
  std::vector<std::pair<std::string, std::string>> stages;
  CompileReport report;
  unsigned numArguments = 0;
  int64_t numOutputs = 0, numSaved = 0;
  SmallVector<bool> differentiable;
  SmallVector<BackwardArgument> backwardArguments;
  SmallVector<int64_t> gradientArguments;
  std::unique_ptr<HostModule> forward;
  std::map<std::vector<bool>, Backward> backwards;
  /// Offline.
  std::optional<DeviceProgram> forwardProgram, backwardProgram;

  LogicalResult compileForward(ModuleOp captured);
  LogicalResult compileBackward(ArrayRef<bool> mask, Backward &backward);
  LogicalResult readSplit(ModuleOp split);
  LogicalResult runStage(ModuleOp module, Stage from, Stage to);
  LogicalResult addLayouts(ModuleOp module);
  FailureOr<std::unique_ptr<HostModule>> generateCode(ModuleOp module);
  LogicalResult generateKernels(ModuleOp module);
  LogicalResult lowerOffline(ModuleOp forwardModule);

  template <typename Function> auto timed(StringRef what, Function function) {
    auto start = std::chrono::steady_clock::now();
    auto result = function();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (auto &[name, total] : report.secondsByStage)
      if (name == what) {
        total += seconds;
        return result;
      }
    report.secondsByStage.emplace_back(what.str(), seconds);
    return result;
  }

  void keepStage(StringRef name, Operation *op) {
    OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(64);
    OwningOpRef<Operation *> shortened;
    if (options.device == "cuda" && name == "lowered") {
      // The images of kernels are no text; they are in stages of their own.
      shortened = op->clone();
      shortened->walk([](LLVM::GlobalOp global) {
        auto bytes = dyn_cast_or_null<StringAttr>(global.getValueAttr());
        if (bytes && bytes.size() > 256)
          global.setValueAttr(StringAttr::get(global.getContext(), "<" + std::to_string(bytes.size()) + " bytes>"));
      });
      flags.assumeVerified();
      op = shortened.get();
    }
    if (options.printLocations)
      flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/true);
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream, flags);
    stream << "\n";
    keepText(name, text);
  }

  void keepText(StringRef name, StringRef text) {
    for (auto &[stage, kept] : stages)
      if (stage == name) {
        kept += text;
        return;
      }
    stages.emplace_back(name.str(), text.str());
  }
};

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult CompiledGraph::Impl::runStage(ModuleOp module, Stage from, Stage to) {
  return timed(getStageInfo(to).name, [&] {
    PassManager pm(module.getContext(), ModuleOp::getOperationName());
    buildPipeline(pm, from, to, settings);
    return pm.run(module);
  });
}

LogicalResult CompiledGraph::Impl::addLayouts(ModuleOp module) {
  return timed("lowered", [&] {
    PassManager pm(module.getContext(), ModuleOp::getOperationName());
    addLayoutPasses(pm, settings);
    return pm.run(module);
  });
}

FailureOr<std::unique_ptr<HostModule>> CompiledGraph::Impl::generateCode(ModuleOp module) {
  if (options.device == "cuda" && failed(generateKernels(module)))
    return failure();
  LogicalResult lowered = timed("lowered", [&] {
    PassManager pm(module.getContext(), ModuleOp::getOperationName());
    if (options.device == "cuda")
      addHostCodegenPasses(pm);
    else
      addCodegenPasses(pm, settings);
    return pm.run(module);
  });
  if (failed(lowered))
    return failure();
  keepStage("lowered", module);
  return timed("executable", [&] {
    JitOptions jit;
    jit.vectorBits = settings.vectorBits;
    HostDevice device;
    if (options.device == "cuda")
      device = {options.emulated ? TRACE_DEVICE_EMULATED : TRACE_DEVICE_CUDA, options.deviceIndex};
    return HostModule::create(module, jit, device);
  });
}

/// The fusions become gpu.binary ops.
LogicalResult CompiledGraph::Impl::generateKernels(ModuleOp module) {
  auto run = [&](Stage from, Stage to) {
    return timed(getStageInfo(to).name, [&] {
      PassManager pm(module.getContext(), ModuleOp::getOperationName());
      addDeviceCodegenPasses(pm, settings, from, to);
      return pm.run(module);
    });
  };
  if (failed(run(Stage::Split, Stage::Gpu)))
    return failure();
  keepStage(getStageInfo(Stage::Gpu).name, module);
  if (failed(run(Stage::Gpu, Stage::Ptx)))
    return failure();
  for (auto binary : module.getOps<gpu::BinaryOp>())
    for (const DeviceImage &image : readImages(binary))
      if (image.kind == "ptx")
        keepText(getStageInfo(Stage::Ptx).name, "// " + binary.getSymName().str() + "\n" + image.bytes + "\n");
  return success();
}

/// Both halves as data. The backward is the one for all cotangents.
LogicalResult CompiledGraph::Impl::lowerOffline(ModuleOp forwardModule) {
  return timed("ptx", [&]() -> LogicalResult {
    auto lower = [&](ModuleOp module, StringRef name, std::optional<DeviceProgram> &program) -> LogicalResult {
      FailureOr<DeviceProgram> lowered = lowerForDevice(
          module, name, settings, [&](StringRef stage, Operation *op) { keepStage(stage, op); },
          [&](StringRef stage, StringRef text) { keepText(stage, text); });
      if (failed(lowered))
        return failure();
      program = std::move(*lowered);
      return success();
    };
    if (failed(lower(forwardModule, forwardName, forwardProgram)))
      return failure();
    if (!backwardModule)
      return success();
    OwningOpRef<ModuleOp> module = backwardModule->clone();
    auto func = module->lookupSymbol<func::FuncOp>(backwardName);
    copyForwardLayouts(forwardLayouts->lookupSymbol<func::FuncOp>(forwardName), func);
    return success(succeeded(addLayouts(*module)) && succeeded(lower(*module, backwardName, backwardProgram)));
  });
}

/// The signature of the split stage: what the forward saves, what the backward takes and gives.
LogicalResult CompiledGraph::Impl::readSplit(ModuleOp split) {
  auto forwardFunc = split.lookupSymbol<func::FuncOp>(forwardName);
  auto backwardFunc = split.lookupSymbol<func::FuncOp>(backwardName);
  if (!forwardFunc)
    return split.emitError("the pipeline has made no function @") << forwardName;
  numArguments = forwardFunc.getNumArguments();
  for (unsigned i = 0; i < forwardFunc.getNumResults(); ++i) {
    auto role = forwardFunc.getResultAttrOfType<RoleAttr>(i, attrs::role);
    if (role && role.getKind() == RoleKind::Saved) {
      ++numSaved;
      report.savedBytes += getTensorBytes(forwardFunc.getResultTypes()[i]);
      continue;
    }
    ++numOutputs;
    Type element = getElementTypeOrSelf(forwardFunc.getResultTypes()[i]);
    differentiable.push_back(backwardFunc && isa<FloatType, ComplexType>(element) &&
                             !forwardFunc.getResultAttr(i, attrs::nonDifferentiable));
  }
  report.savedTensors = numSaved;
  for (auto func : split.getOps<func::FuncOp>()) {
    if (func->hasAttr(attrs::fusion))
      continue;
    func.walk([&](Operation *op) {
      report.fusions += isa<CallOp>(op);
      report.libraryCalls += isa<BsymOp, CallLibraryOp>(op) || op->hasTrait<trace::OpTrait::Library>();
    });
  }
  if (!backwardFunc)
    return success();
  return success(succeeded(readBackwardArguments(backwardFunc, backwardArguments)) &&
                 succeeded(readGradientArguments(backwardFunc, gradientArguments)));
}

LogicalResult CompiledGraph::Impl::compileForward(ModuleOp captured) {
  OwningOpRef<ModuleOp> module = captured.clone();
  keepStage("captured", *module);
  if (failed(runStage(*module, Stage::Captured, Stage::Joint)))
    return failure();
  keepStage("joint", *module);
  if (failed(runStage(*module, Stage::Joint, Stage::Scheduled)))
    return failure();
  keepStage("scheduled", *module);
  if (failed(runStage(*module, Stage::Scheduled, Stage::Split)) || failed(readSplit(*module)))
    return failure();

  OwningOpRef<ModuleOp> forwardModule = extractFunction(*module, module->lookupSymbol<func::FuncOp>(forwardName));
  keepStage("forward", *forwardModule);
  if (auto backwardFunc = module->lookupSymbol<func::FuncOp>(backwardName)) {
    backwardModule = extractFunction(*module, backwardFunc);
    keepStage("backward", *backwardModule);
  }
  if (failed(addLayouts(*forwardModule)))
    return failure();
  if (backwardModule)
    forwardLayouts = extractFunction(*forwardModule, forwardModule->lookupSymbol<func::FuncOp>(forwardName));
  if (!options.load)
    return lowerOffline(*forwardModule);
  FailureOr<std::unique_ptr<HostModule>> code = generateCode(*forwardModule);
  if (failed(code))
    return failure();
  forward = std::move(*code);
  return success();
}

LogicalResult CompiledGraph::Impl::compileBackward(ArrayRef<bool> mask, Backward &backward) {
  OwningOpRef<ModuleOp> module = backwardModule->clone();
  SmallVector<int64_t> absent;
  // A cotangent that the backward does not read still decides which gradients are given.
  for (auto [output, present] : llvm::enumerate(mask))
    if (differentiable[output] && !present)
      absent.push_back(output);
  if (!absent.empty()) {
    LogicalResult dropped = timed("backward", [&] { return dropCotangents(*module, absent, settings); });
    if (failed(dropped))
      return failure();
    keepStage("backward", *module);
  }
  auto func = module->lookupSymbol<func::FuncOp>(backwardName);

  // The function may want less than the caller passes, and give less than all gradients.
  SmallVector<BackwardArgument> wanted;
  SmallVector<int64_t> given;
  if (failed(readBackwardArguments(func, wanted)) || failed(readGradientArguments(func, given)))
    return failure();
  std::map<std::pair<int, int64_t>, int64_t> positions;
  for (const BackwardArgument &argument : backwardArguments)
    if (argument.kind != BackwardArgument::Cotangent || mask[argument.index])
      positions.insert({{argument.kind, argument.index}, static_cast<int64_t>(positions.size())});
  for (const BackwardArgument &argument : wanted) {
    auto found = positions.find({argument.kind, argument.index});
    if (found == positions.end())
      return func.emitError("wants a value that the backward for all cotangents did not");
    backward.argumentPositions.push_back(found->second);
  }
  for (int64_t argument : given)
    backward.gradientPositions.push_back(llvm::find(gradientArguments, argument) - gradientArguments.begin());

  copyForwardLayouts(forwardLayouts->lookupSymbol<func::FuncOp>(forwardName), func);
  if (failed(addLayouts(*module)))
    return failure();
  FailureOr<std::unique_ptr<HostModule>> code = generateCode(*module);
  if (failed(code))
    return failure();
  backward.code = std::move(*code);
  return success();
}

//===----------------------------------------------------------------------===//
// CompiledGraph
//===----------------------------------------------------------------------===//

CompiledGraph::CompiledGraph() : impl(std::make_unique<Impl>()) {}
CompiledGraph::~CompiledGraph() = default;

FailureOr<std::unique_ptr<CompiledGraph>> CompiledGraph::create(ModuleOp module, const CompileOptions &options) {
  std::unique_ptr<CompiledGraph> graph(new CompiledGraph());
  Impl &impl = *graph->impl;
  DialectRegistry registry;
  registerAutodiffRules(registry);
  registerTargetDialects(registry);
  module.getContext()->appendDialectRegistry(registry);
  impl.options = options;
  impl.settings.verifyStages = options.verifyStages;
  impl.settings.fuseLimit = options.fuseLimit;
  impl.settings.exactRounding = options.exactRounding;
  impl.settings.vectorBits = options.vectorBits;
  impl.settings.device = options.device;
  impl.settings.chip = options.chip;
  impl.settings.binaryFormats.assign(options.formats.begin(), options.formats.end());
  if (options.load && options.emulated)
    impl.settings.binaryFormats = {"bitcode"};
  if (options.device != "cpu" && options.device != "cuda")
    return module.emitError("there is no device '") << options.device << "': it is cpu or cuda";
  if (!options.load && options.device != "cuda")
    return module.emitError("only for the device cuda can a graph be lowered without being loaded");
  impl.forwardName = options.function + "_forward";
  impl.backwardName = options.function + "_backward";
  if (failed(impl.compileForward(module)))
    return failure();
  return graph;
}

const std::vector<std::pair<std::string, std::string>> &CompiledGraph::getStages() const { return impl->stages; }
CompileReport CompiledGraph::getReport() const { return impl->report; }
int64_t CompiledGraph::getNumOutputs() const { return impl->numOutputs; }
int64_t CompiledGraph::getNumSaved() const { return impl->numSaved; }
bool CompiledGraph::hasBackward() const { return static_cast<bool>(impl->backwardModule); }
ArrayRef<bool> CompiledGraph::getDifferentiableOutputs() const { return impl->differentiable; }
ArrayRef<BackwardArgument> CompiledGraph::getBackwardArguments() const { return impl->backwardArguments; }
ArrayRef<int64_t> CompiledGraph::getGradientArguments() const { return impl->gradientArguments; }

std::string CompiledGraph::getDeviceProgram() const {
  auto plan = [](const std::optional<DeviceProgram> &program) {
    return program ? json::Value(json::Object(program->plan)) : json::Value(nullptr);
  };
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(
      json::Object{{"forward", plan(impl->forwardProgram)}, {"backward", plan(impl->backwardProgram)}});
  return text;
}

ArrayRef<DeviceImage> CompiledGraph::getDeviceImages(Side side, StringRef fusion) const {
  const std::optional<DeviceProgram> &program = side == Side::Forward ? impl->forwardProgram : impl->backwardProgram;
  if (!program)
    return {};
  auto found = program->images.find(fusion);
  return found == program->images.end() ? ArrayRef<DeviceImage>() : ArrayRef<DeviceImage>(found->second);
}

LogicalResult CompiledGraph::runForward(ArrayRef<void *> arguments, SmallVectorImpl<void *> &results,
                                        std::string &error) {
  if (!impl->forward) {
    error = "the graph was lowered without being loaded; it cannot be run";
    return failure();
  }
  if (arguments.size() != impl->numArguments) {
    error = "the compiled forward takes " + std::to_string(impl->numArguments) + " tensors, not " +
            std::to_string(arguments.size());
    return failure();
  }
  SmallVector<void *> handles(arguments);
  results.assign(impl->numOutputs + impl->numSaved, nullptr);
  return impl->forward->run(impl->forwardName, handles, results.data(), error);
}

LogicalResult CompiledGraph::runBackward(ArrayRef<bool> mask, ArrayRef<void *> arguments,
                                         SmallVectorImpl<void *> &gradients, std::string &error) {
  if (!impl->forward) {
    error = "the graph was lowered without being loaded; it cannot be run";
    return failure();
  }
  if (!impl->backwardModule || mask.size() != static_cast<size_t>(impl->numOutputs)) {
    error = impl->backwardModule ? "the backward's mask needs an entry per output" : "the graph has no backward";
    return failure();
  }
  auto [entry, isNew] = impl->backwards.try_emplace(std::vector<bool>(mask.begin(), mask.end()));
  Backward &backward = entry->second;
  if (!backward.code) {
    // A handler of the caller's takes the diagnostics; here they become the message.
    std::string messages;
    ScopedDiagnosticHandler handler(impl->backwardModule->getContext(), [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(messages) << diagnostic.getLocation() << ": " << diagnostic << "\n";
      return success();
    });
    backward = Backward();
    if (failed(impl->compileBackward(mask, backward))) {
      impl->backwards.erase(entry);
      error = "the backward could not be compiled:\n" + messages;
      return failure();
    }
  }
  SmallVector<void *> handles, results(backward.gradientPositions.size(), nullptr);
  for (int64_t position : backward.argumentPositions) {
    if (position >= static_cast<int64_t>(arguments.size())) {
      error = "the compiled backward was given too few tensors";
      return failure();
    }
    handles.push_back(arguments[position]);
  }
  if (failed(backward.code->run(impl->backwardName, handles, results.data(), error)))
    return failure();
  gradients.assign(impl->gradientArguments.size(), nullptr);
  for (auto [position, result] : llvm::zip_equal(backward.gradientPositions, results))
    gradients[position] = result;
  return success();
}
