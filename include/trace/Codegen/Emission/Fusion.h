//===- Fusion.h - Fusion functions, as code generators take them -------------===//
#ifndef TRACE_CODEGEN_EMISSION_FUSION_H
#define TRACE_CODEGEN_EMISSION_FUSION_H

#include "trace/Codegen/Kernel/Graph.h"

namespace mlir::trace::kernel {

/// Emits an error, at the op, where a fusion function holds what `place` ("a CPU kernel") cannot.
LogicalResult checkFusion(func::FuncOp fusion, StringRef place);

/// The values of a constant buffer as they lie in memory, in one dimension.
DenseElementsAttr getConstantElements(const Buffer &buffer);

} // namespace mlir::trace::kernel

#endif
