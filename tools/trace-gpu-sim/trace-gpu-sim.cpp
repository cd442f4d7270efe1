//===- trace-gpu-sim.cpp - Runs GPU kernels on the host ---------------------===//
//
// Takes a module with gpu.modules (compiled for NVPTX as far as LLVM IR, by the pipeline that compiles for a device),
// or LLVM IR for NVPTX as text or bitcode, and runs kernels of it on the simulator. Buffers are given in order:
//
//   --arg=<type>[@<bytes>][=<value>]
//
//     <type>    1024x8xf32: a buffer. i32, f32, ...: with a value, a scalar parameter; a buffer of one element is
//     1xf32.
//     @<bytes>  the buffer begins so many bytes behind an aligned address
//     <value>   iota, zeros, random:<seed>, a number for all elements, or a .npy file; none: uninitialised memory
//
// For LLVM IR, and with --kernel, the buffers are the kernel's parameters. Otherwise the module's attribute
// trace.kernels says which kernels run in which order, and the buffers are the fusion's: operands, results, scratch.
// Prints the buffers asked for, and ends with status 1 and one message when a kernel does what it must not.
//
//===----------------------------------------------------------------------===//
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "trace/Interpreter/Npy.h"
#include "trace/Simulator/Simulator.h"
#include "trace/Target/Lowering.h"
#include "trace/Target/Nvptx.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>
#include <random>

using namespace mlir;
namespace cl = llvm::cl;
namespace sim = mlir::trace::simulator;

static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<input .mlir, .ll or .bc>"), cl::init("-"));
static cl::opt<std::string> kernelName("kernel", cl::desc("The kernel to run"));
static cl::list<unsigned> grid("grid", cl::desc("Blocks: x,y,z"), cl::CommaSeparated);
static cl::list<unsigned> block("block", cl::desc("Threads of a block: x,y,z"), cl::CommaSeparated);
static cl::opt<unsigned> dynamicShared("dynamic-shared", cl::desc("Bytes of dynamic shared memory"));
static cl::list<std::string> arguments("arg", cl::desc("A buffer or scalar: <type>[@<bytes>][=<value>]"));
static cl::list<unsigned> printed("print", cl::desc("Buffers to print afterwards"), cl::CommaSeparated);
static cl::list<std::string> written("write", cl::desc("<buffer>:<file.npy>: write a buffer afterwards"));
static cl::opt<uint64_t> seed("seed", cl::desc("Order of blocks and threads; 0: as numbered"));
static cl::opt<unsigned>
    orders("orders", cl::init(1),
           cl::desc("Run under so many orders, from --seed on; the results must be the same bits"));
static cl::opt<bool> noChecks("no-checks", cl::desc("Do not check accesses to memory"));
static cl::opt<bool> unregistered("unregistered", cl::desc("Do not tell the simulator where the buffers are"));
static cl::opt<bool> printHostIR("print-host-ir", cl::desc("Print the LLVM IR that is compiled for the host"));
static cl::opt<bool> listKernels("list", cl::desc("Print the kernels and stop"));
static cl::opt<bool> timed("time", cl::desc("Print how long the launches take"));
static cl::opt<std::string> chip("chip", cl::init("sm_90"), cl::desc("The GPU architecture that code is made for"));
static cl::opt<unsigned> optLevel("opt-level", cl::init(3), cl::desc("LLVM's level, 0 to 3"));

namespace {
/// A launch: which buffer each parameter is.
struct Launch {
  const sim::Kernel *kernel = nullptr;
  sim::LaunchShape shape;
  SmallVector<int64_t> slots;
};

/// One --arg.
struct Argument {
  bool scalar = false;
  uint64_t offset = 0;
  /// No value: the memory is uninitialised.
  bool initialised = false;
  trace::Tensor value;
  uint64_t bytes = 0;
};

/// The memory of a buffer, or a scalar's value.
struct Storage {
  char *allocation = nullptr;
  char *data = nullptr;
  uint64_t scalar = 0;
};
} // namespace

static LogicalResult fail(const Twine &message) {
  llvm::errs() << "trace-gpu-sim: " << message << "\n";
  return failure();
}

static LogicalResult fail(llvm::Error error) { return fail(llvm::toString(std::move(error))); }

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static unsigned bytesOf(Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }

static LogicalResult fillTensor(trace::Tensor &tensor, StringRef value) {
  Type type = tensor.getElementType();
  auto set = [&](int64_t i, double number) {
    if (tensor.isFloat())
      tensor.floats[i] = trace::roundToType(type, number);
    else
      tensor.ints[i] = trace::wrapToType(type, static_cast<int64_t>(number));
  };
  int64_t count = tensor.getNumElements();
  if (value == "iota") {
    for (int64_t i = 0; i < count; ++i)
      set(i, static_cast<double>(i));
    return success();
  }
  if (value.consume_front("random:")) {
    uint64_t start;
    if (value.getAsInteger(10, start))
      return failure();
    std::mt19937_64 engine(start);
    for (int64_t i = 0; i < count; ++i)
      set(i, (static_cast<double>(engine() >> 11) * 0x1p-53 - 0.5) * (tensor.isFloat() ? 4 : 200));
    return success();
  }
  double number = 0;
  if (value != "zeros" && value.getAsDouble(number))
    return failure();
  for (int64_t i = 0; i < count; ++i)
    set(i, number);
  return success();
}

static FailureOr<Argument> parseArgument(StringRef text, MLIRContext *context) {
  Argument result;
  auto bad = [&](const Twine &why) { return fail("--arg=" + text + ": " + why); };
  auto [head, value] = text.split('=');
  auto [shapeText, offset] = head.split('@');
  if (!offset.empty() && offset.getAsInteger(10, result.offset))
    return bad("'" + offset + "' is not a number of bytes");
  SmallVector<int64_t> shape;
  StringRef rest = shapeText;
  while (true) {
    auto [size, next] = rest.split('x');
    int64_t number;
    if (next.empty() || size.getAsInteger(10, number) || number < 0)
      break;
    shape.push_back(number);
    rest = next;
  }
  Type type = parseType(rest, context);
  if (!type || !type.isIntOrFloat())
    return bad("'" + rest + "' is not an element type");
  result.initialised = text.contains('=');
  result.scalar = shape.empty();
  if (result.scalar && !result.initialised)
    return bad("a scalar needs a value");
  result.value = trace::Tensor(type, shape);
  result.bytes = result.value.getNumElements() * bytesOf(type);
  if (StringRef(value).ends_with(".npy")) {
    FailureOr<trace::Tensor> read = trace::readNpy(UnknownLoc::get(context), value, type);
    if (failed(read))
      return failure();
    if (read->getShape() != ArrayRef<int64_t>(shape))
      return bad("the file holds an array of another shape");
    result.value = std::move(*read);
  } else if (result.initialised && failed(fillTensor(result.value, value))) {
    return bad("'" + value + "' is not iota, zeros, random:<seed>, a number or a .npy file");
  }
  return result;
}

static Storage createStorage(const Argument &argument) {
  Storage storage;
  unsigned size = bytesOf(argument.value.getElementType());
  if (argument.scalar) {
    storage.scalar = trace::elementBits(argument.value, 0);
    storage.data = reinterpret_cast<char *>(&storage.scalar);
    return storage;
  }
  constexpr uint64_t align = 256;
  storage.allocation =
      static_cast<char *>(std::aligned_alloc(align, llvm::alignTo(argument.bytes + argument.offset + 1, align)));
  storage.data = storage.allocation + argument.offset;
  std::memset(storage.data, 0xff, argument.bytes);
  if (argument.initialised)
    for (int64_t i = 0; i < argument.value.getNumElements(); ++i) {
      uint64_t bits = trace::elementBits(argument.value, i);
      std::memcpy(storage.data + i * size, &bits, size);
    }
  if (unregistered)
    return storage;
  sim::registerRange(storage.data, argument.bytes);
  if (!argument.initialised)
    sim::markUninitialised(storage.data, argument.bytes);
  return storage;
}

static trace::Tensor readStorage(const Argument &argument, const Storage &storage) {
  trace::Tensor tensor(argument.value.getElementType(), argument.value.getShape());
  unsigned size = bytesOf(argument.value.getElementType());
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, storage.data + i * size, size);
    trace::setElementBits(tensor, i, bits);
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static sim::Dim3 toDim3(ArrayRef<int64_t> sizes) {
  sim::Dim3 dim = {1, 1, 1};
  for (auto [i, size] : llvm::enumerate(sizes.take_front(3)))
    dim[i] = static_cast<uint32_t>(size);
  return dim;
}

static FailureOr<std::string> compileDevice(ModuleOp module, gpu::GPUModuleOp &chosen) {
  for (auto candidate : module.getOps<gpu::GPUModuleOp>()) {
    bool named = kernelName.empty() || candidate.lookupSymbol(kernelName);
    if (named && chosen && kernelName.empty())
      return fail("there are several gpu.modules: say which by --kernel");
    if (named)
      chosen = candidate;
  }
  if (!chosen)
    return fail(kernelName.empty() ? "there is no gpu.module" : "no gpu.module has a kernel '" + kernelName + "'");
  PassManager pm(module.getContext());
  trace::buildDeviceLoweringPipeline(pm);
  if (failed(pm.run(module)))
    return failure();
  trace::NvptxOptions options;
  options.chip = chip;
  options.optLevel = optLevel;
  auto machine = trace::createNvptxMachine(chosen.getLoc(), options);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> device = trace::translateDeviceModule(chosen, context, **machine, options);
  if (!device)
    return failure();
  return trace::emitDeviceBitcode(*device);
}

/// What the module's trace.kernels says of the kernel of this name.
static DictionaryAttr findDescription(gpu::GPUModuleOp module, StringRef name) {
  if (auto kernels = module ? module->getAttrOfType<ArrayAttr>("trace.kernels") : ArrayAttr())
    for (auto kernel : kernels.getAsRange<DictionaryAttr>())
      if (auto known = kernel.getAs<StringAttr>("name"); known && known.getValue() == name)
        return kernel;
  return {};
}

static FailureOr<SmallVector<Launch>> planLaunches(sim::Program &program, gpu::GPUModuleOp module) {
  SmallVector<Launch> launches;
  auto add = [&](StringRef name, bool ownSlots) -> LogicalResult {
    Launch launch;
    launch.kernel = program.lookupKernel(name);
    if (!launch.kernel)
      return fail("there is no kernel '" + name + "'");
    DictionaryAttr description = findDescription(module, name);
    auto sizes = [&](StringRef key) {
      auto attr = description ? description.getAs<DenseI64ArrayAttr>(key) : DenseI64ArrayAttr();
      return attr ? attr.asArrayRef() : ArrayRef<int64_t>();
    };
    launch.shape.grid = toDim3(sizes("grid"));
    launch.shape.block = toDim3(sizes("block"));
    if (!grid.empty())
      launch.shape.grid = toDim3(SmallVector<int64_t>(grid.begin(), grid.end()));
    if (!block.empty())
      launch.shape.block = toDim3(SmallVector<int64_t>(block.begin(), block.end()));
    launch.shape.dynamicShared = dynamicShared;
    size_t count = launch.kernel->parameters.size();
    if (ownSlots)
      launch.slots = llvm::to_vector(sizes("slots"));
    else
      launch.slots = llvm::to_vector(llvm::seq<int64_t>(0, count));
    if (launch.slots.size() != count)
      return fail("kernel '" + name + "' has " + Twine(count) + " parameters, its slots are " +
                  Twine(launch.slots.size()));
    for (int64_t slot : launch.slots)
      if (slot < 0 || slot >= int64_t(arguments.size()))
        return fail("kernel '" + name + "' needs buffer " + Twine(slot) + ", given are " + Twine(arguments.size()));
    launches.push_back(std::move(launch));
    return success();
  };

  if (!kernelName.empty()) {
    if (failed(add(kernelName, false)))
      return failure();
  } else if (auto kernels = module ? module->getAttrOfType<ArrayAttr>("trace.kernels") : ArrayAttr()) {
    for (auto kernel : kernels.getAsRange<DictionaryAttr>())
      if (failed(add(kernel.getAs<StringAttr>("name").getValue(), true)))
        return failure();
  } else if (program.getKernels().size() == 1) {
    if (failed(add(program.getKernels().front()->name, false)))
      return failure();
  } else {
    return fail("there are several kernels: say which by --kernel");
  }
  return launches;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static LogicalResult runOnce(ArrayRef<Launch> launches, ArrayRef<Argument> parsed, uint64_t order,
                             SmallVectorImpl<Storage> &storages) {
  for (const Argument &argument : parsed)
    storages.push_back(createStorage(argument));
  SmallVector<void *> values;
  for (Storage &storage : storages) // A scalar lies in its Storage, a buffer is pointed to by it.
    values.push_back(storage.allocation ? static_cast<void *>(&storage.data) : &storage.scalar);
  auto start = std::chrono::steady_clock::now();
  for (Launch launch : launches) {
    SmallVector<void *> parameters;
    for (auto [slot, parameter] : llvm::zip(launch.slots, launch.kernel->parameters)) {
      uint64_t given = storages[slot].allocation ? sizeof(void *) : bytesOf(parsed[slot].value.getElementType());
      if (given != parameter.size)
        return fail("kernel '" + launch.kernel->name + "': a parameter of " + Twine(parameter.size) +
                    " bytes is given " + Twine(given));
      parameters.push_back(values[slot]);
    }
    launch.shape.seed = order;
    if (llvm::Error error = sim::launch(*launch.kernel, launch.shape, parameters.data()))
      return fail(std::move(error));
  }
  if (timed)
    llvm::outs() << "// " << std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()
                 << " ms\n";
  return success();
}

static LogicalResult report(ArrayRef<Argument> parsed, ArrayRef<Storage> storages, MLIRContext *context) {
  auto known = [&](unsigned i) { return i < parsed.size() && !parsed[i].scalar; };
  for (unsigned i : printed) {
    if (!known(i))
      return fail("--print=" + Twine(i) + ": there is no such buffer");
    llvm::outs() << "arg" << i << ": ";
    readStorage(parsed[i], storages[i]).print(llvm::outs(), /*precision=*/9);
    llvm::outs() << "\n";
  }
  for (StringRef entry : written) {
    auto [number, path] = entry.split(':');
    unsigned i;
    if (number.getAsInteger(10, i) || !known(i))
      return fail("--write=" + entry + ": there is no such buffer");
    if (failed(trace::writeNpy(UnknownLoc::get(context), path, readStorage(parsed[i], storages[i]))))
      return failure();
  }
  return success();
}

static LogicalResult run(MLIRContext &context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &message);
  if (!input)
    return fail(message);
  sim::Options options;
  options.checks = !noChecks;
  std::string hostIR;
  if (printHostIR)
    options.hostIR = &hostIR;

  OwningOpRef<ModuleOp> module;
  gpu::GPUModuleOp device;
  std::string image;
  StringRef path = inputFile;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  if (path.ends_with(".ll") || path.ends_with(".bc")) {
    image = input->getBuffer().str();
  } else {
    sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
    if (!module)
      return failure();
    FailureOr<std::string> bitcode = compileDevice(*module, device);
    if (failed(bitcode))
      return failure();
    image = std::move(*bitcode);
  }
  auto program = sim::Program::parse(image, options);
  if (!program)
    return fail(program.takeError());
  llvm::outs() << hostIR;
  if (listKernels) {
    for (const auto &kernel : (*program)->getKernels())
      llvm::outs() << kernel->name << ": " << kernel->parameters.size() << " parameters, " << kernel->sharedBytes
                   << " bytes of shared memory\n";
    return success();
  }

  SmallVector<Argument> parsed;
  for (StringRef text : arguments) {
    FailureOr<Argument> argument = parseArgument(text, &context);
    if (failed(argument))
      return failure();
    parsed.push_back(std::move(*argument));
  }
  FailureOr<SmallVector<Launch>> launches = planLaunches(**program, device);
  if (failed(launches))
    return failure();
  SmallVector<Storage> first;
  for (unsigned i = 0; i < orders; ++i) {
    SmallVector<Storage> storages;
    if (failed(runOnce(*launches, parsed, seed + i, storages)))
      return failure();
    for (auto [number, argument] : llvm::enumerate(parsed))
      if (i > 0 && !argument.scalar && std::memcmp(first[number].data, storages[number].data, argument.bytes) != 0)
        return fail("buffer " + Twine(number) + " depends on the order of threads: orders " + Twine(seed) + " and " +
                    Twine(seed + i) + " differ");
    if (i == 0)
      first = std::move(storages);
  }
  return report(parsed, first, &context);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "runs GPU kernels on the host\n");
  DialectRegistry registry;
  trace::registerTargetDialects(registry);
  MLIRContext context(registry);
  return succeeded(run(context)) ? 0 : 1;
}
