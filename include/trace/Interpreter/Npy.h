//===- Npy.h - Reading and writing .npy files -------------------------------===//
#ifndef TRACE_INTERPRETER_NPY_H
#define TRACE_INTERPRETER_NPY_H

#include "trace/Interpreter/Tensor.h"

namespace mlir::trace {

/// Reads a .npy file (versions 1 to 3, C order, little endian) as a tensor of `elementType`, which must be the file's
/// own: f2 f4 f8, i1 i2 i4 i8, u1, b1. bf16 has no numpy type and is read from i2 or u2, as its bits. Fails with a
/// message at `loc`.
FailureOr<Tensor> readNpy(Location loc, StringRef path, Type elementType);

/// Writes a tensor in the same types.
LogicalResult writeNpy(Location loc, StringRef path, const Tensor &tensor);

} // namespace mlir::trace

#endif
