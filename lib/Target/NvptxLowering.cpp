//===- NvptxLowering.cpp - Device modules to the LLVM and NVVM dialects -----===//
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "trace/Target/Nvptx.h"

using namespace mlir;

namespace {

/// Turns the operations that the GPU computes exactly into LLVM's intrinsics. The patterns for NVVM would call
/// libdevice for all of them, which is a library more to find, and whose square root is the approximate one.
class ExactIntrinsics : public PassWrapper<ExactIntrinsics, OperationPass<gpu::GPUModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExactIntrinsics)

  StringRef getName() const override { return "ExactIntrinsics"; }

  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<LLVM::LLVMDialect>(); }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context);
    RewritePatternSet patterns(context);
    populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
                        math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
                        math::IsNaNOp, math::RoundEvenOp, math::RoundOp, math::SqrtOp, math::TruncOp, arith::MaxNumFOp,
                        arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

/// What convert-gpu-to-nvvm does with bare pointers, with one difference: that pass takes LLVM's own llvm.intr.sqrt,
/// floor and the like for something to convert, and stops at them. Here all of the LLVM dialect is final.
class DeviceToNvvm : public PassWrapper<DeviceToNvvm, OperationPass<gpu::GPUModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeviceToNvvm)

  StringRef getName() const override { return "DeviceToNvvm"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, cf::ControlFlowDialect, memref::MemRefDialect>();
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    gpu::GPUModuleOp module = getOperation();
    {
      RewritePatternSet patterns(context);
      populateGpuRewritePatterns(patterns);
      vector::populateVectorFromElementsUnrollPatterns(patterns);
      vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
      if (failed(applyPatternsGreedily(module, std::move(patterns))))
        return signalPassFailure();
    }
    LowerToLLVMOptions options(context, DataLayout(module));
    // Narrow where the code generator has shown that every index fits: 64-bit arithmetic costs twice the registers.
    auto bits = module->getAttrOfType<IntegerAttr>("trace.index_bits");
    options.overrideIndexBitwidth(bits ? bits.getInt() : 64);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(context);
    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    // In front of the general patterns, which know neither kernels nor libdevice.
    populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/10);
    for (Dialect *dialect : context->getLoadedDialects())
      if (auto *conversion = dyn_cast<ConvertToLLVMPatternInterface>(dialect))
        conversion->populateConvertToLLVMConversionPatterns(target, converter, patterns);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void trace::buildDeviceLoweringPipeline(OpPassManager &pm) {
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(createConvertVectorToSCFPass());
  device.addPass(createSCFToControlFlowPass());
  device.addPass(memref::createExpandStridedMetadataPass());
  device.addPass(createLowerAffinePass());
  // Address computations that accesses share.
  device.addPass(createCSEPass());
  device.addPass(std::make_unique<ExactIntrinsics>());
  device.addPass(std::make_unique<DeviceToNvvm>());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createReconcileUnrealizedCastsPass());
}
