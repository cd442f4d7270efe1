//===- LowerFusionsToGpu.cpp - A gpu.module for every fusion function --------===//
#include "ThreadEmitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "trace/Codegen/Emission/Fusion.h"
#include "trace/Codegen/GPU/Passes.h"
#include "trace/IR/TraceOps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::trace::cuda {
#define GEN_PASS_DEF_LOWERFUSIONSTOGPU
#include "trace/Codegen/GPU/Passes.h.inc"
} // namespace mlir::trace::cuda

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::cuda;

namespace {

struct LowerFusionsToGpu : trace::cuda::impl::LowerFusionsToGpuBase<LowerFusionsToGpu> {
  using LowerFusionsToGpuBase::LowerFusionsToGpuBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<DeviceModel> device = getDeviceModel(chip);
    if (!device) {
      module.emitError("unknown GPU '") << chip << "': sm_80 or newer, as sm_80, sm_86, sm_89, sm_90, sm_100";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> fusions;
    for (auto func : module.getOps<func::FuncOp>())
      if (func->hasAttr(attrs::fusion) && !func.isExternal())
        fusions.push_back(func);
    if (!fusions.empty())
      module->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(), UnitAttr::get(&getContext()));
    for (func::FuncOp fusion : fusions)
      if (failed(lower(fusion, *device)))
        return signalPassFailure();
  }

  LogicalResult lower(func::FuncOp fusion, const DeviceModel &device) {
    if (failed(checkFusion(fusion, "a GPU kernel")))
      return failure();
    Location loc = fusion.getLoc();
    std::unique_ptr<FusionSchedule> plan = kernel::schedule(fusion, getScheduleOptions(exactRounding));
    for (auto &kernelSchedule : plan->kernels)
      for (const Demand &demand : kernelSchedule->kernel.demands)
        if (demand.inner)
          return demand.op->emitOpError("is read inside a loop of its kernel, which no schedule was found for");

    OpBuilder b(&getContext());
    b.setInsertionPointAfter(fusion);
    auto module = mlir::gpu::GPUModuleOp::create(b, loc, (fusion.getName() + "__gpu").str());
    b.setInsertionPointToStart(module.getBody());
    FusionInfo &info = plan->info;
    unsigned numOperands = fusion.getNumArguments(), numResults = fusion.getNumResults();
    SmallVector<int64_t> slots, scratch;
    SmallVector<StringAttr> globals;
    for (const Buffer &buffer : info.buffers) {
      slots.push_back(-1);
      globals.push_back(nullptr);
      switch (buffer.kind) {
      case Buffer::Operand:
        slots.back() = buffer.number;
        break;
      case Buffer::Result:
        slots.back() = numOperands + buffer.number;
        break;
      case Buffer::Scratch:
        slots.back() = numOperands + numResults + buffer.number;
        scratch.push_back(buffer.numElements() *
                          llvm::divideCeil(memoryType(buffer.elementType).getIntOrFloatBitWidth(), 8));
        break;
      case Buffer::Constant:
        globals.back() = makeGlobal(b, loc, buffer, globals.size());
        break;
      }
    }
    LaunchOverrides overrides;
    overrides.lanes = lanes;
    overrides.unroll = unroll;
    overrides.threads = threads;
    SmallVector<Attribute> kernels;
    // Every index that a kernel computes fits into 32 bits, with room for the last tile.
    bool narrow = llvm::all_of(info.buffers, [](const Buffer &buffer) { return buffer.span() < (int64_t(1) << 30); });
    for (auto [i, schedule] : llvm::enumerate(plan->kernels)) {
      Launch launch = chooseLaunch(*schedule, device, overrides);
      remark::passed(
          loc, remark::RemarkOpts::name("kernel").category("trace-lower-fusions-to-gpu").function(fusion.getName()))
          << ("kernel " + std::to_string(i) + ": " + schedule->str() + "; " + launch.str());
      if (launch.blocks > INT32_MAX)
        return fusion.emitOpError("needs ") << launch.blocks << " blocks, more than a grid can have";
      narrow &= launch.blocks * launch.threads() < (int64_t(1) << 30);
      std::string name = (fusion.getName() + "__kernel" + Twine(i)).str();
      kernels.push_back(emitKernel(b, loc, name, *schedule, launch, slots, globals));
    }
    module->setAttr("trace.kernels", b.getArrayAttr(kernels));
    module->setAttr("trace.scratch", b.getDenseI64ArrayAttr(scratch));
    if (narrow)
      module->setAttr("trace.index_bits", b.getI64IntegerAttr(32));
    return success();
  }

  /// The kernel's entry in `trace.kernels`.
  Attribute emitKernel(OpBuilder &b, Location loc, StringRef name, KernelSchedule &schedule, const Launch &launch,
                       ArrayRef<int64_t> slots, ArrayRef<StringAttr> globals) {
    Kernel &k = schedule.kernel;
    // The memory that this kernel touches; what it writes need not be what it reads.
    llvm::SetVector<unsigned> used;
    llvm::SmallDenseSet<unsigned> written;
    for (const Node &node : k.nodes)
      if (node.kind == NodeKind::Load && k.info->buffers[node.buffer].kind != Buffer::Constant)
        used.insert(node.buffer);
    for (const Store &store : k.stores) {
      used.insert(store.buffer);
      written.insert(store.buffer);
    }
    SmallVector<unsigned> buffers = used.takeVector();
    llvm::sort(buffers);
    SmallVector<Type> types;
    SmallVector<int64_t> places;
    for (unsigned buffer : buffers) {
      const Buffer &info = k.info->buffers[buffer];
      types.push_back(MemRefType::get({std::max<int64_t>(info.span(), 1)}, memoryType(info.elementType),
                                      MemRefLayoutAttrInterface(), b.getI64IntegerAttr(1)));
      places.push_back(slots[buffer]);
    }
    auto function = mlir::gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType(types, {}));
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    function.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.threads()), 1, 1}));
    function.setKnownGridSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.blocks), 1, 1}));
    function->setAttr("nvvm.minctasm", b.getI32IntegerAttr(launch.resident));
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(16));
      // Two operands may be one tensor; a result is a buffer of its own.
      bool isWritten = written.contains(buffer);
      if (!isWritten)
        function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    }
    OpBuilder body(&getContext());
    ThreadEmitter emitter(body, loc, schedule, launch);
    emitter.emit(function, buffers, globals);
    auto integer = [&](int64_t value) { return b.getI64IntegerAttr(value); };
    auto triple = [&](int64_t x) { return b.getDenseI64ArrayAttr({x, 1, 1}); };
    return b.getDictionaryAttr(
        {b.getNamedAttr("name", b.getStringAttr(name)), b.getNamedAttr("grid", triple(launch.blocks)),
         b.getNamedAttr("block", triple(launch.threads())), b.getNamedAttr("shared", integer(emitter.getSharedBytes())),
         b.getNamedAttr("mapping", b.getStringAttr(stringifyMapping(launch.mapping))),
         b.getNamedAttr("lanes", integer(launch.lanes)), b.getNamedAttr("unroll", integer(launch.unroll)),
         b.getNamedAttr("bytes_in_flight", integer(launch.bytesInFlight)),
         b.getNamedAttr("max_registers", integer(launch.maxRegisters)),
         b.getNamedAttr("slots", b.getDenseI64ArrayAttr(places))});
  }

  /// A constant that is no splat, as a global array.
  StringAttr makeGlobal(OpBuilder &b, Location loc, const Buffer &buffer, unsigned number) {
    std::string name = "constant" + std::to_string(number);
    auto type = MemRefType::get({buffer.numElements()}, memoryType(buffer.elementType), MemRefLayoutAttrInterface(),
                                b.getI64IntegerAttr(1));
    memref::GlobalOp::create(b, loc, name, b.getStringAttr("private"), type, getConstantElements(buffer),
                             /*constant=*/true, b.getI64IntegerAttr(16));
    return b.getStringAttr(name);
  }
};

} // namespace
