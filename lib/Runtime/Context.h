//===- Context.h - What an executable prepares once -------------------------===//
#ifndef TRACE_LIB_RUNTIME_CONTEXT_H
#define TRACE_LIB_RUNTIME_CONTEXT_H

#include "Device.h"

namespace trace_rt {

/// The TraceDevice that a context was made for.
int32_t getContextDevice(void *context);

/// Enters the device that a context of a GPU runs on (`index`; negative: the one that it was created for), and returns
/// the context to hand to a function there. It is prepared where it has not run there before. Null, with the thread's
/// message set, where that fails.
void *enterContext(void *context, int index, DeviceScope &scope);

} // namespace trace_rt

#endif
