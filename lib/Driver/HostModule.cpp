//===- HostModule.cpp - A lowered module in memory --------------------------===//
#include "trace/Driver/HostModule.h"

using namespace mlir;
using namespace mlir::trace;

FailureOr<std::unique_ptr<HostModule>> HostModule::create(ModuleOp lowered, const JitOptions &options,
                                                          const HostDevice &device) {
  std::unique_ptr<HostModule> module(new HostModule());
  module->runtime = getRuntimeLibrary();
  if (!module->runtime)
    return lowered.emitError("cannot be run: the runtime library is not loaded");
  FailureOr<std::unique_ptr<JitModule>> jit = JitModule::create(lowered, options);
  if (failed(jit))
    return failure();
  module->jit = std::move(*jit);
  using GetTable = void *(int64_t *);
  auto *getTable = module->jit->lookupAs<GetTable>("trace_get_table");
  if (!getTable)
    return lowered.emitError("has no trace_get_table: it was not lowered by trace-lower-host");
  int64_t size = 0;
  auto *table = static_cast<TraceTableEntry *>(getTable(&size));
  if (module->runtime->contextCreate(table, size, device.kind, device.index, &module->context) != 0)
    // At the place alone: the op would be printed with it, and says nothing about a driver that is not there.
    return emitError(lowered.getLoc()) << module->runtime->error();
  return module;
}

HostModule::~HostModule() {
  if (context)
    runtime->contextFree(context);
}

LogicalResult HostModule::run(StringRef function, MutableArrayRef<void *> arguments, void **results,
                              std::string &error) {
  void *address = jit->lookup(function);
  if (!address) {
    error = "the module has no function " + function.str();
    return failure();
  }
  if (runtime->run(reinterpret_cast<TraceHostFunction>(address), context, arguments.data(),
                   static_cast<int64_t>(arguments.size()), results) == 0)
    return success();
  error = runtime->error();
  return failure();
}
