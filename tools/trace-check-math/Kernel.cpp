//===- Kernel.cpp - Loops around elementwise code ----------------------------===//
#include "Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "trace/Target/Lowering.h"
#include "trace/Target/Nvptx.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

void check::buildKernel(ModuleOp module, StringRef name, ArrayRef<Type> inputs, Type output, unsigned lanes,
                        function_ref<Value(OpBuilder &, ValueRange)> body) {
  MLIRContext *context = module.getContext();
  Location loc = UnknownLoc::get(context);
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto type = b.getFunctionType({pointer, pointer, pointer, b.getI64Type()}, {});
  FunctionOpInterface function;
  bool onDevice = !module.getOps<gpu::GPUModuleOp>().empty();
  if (onDevice) {
    b.setInsertionPointToEnd((*module.getOps<gpu::GPUModuleOp>().begin()).getBody());
    auto kernel = gpu::GPUFuncOp::create(b, loc, name, type);
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    function = kernel;
    b.setInsertionPointToStart(&kernel.getBody().front());
  } else {
    auto kernel = func::FuncOp::create(b, loc, name, type);
    b.setInsertionPointToStart(kernel.addEntryBlock());
    function = kernel;
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value step = arith::ConstantIndexOp::create(b, loc, lanes);
  Value count = arith::IndexCastOp::create(b, loc, b.getIndexType(), function.getArgument(3));
  auto loop = scf::ForOp::create(b, loc, zero, count, step);
  b.setInsertionPointToStart(loop.getBody());
  Value index = arith::IndexCastOp::create(b, loc, b.getI64Type(), loop.getInductionVar());
  auto inMemory = [&](Type element) { return element.isInteger(1) ? Type(b.getI8Type()) : element; };
  auto shaped = [&](Type element) {
    return lanes == 1 ? element : Type(VectorType::get({static_cast<int64_t>(lanes)}, element));
  };
  auto address = [&](unsigned argument, Type element) {
    return LLVM::GEPOp::create(b, loc, pointer, inMemory(element), function.getArgument(argument), ValueRange(index));
  };
  auto alignment = [&](Type element) { return inMemory(element).getIntOrFloatBitWidth() / 8; };

  SmallVector<Value> operands;
  for (auto [i, element] : llvm::enumerate(inputs)) {
    Value operand = LLVM::LoadOp::create(b, loc, shaped(inMemory(element)), address(i, element), alignment(element));
    if (element.isInteger(1))
      operand = arith::TruncIOp::create(b, loc, shaped(element), operand);
    operands.push_back(operand);
  }
  Value result = body(b, operands);
  if (output.isInteger(1))
    result = arith::ExtUIOp::create(b, loc, shaped(inMemory(output)), result);
  LLVM::StoreOp::create(b, loc, result, address(2, output), alignment(output));
  b.setInsertionPointAfter(loop);
  if (onDevice)
    gpu::ReturnOp::create(b, loc);
  else
    func::ReturnOp::create(b, loc);
}

LogicalResult check::printPtx(ModuleOp module, StringRef chip) {
  PassManager pm(module.getContext());
  trace::buildDeviceLoweringPipeline(pm);
  if (failed(verify(module)) || failed(pm.run(module)))
    return failure();
  trace::NvptxOptions options;
  options.chip = chip;
  auto machine = trace::createNvptxMachine(module.getLoc(), options);
  if (failed(machine))
    return failure();
  for (auto device : module.getOps<gpu::GPUModuleOp>()) {
    llvm::LLVMContext context;
    auto llvmModule = trace::translateDeviceModule(device, context, **machine, options);
    if (!llvmModule)
      return failure();
    FailureOr<std::string> ptx = trace::emitPtx(device.getLoc(), *llvmModule, **machine);
    if (failed(ptx))
      return failure();
    llvm::outs() << *ptx;
  }
  return success();
}

FailureOr<std::unique_ptr<trace::JitModule>> check::compile(ModuleOp module, const trace::JitOptions &options) {
  PassManager pm(module.getContext());
  trace::buildKernelLoweringPipeline(pm);
  if (failed(verify(module)) || failed(pm.run(module)))
    return failure();
  return trace::JitModule::create(module, options);
}
