//===- Import.cpp - ImportBuilder for Python --------------------------------===//
//
// Types, attributes and values are small handles into the builder's context; they are of no use once it is gone.
// Python objects become attributes by their type: bool, int, float, str; a list of int is an array<i64: ...>,
// a tuple an array attribute, a dict a dictionary, None a unit.
//
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "mlir/AsmParser/AsmParser.h"
#include "trace/IR/TraceOps.h"
#include "trace/Import/ImportBuilder.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir;
using mlir::trace::ImportBuilder;
using trace_python::DiagnosticError;

namespace {
struct PyValue {
  Value value;
};
struct PyType {
  Type type;
};
struct PyAttribute {
  Attribute attribute;
};

[[noreturn]] void raise(ImportBuilder &builder) { throw DiagnosticError(builder.takeDiagnostics()); }

Attribute toAttribute(ImportBuilder &builder, nb::handle object) {
  MLIRContext *context = builder.getContext();
  Builder b(context);
  if (object.is_none())
    return b.getUnitAttr();
  if (nb::isinstance<PyAttribute>(object))
    return nb::cast<PyAttribute &>(object).attribute;
  if (nb::isinstance<PyType>(object))
    return TypeAttr::get(nb::cast<PyType &>(object).type);
  if (PyBool_Check(object.ptr()))
    return b.getBoolAttr(object.ptr() == Py_True);
  if (PyLong_Check(object.ptr()))
    return b.getI64IntegerAttr(nb::cast<int64_t>(object));
  if (PyFloat_Check(object.ptr()))
    return b.getF64FloatAttr(nb::cast<double>(object));
  if (PyUnicode_Check(object.ptr()))
    return b.getStringAttr(nb::cast<std::string>(object));
  if (PyList_Check(object.ptr()))
    return b.getDenseI64ArrayAttr(nb::cast<std::vector<int64_t>>(object));
  if (PyTuple_Check(object.ptr())) {
    SmallVector<Attribute> elements;
    for (nb::handle element : nb::cast<nb::tuple>(object))
      elements.push_back(toAttribute(builder, element));
    return b.getArrayAttr(elements);
  }
  if (PyDict_Check(object.ptr())) {
    SmallVector<NamedAttribute> entries;
    for (auto [key, value] : nb::cast<nb::dict>(object))
      entries.push_back(b.getNamedAttr(nb::cast<std::string>(key), toAttribute(builder, value)));
    return b.getDictionaryAttr(entries);
  }
  throw nb::type_error("this Python object cannot become an attribute");
}

SmallVector<Value> toValues(const std::vector<PyValue> &values) {
  SmallVector<Value> result;
  for (const PyValue &value : values)
    result.push_back(value.value);
  return result;
}
SmallVector<Type> toTypes(const std::vector<PyType> &types) {
  SmallVector<Type> result;
  for (const PyType &type : types)
    result.push_back(type.type);
  return result;
}
std::vector<PyValue> fromValues(ArrayRef<Value> values) {
  std::vector<PyValue> result;
  for (Value value : values)
    result.push_back({value});
  return result;
}
SmallVector<DictionaryAttr> toDictionaries(ImportBuilder &builder, const std::vector<nb::dict> &dicts) {
  SmallVector<DictionaryAttr> result;
  for (const nb::dict &dict : dicts)
    result.push_back(cast<DictionaryAttr>(toAttribute(builder, dict)));
  return result;
}
RankedTensorType toTensorType(PyType type) {
  auto tensor = dyn_cast<RankedTensorType>(type.type);
  if (!tensor)
    throw nb::type_error("a tensor type is needed");
  return tensor;
}
template <typename T> std::string printed(T object) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << object;
  return text;
}
} // namespace

void trace_python::bindImport(nb::module_ &m) {
  nb::exception<DiagnosticError>(m, "DiagnosticError").doc() =
      "Invalid IR: the compiler's errors, each with the user's file and line.";

  nb::class_<PyType>(m, "Type", "A type of a value.").def("__str__", [](PyType &self) { return printed(self.type); });
  nb::class_<PyAttribute>(m, "Attribute", "An attribute of an op, argument or result.")
      .def("__str__", [](PyAttribute &self) { return printed(self.attribute); });
  nb::class_<PyValue>(m, "Value", "The result of an op, or a block's argument.")
      .def_prop_ro("type", [](PyValue &self) { return PyType{self.value.getType()}; })
      .def("__eq__", [](PyValue &self, PyValue &other) { return self.value == other.value; })
      .def("__hash__", [](PyValue &self) { return static_cast<size_t>(hash_value(self.value)); });

  nb::class_<ImportBuilder>(m, "Builder", "Writes one captured module, op by op.")
      .def(nb::init<>())
      .def(
          "tensor_type",
          [](ImportBuilder &self, const std::vector<int64_t> &shape, const std::string &element) {
            Type type = mlir::trace::parseElementType(self.getContext(), element);
            if (!type)
              raise(self);
            return PyType{RankedTensorType::get(shape, type)};
          },
          nb::arg("shape"), nb::arg("element"), "The tensor type of a shape and an element type ('f32', 'i1', ...).")
      .def(
          "attribute",
          [](ImportBuilder &self, const std::string &text) {
            Attribute attribute = parseAttribute(text, self.getContext());
            if (!attribute)
              raise(self);
            return PyAttribute{attribute};
          },
          nb::arg("text"), "Parses an attribute.")
      .def(
          "operand_ref",
          [](ImportBuilder &self, int64_t index) {
            return PyAttribute{mlir::trace::OperandRefAttr::get(self.getContext(), index)};
          },
          nb::arg("index"), "#trace.operand<index>")
      .def(
          "symbol",
          [](ImportBuilder &self, const std::string &name) {
            return PyAttribute{FlatSymbolRefAttr::get(self.getContext(), name)};
          },
          nb::arg("name"), "@name")
      .def(
          "set_location",
          [](ImportBuilder &self, std::string_view file, unsigned line, unsigned column, std::string_view name) {
            self.setLocation({file.data(), file.size()}, line, column, {name.data(), name.size()});
          },
          nb::arg("file"), nb::arg("line"), nb::arg("column"), nb::arg("name"),
          "Where the ops created from now on come from.")
      .def(
          "begin_function",
          [](ImportBuilder &self, const std::string &name, const std::vector<PyType> &arguments,
             const std::vector<nb::dict> &attributes, bool isPrivate) {
            FailureOr<SmallVector<Value>> result =
                self.beginFunction(name, toTypes(arguments), toDictionaries(self, attributes), isPrivate);
            if (failed(result))
              raise(self);
            return fromValues(*result);
          },
          nb::arg("name"), nb::arg("arguments"), nb::arg("argument_attributes"), nb::arg("is_private") = false,
          "Opens a function and returns its arguments.")
      .def(
          "end_function",
          [](ImportBuilder &self, const std::vector<PyValue> &results, const std::vector<nb::dict> &attributes) {
            if (failed(self.endFunction(toValues(results), toDictionaries(self, attributes))))
              raise(self);
          },
          nb::arg("results"), nb::arg("result_attributes"), "Ends the open function with its results.")
      .def(
          "begin_region",
          [](ImportBuilder &self, const std::vector<PyType> &arguments) {
            return fromValues(self.beginRegion(toTypes(arguments)));
          },
          nb::arg("arguments"), "Opens a region and returns its arguments.")
      .def(
          "end_region",
          [](ImportBuilder &self, const std::vector<PyValue> &results) {
            FailureOr<unsigned> number = self.endRegion(toValues(results));
            if (failed(number))
              raise(self);
            return *number;
          },
          nb::arg("results"), "Ends the innermost region with a trace.yield; returns its number for `op`.")
      .def(
          "op",
          [](ImportBuilder &self, std::string_view name, const std::vector<PyValue> &operands,
             const nb::dict &attributes, const std::optional<std::vector<PyType>> &resultTypes,
             const std::vector<unsigned> &regions) {
            SmallVector<NamedAttribute> named;
            for (auto [key, value] : attributes)
              named.emplace_back(StringAttr::get(self.getContext(), nb::cast<std::string>(key)),
                                 toAttribute(self, value));
            SmallVector<Type> types;
            if (resultTypes)
              types = toTypes(*resultTypes);
            FailureOr<SmallVector<Value>> result =
                self.createOp({name.data(), name.size()}, toValues(operands), named,
                              resultTypes ? std::optional<TypeRange>(types) : std::nullopt, regions);
            if (failed(result))
              raise(self);
            return fromValues(*result);
          },
          nb::arg("name"), nb::arg("operands"), nb::arg("attributes") = nb::dict(),
          nb::arg("result_types") = nb::none(), nb::arg("regions") = std::vector<unsigned>(),
          "Creates an op and returns its results; result types are inferred where not given.")
      .def(
          "splat",
          [](ImportBuilder &self, PyType type, int64_t integer, double floating) {
            FailureOr<Value> result = self.createSplat(toTensorType(type), integer, floating);
            if (failed(result))
              raise(self);
            return PyValue{*result};
          },
          nb::arg("type"), nb::arg("integer"), nb::arg("floating"), "A tensor with one value everywhere.")
      .def(
          "constant",
          [](ImportBuilder &self, PyType type, nb::bytes bytes) {
            FailureOr<Value> result =
                self.createConstant(toTensorType(type), ArrayRef<char>(bytes.c_str(), bytes.size()));
            if (failed(result))
              raise(self);
            return PyValue{*result};
          },
          nb::arg("type"), nb::arg("bytes"), "A tensor from its row-major bytes.")
      .def(
          "verify",
          [](ImportBuilder &self) {
            if (failed(self.verify()))
              raise(self);
          },
          "Raises DiagnosticError where the module is invalid.")
      .def("text", &ImportBuilder::print, nb::arg("locations") = false, "The module as text.");
}
