//===- SplitModule.cpp - What the split stage says of itself ----------------===//
#include "SplitModule.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "trace/IR/TraceOps.h"
#include "trace/Schedule/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::trace;

OwningOpRef<ModuleOp> mlir::trace::extractFunction(ModuleOp module, func::FuncOp function) {
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> wanted;
  wanted.insert(function);
  for (size_t i = 0; i < wanted.size(); ++i)
    wanted[i]->walk([&](CallOp call) {
      if (Operation *callee = symbols.lookup(call.getCallee()))
        wanted.insert(callee);
    });
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  for (Operation &op : *module.getBody())
    if (wanted.contains(&op))
      result->push_back(op.clone());
  return result;
}

LogicalResult mlir::trace::readBackwardArguments(func::FuncOp backward, SmallVectorImpl<BackwardArgument> &arguments) {
  for (unsigned i = 0; i < backward.getNumArguments(); ++i) {
    auto role = backward.getArgAttrOfType<RoleAttr>(i, attrs::role);
    if (auto from = backward.getArgAttrOfType<IntegerAttr>(i, attrs::forwardArgument))
      arguments.push_back({BackwardArgument::ForwardArgument, from.getInt()});
    else if (auto from = backward.getArgAttrOfType<IntegerAttr>(i, attrs::forwardOutput))
      arguments.push_back({BackwardArgument::ForwardOutput, from.getInt()});
    else if (role && role.getIndex() && role.getKind() == RoleKind::Saved)
      arguments.push_back({BackwardArgument::Saved, *role.getIndex()});
    else if (role && role.getIndex() && role.getKind() == RoleKind::Cotangent)
      arguments.push_back({BackwardArgument::Cotangent, *role.getIndex()});
    else
      return backward.emitError() << "argument " << i << " of the backward does not say where it comes from";
  }
  return success();
}

LogicalResult mlir::trace::readGradientArguments(func::FuncOp backward, SmallVectorImpl<int64_t> &arguments) {
  for (unsigned i = 0; i < backward.getNumResults(); ++i) {
    auto role = backward.getResultAttrOfType<RoleAttr>(i, attrs::role);
    if (!role || role.getKind() != RoleKind::Gradient || !role.getIndex())
      return backward.emitError() << "result " << i << " of the backward does not say whose gradient it is";
    arguments.push_back(*role.getIndex());
  }
  return success();
}

LogicalResult mlir::trace::dropCotangents(ModuleOp module, ArrayRef<int64_t> absent, const PipelineSettings &settings) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  DropCotangentsOptions options;
  options.absent.assign(absent.begin(), absent.end());
  pm.addPass(createDropCotangents(options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addFusionPasses(pm, settings);
  return pm.run(module);
}

int64_t mlir::trace::getTensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    return tensor.getNumElements() * 2 * ((complex.getElementType().getIntOrFloatBitWidth() + 7) / 8);
  return tensor.getNumElements() * ((element.getIntOrFloatBitWidth() + 7) / 8);
}
