//===- JitModule.cpp - From LLVM dialect to functions in memory -------------===//
#include "trace/Target/JitModule.h"
#include "RuntimeSymbols.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using llvm::orc::ExecutorAddr;

trace::JitModule::JitModule() = default;
trace::JitModule::~JitModule() = default;

/// A target machine for code that the JIT links: position independent, small code model.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const trace::TargetSpec &spec,
                                                                                unsigned optLevel) {
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
  builder.setCPU(spec.cpu);
  builder.getFeatures() = llvm::SubtargetFeatures(spec.features);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.setCodeGenOptLevel(optLevel == 0   ? llvm::CodeGenOptLevel::None
                             : optLevel == 3 ? llvm::CodeGenOptLevel::Aggressive
                                             : llvm::CodeGenOptLevel::Default);
  return builder.createTargetMachine();
}

/// LLVM decides the width of its vectors by function attributes, not by the target machine.
static void setFunctionAttributes(llvm::Module &module, const trace::TargetSpec &spec) {
  std::string width = std::to_string(spec.vectorBits);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", spec.cpu);
    if (!spec.features.empty())
      function.addFnAttr("target-features", spec.features);
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    // Compiled code calls C functions only, and nothing unwinds through it.
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  // The code is written in vectors already; vectorising the scalar rest again costs time and reorders nothing useful.
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

/// Hash of everything that the machine code depends on.
static std::string computeCacheKey(const llvm::Module &module, const trace::TargetSpec &spec, unsigned optLevel) {
  SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  llvm::WriteBitcodeToFile(module, os);
  llvm::SHA256 hash;
  hash.update(StringRef(bitcode.data(), bitcode.size()));
  // The version of the key and of LLVM, then the target; separated so that no two settings read the same.
  hash.update(("1|" LLVM_VERSION_STRING "|" + spec.cpu + "|" + spec.features + "|" + Twine(spec.vectorBits) + "|" +
               Twine(optLevel))
                  .str());
  std::array<uint8_t, 32> digest = hash.final();
  return llvm::toHex(ArrayRef<uint8_t>(digest), /*LowerCase=*/true);
}

static FailureOr<std::string> emitAssembly(Location loc, const llvm::Module &module, llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return emitError(loc) << "the target cannot print assembly";
  passes.run(*copy);
  return std::string(text.begin(), text.end());
}

/// Names that the module defines for others.
static SmallVector<std::string> collectDefinitions(const llvm::Module &module) {
  SmallVector<std::string> names;
  for (const llvm::GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage() && !value.getName().starts_with("llvm."))
      names.push_back(value.getName().str());
  return names;
}

/// First the runtime's functions and libm, then whatever else the process has.
namespace {
class RuntimeGenerator : public llvm::orc::DefinitionGenerator {
public:
  explicit RuntimeGenerator(char globalPrefix) : globalPrefix(globalPrefix) {}

  llvm::Error tryToGenerate(llvm::orc::LookupState &, llvm::orc::LookupKind, llvm::orc::JITDylib &dylib,
                            llvm::orc::JITDylibLookupFlags, const llvm::orc::SymbolLookupSet &symbols) override {
    llvm::orc::SymbolMap found;
    for (const auto &[name, flags] : symbols) {
      StringRef text = *name;
      if (globalPrefix != '\0' && !text.consume_front(StringRef(&globalPrefix, 1)))
        continue;
      if (void *address = trace::lookupRuntimeSymbol(text))
        found[name] = {ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    if (found.empty())
      return llvm::Error::success();
    return dylib.define(llvm::orc::absoluteSymbols(std::move(found)));
  }

private:
  char globalPrefix;
};
} // namespace

FailureOr<std::unique_ptr<trace::JitModule>> trace::JitModule::create(ModuleOp lowered, const JitOptions &options) {
  Location loc = lowered.getLoc();
  if (options.optLevel > 3)
    return emitError(loc) << "optimisation level " << options.optLevel << ": it must be 0 to 3";
  FailureOr<TargetSpec> spec = getHostTarget(loc, options.vectorBits, options.cpu);
  if (failed(spec))
    return failure();

  auto report = [&](llvm::Error error, StringRef what) -> LogicalResult {
    return emitError(loc) << what << ": " << llvm::toString(std::move(error));
  };
  auto machine = createTargetMachine(*spec, options.optLevel);
  if (!machine)
    return report(machine.takeError(), "cannot generate code for this machine");

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(lowered, context, "trace");
  if (!module)
    return emitError(loc) << "the module does not translate to LLVM IR";
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple((*machine)->getTargetTriple());
  setFunctionAttributes(*module, *spec);

  std::unique_ptr<JitModule> result(new JitModule());
  SmallVector<std::string> defined = collectDefinitions(*module);

  std::unique_ptr<llvm::MemoryBuffer> object;
  std::string key;
  if (options.cache) {
    key = computeCacheKey(*module, *spec, options.optLevel);
    if (!options.keepIR && !options.keepAssembly)
      object = options.cache->load(key);
    result->fromCache = object != nullptr;
  }
  if (!object) {
    optimize(*module, **machine, options.optLevel);
    if (options.keepIR) {
      llvm::raw_string_ostream os(result->ir);
      module->print(os, nullptr);
    }
    if (options.keepAssembly) {
      FailureOr<std::string> text = emitAssembly(loc, *module, **machine);
      if (failed(text))
        return failure();
      result->assembly = std::move(*text);
    }
    auto compiled = llvm::orc::SimpleCompiler(**machine)(*module);
    if (!compiled)
      return report(compiled.takeError(), "code generation failed");
    object = std::move(*compiled);
    if (options.cache)
      options.cache->store(key, object->getMemBufferRef());
  }
  result->objectSize = object->getBufferSize();

  // No initialisers and no exceptions, so no platform support code, which would itself have to be compiled.
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(llvm::Triple(llvm::sys::getProcessTriple())));
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  auto jit = builder.create();
  if (!jit)
    return report(jit.takeError(), "cannot start the JIT");
  result->jit = std::move(*jit);
  llvm::orc::JITDylib &dylib = result->jit->getMainJITDylib();
  // The session reports the cause (the symbol that is missing), the look-up below only what did not come of it.
  auto causes = std::make_shared<std::string>();
  result->jit->getExecutionSession().setErrorReporter(
      [causes](llvm::Error error) { *causes += (causes->empty() ? "" : "; ") + llvm::toString(std::move(error)); });
  dylib.addGenerator(std::make_unique<RuntimeGenerator>(result->jit->getDataLayout().getGlobalPrefix()));
  if (llvm::Error error = result->jit->addObjectFile(std::move(object)))
    return report(std::move(error), "cannot load the compiled code");

  // One look-up of all names links the object once.
  llvm::orc::SymbolLookupSet names;
  for (const std::string &name : defined)
    names.add(result->jit->mangleAndIntern(name));
  auto symbols = result->jit->getExecutionSession().lookup(llvm::orc::makeJITDylibSearchOrder(&dylib), names);
  if (!symbols) {
    std::string consequence = llvm::toString(symbols.takeError());
    return emitError(loc) << "cannot link the compiled code: " << (causes->empty() ? consequence : *causes);
  }
  for (const std::string &name : defined)
    result->addresses[name] = (*symbols)[result->jit->mangleAndIntern(name)].getAddress().toPtr<void *>();
  return result;
}
