//===- TraceInterfaces.td - What ops can be asked ---------------------------===//
#ifndef TRACE_INTERFACES_TD
#define TRACE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Trace_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::trace";
  let description = [{
    The gradient rule of an op: reverse mode, written with ops of this dialect, so that it can be differentiated
    again. The rules stand in lib/Autodiff/Rules and are attached there; the dialect itself knows none.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the cotangents of the operands from the cotangents of the results, at the builder's insertion point.
        `cotangents` has one entry per result, null where it is a symbolic zero (at least one is not null).
        `needed[i]` says whether the cotangent of operand i is wanted. `grads` comes with one null entry per
        operand; an entry left null is a symbolic zero. Each value put there has its operand's type.
        Fails, with an error at the op, where the op cannot be differentiated for these operands.
      }],
      "::llvm::LogicalResult", "buildVjp",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$cotangents,
           "::llvm::ArrayRef<bool>":$needed, "::llvm::SmallVectorImpl<::mlir::Value> &":$grads)>
  ];
}

#endif
