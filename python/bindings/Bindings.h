//===- Bindings.h - The parts of torch_trace._C -----------------------------===//
#ifndef TRACE_PYTHON_BINDINGS_H
#define TRACE_PYTHON_BINDINGS_H

#include <nanobind/nanobind.h>

namespace trace_python {

/// Builder, Value, Type and Attribute: what capture writes IR with.
void bindImport(nanobind::module_ &m);

} // namespace trace_python

#endif
