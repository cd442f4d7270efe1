//===- Literals.cpp - Small facts about values of host functions ------------===//
#include "Literals.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

std::optional<std::string> host::getLiteralBytes(ElementsAttr attribute) {
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
    AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
    if (!blob)
      return std::nullopt;
    return std::string(blob->getData().data(), blob->getData().size());
  }
  if (dense.getElementType().isInteger(1)) {
    std::string bytes;
    if (dense.isSplat())
      return std::string(1, dense.getSplatValue<bool>() ? 1 : 0);
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value ? 1 : 0);
    return bytes;
  }
  return std::string(dense.getRawData().data(), dense.getRawData().size());
}

bool host::isOnlyReleased(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) { return isa<ReleaseOp>(user); });
}
