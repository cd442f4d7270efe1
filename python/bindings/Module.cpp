//===- Module.cpp - torch_trace._C ------------------------------------------===//
#include "Bindings.h"

NB_MODULE(_C, m) {
  m.doc() = "The compiler of torch_trace: building captured modules, compiling and running them.";
  // Dynamo keeps compiled graphs until the interpreter is gone.
  nanobind::set_leak_warnings(false);
  trace_python::bindImport(m);
#ifdef TRACE_HAS_DRIVER
  trace_python::bindCompiled(m);
#endif
}
