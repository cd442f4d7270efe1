//===- Signature.cpp - The tensors behind a lowered host function -----------===//
#include "trace/Codegen/Host/Signature.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

/// One dictionary for each of `count` arguments or results.
static ArrayAttr dictionaries(MLIRContext *context, ArrayAttr attributes, unsigned count) {
  if (attributes)
    return attributes;
  return ArrayAttr::get(context, SmallVector<Attribute>(count, DictionaryAttr::get(context)));
}

void mlir::trace::setSignature(Operation *lowered, func::FuncOp host) {
  Builder b(lowered->getContext());
  NamedAttrList signature;
  signature.set("type", host.getFunctionTypeAttr());
  signature.set("arguments", dictionaries(b.getContext(), host.getArgAttrsAttr(), host.getNumArguments()));
  signature.set("results", dictionaries(b.getContext(), host.getResAttrsAttr(), host.getNumResults()));
  if (Attribute side = host->getAttr(attrs::side))
    signature.set("side", side);
  lowered->setAttr(attrs::signature, signature.getDictionary(b.getContext()));
}

OwningOpRef<ModuleOp> mlir::trace::declareHostFunctions(ModuleOp lowered) {
  // A file of the lowered stage names the LLVM dialect only.
  lowered.getContext()->getOrLoadDialect<func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(lowered.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  for (auto function : lowered.getOps<LLVM::LLVMFuncOp>()) {
    auto signature = function->getAttrOfType<DictionaryAttr>(attrs::signature);
    if (!signature)
      continue;
    auto type = cast<FunctionType>(signature.getAs<TypeAttr>("type").getValue());
    auto declared = func::FuncOp::create(b, function.getLoc(), function.getSymName(), type);
    declared.setArgAttrsAttr(signature.getAs<ArrayAttr>("arguments"));
    declared.setResAttrsAttr(signature.getAs<ArrayAttr>("results"));
    if (Attribute side = signature.get("side"))
      declared->setAttr(attrs::side, side);
  }
  if (module->getBody()->empty())
    return {};
  return module;
}
