//===- Stages.h - The stages that a program goes through ----------*- C++ -*-===//
//
// The one table of stages. It drives --compile-from and --compile-to of trace-opt, the stage dumps, the inspection API
// of torch_trace and docs/pipeline.md. To see how data flows, read this and lib/Pipelines/Pipelines.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_PIPELINES_STAGES_H
#define TRACE_PIPELINES_STAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::trace {

/// In order. Behind the split there are two ways: to the code that this process runs (Lowered), and to the kernels of a
/// GPU (Gpu, Nvvm, Ptx).
enum class Stage { Captured, Joint, Scheduled, Split, Lowered, Gpu, Nvvm, Ptx };

struct StageInfo {
  Stage stage;
  /// As the flags and the inspection API spell it.
  llvm::StringLiteral name;
  /// Of a file that holds the stage's IR.
  llvm::StringLiteral extension;
  /// What the IR is, in a sentence.
  llvm::StringLiteral summary;
};

inline constexpr StageInfo stages[] = {
    {Stage::Captured, "captured", ".trace.mlir",
     "One pure function of bound symbols and prims; mutation, aliasing and random numbers are explicit."},
    {Stage::Joint, "joint", ".joint.mlir",
     "The same function with the backward computation behind it: get_grad stands for the cotangents to come."},
    {Stage::Scheduled, "scheduled", ".sched.mlir",
     "Forward, one barrier of get_grads, backward; recomputation is decided, fusions are functions of their own."},
    {Stage::Split, "split", ".split.mlir",
     "A forward and a backward function; what crosses between them is saved, or read again as argument or output."},
    {Stage::Lowered, "lowered", ".lowered.mlir",
     "The LLVM dialect: host functions that call the runtime's C functions, and the kernels of the fusions."},
    {Stage::Gpu, "gpu", ".gpu.mlir",
     "From split, for a GPU: library calls and strides are decided, and a gpu.module of kernels is beside each "
     "fusion."},
    {Stage::Nvvm, "nvvm", ".nvvm.mlir", "The gpu.modules in the LLVM and NVVM dialects."},
    {Stage::Ptx, "ptx", ".ptx", "The kernels as PTX text, from LLVM's NVPTX code generator."},
};

inline const StageInfo &getStageInfo(Stage stage) { return stages[static_cast<unsigned>(stage)]; }

/// A stage on the way to a GPU's kernels.
inline bool isDeviceStage(Stage stage) { return stage >= Stage::Gpu; }

inline std::optional<Stage> symbolizeStage(llvm::StringRef name) {
  for (const StageInfo &info : stages)
    if (info.name == name)
      return info.stage;
  return std::nullopt;
}

} // namespace mlir::trace

#endif
