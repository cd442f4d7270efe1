//===- trace-jit.cpp - Compiles a module and calls its functions ------------===//
//
// For the tests of the last stage: lowers a module of arith, vector, scf, memref, ... (or takes one of the LLVM
// dialect), compiles it with JitModule, and calls functions without arguments that return nothing or one number.
// Compiled functions may call trace_jit_print_i64 and trace_jit_print_f64, and what kernels call of the runtime
// (trace_rt_parallel_for, trace_rt_scratch, trace_rt_scratch_free), here without threads.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "trace/Target/JitModule.h"
#include "trace/Target/Lowering.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/Threading.h"
#include <thread>

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<input .mlir>"), cl::init("-"));
static cl::list<std::string> entries("run", cl::desc("Functions to call, in order"), cl::CommaSeparated);
static cl::opt<bool> lower("lower", cl::desc("Run the lowering to the LLVM dialect first"));
static cl::opt<bool> printIR("print-llvm", cl::desc("Print the optimised LLVM IR"));
static cl::opt<bool> printAssembly("print-asm", cl::desc("Print the assembly"));
static cl::opt<unsigned> vectorBits("vector-bits", cl::desc("Widest vector, 0: the host's"));
static cl::opt<std::string> cpu("cpu", cl::desc("Generate code for this CPU instead of the host's"));
static cl::opt<unsigned> optLevel("opt-level", cl::init(3), cl::desc("LLVM's optimisation level"));
static cl::opt<std::string> cacheDirectory("cache-dir", cl::desc("Keep machine code in this directory"));
static cl::opt<unsigned> threads("at-once", cl::init(1),
                                 cl::desc("Compile the module so many times at once, run the first"));

static void printI64(int64_t value) { llvm::outs() << value << "\n"; }
static void printF64(double value) { llvm::outs() << llvm::format("%.17g", value) << "\n"; }

/// The runtime that kernels call, without threads and without a pool.
using RangeFunction = void(void **, int64_t, int64_t, int64_t);
static void parallelFor(RangeFunction *kernel, void **args, int64_t extent, int64_t grain) {
  kernel(args, 0, extent, 0);
}
static void *allocateScratch(int64_t bytes) { return std::aligned_alloc(64, llvm::alignTo(bytes, 64)); }

/// Calls `name`, whose type in the source is `type`, and prints what it returns.
static LogicalResult call(trace::JitModule &jit, StringRef name, FunctionType type, Location loc) {
  if (type.getNumInputs() != 0 || type.getNumResults() > 1)
    return emitError(loc) << "cannot call " << type << ": only functions without arguments and at most one result";
  void *address = jit.lookup(name);
  if (!address)
    return emitError(loc) << "no compiled function '" << name << "'";
  llvm::outs() << name << "() = ";
  if (type.getNumResults() == 0) {
    llvm::outs() << "void\n";
    llvm::outs().flush();
    reinterpret_cast<void (*)()>(address)();
    return success();
  }
  Type result = type.getResult(0);
  if (result.isInteger(32))
    printI64(reinterpret_cast<int32_t (*)()>(address)());
  else if (result.isInteger(64) || result.isIndex())
    printI64(reinterpret_cast<int64_t (*)()>(address)());
  else if (result.isF32())
    printF64(reinterpret_cast<float (*)()>(address)());
  else if (result.isF64())
    printF64(reinterpret_cast<double (*)()>(address)());
  else
    return emitError(loc) << "cannot print a result of type " << result;
  return success();
}

static LogicalResult compileAndRun(ModuleOp module) {
  SmallVector<std::pair<std::string, FunctionType>> calls;
  for (const std::string &name : entries) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      return module.emitError() << "no function '" << name << "' to run";
    calls.emplace_back(name, function.getFunctionType());
  }
  if (lower) {
    PassManager pm(module.getContext());
    trace::buildKernelLoweringPipeline(pm);
    if (failed(pm.run(module)))
      return failure();
  }

  trace::JitOptions options;
  options.vectorBits = vectorBits;
  options.cpu = cpu;
  options.optLevel = optLevel;
  options.keepIR = printIR;
  options.keepAssembly = printAssembly;
  std::unique_ptr<trace::JitCache> cache;
  if (!cacheDirectory.empty()) {
    cache = trace::createDirectoryJitCache(cacheDirectory);
    options.cache = cache.get();
  }

  std::vector<std::unique_ptr<trace::JitModule>> compiled(std::max(1u, threads.getValue()));
  auto compile = [&](unsigned i) {
    if (auto jit = trace::JitModule::create(module, options); succeeded(jit))
      compiled[i] = std::move(*jit);
  };
  if (compiled.size() == 1) {
    compile(0);
  } else {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < compiled.size(); ++i)
      workers.emplace_back(compile, i);
    for (std::thread &worker : workers)
      worker.join();
  }
  for (auto &jit : compiled)
    if (!jit)
      return failure();

  trace::JitModule &jit = *compiled.front();
  if (cache)
    llvm::outs() << (jit.isFromCache() ? "// from the cache\n" : "// compiled\n");
  llvm::outs() << jit.getIR() << jit.getAssembly();
  for (auto &[name, type] : calls)
    if (failed(call(jit, name, type, module.getLoc())))
      return failure();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "compiles a module and calls its functions\n");
  trace::registerRuntimeSymbol("trace_jit_print_i64", reinterpret_cast<void *>(printI64));
  trace::registerRuntimeSymbol("trace_jit_print_f64", reinterpret_cast<void *>(printF64));
  trace::registerRuntimeSymbol("trace_rt_parallel_for", reinterpret_cast<void *>(parallelFor));
  trace::registerRuntimeSymbol("trace_rt_scratch", reinterpret_cast<void *>(allocateScratch));
  trace::registerRuntimeSymbol("trace_rt_scratch_free", reinterpret_cast<void *>(std::free));

  DialectRegistry registry;
  trace::registerTargetDialects(registry);
  MLIRContext context(registry);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &error);
  if (!input) {
    llvm::errs() << error << "\n";
    return 1;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  return module && succeeded(compileAndRun(*module)) ? 0 : 1;
}
