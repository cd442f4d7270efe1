//===- trace-run.cpp - Runs functions of .mlir files ------------------------===//
#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "trace/Autodiff/Passes.h"
#include "trace/Codegen/Host/Signature.h"
#include "trace/Executors/Passes.h"
#include "trace/Interpreter/Npy.h"
#include "trace/Target/Lowering.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::trace;
namespace cl = llvm::cl;

static cl::OptionCategory category("trace-run options");

static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<file.mlir>"), cl::init("-"), cl::cat(category));
static cl::opt<std::string>
    functionName("function", cl::cat(category),
                 cl::desc("The function to run; @f_forward with @f_backward where the split has made these of @f. "
                          "Default: the only public one"));
static cl::opt<bool> useInterpreter("interpret", cl::cat(category),
                                    cl::desc("Run by the reference interpreter (any stage but the lowered one)"));
static cl::opt<std::string> runtimePath("runtime", cl::cat(category),
                                        cl::desc("libtrace_runtime.so, for compiled runs (default: TORCH_TRACE_RUNTIME "
                                                 "from the environment, then ../lib beside this program)"));
static cl::opt<bool> exactRounding("exact-rounding", cl::cat(category),
                                   cl::desc("Compiled: round f16 and bf16 after every operation, as eager does"));
static cl::opt<bool> compareInterpreter("compare-interpreter", cl::cat(category),
                                        cl::desc("Run compiled and by the reference interpreter, and compare"));
static cl::opt<bool> f64("f64", cl::cat(category),
                         cl::desc("Keep every floating-point value as a double, whatever its type (with --interpret)"));
static cl::opt<uint64_t> seed("seed", cl::desc("Seed of the random inputs"), cl::init(0), cl::cat(category));
static cl::opt<std::string> range("range", cl::init("-1,1"), cl::cat(category),
                                  cl::desc("Range of random floating-point inputs, 'low,high'"));
static cl::opt<int64_t> intRange("int-range", cl::init(10), cl::cat(category),
                                 cl::desc("Random integer inputs are in [0, n)"));
static cl::opt<int64_t> dynamicSize("dynamic-size", cl::init(3), cl::cat(category),
                                    cl::desc("Size of each '?' dimension of a random input"));
static cl::list<std::string>
    args("arg", cl::cat(category),
         cl::desc("i=file.npy, i=number, i=n,n,.. (all elements) or i=uniform(low,high): the value of argument i"));
static cl::list<std::string>
    cotangentArgs("cotangent", cl::cat(category),
                  cl::desc("k=..., as --arg: the cotangent of output k of a joint (default: random)"));
static cl::opt<bool> print("print", cl::desc("Print the results (default)"), cl::init(true), cl::cat(category));
static cl::opt<bool> noPrint("no-print", cl::desc("Do not print the results"), cl::cat(category));
static cl::opt<int> precision("precision", cl::init(6), cl::desc("Digits of printed numbers"), cl::cat(category));
static cl::list<std::string> saves("save", cl::desc("i=file.npy: write result i to a file"), cl::cat(category));
static cl::opt<std::string>
    compareFile("compare", cl::cat(category),
                cl::desc("Run the function of this file on the same inputs and compare the results"));
static cl::opt<std::string>
    compareFunction("compare-function", cl::cat(category),
                    cl::desc("The function to compare with (in the --compare file, or in the same file)"));
static cl::opt<double> atolFlag("atol", cl::init(1e-5), cl::desc("Absolute tolerance of a comparison"),
                                cl::cat(category));
static cl::opt<double> rtolFlag("rtol", cl::init(1e-5), cl::desc("Relative tolerance of a comparison"),
                                cl::cat(category));
static cl::opt<bool> exact("exact", cl::cat(category),
                           cl::desc("Compare without tolerance; 0.0 and -0.0 differ, NaN equals NaN"));
static cl::opt<bool> checkGradientsFlag(
    "check-gradients", cl::cat(category),
    cl::desc("Differentiate each public function that has a differentiable argument (or take a joint as it is) and "
             "compare its gradients with finite differences in f64"));
static cl::opt<bool> secondOrder("second-order", cl::cat(category),
                                 cl::desc("With --check-gradients: check the gradients of the gradients too"));
static cl::opt<double> gradientTolerance("gradient-tolerance", cl::init(1e-5), cl::cat(category),
                                         cl::desc("Relative tolerance of --check-gradients"));

/// "3=text" -> number and text.
static FailureOr<llvm::DenseMap<int64_t, std::string>> parseNumbered(Location loc, ArrayRef<std::string> list,
                                                                     StringRef option) {
  llvm::DenseMap<int64_t, std::string> result;
  for (StringRef entry : list) {
    auto [key, value] = entry.split('=');
    int64_t number;
    if (key.getAsInteger(10, number) || number < 0 || value.empty())
      return emitError(loc) << "expected --" << option << " number=value, not '" << entry << "'";
    result[number] = value.str();
  }
  return result;
}

/// Random where not given; every number that is given must be one of `types`.
static LogicalResult makeValues(Location loc, ArrayRef<std::pair<int64_t, Type>> types,
                                const llvm::DenseMap<int64_t, std::string> &given, StringRef option,
                                const InputOptions &options, uint64_t salt, llvm::DenseMap<int64_t, Tensor> &values) {
  for (const auto &[number, text] : given)
    if (llvm::none_of(types, [n = number](auto &entry) { return entry.first == n; }))
      return emitError(loc) << "--" << option << " " << number << "=...: there is no such value";
  for (auto [number, type] : types) {
    auto it = given.find(number);
    FailureOr<Tensor> value = it == given.end() ? randomTensor(loc, type, options, salt + number)
                                                : parseInput(loc, type, it->second, options, salt + number);
    if (failed(value))
      return failure();
    values[number] = std::move(*value);
  }
  return success();
}

static FailureOr<OwningOpRef<ModuleOp>> parse(MLIRContext &context, StringRef path, llvm::SourceMgr &sources) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    return emitError(UnknownLoc::get(&context), message);
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  return module;
}

/// Prints where the results differ, each at its own result.
static LogicalResult compare(StringRef name, StringRef otherName, ArrayRef<Tensor> results, ArrayRef<Tensor> others) {
  if (results.size() != others.size()) {
    llvm::errs() << "error: " << name << " has " << results.size() << " results, " << otherName << " has "
                 << others.size() << "\n";
    return failure();
  }
  bool equal = true;
  for (auto [i, a, b] : llvm::enumerate(results, others)) {
    if (a.getShape() != b.getShape() || a.isFloat() != b.isFloat()) {
      llvm::errs() << "error: result " << i << " is " << a.getType() << " of " << name << ", but " << b.getType()
                   << " of " << otherName << "\n";
      equal = false;
      continue;
    }
    TensorDifference difference = compareTensors(a, b, exact ? 0.0 : atolFlag, exact ? 0.0 : rtolFlag, exact);
    if (!difference.mismatches)
      continue;
    equal = false;
    llvm::errs() << "error: result " << i << " (" << a.getType() << ") differs in " << difference.mismatches << " of "
                 << a.getNumElements() << " elements; first at " << indexString(a.getShape(), difference.firstIndex)
                 << ": " << llvm::format("%.9g", a.get(difference.firstIndex)) << " of " << name << ", "
                 << llvm::format("%.9g", b.get(difference.firstIndex)) << " of " << otherName << "; largest difference "
                 << llvm::format("%.3g", difference.maxAbsolute) << "\n";
  }
  return success(equal);
}

static std::string describe(const Program &program) {
  func::FuncOp entry = program.getEntry();
  return ("@" + entry.getName()).str() + (program.backward ? " with its backward" : "");
}

/// The program's own path, to find the runtime beside it.
static std::string programPath;

static std::unique_ptr<Backend> createCompiled(Location loc) {
  std::string path = runtimePath, error;
  if (path.empty() && !std::getenv("TORCH_TRACE_RUNTIME")) {
    SmallString<128> beside(llvm::sys::path::parent_path(programPath));
    llvm::sys::path::append(beside, "..", "lib", "libtrace_runtime.so");
    if (llvm::sys::fs::exists(beside))
      path = beside.str();
  }
  std::unique_ptr<Backend> backend = createCompiledBackend(path, exactRounding, error);
  if (!backend)
    emitError(loc) << error << "; --interpret needs no runtime";
  return backend;
}

static LogicalResult runMain(MLIRContext &context) {
  llvm::SourceMgr sources, otherSources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  FailureOr<OwningOpRef<ModuleOp>> module = parse(context, inputFile, sources);
  if (failed(module))
    return failure();
  Location loc = UnknownLoc::get(&context);
  InputOptions inputs;
  inputs.seed = seed;
  inputs.integers = intRange;
  inputs.dynamicSize = dynamicSize;
  auto [low, high] = StringRef(range).split(',');
  if (low.trim().getAsDouble(inputs.low) || high.trim().getAsDouble(inputs.high))
    return emitError(loc) << "expected --range low,high, not '" << range << "'";
  auto given = parseNumbered(loc, args, "arg");
  auto givenCotangents = parseNumbered(loc, cotangentArgs, "cotangent");
  auto saved = parseNumbered(loc, saves, "save");
  if (failed(given) || failed(givenCotangents) || failed(saved))
    return failure();

  if (checkGradientsFlag) {
    GradientOptions options;
    options.secondOrder = secondOrder;
    options.tolerance = gradientTolerance;
    options.inputs = inputs;
    options.given = *given;
    return checkGradients(**module, functionName, options, llvm::outs());
  }
  std::unique_ptr<Backend> backend = useInterpreter ? createInterpreterBackend(f64) : createCompiled(loc);
  if (!backend)
    return failure();

  OwningOpRef<ModuleOp> declarations = declareHostFunctions(**module), otherDeclarations;
  FailureOr<Program> program = Program::find(**module, functionName, *declarations);
  if (failed(program))
    return failure();
  SmallVector<std::pair<int64_t, Type>> argumentTypes, cotangentTypes;
  for (auto [i, type] : llvm::enumerate(program->getEntry().getArgumentTypes()))
    argumentTypes.push_back({i, type});
  // The comparison's cotangents count too: a pass may have dropped one that is not used.
  std::optional<Program> other;
  OwningOpRef<ModuleOp> otherModule;
  std::unique_ptr<SourceMgrDiagnosticHandler> otherHandler;
  if (!compareFile.empty() || !compareFunction.empty()) {
    ModuleOp in = **module, declared = *declarations;
    if (!compareFile.empty()) {
      otherHandler = std::make_unique<SourceMgrDiagnosticHandler>(otherSources, &context);
      FailureOr<OwningOpRef<ModuleOp>> parsed = parse(context, compareFile, otherSources);
      if (failed(parsed))
        return failure();
      otherModule = std::move(*parsed);
      in = *otherModule;
      otherDeclarations = declareHostFunctions(in);
      declared = *otherDeclarations;
    }
    FailureOr<Program> found = Program::find(in, compareFunction.empty() ? functionName : compareFunction, declared);
    if (failed(found))
      return failure();
    other = *found;
    if (found->getEntry().getArgumentTypes() != program->getEntry().getArgumentTypes())
      return found->getEntry().emitError("does not take the arguments of ") << describe(*program);
  }
  for (auto &[number, type] : program->getCotangents())
    cotangentTypes.push_back({number, type});
  if (other)
    for (auto &[number, type] : other->getCotangents())
      if (!llvm::is_contained(cotangentTypes, std::pair<int64_t, Type>(number, type)))
        cotangentTypes.push_back({number, type});

  llvm::DenseMap<int64_t, Tensor> argumentValues, cotangents;
  if (failed(makeValues(loc, argumentTypes, *given, "arg", inputs, 0, argumentValues)) ||
      failed(makeValues(loc, cotangentTypes, *givenCotangents, "cotangent", inputs, 1 << 20, cotangents)))
    return failure();
  SmallVector<Tensor> arguments;
  for (unsigned i = 0; i < argumentTypes.size(); ++i)
    arguments.push_back(argumentValues[i]);

  FailureOr<SmallVector<Tensor>> results = program->run(*backend, arguments, cotangents);
  if (failed(results))
    return failure();
  if (print && !noPrint) {
    llvm::outs() << describe(*program) << "\n";
    for (auto [i, result] : llvm::enumerate(*results)) {
      llvm::outs() << "result " << i << ": ";
      result.print(llvm::outs(), precision);
    }
    llvm::outs().flush();
  }
  for (auto &[number, path] : *saved) {
    if (number >= static_cast<int64_t>(results->size()))
      return emitError(loc) << "--save " << number << "=...: there is no such result";
    if (failed(writeNpy(loc, path, (*results)[number])))
      return failure();
  }
  if (compareInterpreter) {
    std::unique_ptr<Backend> interpreter = createInterpreterBackend(f64);
    FailureOr<SmallVector<Tensor>> expected = program->run(*interpreter, arguments, cotangents);
    if (failed(expected) || failed(compare(describe(*program), "the interpreter", *results, *expected)))
      return failure();
    llvm::outs() << "equal: " << describe(*program) << " and the interpreter\n";
  }
  if (!other)
    return success();
  FailureOr<SmallVector<Tensor>> others = other->run(*backend, arguments, cotangents);
  if (failed(others) || failed(compare(describe(*program), describe(*other), *results, *others)))
    return failure();
  llvm::outs() << "equal: " << describe(*program) << " and " << describe(*other) << "\n";
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  registerAsmPrinterCLOptions();
  cl::ParseCommandLineOptions(argc, argv,
                              "runs a function of a trace .mlir file, at any stage, and prints its results\n\n"
                              "  The lowered stage runs compiled only; see the split stage for --interpret.\n");
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, tensor::TensorDialect, TraceDialect>();
  registerAutodiffRules(registry);
  registerTargetDialects(registry);
  registerTraceAutodiffPasses();
  registerTraceExecutorsPasses();
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // the location says where; a module would be printed whole
  programPath = llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  return failed(runMain(context));
}
