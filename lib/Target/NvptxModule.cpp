//===- NvptxModule.cpp - Device modules as LLVM IR, PTX and bitcode ---------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "trace/Target/Nvptx.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include <mutex>

using namespace mlir;

// llvm/Support/TargetSelect.h has these for all targets at once only.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

static constexpr llvm::StringLiteral tripleText = "nvptx64-nvidia-cuda";

static const llvm::Target *getNvptxTarget(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(tripleText), error);
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

/// The PTX version for an architecture: new enough for it and old enough for the toolkits in use.
static unsigned getPtxVersion(unsigned architecture, bool specific) {
  if (architecture < 90)
    return architecture == 88 ? 90 : 80;
  if (architecture < 100)
    return 83;
  if (architecture == 110)
    return 90;
  if (architecture == 103 || architecture >= 121)
    return 88;
  if (specific)
    return 88;
  return architecture == 120 ? 87 : 86;
}

FailureOr<std::string> trace::getPtxFeatures(Location loc, StringRef chip) {
  std::string error;
  const llvm::Target *target = getNvptxTarget(error);
  if (!target)
    return emitError(loc) << "this LLVM has no code generator for NVIDIA GPUs: " << error;
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(llvm::Triple(tripleText), "", ""));
  StringRef digits = chip;
  unsigned architecture = 0;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, architecture) || !info->isCPUStringValid(chip))
    return emitError(loc) << "unknown GPU '" << chip << "': a chip is written like sm_90";
  // Below, there are no instructions for bf16, and the code that VectorMath makes would be long.
  if (architecture < 80)
    return emitError(loc) << "GPU '" << chip << "' is too old: sm_80 is the first that code is made for";
  return llvm::formatv("+ptx{0}", getPtxVersion(architecture, /*specific=*/!digits.empty())).str();
}

FailureOr<std::unique_ptr<llvm::TargetMachine>> trace::createNvptxMachine(Location loc, const NvptxOptions &options) {
  if (options.optLevel > 3)
    return emitError(loc) << "optimisation level " << options.optLevel << ": it must be 0 to 3";
  FailureOr<std::string> features = getPtxFeatures(loc, options.chip);
  if (failed(features))
    return failure();
  std::string error;
  const llvm::Target *target = getNvptxTarget(error);
  llvm::TargetOptions targetOptions;
  // What the source multiplies and adds is rounded twice, as eager PyTorch does.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto level = options.optLevel == 0   ? llvm::CodeGenOptLevel::None
               : options.optLevel == 3 ? llvm::CodeGenOptLevel::Aggressive
                                       : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      llvm::Triple(tripleText), options.chip, *features, targetOptions, std::nullopt, std::nullopt, level));
  if (!machine)
    return emitError(loc) << "cannot generate code for GPU '" << options.chip << "'";
  return machine;
}

//===----------------------------------------------------------------------===//
// LLVM IR
//===----------------------------------------------------------------------===//

static bool isKernel(const llvm::Function &function) {
  return function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

/// Links from libdevice what the module calls. Where the library is not found the calls stay, and are reported later.
static LogicalResult linkLibdevice(Location loc, llvm::Module &module, const trace::NvptxOptions &options) {
  bool needed = llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_");
  });
  std::string path = needed ? trace::findLibdevice(options) : "";
  if (path.empty())
    return success();
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return emitError(loc) << "cannot read " << path << ": " << buffer.getError().message();
  auto library = llvm::getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
  if (!library)
    return emitError(loc) << "cannot read " << path << ": " << llvm::toString(library.takeError());
  // The library is written for all chips, and has neither the layout nor the full triple.
  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    return emitError(loc) << "cannot link " << path;
  return success();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  // Kernels are written in the vectors that memory accesses want; arithmetic is scalar on a GPU.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = true;

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  static const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                                   llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::ModulePassManager passes = optLevel == 0 ? builder.buildO0DefaultPipeline(levels[0])
                                                 : builder.buildPerModuleDefaultPipeline(levels[optLevel]);
  passes.run(module, modules);
}

/// A kernel from which `function` is reached by calls.
static const llvm::Function *findKernel(const llvm::Function &function) {
  SmallVector<const llvm::Function *> stack = {&function};
  llvm::SmallPtrSet<const llvm::Function *, 8> seen;
  while (!stack.empty()) {
    const llvm::Function *current = stack.pop_back_val();
    if (isKernel(*current))
      return current;
    if (!seen.insert(current).second)
      continue;
    for (const llvm::User *user : current->users())
      if (auto *instruction = dyn_cast<llvm::Instruction>(user))
        stack.push_back(instruction->getFunction());
  }
  return nullptr;
}

/// Intrinsics that code generation would stop at or would approximate.
static bool lacksExactForm(const llvm::Function &function) {
  switch (function.getIntrinsicID()) {
  case llvm::Intrinsic::acos:
  case llvm::Intrinsic::asin:
  case llvm::Intrinsic::atan:
  case llvm::Intrinsic::atan2:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::cosh:
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::exp2:
  case llvm::Intrinsic::frexp:
  case llvm::Intrinsic::ldexp:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::modf:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::powi:
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::sincos:
  case llvm::Intrinsic::sincospi:
  case llvm::Intrinsic::sinh:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::tanh:
    return true;
  default:
    return false;
  }
}

/// Everything called is defined or is an instruction.
static LogicalResult checkCalls(gpu::GPUModuleOp module, const llvm::Module &llvmModule) {
  for (const llvm::Function &function : llvmModule) {
    if (!function.isDeclaration() || function.use_empty())
      continue;
    bool isIntrinsic = function.isIntrinsic();
    if (isIntrinsic && !lacksExactForm(function))
      continue;
    const llvm::Function *kernel = findKernel(function);
    StringRef name = kernel ? kernel->getName() : module.getName();
    Operation *where = kernel ? module.lookupSymbol(name) : nullptr;
    InFlightDiagnostic error = emitError(where ? where->getLoc() : module.getLoc())
                               << "kernel '" << name << "' calls '" << function.getName() << "', ";
    if (isIntrinsic)
      error << "which the GPU has no exact instruction for";
    else if (function.getName().starts_with("__nv_"))
      error << "which is a function of CUDA's libdevice, and no libdevice.10.bc was found that has it (CUDA_HOME says "
               "where CUDA is)";
    else
      error << "which is defined nowhere on the GPU";
    return error;
  }
  for (const llvm::Function &function : llvmModule)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (instruction.getOpcode() == llvm::Instruction::FRem)
        return emitError(module.getLoc()) << "function '" << function.getName()
                                          << "' has a remainder of floats, which the GPU has no exact instruction for";
  return success();
}

std::unique_ptr<llvm::Module> trace::translateDeviceModule(gpu::GPUModuleOp module, llvm::LLVMContext &context,
                                                           llvm::TargetMachine &machine, const NvptxOptions &options) {
  Location loc = module.getLoc();
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(module, context, module.getName());
  if (!result) {
    emitError(loc) << "the gpu.module '" << module.getName() << "' does not translate to LLVM IR";
    return nullptr;
  }
  result->setDataLayout(machine.createDataLayout());
  result->setTargetTriple(machine.getTargetTriple());
  if (failed(linkLibdevice(loc, *result, options)))
    return nullptr;
  llvm::internalizeModule(*result, [](const llvm::GlobalValue &value) {
    auto *function = dyn_cast<llvm::Function>(&value);
    return function && isKernel(*function);
  });
  optimize(*result, machine, options.optLevel);
  if (failed(checkCalls(module, *result)))
    return nullptr;
  return result;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

FailureOr<std::string> trace::emitPtx(Location loc, llvm::Module &module, llvm::TargetMachine &machine) {
  // The code generator reports what it cannot do to the context, and goes on.
  std::string errors;
  module.getContext().setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *text) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream os(*static_cast<std::string *>(text));
        llvm::DiagnosticPrinterRawOStream printer(os);
        info->print(printer);
        os << "; ";
      },
      &errors);
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return emitError(loc) << "the target cannot print PTX";
  passes.run(module);
  module.getContext().setDiagnosticHandlerCallBack(nullptr);
  if (!errors.empty())
    return emitError(loc) << "code generation failed: " << StringRef(errors).drop_back(2);
  return std::string(text.begin(), text.end());
}

std::string trace::emitDeviceBitcode(const llvm::Module &module) {
  std::string bitcode;
  llvm::raw_string_ostream os(bitcode);
  llvm::WriteBitcodeToFile(module, os);
  return bitcode;
}
