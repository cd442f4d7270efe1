//===- Pipelines.cpp - The order of the passes, and why ---------------------===//
#include "trace/Pipelines/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "trace/Autodiff/Passes.h"
#include "trace/Executors/Passes.h"
#include "trace/Pipelines/Passes.h"
#include "trace/Pipelines/Verify.h"
#include "trace/Schedule/Passes.h"
#include "trace/Simplify/Passes.h"
#include "trace/Split/Passes.h"

using namespace mlir;
using namespace mlir::trace;

namespace {

/// Adds passes to a manager of modules, and behind each the verifier of the stage that is being made.
class StageBuilder {
public:
  StageBuilder(OpPassManager &pm, const PipelineSettings &settings) : pm(pm), settings(settings) {}

  void onModule(std::unique_ptr<Pass> pass, Stage stage) {
    pm.addPass(std::move(pass));
    verify(stage);
  }
  void onFunctions(std::unique_ptr<Pass> pass, Stage stage) {
    pm.addNestedPass<func::FuncOp>(std::move(pass));
    verify(stage);
  }

  /// The contract of a stage holds from its first pass on.
  void verify(Stage stage, bool always = false) {
    if (!always && !settings.verifyStages)
      return;
    switch (stage) {
    case Stage::Captured:
      return pm.addNestedPass<func::FuncOp>(createVerifyCaptured());
    case Stage::Joint:
      return pm.addNestedPass<func::FuncOp>(createVerifyJoint());
    case Stage::Scheduled:
      return pm.addNestedPass<func::FuncOp>(createVerifyScheduled());
    case Stage::Split:
      return pm.addPass(createVerifySplit());
    case Stage::Lowered:
    case Stage::Gpu:
    case Stage::Nvvm:
    case Stage::Ptx:
      return; // the verifiers of MLIR's own dialects
    }
  }

private:
  OpPassManager &pm;
  const PipelineSettings &settings;
};

} // namespace

void mlir::trace::addFusionPasses(OpPassManager &pm, const PipelineSettings &settings) {
  FuseFormOptions options;
  options.fuseLimit = settings.fuseLimit;
  pm.addNestedPass<func::FuncOp>(createFuseForm(options));
  pm.addPass(createCSEPass());
  pm.addPass(createFuseOutline());
}

void mlir::trace::buildPipeline(OpPassManager &pm, Stage from, Stage to, const PipelineSettings &settings) {
  StageBuilder build(pm, settings);
  auto makes = [&](Stage stage) { return from < stage && stage <= to; };

  if (makes(Stage::Joint)) {
    build.verify(Stage::Captured, /*always=*/true);
    // Composites first: executors see them whole, and rules are needed for prims only.
    build.onModule(createClaim(), Stage::Captured);
    // Before differentiation, as the gradient of a better form is better: a product with one matrix for all batches
    // has one product as its gradient, not one per batch and a sum.
    build.onModule(createCanonicalizerPass(), Stage::Captured);
    // A value computed twice would be differentiated twice, and its cotangent summed from two parts.
    build.onModule(createCSEPass(), Stage::Captured);
    // For inference nothing asks for a gradient; differentiation then only inlines the user's own gradient rules.
    if (!settings.training)
      build.onFunctions(createFreezeArguments(), Stage::Captured);
    build.onModule(createAutodiff(), Stage::Joint);
    // Over forward and backward together: what both compute is computed once, what a rule made for the general case
    // folds. Before the barrier is fixed, so that dead cotangents take their outputs' work along.
    build.onModule(createSimplify(), Stage::Joint);
    build.verify(Stage::Joint, /*always=*/true);
  }
  if (makes(Stage::Scheduled)) {
    // From here on there are two sides.
    build.onFunctions(createGroupGetGrads(), Stage::Scheduled);
    // In front of fusion, as a value that is computed again is a value that no kernel has to write.
    build.onFunctions(createRematerialize(), Stage::Scheduled);
    // Behind rematerialisation, as copies near their readers fuse with them; a region never crosses the barrier.
    FuseFormOptions options;
    options.fuseLimit = settings.fuseLimit;
    build.onFunctions(createFuseForm(options), Stage::Scheduled);
    // Inside a region, what a copy and an original both compute is one.
    build.onModule(createCSEPass(), Stage::Scheduled);
    build.onModule(createFuseOutline(), Stage::Scheduled);
    build.verify(Stage::Scheduled, /*always=*/true);
  }
  if (makes(Stage::Split)) {
    // Late: all decisions were taken over the whole program; this only cuts.
    build.onModule(createSplit(), Stage::Split);
    // Without recompute_barriers, equal calls of one half are the same; a library op may be dead in its half.
    build.onModule(createCSEPass(), Stage::Split);
    build.verify(Stage::Split, /*always=*/true);
  }
  if (isDeviceStage(to)) {
    // Beside Lowered, not behind it: what was lowered has no fusions any more.
    if (from == Stage::Lowered)
      return;
    if (makes(Stage::Gpu))
      addLayoutPasses(pm, settings);
    addDeviceCodegenPasses(pm, settings, from, to);
  } else if (makes(Stage::Lowered)) {
    addLoweringPasses(pm, settings);
  }
}

namespace {
struct TextOptions : PassPipelineOptions<TextOptions> {
  Option<bool> verifyStages{*this, "verify-stages", llvm::cl::desc("Run the stage's verifier after every pass")};
  Option<int64_t> fuseLimit{*this, "fuse-limit", llvm::cl::init(-1),
                            llvm::cl::desc("Form at most this many regions of more than one op (-1: no limit)")};
  Option<std::string> to{*this, "to", llvm::cl::init("split"), llvm::cl::desc("The last stage to make")};
};

struct DeviceOptions : PassPipelineOptions<DeviceOptions> {
  Option<std::string> chip{*this, "chip", llvm::cl::init("sm_90"), llvm::cl::desc("The GPU architecture")};
  ListOption<std::string> formats{*this, "format", llvm::cl::desc("ptx, cubin, bitcode (default: ptx)")};
  Option<std::string> to{*this, "to", llvm::cl::init("ptx"), llvm::cl::desc("The last stage to make")};
};
} // namespace

static void registerPipeline(StringRef name, StringRef description, bool training) {
  PassPipelineRegistration<TextOptions>(name, description, [training](OpPassManager &pm, const TextOptions &text) {
    PipelineSettings settings;
    settings.training = training;
    settings.verifyStages = text.verifyStages;
    settings.fuseLimit = text.fuseLimit;
    std::optional<Stage> to = symbolizeStage(text.to);
    if (!to)
      llvm::report_fatal_error(llvm::Twine("no stage is called '") + text.to + "'", /*gen_crash_diag=*/false);
    buildPipeline(pm, Stage::Captured, *to, settings);
  });
}

void mlir::trace::registerTracePipelines() {
  registerPipeline("trace-training-pipeline", "From a captured function to a forward and a backward function", true);
  registerPipeline("trace-inference-pipeline", "From a captured function to a forward function, without gradients",
                   false);
  PassPipelineRegistration<DeviceOptions>(
      "trace-lower-to-gpu", "From split to a gpu.binary of kernels for each fusion",
      [](OpPassManager &pm, const DeviceOptions &options) {
        PipelineSettings settings;
        settings.chip = options.chip;
        if (!options.formats.empty())
          settings.binaryFormats.assign(options.formats.begin(), options.formats.end());
        std::optional<Stage> to = symbolizeStage(options.to);
        if (!to || !isDeviceStage(*to))
          llvm::report_fatal_error(llvm::Twine("'") + options.to + "' is no stage on the way to a GPU",
                                   /*gen_crash_diag=*/false);
        buildPipeline(pm, Stage::Split, *to, settings);
      });
}

LogicalResult mlir::trace::verifyStage(ModuleOp module, Stage stage) {
  if (stage == Stage::Split)
    return verifySplit(module);
  if (stage > Stage::Split)
    return success();
  for (auto func : module.getOps<func::FuncOp>())
    if (failed(stage == Stage::Captured ? verifyCaptured(func)
               : stage == Stage::Joint  ? verifyJoint(func)
                                        : verifyScheduled(func)))
      return failure();
  return success();
}

/// The stage whose contract holds after a pass, where the pass makes or keeps one.
static std::optional<Stage> stageAfter(StringRef pass) {
  return llvm::StringSwitch<std::optional<Stage>>(pass)
      .Case("trace-claim", Stage::Captured)
      .Case("trace-autodiff", Stage::Joint)
      .Cases({"trace-group-get-grads", "trace-rematerialize", "trace-fuse-form", "trace-fuse-outline"},
             Stage::Scheduled)
      .Case("trace-split", Stage::Split)
      .Default(std::nullopt);
}

void StageVerifier::runAfterPass(Pass *pass, Operation *op) {
  std::optional<Stage> stage = stageAfter(pass->getArgument());
  if (!stage)
    return;
  LogicalResult result = success();
  if (auto module = dyn_cast<ModuleOp>(op))
    result = verifyStage(module, *stage);
  else if (auto func = dyn_cast<func::FuncOp>(op))
    result = verifyScheduled(func);
  if (mlir::failed(result))
    failed = true;
}
