//===- ImportBuilder.h - Building a captured module op by op ----------------===//
//
// What the Python front end calls to write trace IR: functions with roles on their arguments and results, regions,
// ops by name. Result types come from InferTypeOpInterface where the caller gives none. Errors are collected as text
// with the user's line, so that the front end can raise them; nothing is printed.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_IMPORT_IMPORTBUILDER_H
#define TRACE_IMPORT_IMPORTBUILDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::trace {

/// Collects diagnostics of a context as text, `file:line: error: message`, notes indented below their error.
class DiagnosticText {
public:
  explicit DiagnosticText(MLIRContext *context);
  /// What was collected since the last call.
  std::string take();

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

/// Loads the dialects that a captured module uses.
void loadImportDialects(MLIRContext &context);

/// Writes one module. Ops go where the innermost open function or region stands; every open one must be ended.
class ImportBuilder {
public:
  ImportBuilder();

  MLIRContext *getContext() { return &context; }
  ModuleOp getModule() { return *module; }

  /// Where the ops created from now on come from: the user's file and line, and the name of what made them.
  void setLocation(StringRef file, unsigned line, unsigned column, StringRef name);

  /// Opens a function; its block arguments are returned. `argumentAttributes` has one dictionary per argument.
  FailureOr<SmallVector<Value>> beginFunction(StringRef name, TypeRange arguments,
                                              ArrayRef<DictionaryAttr> argumentAttributes, bool isPrivate);
  /// Ends it with a `trace.return outputs(results)`; the function gets their types.
  LogicalResult endFunction(ValueRange results, ArrayRef<DictionaryAttr> resultAttributes);

  /// Opens a region that an op created later will own.
  SmallVector<Value> beginRegion(TypeRange arguments);
  /// Ends it with a `trace.yield` and returns its number, for createOp.
  FailureOr<unsigned> endRegion(ValueRange results);

  /// Creates an op by its full name. Without `resultTypes` the op must be able to infer them.
  FailureOr<SmallVector<Value>> createOp(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes,
                                         std::optional<TypeRange> resultTypes, ArrayRef<unsigned> regionNumbers);

  /// A tensor with one value everywhere: exact for every integer, rounded to the element type for floating point.
  FailureOr<Value> createSplat(RankedTensorType type, int64_t integer, double floating);
  /// A tensor from its row-major bytes (i1: one byte per element).
  FailureOr<Value> createConstant(RankedTensorType type, ArrayRef<char> bytes);

  /// Verifies the module; the errors are in takeDiagnostics().
  LogicalResult verify();
  /// The module as text, with locations where `locations` is set.
  std::string print(bool locations);
  std::string takeDiagnostics() { return diagnostics.take(); }

private:
  InFlightDiagnostic error(const Twine &message);

  MLIRContext context;
  DiagnosticText diagnostics;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  Location location;
  func::FuncOp function;
  std::vector<std::pair<std::unique_ptr<Region>, OpBuilder::InsertPoint>> openRegions;
  std::vector<std::unique_ptr<Region>> endedRegions;
};

/// An element type by the name that the front end uses ("f32", "i1", "ui8", "complex<f32>"); null where unknown.
Type parseElementType(MLIRContext *context, StringRef name);

} // namespace mlir::trace

#endif
