//===- Kernel.h - Loops around elementwise code ------------------------------===//
#ifndef TRACE_TOOLS_CHECK_MATH_KERNEL_H
#define TRACE_TOOLS_CHECK_MATH_KERNEL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "trace/Codegen/Common/VectorMath.h"
#include "trace/Target/JitModule.h"

namespace check {

/// kernel(a, b, out, n): out[i] = body(a[i], b[i]) or body(a[i]), n a multiple of the lanes. i1 is a byte in memory.
using Kernel = void(const void *, const void *, void *, int64_t);

/// Adds the kernel `name` to the module, or to the gpu.module in it; `inputs` are one or two element types, `lanes` of
/// 1 is a scalar.
void buildKernel(mlir::ModuleOp module, llvm::StringRef name, llvm::ArrayRef<mlir::Type> inputs, mlir::Type output,
                 unsigned lanes, llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> body);

/// Lowers and compiles; diagnostics say what went wrong.
mlir::FailureOr<std::unique_ptr<mlir::trace::JitModule>> compile(mlir::ModuleOp module,
                                                                 const mlir::trace::JitOptions &options);

/// Compiles the gpu.module in `module` and prints its PTX.
mlir::LogicalResult printPtx(mlir::ModuleOp module, llvm::StringRef chip);

/// The checks whose answers are exact: conversions between float types, random numbers, integers.
bool runExactChecks(mlir::MLIRContext &context, const mlir::trace::JitOptions &options, unsigned lanes,
                    mlir::trace::MathTarget target);

} // namespace check

#endif
