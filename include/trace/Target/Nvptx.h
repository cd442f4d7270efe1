//===- Nvptx.h - Code for NVIDIA GPUs ---------------------------------------===//
//
// From a gpu.module to PTX, machine code or bitcode. LLVM's NVPTX target runs in this process; CUDA is not needed to
// build or to make PTX. Machine code (a cubin) comes from ptxas, or from nvJitLink.
//
// Where the tools are looked for, first found first taken:
//
//   ptxas       the option; TORCH_TRACE_PTXAS; <toolkit>/bin of each toolkit below; PATH
//   libdevice   <toolkit>/nvvm/libdevice or lib; the same folders of the toolkit that the ptxas found is part of
//   nvJitLink   <toolkit>/lib64, lib; the dynamic linker's places
//
//   toolkits    the option; CUDA_HOME; CUDA_PATH; /usr/local/cuda; /usr/local/cuda-* (the newest first); of the Python
//               environment VIRTUAL_ENV the packages nvidia/cu13, nvidia/cuda_nvcc and triton/backends/nvidia (triton
//               comes with torch, and brings a ptxas and a libdevice)
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_TARGET_NVPTX_H
#define TRACE_TARGET_NVPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include <optional>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::trace {

class JitCache;

/// Lowers the gpu.modules in a ModuleOp to the LLVM and NVVM dialects: kernels of arith, math, vector, scf, memref,
/// index, gpu and nvvm. Memrefs of the parameters become bare pointers, so they have static shapes; indices have 64
/// bits. What LLVM has an exact operation for becomes that (math.fma is llvm.intr.fma); only then is what is left of
/// math a call of libdevice. The rest of the ModuleOp is not touched.
void buildDeviceLoweringPipeline(OpPassManager &pm);

/// Where to look for CUDA's tools before anywhere else, and how to compile.
struct NvptxOptions {
  /// sm_80 or newer.
  std::string chip = "sm_90";
  /// LLVM's level, 0 to 3.
  unsigned optLevel = 3;
  std::string ptxas, toolkit;
  /// Who makes machine code: "auto" (ptxas, or else nvJitLink), "ptxas", "nvjitlink" or "none".
  std::string assembler = "auto";
  /// Machine code by content; not owned, may be null.
  JitCache *cache = nullptr;
};

/// The features that code for a chip is generated with: the PTX version, "+ptx83". Fails, with a diagnostic, where LLVM
/// does not know the chip or it is older than sm_80.
FailureOr<std::string> getPtxFeatures(Location loc, StringRef chip);

/// LLVM's target machine for `options.chip`. Fails with a diagnostic.
FailureOr<std::unique_ptr<llvm::TargetMachine>> createNvptxMachine(Location loc, const NvptxOptions &options);

/// The LLVM module of a lowered gpu.module, for `machine` and optimised; libdevice is linked where it is called, with
/// only what is called. Only kernels are visible outside. Fails with a diagnostic at the kernel that calls a function
/// that is defined nowhere, or an intrinsic that the GPU has no instruction for.
std::unique_ptr<llvm::Module> translateDeviceModule(gpu::GPUModuleOp module, llvm::LLVMContext &context,
                                                    llvm::TargetMachine &machine, const NvptxOptions &options);

/// PTX text, without a NUL behind it. Changes `module`.
FailureOr<std::string> emitPtx(Location loc, llvm::Module &module, llvm::TargetMachine &machine);

/// Bitcode of `module`, for the simulator.
std::string emitDeviceBitcode(const llvm::Module &module);

/// What ptxas -v says of a kernel.
struct KernelResources {
  int64_t registers = 0;
  /// Bytes.
  int64_t stack = 0, spillStores = 0, spillLoads = 0, shared = 0;
};

struct Cubin {
  std::string bytes;
  /// By kernel; empty where the tool did not tell.
  llvm::StringMap<KernelResources> kernels;
  /// What the tool printed.
  std::string log;
  bool fromCache = false;
};

/// Machine code for PTX text. Fails with a diagnostic at `loc` that has the tool's text. Null where this machine has no
/// tool for it.
FailureOr<std::optional<Cubin>> assemblePtx(Location loc, StringRef ptx, const NvptxOptions &options);

/// Reads the messages of ptxas -v.
llvm::StringMap<KernelResources> parsePtxasMessages(StringRef text);

/// Paths, or an empty string where there is none.
std::string findPtxas(const NvptxOptions &options);
std::string findLibdevice(const NvptxOptions &options);
/// Candidates for dlopen, in order.
SmallVector<std::string> findNvJitLink(const NvptxOptions &options);

} // namespace mlir::trace

#endif
