//===- Literals.h - Small facts about values of host functions --------------===//
#ifndef TRACE_LIB_CODEGEN_HOST_LITERALS_H
#define TRACE_LIB_CODEGEN_HOST_LITERALS_H

#include "mlir/IR/BuiltinAttributes.h"
#include <optional>
#include <string>

namespace mlir::trace::host {

/// The bytes of a literal's elements in row-major order, of one element where it is a splat; nothing for a resource
/// that is not there.
std::optional<std::string> getLiteralBytes(ElementsAttr attribute);

/// Nobody reads it; a release is no reader.
bool isOnlyReleased(Value value);

} // namespace mlir::trace::host

#endif
