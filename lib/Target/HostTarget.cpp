//===- HostTarget.cpp - What the machine can do -----------------------------===//
#include "mlir/IR/Diagnostics.h"
#include "trace/Target/JitModule.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;

static void initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

/// The host's CPU and features; asking the processor takes a moment, so only once.
static const trace::TargetSpec &getDetectedHost() {
  static const trace::TargetSpec host = [] {
    trace::TargetSpec spec;
    spec.cpu = llvm::sys::getHostCPUName().str();
    llvm::SubtargetFeatures features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
    spec.features = features.getString();
    return spec;
  }();
  return host;
}

FailureOr<trace::TargetSpec> trace::getHostTarget(Location loc, unsigned vectorBits, StringRef cpu) {
  if (vectorBits != 0 && vectorBits != 128 && vectorBits != 256 && vectorBits != 512)
    return emitError(loc) << "vector width of " << vectorBits << " bits: it must be 128, 256 or 512";
  initializeNativeTarget();
  TargetSpec spec = getDetectedHost();
  if (!cpu.empty()) {
    spec.cpu = cpu.str();
    spec.features.clear();
  }

  std::string error;
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return emitError(loc) << "no code generator for this machine: " << error;
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, spec.cpu, spec.features));
  if (!info || !info->isCPUStringValid(spec.cpu))
    return emitError(loc) << "unknown CPU '" << spec.cpu << "'";

  unsigned widest = 128;
  if (info->checkFeatures("+avx512f,+avx512vl,+avx512bw,+avx512dq"))
    widest = 512;
  else if (triple.isX86() && info->checkFeatures("+avx2"))
    widest = 256;
  spec.vectorBits = vectorBits == 0 ? widest : std::min(vectorBits, widest);
  spec.avx512 = spec.vectorBits == 512;
  return spec;
}
