//===- DeviceProgram.h - A host function and its kernels as data ------------===//
#ifndef TRACE_LIB_DRIVER_DEVICEPROGRAM_H
#define TRACE_LIB_DRIVER_DEVICEPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "trace/Driver/CompiledGraph.h"
#include "trace/Pipelines/Pipelines.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <string>

namespace mlir::trace {

/// One half of a graph, lowered for a GPU and not loaded.
struct DeviceProgram {
  /// describeHostFunction's object, with a member "fusions":
  ///   {name: {"scratch": [bytes..], "kernels": [{"name", "grid", "block", "shared", "slots", "registers", "spills",
  ///    "stack"}..]}}
  /// "registers", "spills" and "stack" are null where no ptxas said them.
  llvm::json::Object plan;
  /// The images of each fusion, in the order of the formats asked for.
  llvm::StringMap<std::vector<DeviceImage>> images;
};

/// The forms of a fusion's kernels, in order.
std::vector<DeviceImage> readImages(gpu::BinaryOp binary);

/// Called with a stage's name and its text.
using KeepStage = std::function<void(StringRef name, StringRef text)>;

/// Lowers a module with one host function, on which trace-assign-layouts has run, to kernels. Failure is a diagnostic.
FailureOr<DeviceProgram> lowerForDevice(ModuleOp module, StringRef function, const PipelineSettings &settings,
                                        const std::function<void(StringRef, Operation *)> &keepModule,
                                        const KeepStage &keepText);

} // namespace mlir::trace

#endif
