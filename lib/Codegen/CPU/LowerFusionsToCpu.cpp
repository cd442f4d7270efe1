//===- LowerFusionsToCpu.cpp - Vectorised loops for fusion functions ---------===//
#include "LoopEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "trace/Codegen/CPU/Passes.h"
#include "trace/Codegen/Emission/Fusion.h"
#include "trace/IR/TraceOps.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

namespace mlir::trace::cpu {
#define GEN_PASS_DEF_LOWERFUSIONSTOCPU
#include "trace/Codegen/CPU/Passes.h.inc"
} // namespace mlir::trace::cpu

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::cpu;

/// The host's vector width.
static unsigned hostVectorBits() {
  static unsigned bits = [] {
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    if (features.lookup("avx512f") && features.lookup("avx512bw") && features.lookup("avx512vl"))
      return 512u;
    return features.lookup("avx2") ? 256u : 128u;
  }();
  return bits;
}

namespace {

struct LowerFusionsToCpu : cpu::impl::LowerFusionsToCpuBase<LowerFusionsToCpu> {
  using LowerFusionsToCpuBase::LowerFusionsToCpuBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> fusions;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(attrs::fusion) && !func.isExternal())
        fusions.push_back(func);
    if (fusions.empty())
      return;
    declareRuntime();
    for (func::FuncOp fusion : fusions)
      if (failed(lower(fusion)))
        return signalPassFailure();
  }

  void declareRuntime() {
    ModuleOp module = getOperation();
    OpBuilder b(module.getBodyRegion());
    b.setInsertionPointToStart(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(&getContext()), i64 = b.getI64Type();
    auto declare = [&](StringRef name, TypeRange arguments, TypeRange results) {
      if (module.lookupSymbol(name))
        return;
      auto function = func::FuncOp::create(b, module.getLoc(), name, b.getFunctionType(arguments, results));
      function.setPrivate();
    };
    declare("trace_rt_parallel_for", {pointer, pointer, i64, i64}, {});
    declare("trace_rt_scratch", {i64}, {pointer});
    declare("trace_rt_scratch_free", {pointer}, {});
  }

  LogicalResult lower(func::FuncOp fusion) {
    if (failed(checkFusion(fusion, "a CPU kernel")))
      return failure();
    Location loc = fusion.getLoc();
    ScheduleOptions options;
    options.vectorBits = vectorBits ? vectorBits : hostVectorBits();
    options.exactRounding = exactRounding;
    std::unique_ptr<FusionSchedule> plan = kernel::schedule(fusion, options);

    // The schedule must not leave a kernel that would have to reduce anew inside a loop: better no kernel than a wrong
    // one.
    for (auto &kernelSchedule : plan->kernels)
      for (const Demand &demand : kernelSchedule->kernel.demands)
        if (demand.inner)
          return demand.op->emitOpError("is read inside a loop of its kernel, which no schedule was found for");

    OpBuilder b(&getContext());
    b.setInsertionPointAfter(fusion);
    FusionInfo &info = plan->info;
    unsigned numOperands = fusion.getNumArguments(), numResults = fusion.getNumResults(), numScratch = 0;
    SmallVector<unsigned> slots;
    SmallVector<StringAttr> globals;
    for (const Buffer &buffer : info.buffers) {
      globals.push_back(nullptr);
      switch (buffer.kind) {
      case Buffer::Operand:
        slots.push_back(buffer.number);
        break;
      case Buffer::Result:
        slots.push_back(numOperands + buffer.number);
        break;
      case Buffer::Scratch:
        slots.push_back(numOperands + numResults + buffer.number);
        ++numScratch;
        break;
      case Buffer::Constant:
        slots.push_back(0);
        globals.back() = makeGlobal(b, loc, fusion, buffer, globals.size());
        break;
      }
    }
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type();
    auto kernelType = b.getFunctionType({pointer, i64, i64, i64}, {});
    SmallVector<func::FuncOp> kernels;
    MathTarget target;
    target.avx512 = options.vectorBits >= 512;
    for (auto [i, schedule] : llvm::enumerate(plan->kernels)) {
      remark::passed(
          loc, remark::RemarkOpts::name("kernel").category("trace-lower-fusions-to-cpu").function(fusion.getName()))
          << ("kernel " + std::to_string(i) + ": " + schedule->str());
      auto function = func::FuncOp::create(b, loc, (fusion.getName() + "__kernel" + Twine(i)).str(), kernelType);
      function.setPrivate();
      kernels.push_back(function);
      OpBuilder body(&getContext());
      LoopEmitter(body, loc, *schedule, target).emit(function, slots, globals);
    }

    auto entry = func::FuncOp::create(b, loc, (fusion.getName() + "__entry").str(), b.getFunctionType({pointer}, {}));
    b.setInsertionPointToStart(entry.addEntryBlock());
    Value args = entry.getArgument(0);
    SmallVector<Value> scratch;
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    auto place = [&](Value array, unsigned i) -> Value {
      return LLVM::GEPOp::create(b, loc, pointer, pointer, array, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    };
    if (numScratch) {
      // A longer array: the caller's pointers and then the scratch.
      unsigned given = numOperands + numResults;
      Value longer = LLVM::AllocaOp::create(b, loc, pointer, pointer, constant(given + numScratch));
      for (unsigned i = 0; i < given; ++i)
        LLVM::StoreOp::create(b, loc, LLVM::LoadOp::create(b, loc, pointer, place(args, i)), place(longer, i));
      for (const Buffer &buffer : info.buffers) {
        if (buffer.kind != Buffer::Scratch)
          continue;
        int64_t bytes =
            buffer.numElements() * llvm::divideCeil(memoryType(buffer.elementType).getIntOrFloatBitWidth(), 8);
        Value memory = func::CallOp::create(b, loc, "trace_rt_scratch", TypeRange{pointer}, ValueRange{constant(bytes)})
                           .getResult(0);
        LLVM::StoreOp::create(b, loc, memory, place(longer, given + buffer.number));
        scratch.push_back(memory);
      }
      args = longer;
    }
    for (auto [function, schedule] : llvm::zip_equal(kernels, plan->kernels)) {
      Value address = func::ConstantOp::create(b, loc, kernelType, SymbolRefAttr::get(function));
      address = UnrealizedConversionCastOp::create(b, loc, pointer, address).getResult(0);
      func::CallOp::create(b, loc, "trace_rt_parallel_for", TypeRange(),
                           ValueRange{address, args, constant(schedule->units), constant(schedule->grain)});
    }
    for (Value memory : scratch)
      func::CallOp::create(b, loc, "trace_rt_scratch_free", TypeRange(), ValueRange{memory});
    func::ReturnOp::create(b, loc);
    return success();
  }

  /// A constant that is no splat, as a global array.
  StringAttr makeGlobal(OpBuilder &b, Location loc, func::FuncOp fusion, const Buffer &buffer, unsigned number) {
    std::string name = (fusion.getName() + "__constant" + Twine(number)).str();
    auto type = MemRefType::get({buffer.numElements()}, memoryType(buffer.elementType));
    memref::GlobalOp::create(b, loc, name, b.getStringAttr("private"), type, getConstantElements(buffer),
                             /*constant=*/true, /*alignment=*/IntegerAttr());
    return b.getStringAttr(name);
  }
};

} // namespace
