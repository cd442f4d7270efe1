//===- Pipelines.h - The order of the passes ----------------------*- C++ -*-===//
#ifndef TRACE_PIPELINES_PIPELINES_H
#define TRACE_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "trace/Pipelines/Stages.h"
#include <atomic>
#include <string>

namespace mlir::trace {

struct PipelineSettings {
  /// Differentiate. Without, the captured function becomes a forward only (inference).
  bool training = true;
  /// Run the stage's verifier after every pass.
  bool verifyStages = false;
  /// Stop fusing after so many regions of more than one op (for bisection); negative: no limit.
  int64_t fuseLimit = -1;
  /// Round f16 and bf16 after every operation inside a fusion, as eager does, instead of keeping f32.
  bool exactRounding = false;
  /// Widest vector in bits; 0: what the host has.
  unsigned vectorBits = 0;
  /// What the fusions run on: "cpu" or "cuda".
  std::string device = "cpu";
  /// Of "cuda": the architecture, and the forms of the kernels in each gpu.binary, in order ("cubin", "ptx",
  /// "bitcode").
  std::string chip = "sm_90";
  SmallVector<std::string> binaryFormats = {"ptx"};
  /// Where machine code of kernels is kept across processes; empty: nowhere.
  std::string cacheDirectory;
};

/// Adds the passes that bring a module from the end of stage `from` to the end of stage `to`. The manager is one of
/// ModuleOps. Nothing is added where `to` is not behind `from`. With the device "cuda", Stage::Lowered has the binaries
/// of the kernels in it; the device stages show the way there, whatever the device is set to.
void buildPipeline(OpPassManager &pm, Stage from, Stage to, const PipelineSettings &settings = {});

/// The part of the scheduled stage that forms regions: on host functions of any stage before lowering.
void addFusionPasses(OpPassManager &pm, const PipelineSettings &settings);

/// The part behind the split (lib/Pipelines/Lowering.cpp): library calls and strides; then kernels and host code in the
/// LLVM dialect. The first part may run on a forward alone, whose layouts a backward compiled later needs.
void addLayoutPasses(OpPassManager &pm, const PipelineSettings &settings);
void addCodegenPasses(OpPassManager &pm, const PipelineSettings &settings);
/// Of the second part what comes behind the kernels: the host code.
void addHostCodegenPasses(OpPassManager &pm);
/// What the second part does with the fusions for "cuda", up to the end of a device stage: each becomes a gpu.module of
/// kernels (Gpu), that is lowered (Nvvm) and then a gpu.binary (Ptx). Host functions stay as they are.
void addDeviceCodegenPasses(OpPassManager &pm, const PipelineSettings &settings, Stage from = Stage::Split,
                            Stage to = Stage::Ptx);
/// Both.
void addLoweringPasses(OpPassManager &pm, const PipelineSettings &settings);

/// --trace-training-pipeline and --trace-inference-pipeline: from captured to split. --trace-lower-to-gpu: from split
/// to gpu.binary.
void registerTracePipelines();

/// Checks the contract of `stage` on a function or, for Stage::Split, on a module, after each pass that keeps or makes
/// a stage. Emits errors and sets `failed`, as an instrumentation cannot fail a pass manager. For trace-opt.
class StageVerifier : public PassInstrumentation {
public:
  explicit StageVerifier(std::atomic<bool> &failed) : failed(failed) {}
  void runAfterPass(Pass *pass, Operation *op) override;

private:
  std::atomic<bool> &failed;
};

} // namespace mlir::trace

#endif
