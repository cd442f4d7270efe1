//===- CallText.cpp - Library calls as the runtime reads them ---------------===//
//
// The grammar stands at trace_rt_call_create in include/trace/Runtime/Runtime.h.
//
//===----------------------------------------------------------------------===//
#include "LibraryForms.h"
#include "trace/Codegen/Host/Host.h"
#include "trace/IR/TraceOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::trace;

static void writeString(raw_ostream &os, StringRef text) { os << 'S' << text.size() << ':' << text; }

static LogicalResult writeFloat(raw_ostream &os, const APFloat &value) {
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  double number = wide.convertToDouble();
  if (wide.isNaN())
    os << "Dnan";
  else if (wide.isInfinity())
    os << (wide.isNegative() ? "D-inf" : "Dinf");
  else
    os << llvm::format("D%a", number);
  return success();
}

static LogicalResult write(raw_ostream &os, Attribute attribute) {
  auto list = [&](auto range, auto each) {
    os << "[ ";
    for (auto value : range) {
      if (failed(each(value)))
        return failure();
      os << ' ';
    }
    os << ']';
    return success();
  };
  if (auto operand = dyn_cast<OperandRefAttr>(attribute)) {
    os << 'T' << operand.getIndex();
    return success();
  }
  if (isa<UnitAttr>(attribute)) {
    os << 'N';
    return success();
  }
  if (auto boolean = dyn_cast<BoolAttr>(attribute)) {
    os << 'B' << (boolean.getValue() ? 1 : 0);
    return success();
  }
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    os << 'I' << integer.getValue().getSExtValue();
    return success();
  }
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return writeFloat(os, number.getValue());
  if (auto string = dyn_cast<StringAttr>(attribute)) {
    writeString(os, string.getValue());
    return success();
  }
  if (auto type = dyn_cast<TypeAttr>(attribute)) {
    StringRef name = host::getTorchName(type.getValue());
    if (name.empty())
      return failure();
    writeString(os, name);
    return success();
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute))
    return list(array, [&](Attribute each) { return write(os, each); });
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute))
    return list(array.asArrayRef(), [&](int64_t each) {
      os << 'I' << each;
      return success();
    });
  if (auto array = dyn_cast<DenseBoolArrayAttr>(attribute))
    return list(array.asArrayRef(), [&](bool each) {
      os << 'B' << (each ? 1 : 0);
      return success();
    });
  if (auto array = dyn_cast<DenseF64ArrayAttr>(attribute))
    return list(array.asArrayRef(), [&](double each) { return writeFloat(os, APFloat(each)); });
  return failure();
}

FailureOr<std::string> mlir::trace::getCallText(CallLibraryOp op) {
  // "aten.mm.default": namespace, name, overload.
  auto [space, rest] = op.getName().split('.');
  auto [name, overload] = rest.rsplit('.');
  if (rest.empty())
    return op.emitOpError("\"") << op.getName() << "\" is no operator's name (namespace.name.overload)";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << space << "::" << name << '|' << (overload == "default" ? "" : overload) << '|';
  if (!op.getArguments()) {
    for (unsigned i = 0; i < op.getOperands_().size(); ++i)
      os << 'T' << i << ' ';
    return text;
  }
  for (auto [i, argument] : llvm::enumerate(*op.getArguments())) {
    if (failed(write(os, argument)))
      return op.emitOpError("argument ") << i << ", " << argument << ", has no form that LibTorch takes";
    os << ' ';
  }
  return text;
}
