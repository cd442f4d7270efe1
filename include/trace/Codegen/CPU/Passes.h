//===- Passes.h - Kernels for the CPU ---------------------------------------===//
#ifndef TRACE_CODEGEN_CPU_PASSES_H
#define TRACE_CODEGEN_CPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::trace::cpu {

#define GEN_PASS_DECL
#include "trace/Codegen/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Codegen/CPU/Passes.h.inc"

} // namespace mlir::trace::cpu

#endif
