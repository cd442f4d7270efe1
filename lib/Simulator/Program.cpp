//===- Program.cpp - Device code compiled for the host ----------------------===//
#include "Rewrite.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir::trace::simulator;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

struct Program::Implementation {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  ProgramTables tables;
};

const ProgramTables &mlir::trace::simulator::getTables(const Program &program) {
  return const_cast<Program &>(program).getImplementation().tables;
}

Program::Program() : implementation(std::make_unique<Implementation>()) {}
Program::~Program() {
  for (const Global &global : globals)
    forgetGlobal(global);
}

const Kernel *Program::lookupKernel(StringRef name) const {
  for (const std::unique_ptr<Kernel> &kernel : kernels)
    if (kernel->name == name)
      return kernel.get();
  return nullptr;
}

const Global *Program::lookupGlobal(StringRef name) const {
  for (const Global &global : globals)
    if (global.name == name)
      return &global;
  return nullptr;
}

bool Program::hasVariables() const {
  return llvm::any_of(globals, [](const Global &global) { return !global.constant; });
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace mlir::trace::simulator {
/// Compiles one module into a program.
struct Compiler {
  llvm::Module &module;
  Program &program;
  const Options &options;
  llvm::LLVMContext &context = module.getContext();
  std::unique_ptr<llvm::TargetMachine> machine = nullptr;
  std::vector<std::string> globalSymbols = {};

  Error run();
  Error createMachine();
  Error checkDeclarations();
  Error placeShared();
  void collectKernels();
  void prepareGlobals();
  void adaptFunctions();
  void addEntries();
  void optimize();
  Error link();
};
} // namespace mlir::trace::simulator

static std::string entryName(StringRef kernel) { return ("trace_sim_entry$" + kernel).str(); }

/// A fixed processor where the host can run its code: results then are the same on all such hosts. Notably, no
/// conversion to bf16 in hardware, which would flush subnormal numbers.
Error Compiler::createMachine() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(llvm::sys::getProcessTriple());
  llvm::orc::JITTargetMachineBuilder builder(triple);
  if (triple.getArch() == llvm::Triple::x86_64) {
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    bool hasV3 = llvm::all_of(llvm::ArrayRef<StringRef>{"avx2", "fma", "f16c", "bmi2", "movbe"},
                              [&](StringRef feature) { return features.lookup(feature); });
    builder.setCPU(hasV3 ? "x86-64-v3" : "x86-64");
  } else {
    builder.setCPU(llvm::sys::getHostCPUName().str());
  }
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  auto created = builder.createTargetMachine();
  if (!created)
    return created.takeError();
  machine = std::move(*created);
  return Error::success();
}

Error Compiler::checkDeclarations() {
  llvm::SmallVector<std::string> missing;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !function.getName().starts_with("trace_sim_"))
      missing.push_back("@" + function.getName().str());
  for (const llvm::GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && variable.getAddressSpace() != 3 && !variable.use_empty())
      missing.push_back("@" + variable.getName().str());
  if (missing.empty())
    return Error::success();
  return llvm::createStringError("the image does not define " + llvm::join(missing, ", "));
}

/// The functions that `root` may run.
static llvm::SetVector<llvm::Function *> reachableFrom(llvm::Function &root) {
  llvm::SetVector<llvm::Function *> reachable;
  reachable.insert(&root);
  for (unsigned i = 0; i < reachable.size(); ++i)
    for (llvm::Instruction &instruction : llvm::instructions(*reachable[i]))
      for (llvm::Value *operand : instruction.operands())
        if (auto *function = llvm::dyn_cast<llvm::Function>(operand); function && !function->isDeclaration())
          reachable.insert(function);
  return reachable;
}

/// The functions that use a global, through constants too.
static void collectUsers(const llvm::Value *value, llvm::SmallPtrSetImpl<const llvm::Function *> &functions) {
  for (const llvm::User *user : value->users())
    if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(user))
      functions.insert(instruction->getFunction());
    else
      collectUsers(user, functions);
}

void Compiler::collectKernels() {
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    auto kernel = std::make_unique<Kernel>();
    kernel->name = function.getName().str();
    kernel->program = &program;
    for (llvm::Argument &argument : function.args()) {
      Parameter parameter;
      llvm::Type *byVal = argument.hasByValAttr() ? argument.getParamByValType() : nullptr;
      parameter.size = layout.getTypeAllocSize(byVal ? byVal : argument.getType());
      parameter.isPointer = !byVal && argument.getType()->isPointerTy();
      if (parameter.isPointer)
        parameter.pointeeAlign = argument.getParamAlign().valueOrOne().value();
      kernel->parameters.push_back(parameter);
    }
    // "256,1,1"; missing sizes are 1.
    auto readDim = [&](StringRef attribute, Dim3 &dim) {
      if (!function.hasFnAttribute(attribute))
        return false;
      llvm::SmallVector<StringRef, 3> sizes;
      function.getFnAttribute(attribute).getValueAsString().split(sizes, ',');
      dim = {1, 1, 1};
      for (unsigned i = 0; i < sizes.size() && i < 3; ++i)
        sizes[i].trim().getAsInteger(10, dim[i]);
      return true;
    };
    Dim3 most;
    readDim("nvvm.reqntid", kernel->requiredBlock);
    if (readDim("nvvm.maxntid", most))
      kernel->maxThreads = most[0] * most[1] * most[2];
    program.kernels.push_back(std::move(kernel));
  }
}

/// Gives each variable in shared memory a place in the arena and counts what each kernel uses. Variables are not
/// aligned to more than they ask for.
Error Compiler::placeShared() {
  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::SmallVector<llvm::GlobalVariable *> variables, dynamic;
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == 3)
      (variable.isDeclaration() ? dynamic : variables).push_back(&variable);
  llvm::append_range(variables, dynamic);
  if (variables.empty())
    return Error::success();

  llvm::StringMap<llvm::SetVector<llvm::Function *>> reachable;
  for (const auto &kernel : program.kernels)
    reachable[kernel->name] = reachableFrom(*module.getFunction(kernel->name));
  llvm::Constant *arena = module.getOrInsertGlobal("trace_sim_shared", llvm::Type::getInt8Ty(context));
  llvm::StringMap<uint64_t> alignedBytes;
  uint64_t offset = 0;
  for (llvm::GlobalVariable *variable : variables) {
    bool isDynamic = variable->isDeclaration();
    uint64_t align = variable->getAlign().value_or(layout.getABITypeAlign(variable->getValueType())).value();
    uint64_t bytes = isDynamic ? 0 : layout.getTypeAllocSize(variable->getValueType());
    offset = llvm::alignTo(offset, align);
    if (offset % (2 * align) == 0)
      offset += align;
    program.getImplementation().tables.shared.push_back({variable->getName().str(), offset, bytes, isDynamic});

    llvm::SmallPtrSet<const llvm::Function *, 4> users;
    collectUsers(variable, users);
    for (const auto &kernel : program.kernels) {
      if (llvm::none_of(users, [&](const llvm::Function *user) {
            return reachable[kernel->name].contains(const_cast<llvm::Function *>(user));
          }))
        continue;
      if (kernel->arenaEnd == 0)
        kernel->arenaStart = offset;
      kernel->arenaEnd = offset + bytes;
      kernel->sharedBytes = llvm::alignTo(kernel->sharedBytes, align) + bytes;
      kernel->usesDynamicShared |= isDynamic;
    }
    llvm::Constant *place = llvm::ConstantExpr::getGetElementPtr(
        llvm::Type::getInt8Ty(context), arena, llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), offset));
    variable->replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(place, variable->getType()));
    variable->eraseFromParent();
    // Dynamic variables all begin at one place.
    if (!isDynamic)
      offset += bytes + 64;
  }
  for (const auto &kernel : program.kernels)
    if (kernel->sharedBytes > maxStaticSharedBytes)
      return llvm::createStringError("kernel '" + kernel->name + "' uses " + llvm::Twine(kernel->sharedBytes) +
                                     " bytes of static shared memory, at most " + llvm::Twine(maxStaticSharedBytes) +
                                     " are allowed");
  if (offset + maxSharedBytes > sharedArenaBytes)
    return llvm::createStringError("the variables in shared memory of all kernels together do not fit the simulator's "
                                   "arena");
  return Error::success();
}

/// Makes the globals known by name to the linker, to the driver and to the checks.
void Compiler::prepareGlobals() {
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (variable.isDeclaration() || variable.getName().starts_with("llvm."))
      continue;
    Global global;
    global.name = variable.getName().str();
    global.size = layout.getTypeAllocSize(variable.getValueType());
    global.constant = variable.isConstant();
    std::string symbol = "trace_sim_global$" + std::to_string(program.globals.size());
    variable.setName(symbol);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setVisibility(llvm::GlobalValue::DefaultVisibility);
    variable.setDSOLocal(false);
    variable.setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::None);
    variable.setSection("");
    globalSymbols.push_back(symbol);
    program.globals.push_back(std::move(global));
  }
}

/// What the device's code generator wants of functions means nothing, or something else, to the host's.
void Compiler::adaptFunctions() {
  for (llvm::Function &function : module) {
    if (function.isIntrinsic())
      continue;
    function.setCallingConv(llvm::CallingConv::C);
    llvm::AttributeMask drop;
    for (llvm::Attribute attribute : function.getAttributes().getFnAttrs())
      if (attribute.isStringAttribute())
        drop.addAttribute(attribute.getKindAsString());
    function.removeFnAttrs(drop);
    if (function.isDeclaration())
      continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    function.setComdat(nullptr);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        call->setCallingConv(llvm::CallingConv::C);
  }
  for (StringRef name : {"nvvm.annotations", "nvvmir.version", "llvm.module.flags", "llvm.ident"})
    if (llvm::NamedMDNode *node = module.getNamedMetadata(name))
      node->eraseFromParent();
  module.setModuleInlineAsm("");
}

/// One function for each kernel that takes its parameters as cuLaunchKernel gives them.
void Compiler::addEntries() {
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *nothing = llvm::Type::getVoidTy(context);
  for (const auto &kernel : program.kernels) {
    llvm::Function *function = module.getFunction(kernel->name);
    auto *entry = llvm::Function::Create(llvm::FunctionType::get(nothing, {pointer}, false),
                                         llvm::GlobalValue::ExternalLinkage, entryName(kernel->name), module);
    entry->addFnAttr("target-cpu", machine->getTargetCPU());
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", entry));
    llvm::SmallVector<llvm::Value *> arguments;
    for (llvm::Argument &argument : function->args()) {
      llvm::Value *slot = b.CreateConstGEP1_32(pointer, entry->getArg(0), argument.getArgNo());
      llvm::Value *value = b.CreateLoad(pointer, slot);
      if (!argument.hasByValAttr()) // The caller's copy may lie anywhere.
        value = b.CreateAlignedLoad(argument.getType(), value, llvm::Align(1));
      arguments.push_back(value);
    }
    llvm::CallInst *call = b.CreateCall(function, arguments);
    call->setAttributes(function->getAttributes().removeFnAttributes(context));
    b.CreateRetVoid();
  }
}

/// The code comes optimised; what the rewriting left is cleaned up. Instrumented code cannot be made much better.
void Compiler::optimize() {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes = options.checks ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                                                  : builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1);
  passes.run(module, modules);
}

Error Compiler::link() {
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(llvm::Triple(llvm::sys::getProcessTriple())));
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  auto compiled = llvm::orc::SimpleCompiler(*machine)(module);
  if (!compiled)
    return compiled.takeError();
  auto created = builder.create();
  if (!created)
    return created.takeError();
  llvm::orc::LLJIT &jit = *(program.getImplementation().jit = std::move(*created));
  auto causes = std::make_shared<std::string>();
  jit.getExecutionSession().setErrorReporter(
      [causes](Error error) { *causes += (causes->empty() ? "" : "; ") + llvm::toString(std::move(error)); });

  llvm::orc::SymbolMap symbols;
  for (const auto &table : {getMachineSymbols(), getMemorySymbols(), getMathSymbols()})
    for (const auto &[name, address] : table)
      symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  llvm::orc::JITDylib &dylib = jit.getMainJITDylib();
  if (Error error = dylib.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return error;
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  dylib.addGenerator(std::move(*process));
  if (Error error = jit.addObjectFile(std::move(*compiled)))
    return error;

  auto lookup = [&](StringRef name) -> Expected<void *> {
    auto address = jit.lookup(name);
    if (!address) {
      std::string consequence = llvm::toString(address.takeError());
      return llvm::createStringError("cannot link: " + (causes->empty() ? consequence : *causes));
    }
    return address->toPtr<void *>();
  };
  for (const auto &kernel : program.kernels) {
    Expected<void *> address = lookup(entryName(kernel->name));
    if (!address)
      return address.takeError();
    kernel->entry = reinterpret_cast<void (*)(void **)>(*address);
  }
  for (unsigned i = 0; i < program.globals.size(); ++i) {
    Expected<void *> address = lookup(globalSymbols[i]);
    if (!address)
      return address.takeError();
    program.globals[i].address = *address;
    registerGlobal(program.globals[i]);
  }
  return Error::success();
}

Error Compiler::run() {
  if (!module.getTargetTriple().isNVPTX())
    return llvm::createStringError("the image is for '" + module.getTargetTriple().str() + "', not for NVPTX");
  if (!module.getModuleInlineAsm().empty())
    return llvm::createStringError("the image has assembly of its own, which the host cannot run");
  if (Error error = createMachine())
    return error;

  std::vector<std::string> errors;
  SiteTable sites(module, program.getImplementation().tables.sites);
  llvm::StripDebugInfo(module);
  rewriteIntrinsics(module, sites, errors);
  if (!errors.empty())
    return llvm::createStringError(llvm::join(errors, "; "));
  if (Error error = checkDeclarations())
    return error;
  collectKernels();
  if (options.checks)
    instrumentAccesses(module, sites);
  if (Error error = placeShared())
    return error;
  prepareGlobals();
  adaptFunctions();
  addEntries();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (llvm::verifyModule(module, &os))
    return llvm::createStringError("the rewritten module is not valid: " + problem);
  optimize();
  if (options.hostIR) {
    llvm::raw_string_ostream text(*options.hostIR);
    module.print(text, nullptr);
  }
  return link();
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<Program>> Program::parse(StringRef text, const Options &options) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIR(llvm::MemoryBufferRef(text, "image"), diagnostic, context);
  if (!module) {
    std::string message;
    llvm::raw_string_ostream os(message);
    diagnostic.print(nullptr, os, /*ShowColors=*/false);
    return llvm::createStringError("the image is not LLVM IR: " + StringRef(message).trim());
  }
  std::shared_ptr<Program> program(new Program());
  program->checked = options.checks;
  if (Error error = Compiler{*module, *program, options}.run())
    return std::move(error);
  return program;
}

Expected<std::shared_ptr<Program>> Program::load(StringRef bitcode, const Options &options) {
  if (!bitcode.starts_with("BC\xC0\xDE"))
    return llvm::createStringError("the image is not LLVM bitcode");
  // The reader wants whole words; an image in memory may carry a terminator.
  return parse(bitcode, options);
}
