//===- RuntimeSymbols.h - Addresses that compiled code may call -------------===//
#ifndef TRACE_LIB_TARGET_RUNTIMESYMBOLS_H
#define TRACE_LIB_TARGET_RUNTIMESYMBOLS_H

#include "mlir/Support/LLVM.h"

namespace mlir::trace {

/// The address registered for `name`, or that of the libm or libc function that code generation may call by it, or
/// null. Taken from this library rather than looked up by name: in a Python process the library is loaded locally, and
/// a search of the process need not see what it is linked with.
void *lookupRuntimeSymbol(StringRef name);

} // namespace mlir::trace

#endif
