//===- Guarded.h - Exceptions of LibTorch's C++ interface -------------------===//
#ifndef TRACE_LIB_RUNTIME_GUARDED_H
#define TRACE_LIB_RUNTIME_GUARDED_H

#include "Support.h"
#include <c10/util/Exception.h>

namespace trace_rt {

/// Like guarded, without the C++ backtrace in the message. The class that users catch by name is said in front.
template <typename Body> int guardedTorch(Body &&body) {
  return guarded([&] {
    try {
      return body();
    } catch (const c10::LinAlgError &error) {
      return fail(std::string("LinAlgError: ") + error.what_without_backtrace());
    } catch (const c10::Error &error) {
      return fail(error.what_without_backtrace());
    }
  });
}

} // namespace trace_rt

#endif
