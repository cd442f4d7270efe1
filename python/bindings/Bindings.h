//===- Bindings.h - The parts of torch_trace._C -----------------------------===//
#ifndef TRACE_PYTHON_BINDINGS_H
#define TRACE_PYTHON_BINDINGS_H

#include <nanobind/nanobind.h>
#include <stdexcept>

namespace trace_python {

/// Errors of the IR; in Python torch_trace._C.DiagnosticError.
struct DiagnosticError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Builder, Value, Type and Attribute: what capture writes IR with.
void bindImport(nanobind::module_ &m);

/// CompiledGraph: what runs.
void bindCompiled(nanobind::module_ &m);

} // namespace trace_python

#endif
