//===- Lowering.cpp - Behind the split: to the LLVM dialect -----------------===//
#include "trace/Target/Lowering.h"
#include "trace/Codegen/CPU/Passes.h"
#include "trace/Codegen/GPU/Passes.h"
#include "trace/Codegen/Host/Passes.h"
#include "trace/Pipelines/Pipelines.h"
#include "trace/Schedule/Passes.h"
#include "trace/Target/Nvptx.h"
#include "trace/Target/Passes.h"

using namespace mlir;
using namespace mlir::trace;

void mlir::trace::addLayoutPasses(OpPassManager &pm, const PipelineSettings &settings) {
  // Last uses are known once the halves are final. Copies that layouts ask for are placed around them.
  pm.addNestedPass<func::FuncOp>(createInsertReleases());
  // First what runs through LibTorch, as a library call states the strides that it gives.
  pm.addPass(createLowerToLibrary());
  pm.addPass(createAssignLayouts());
}

void mlir::trace::addDeviceCodegenPasses(OpPassManager &pm, const PipelineSettings &settings, Stage from, Stage to) {
  auto makes = [&](Stage stage) { return from < stage && stage <= to; };
  if (makes(Stage::Gpu)) {
    cuda::LowerFusionsToGpuOptions options;
    options.chip = settings.chip;
    options.exactRounding = settings.exactRounding;
    pm.addPass(cuda::createLowerFusionsToGpu(options));
  }
  if (makes(Stage::Nvvm))
    buildDeviceLoweringPipeline(pm);
  if (makes(Stage::Ptx)) {
    GpuToBinaryOptions options;
    options.chip = settings.chip;
    options.formats = settings.binaryFormats;
    options.cacheDirectory = settings.cacheDirectory;
    pm.addPass(createGpuToBinary(options));
  }
}

void mlir::trace::addHostCodegenPasses(OpPassManager &pm) {
  pm.addPass(createLowerHost());
  buildKernelLoweringPipeline(pm);
}

void mlir::trace::addCodegenPasses(OpPassManager &pm, const PipelineSettings &settings) {
  // Kernels bake their layouts in, so they come behind the layouts; before the host code, which calls their entries
  // and erases the fusion functions that it no longer needs.
  if (settings.device == "cuda") {
    addDeviceCodegenPasses(pm, settings);
  } else {
    cpu::LowerFusionsToCpuOptions options;
    options.vectorBits = settings.vectorBits;
    options.exactRounding = settings.exactRounding;
    pm.addPass(cpu::createLowerFusionsToCpu(options));
  }
  addHostCodegenPasses(pm);
}

void mlir::trace::addLoweringPasses(OpPassManager &pm, const PipelineSettings &settings) {
  addLayoutPasses(pm, settings);
  addCodegenPasses(pm, settings);
}
