//===- Patterns.h - Algebraic rewrites of trace-simplify --------------------===//
#ifndef TRACE_LIB_SIMPLIFY_PATTERNS_H
#define TRACE_LIB_SIMPLIFY_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "trace/IR/TraceOps.h"

namespace mlir::trace {

/// The value without dimension `dim`, along which it does not change; null where that is not known. With a builder,
/// makes the ops that compute it; without one, only says (by any non-null value) whether it could.
Value withoutDimension(OpBuilder *builder, Value value, int64_t dim, int depth = 4);

/// No element is -0.0, whatever the operands.
bool isNeverNegativeZero(Value value, int depth = 4);

void populateOneHotPatterns(RewritePatternSet &patterns);
void populateRepeatedSumPatterns(RewritePatternSet &patterns);

} // namespace mlir::trace

#endif
