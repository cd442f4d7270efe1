//===- GpuToBinary.cpp - gpu.module to gpu.binary ---------------------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Threading.h"
#include "trace/Target/JitModule.h"
#include "trace/Target/Nvptx.h"
#include "trace/Target/Passes.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace mlir::trace {
#define GEN_PASS_DEF_GPUTOBINARY
#include "trace/Target/Passes.h.inc"
} // namespace mlir::trace

namespace {

/// What became of one module.
struct Compiled {
  std::string ptx, bitcode;
  std::optional<trace::Cubin> cubin;
};

/// Writes texts into the directory of keep-assembly.
class Keeper {
public:
  explicit Keeper(StringRef directory) : directory(directory) {}

  LogicalResult write(Location loc, StringRef module, StringRef extension, StringRef text) const {
    if (directory.empty())
      return success();
    std::error_code error = llvm::sys::fs::create_directories(directory);
    SmallString<128> path(directory);
    llvm::sys::path::append(path, module + extension);
    if (!error) {
      llvm::raw_fd_ostream os(path, error);
      if (!error)
        os << text;
      os.close();
      error = os.error();
      os.clear_error();
    }
    if (error)
      return emitError(loc) << "cannot write '" << path << "': " << error.message();
    return success();
  }
  bool keeps() const { return !directory.empty(); }

private:
  StringRef directory;
};

class GpuToBinary : public trace::impl::GpuToBinaryBase<GpuToBinary> {
public:
  using GpuToBinaryBase::GpuToBinaryBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<SmallVector<gpu::CompilationTarget>> formats = parseFormats(module.getLoc());
    if (failed(formats))
      return signalPassFailure();
    trace::NvptxOptions options;
    options.chip = chip;
    options.optLevel = optLevel;
    options.ptxas = ptxas;
    options.toolkit = toolkit;
    options.assembler = assembler;
    std::unique_ptr<trace::JitCache> cache;
    if (!cacheDirectory.empty())
      cache = trace::createDirectoryJitCache(cacheDirectory);
    options.cache = cache.get();
    // A wrong chip is one error, not one for each module.
    FailureOr<std::string> features = trace::getPtxFeatures(module.getLoc(), options.chip);
    if (failed(features))
      return signalPassFailure();

    SmallVector<gpu::GPUModuleOp> devices(module.getOps<gpu::GPUModuleOp>());
    SmallVector<Compiled> compiled(devices.size());
    auto indices = llvm::to_vector(llvm::seq<size_t>(devices.size()));
    ParallelDiagnosticHandler handler(&getContext());
    LogicalResult result = failableParallelForEach(&getContext(), indices, [&](size_t i) {
      handler.setOrderIDForThread(i);
      llvm::scope_exit erase([&] { handler.eraseOrderIDForThread(); });
      return compile(devices[i], *formats, options, compiled[i]);
    });
    if (failed(result))
      return signalPassFailure();

    auto target =
        NVVM::NVVMTargetAttr::get(&getContext(), options.optLevel, "nvptx64-nvidia-cuda", options.chip, *features);
    for (auto [device, code] : llvm::zip_equal(devices, compiled))
      replace(device, code, *formats, target);
  }

private:
  FailureOr<SmallVector<gpu::CompilationTarget>> parseFormats(Location loc) {
    SmallVector<gpu::CompilationTarget> result;
    for (StringRef format : formats) {
      auto target = llvm::StringSwitch<std::optional<gpu::CompilationTarget>>(format)
                        .Case("ptx", gpu::CompilationTarget::Assembly)
                        .Case("cubin", gpu::CompilationTarget::Binary)
                        .Case("bitcode", gpu::CompilationTarget::Offload)
                        .Default(std::nullopt);
      if (!target)
        return emitError(loc) << "unknown format '" << format << "': ptx, cubin or bitcode";
      if (!llvm::is_contained(result, *target))
        result.push_back(*target);
    }
    if (result.empty())
      result.push_back(gpu::CompilationTarget::Assembly);
    return result;
  }

  LogicalResult compile(gpu::GPUModuleOp device, ArrayRef<gpu::CompilationTarget> formats,
                        const trace::NvptxOptions &options, Compiled &result) {
    Location loc = device.getLoc();
    Keeper keeper(keepAssembly);
    auto machine = trace::createNvptxMachine(loc, options);
    if (failed(machine))
      return failure();
    llvm::LLVMContext context;
    auto llvmModule = trace::translateDeviceModule(device, context, **machine, options);
    if (!llvmModule)
      return failure();
    if (keeper.keeps()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      llvmModule->print(os, nullptr);
      if (failed(keeper.write(loc, device.getName(), ".ll", text)))
        return failure();
    }
    // Before code generation, whose passes change the module.
    if (llvm::is_contained(formats, gpu::CompilationTarget::Offload))
      result.bitcode = trace::emitDeviceBitcode(*llvmModule);
    bool wantsCubin = llvm::is_contained(formats, gpu::CompilationTarget::Binary);
    if (!wantsCubin && !llvm::is_contained(formats, gpu::CompilationTarget::Assembly) && !keeper.keeps())
      return success();
    FailureOr<std::string> ptx = trace::emitPtx(loc, *llvmModule, **machine);
    if (failed(ptx) || failed(keeper.write(loc, device.getName(), ".ptx", *ptx)))
      return failure();
    result.ptx = std::move(*ptx);
    if (!wantsCubin)
      return success();
    auto cubin = trace::assemblePtx(loc, result.ptx, options);
    if (failed(cubin))
      return failure();
    result.cubin = std::move(*cubin);
    if (!result.cubin) {
      if (formats.size() == 1)
        return emitError(loc)
               << "neither ptxas nor nvJitLink was found, which make machine code for the GPU (CUDA_HOME "
                  "says where CUDA is); the format ptx needs neither";
      return success();
    }
    if (failed(keeper.write(loc, device.getName(), ".cubin", result.cubin->bytes)) ||
        failed(keeper.write(loc, device.getName(), ".ptxas", result.cubin->log)))
      return failure();
    return success();
  }

  void replace(gpu::GPUModuleOp device, Compiled &code, ArrayRef<gpu::CompilationTarget> formats, Attribute target) {
    MLIRContext *context = &getContext();
    SmallVector<Attribute> objects;
    for (gpu::CompilationTarget format : formats) {
      if (format == gpu::CompilationTarget::Binary && !code.cubin) {
        remark::missed(device.getLoc(),
                       remark::RemarkOpts::name("no-cubin").category("trace-gpu-to-binary").function(device.getName()))
            << remark::add("no machine code") << remark::reason("neither ptxas nor nvJitLink was found");
        continue;
      }
      std::string text = format == gpu::CompilationTarget::Binary    ? std::move(code.cubin->bytes)
                         : format == gpu::CompilationTarget::Offload ? std::move(code.bitcode)
                                                                     : std::move(code.ptx) + '\0';
      objects.push_back(gpu::ObjectAttr::get(target, format, StringAttr::get(context, text)));
    }
    OpBuilder b(device);
    auto binary = gpu::BinaryOp::create(b, device.getLoc(), device.getName(), /*offloadingHandler=*/nullptr,
                                        b.getArrayAttr(objects));
    for (NamedAttribute attribute : device->getDiscardableAttrs())
      if (attribute.getName().getValue().starts_with("trace."))
        binary->setAttr(attribute.getName(), attribute.getValue());
    if (code.cubin)
      addResources(device, binary, code.cubin->kernels);
    device.erase();
  }

  /// Adds what ptxas said to the kernels' dictionaries, and says it in remarks.
  static void addResources(gpu::GPUModuleOp device, gpu::BinaryOp binary,
                           const llvm::StringMap<trace::KernelResources> &resources) {
    auto kernels = binary->getAttrOfType<ArrayAttr>("trace.kernels");
    if (!kernels)
      return;
    Builder b(binary.getContext());
    SmallVector<Attribute> updated;
    for (Attribute attribute : kernels) {
      auto kernel = dyn_cast<DictionaryAttr>(attribute);
      auto name = kernel ? kernel.getAs<StringAttr>("name") : StringAttr();
      auto it = name ? resources.find(name.getValue()) : resources.end();
      if (it == resources.end()) {
        updated.push_back(attribute);
        continue;
      }
      const trace::KernelResources &uses = it->second;
      int64_t spills = uses.spillStores + uses.spillLoads;
      NamedAttrList entries(kernel);
      entries.set("registers", b.getI64IntegerAttr(uses.registers));
      entries.set("spills", b.getI64IntegerAttr(spills));
      entries.set("stack", b.getI64IntegerAttr(uses.stack));
      entries.set("shared", b.getI64IntegerAttr(uses.shared));
      updated.push_back(entries.getDictionary(binary.getContext()));
      Operation *where = device.lookupSymbol(name);
      remark::analysis(where ? where->getLoc() : device.getLoc(),
                       remark::RemarkOpts::name("kernel").category("trace-gpu-to-binary").function(name.getValue()))
          << remark::metric("Registers", uses.registers) << remark::metric("SpillBytes", spills)
          << remark::metric("StackBytes", uses.stack) << remark::metric("SharedBytes", uses.shared);
    }
    binary->setAttr("trace.kernels", b.getArrayAttr(updated));
  }
};

} // namespace
