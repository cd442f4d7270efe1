//===- trace-opt.cpp - The driver: passes and pipelines on .mlir files ------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "trace/Autodiff/Passes.h"
#include "trace/Codegen/CPU/Passes.h"
#include "trace/Codegen/GPU/Passes.h"
#include "trace/Codegen/Host/Passes.h"
#include "trace/Executors/Passes.h"
#include "trace/IR/TraceDialect.h"
#include "trace/Pipelines/Passes.h"
#include "trace/Pipelines/Pipelines.h"
#include "trace/Schedule/Passes.h"
#include "trace/Simplify/Passes.h"
#include "trace/Split/Passes.h"
#include "trace/Target/Lowering.h"
#include "trace/Target/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::trace;

namespace {

/// A flag that takes a stage's name; --help lists the stages from the table.
struct StageFlag : llvm::cl::opt<Stage> {
  StageFlag(StringRef name, StringRef description, Stage initial)
      : llvm::cl::opt<Stage>(name, llvm::cl::desc(description), llvm::cl::init(initial)) {
    for (const StageInfo &info : stages)
      getParser().addLiteralOption(info.name, info.stage, info.summary);
  }
};

struct Flags {
  StageFlag from{"compile-from", "The stage that the input is at (with --compile-to)", Stage::Captured};
  StageFlag to{"compile-to", "Compile up to the end of this stage; other passes on the command line run afterwards",
               Stage::Captured};
  llvm::cl::opt<bool> inference{"inference", llvm::cl::desc("With --compile-to: a forward only, no gradients")};
  llvm::cl::opt<int64_t> fuseLimit{
      "fuse-limit", llvm::cl::init(-1),
      llvm::cl::desc("With --compile-to: form at most this many regions of more than one op (-1: no limit)")};
  llvm::cl::opt<std::string> chip{"chip", llvm::cl::init("sm_90"),
                                  llvm::cl::desc("With --compile-to=gpu, nvvm or ptx: the GPU architecture")};
  llvm::cl::opt<bool> verifyStages{"verify-stages", llvm::cl::desc("Check the stage's contract after every pass")};
};

/// Writes the PTX of all binaries, in place of the module.
class PrintPtx : public PassWrapper<PrintPtx, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintPtx)

  explicit PrintPtx(raw_ostream &os) : os(os) {}
  StringRef getName() const override { return "PrintPtx"; }

  void runOnOperation() override {
    getOperation().walk([&](gpu::BinaryOp binary) {
      for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
        if (object.getFormat() == gpu::CompilationTarget::Assembly)
          os << object.getObject().getValue().rtrim('\0');
    });
  }

private:
  raw_ostream &os;
};

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, tensor::TensorDialect, TraceDialect>();
  registerAutodiffRules(registry);
  registerTargetDialects(registry);
  registerTraceAutodiffPasses();
  cpu::registerTraceCodegenCPUPasses();
  cuda::registerTraceCodegenGPUPasses();
  registerTraceCodegenHostPasses();
  registerTraceExecutorsPasses();
  registerTracePipelinesPasses();
  registerTransformsPasses();
  registerTraceSchedulePasses();
  registerTraceSimplifyPasses();
  registerTraceSplitPasses();
  registerTraceTargetPasses();
  registerTargetPipelines();
  registerTracePipelines();

  Flags flags;
  auto [inputName, outputName] = registerAndParseCLIOptions(argc, argv, "torch-trace optimizer driver\n", registry);
  std::string message;
  auto input = openInputFile(inputName, &message);
  if (!input) {
    llvm::errs() << message << "\n";
    return EXIT_FAILURE;
  }
  auto output = openOutputFile(outputName, &message);
  if (!output) {
    llvm::errs() << message << "\n";
    return EXIT_FAILURE;
  }

  // In front of the passes on the command line stand those of --compile-to.
  std::atomic<bool> contractBroken = false;
  MlirOptMainConfig commandLine = MlirOptMainConfig::createFromCLOptions(), config = commandLine;
  config.setPassPipelineSetupFn([&](PassManager &pm) {
    PipelineSettings settings;
    settings.training = !flags.inference;
    settings.verifyStages = flags.verifyStages;
    settings.fuseLimit = flags.fuseLimit;
    settings.chip = flags.chip;
    buildPipeline(pm, flags.from, flags.to, settings);
    // A pipeline holds its verifiers; passes on the command line are watched.
    if (flags.verifyStages && flags.to <= flags.from)
      pm.addInstrumentation(std::make_unique<StageVerifier>(contractBroken));
    LogicalResult result = commandLine.setupPassPipeline(pm);
    if (flags.to == Stage::Ptx)
      pm.addPass(std::make_unique<PrintPtx>(output->os()));
    return result;
  });
  // The last stage is text, and not a module.
  raw_ostream &os = flags.to == Stage::Ptx ? llvm::nulls() : output->os();
  if (failed(MlirOptMain(os, std::move(input), registry, config)) || contractBroken)
    return EXIT_FAILURE;
  output->keep();
  return EXIT_SUCCESS;
}
