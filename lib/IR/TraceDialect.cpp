//===- TraceDialect.cpp - Registration and attributes of the dialect --------===//
#include "trace/IR/TraceDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "trace/IR/TraceOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::trace;

#include "trace/IR/TraceDialect.cpp.inc"
#include "trace/IR/TraceEnums.cpp.inc"
#include "trace/IR/TraceInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "trace/IR/TraceAttributes.cpp.inc"

void TraceDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "trace/IR/TraceOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "trace/IR/TraceAttributes.cpp.inc"
      >();
}

Operation *TraceDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, cast<RankedTensorType>(type), elements);
}

//===----------------------------------------------------------------------===//
// #trace.role<kind index? "name"?>
//===----------------------------------------------------------------------===//

Attribute RoleAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return {};
  std::optional<RoleKind> kind = symbolizeRoleKind(keyword);
  if (!kind) {
    parser.emitError(loc, "unknown role '") << keyword << "'";
    return {};
  }
  std::optional<int64_t> index;
  int64_t number;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return {};
    index = number;
  }
  StringAttr name;
  std::string text;
  if (succeeded(parser.parseOptionalString(&text)))
    name = StringAttr::get(parser.getContext(), text);
  if (parser.parseGreater())
    return {};
  return RoleAttr::get(parser.getContext(), *kind, index, name);
}

void RoleAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyRoleKind(getKind());
  if (getIndex())
    printer << " " << *getIndex();
  if (getName())
    printer << " " << getName();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Attributes of functions, arguments and results
//===----------------------------------------------------------------------===//

static bool isListOfDictionaries(Attribute attr, size_t size) {
  auto list = dyn_cast_or_null<ArrayAttr>(attr);
  return list && list.size() == size && llvm::all_of(list, llvm::IsaPred<DictionaryAttr>);
}

static LogicalResult verifySignature(Operation *op, Attribute attr) {
  auto signature = dyn_cast<DictionaryAttr>(attr);
  auto typeAttr = signature ? signature.getAs<TypeAttr>("type") : TypeAttr();
  auto type = typeAttr ? dyn_cast<FunctionType>(typeAttr.getValue()) : FunctionType();
  if (!type || !llvm::all_of(type.getInputs(), llvm::IsaPred<RankedTensorType>) ||
      !llvm::all_of(type.getResults(), llvm::IsaPred<RankedTensorType>))
    return op->emitOpError() << "'trace.signature' needs a 'type', of a function on tensors";
  if (!isListOfDictionaries(signature.get("arguments"), type.getNumInputs()) ||
      !isListOfDictionaries(signature.get("results"), type.getNumResults()))
    return op->emitOpError()
           << "'trace.signature' needs 'arguments' and 'results', one dictionary for each of its type";
  return success();
}

LogicalResult TraceDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (attr.getName() == attrs::signature)
    return verifySignature(op, attr.getValue());
  if (attr.getName() == attrs::joint || attr.getName() == attrs::fusion || attr.getName() == attrs::side) {
    if (!isa<func::FuncOp>(op))
      return op->emitOpError() << "'" << attr.getName().getValue() << "' belongs on a func.func";
  }
  return success();
}

/// What arguments and results have in common: roles are RoleAttrs, strides fit the rank.
static LogicalResult verifyValueAttribute(Operation *op, Type type, NamedAttribute attr, StringRef what,
                                          unsigned index) {
  if (attr.getName() == attrs::role && !isa<RoleAttr>(attr.getValue()))
    return op->emitOpError() << what << " " << index << ": 'trace.role' must be a #trace.role";
  if (attr.getName() == attrs::strides) {
    auto strides = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!strides || !tensor || strides.size() != tensor.getRank())
      return op->emitOpError() << what << " " << index << ": 'trace.strides' must be one i64 per dimension";
  }
  return success();
}

LogicalResult TraceDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned index,
                                                     NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return success();
  Type type = func.getArgumentTypes()[index];
  if (attr.getName() == attrs::requiresGrad) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isa<FloatType, ComplexType>(tensor.getElementType()))
      return op->emitOpError() << "argument " << index << ": 'trace.requires_grad' needs a floating-point tensor, not "
                               << type;
  }
  return verifyValueAttribute(op, type, attr, "argument", index);
}

LogicalResult TraceDialect::verifyRegionResultAttribute(Operation *op, unsigned region, unsigned index,
                                                        NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return success();
  if (attr.getName() == attrs::reachedBy) {
    auto outputs = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
    auto role = func.getResultAttrOfType<RoleAttr>(index, attrs::role);
    if (!outputs || outputs.empty() || !role || role.getKind() != RoleKind::Gradient)
      return op->emitOpError() << "result " << index << ": 'trace.reached_by' must be a list of outputs, on a gradient";
  }
  return verifyValueAttribute(op, func.getResultTypes()[index], attr, "result", index);
}
