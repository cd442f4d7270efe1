//===- Lowering.h - From vector, scf and memref to the LLVM dialect ---------===//
#ifndef TRACE_TARGET_LOWERING_H
#define TRACE_TARGET_LOWERING_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::trace {

/// Lowers functions of arith, math, vector, scf, cf, memref, affine, index, ub and func to the LLVM dialect. Runs on
/// a ModuleOp; ops of the LLVM dialect may already be there. An op that no conversion takes is left in place, and
/// JitModule::create refuses it.
///
/// The order matters: vector transfers become loops while scf exists; strided metadata is expanded before memref
/// is converted; vectors are converted by their own pass because only that one knows the x86 forms (16 x 16 transposes
/// by shuffles); mathematics that LLVM has no exact intrinsic for (log1p among it) goes to libm before the general
/// conversion, which would approximate it.
void buildKernelLoweringPipeline(OpPassManager &pm);

/// --trace-lower-to-llvm, the above as a pipeline, and --trace-lower-device, which is buildDeviceLoweringPipeline
/// (Nvptx.h).
void registerTargetPipelines();

/// The dialects that kernels are written in, their conversions to LLVM and the translation to LLVM IR. Whoever creates
/// a context for compilation needs it, and trace-opt.
void registerTargetDialects(DialectRegistry &registry);

} // namespace mlir::trace

#endif
