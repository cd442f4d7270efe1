//===- Passes.h - Host functions --------------------------------------------===//
#ifndef TRACE_CODEGEN_HOST_PASSES_H
#define TRACE_CODEGEN_HOST_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "trace/IR/TraceDialect.h"

namespace mlir::trace {

#define GEN_PASS_DECL
#include "trace/Codegen/Host/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/Codegen/Host/Passes.h.inc"

} // namespace mlir::trace

#endif
