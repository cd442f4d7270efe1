//===- Signature.h - The tensors behind a lowered host function --*- C++ -*-===//
//
// A lowered host function takes arrays of handles. The attribute `trace.signature` keeps what they are handles of, so
// that a tool can run a file of the lowered stage.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_HOST_SIGNATURE_H
#define TRACE_CODEGEN_HOST_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::trace {

/// Writes types, argument and result attributes (roles, strides) and the side of `host` onto `lowered`.
void setSignature(Operation *lowered, func::FuncOp host);

/// A module with a declaration on tensors, as `setSignature` was given it, of each host function of a module at the
/// lowered stage; null where it has none.
OwningOpRef<ModuleOp> declareHostFunctions(ModuleOp lowered);

} // namespace mlir::trace

#endif
