//===- ImportBuilder.cpp - Building a captured module op by op --------------===//
#include "trace/Import/ImportBuilder.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "trace/IR/TraceOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::trace;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The user's file and line where the location has one, its printed form otherwise.
static void printLocation(raw_ostream &os, Location location) {
  if (auto found = location->findInstanceOf<FileLineColLoc>())
    os << found.getFilename().getValue() << ":" << found.getLine();
  else
    os << location;
}

static void printDiagnostic(raw_ostream &os, Diagnostic &diagnostic, StringRef indent) {
  os << indent;
  if (!isa<UnknownLoc>(diagnostic.getLocation())) {
    printLocation(os, diagnostic.getLocation());
    os << ": ";
  }
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    os << "error: ";
    break;
  case DiagnosticSeverity::Warning:
    os << "warning: ";
    break;
  case DiagnosticSeverity::Note:
    os << "note: ";
    break;
  case DiagnosticSeverity::Remark:
    os << "remark: ";
    break;
  }
  os << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(os, note, "  ");
}

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        llvm::raw_string_ostream os(text);
        printDiagnostic(os, diagnostic, "");
        return success();
      }) {}

std::string DiagnosticText::take() { return std::exchange(text, std::string()); }

//===----------------------------------------------------------------------===//
// ImportBuilder
//===----------------------------------------------------------------------===//

void mlir::trace::loadImportDialects(MLIRContext &context) { context.loadDialect<TraceDialect, func::FuncDialect>(); }

Type mlir::trace::parseElementType(MLIRContext *context, StringRef name) { return parseType(name, context); }

ImportBuilder::ImportBuilder()
    : context(MLIRContext::Threading::DISABLED), diagnostics(&context), builder(&context),
      location(UnknownLoc::get(&context)) {
  loadImportDialects(context);
  module = ModuleOp::create(location);
}

InFlightDiagnostic ImportBuilder::error(const Twine &message) { return emitError(location) << message; }

void ImportBuilder::setLocation(StringRef file, unsigned line, unsigned column, StringRef name) {
  Location at = file.empty() ? Location(UnknownLoc::get(&context)) : FileLineColLoc::get(&context, file, line, column);
  location = name.empty() ? at : NameLoc::get(StringAttr::get(&context, name), at);
}

FailureOr<SmallVector<Value>> ImportBuilder::beginFunction(StringRef name, TypeRange arguments,
                                                           ArrayRef<DictionaryAttr> argumentAttributes,
                                                           bool isPrivate) {
  if (function)
    return error("function " + function.getName() + " is still open");
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, location, name, builder.getFunctionType(arguments, {}));
  if (isPrivate)
    function.setPrivate();
  Block *block = function.addEntryBlock();
  if (!argumentAttributes.empty())
    function.setAllArgAttrs(argumentAttributes);
  builder.setInsertionPointToEnd(block);
  return SmallVector<Value>(block->args_begin(), block->args_end());
}

LogicalResult ImportBuilder::endFunction(ValueRange results, ArrayRef<DictionaryAttr> resultAttributes) {
  if (!function || !openRegions.empty())
    return error("no function is open, or one of its regions still is");
  ReturnOp::create(builder, location, results);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), results.getTypes()));
  if (!resultAttributes.empty())
    function.setAllResultAttrs(resultAttributes);
  function = nullptr;
  return success();
}

SmallVector<Value> ImportBuilder::beginRegion(TypeRange arguments) {
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  for (Type type : arguments)
    block.addArgument(type, location);
  openRegions.emplace_back(std::move(region), builder.saveInsertionPoint());
  builder.setInsertionPointToEnd(&block);
  return SmallVector<Value>(block.args_begin(), block.args_end());
}

FailureOr<unsigned> ImportBuilder::endRegion(ValueRange results) {
  if (openRegions.empty())
    return error("no region is open");
  YieldOp::create(builder, location, results);
  auto [region, outside] = std::move(openRegions.back());
  openRegions.pop_back();
  builder.restoreInsertionPoint(outside);
  endedRegions.push_back(std::move(region));
  return endedRegions.size() - 1;
}

/// As the generic parser does it: properties from the attributes, then the op's own inference.
static LogicalResult inferTypes(OperationState &state, MLIRContext *context) {
  std::optional<RegisteredOperationName> info = state.name.getRegisteredInfo();
  auto *interface = info ? info->getInterface<InferTypeOpInterface>() : nullptr;
  if (!interface)
    return emitError(state.location) << "result types of '" << state.name << "' must be given";
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  OpaqueProperties properties(nullptr);
  std::unique_ptr<char[]> storage;
  if (int size = info->getOpPropertyByteSize()) {
    storage = std::make_unique<char[]>(size);
    properties = OpaqueProperties(storage.get());
    info->initOpProperties(properties, OpaqueProperties(nullptr));
    if (failed(info->setOpPropertiesFromAttribute(state.name, properties, attributes,
                                                  [&] { return emitError(state.location); })))
      return failure();
  }
  LogicalResult result =
      interface->inferReturnTypes(context, state.location, state.operands, attributes, properties, {}, state.types);
  if (storage)
    info->destroyOpProperties(properties);
  if (failed(result))
    return emitError(state.location) << "result types of '" << state.name << "' cannot be inferred";
  return success();
}

FailureOr<SmallVector<Value>> ImportBuilder::createOp(StringRef name, ValueRange operands,
                                                      ArrayRef<NamedAttribute> attributes,
                                                      std::optional<TypeRange> resultTypes,
                                                      ArrayRef<unsigned> regionNumbers) {
  OperationState state(location, name);
  if (!state.name.isRegistered())
    return error("no operation is called '" + name + "'");
  state.addOperands(operands);
  state.addAttributes(attributes);
  for (unsigned number : regionNumbers) {
    if (number >= endedRegions.size() || !endedRegions[number])
      return error("region " + Twine(number) + " was not built, or has an owner already");
    state.addRegion(std::move(endedRegions[number]));
  }
  if (resultTypes)
    state.addTypes(*resultTypes);
  else if (failed(inferTypes(state, &context)))
    return failure();
  // A symbol without its optional region still has the (empty) region.
  if (name == BsymOp::getOperationName() && state.regions.empty())
    state.addRegion();
  Operation *op = builder.create(state);
  return SmallVector<Value>(op->result_begin(), op->result_end());
}

FailureOr<Value> ImportBuilder::createSplat(RankedTensorType type, int64_t integer, double floating) {
  Type element = type.getElementType();
  Attribute value;
  if (auto floatType = dyn_cast<FloatType>(element))
    value = FloatAttr::get(floatType, floating);
  else if (auto integerType = dyn_cast<IntegerType>(element))
    value = IntegerAttr::get(element, APInt(integerType.getWidth(), static_cast<uint64_t>(integer), false, true));
  else
    return error("no literal of this element type");
  return Value(ConstantOp::create(builder, location, type, cast<ElementsAttr>(DenseElementsAttr::get(type, value))));
}

FailureOr<Value> ImportBuilder::createConstant(RankedTensorType type, ArrayRef<char> bytes) {
  ElementsAttr value;
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits;
    for (char byte : bytes)
      bits.push_back(byte != 0);
    if (static_cast<int64_t>(bits.size()) != type.getNumElements())
      return error("bytes of a literal do not fit its type");
    value = DenseElementsAttr::get(type, bits);
  } else {
    bool isSplat = false;
    if (!DenseElementsAttr::isValidRawBuffer(type, bytes, isSplat))
      return error("bytes of a literal do not fit its type");
    value = DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  return Value(ConstantOp::create(builder, location, type, value));
}

LogicalResult ImportBuilder::verify() { return mlir::verify(*module); }

std::string ImportBuilder::print(bool locations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(os, flags);
  return text;
}
