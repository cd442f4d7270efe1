//===- Passes.h - Kernels for NVIDIA GPUs -----------------------------------===//
#ifndef TRACE_CODEGEN_GPU_PASSES_H
#define TRACE_CODEGEN_GPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::trace::cuda {

#define GEN_PASS_DECL
#include "trace/Codegen/GPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Codegen/GPU/Passes.h.inc"

} // namespace mlir::trace::cuda

#endif
