//===- Instrument.cpp - Checks before accesses to memory --------------------===//
#include "Rewrite.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace mlir::trace::simulator;
using llvm::Value;

namespace {
struct Instrumenter {
  llvm::Module &module;
  SiteTable &sites;
  llvm::FunctionCallee check;
  const llvm::DataLayout &layout = module.getDataLayout();

  void run(llvm::Instruction &instruction);
  void access(llvm::Instruction &instruction, SiteKind kind, Value *pointer, Value *size, uint64_t align);
};
} // namespace

void Instrumenter::access(llvm::Instruction &instruction, SiteKind kind, Value *pointer, Value *size, uint64_t align) {
  const Value *origin = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (llvm::isa<llvm::AllocaInst>(origin))
    return; // The thread's own.
  llvm::IRBuilder<> b(&instruction);
  llvm::Type *generic = b.getPtrTy();
  auto toGeneric = [&](Value *value) { return b.CreateAddrSpaceCast(value, generic); };

  uint32_t site = sites.add(instruction, kind);
  sites.get(site).align = align;
  sites.get(site).invariant = kind == SiteKind::Load && instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load);
  Value *base = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(generic));
  const auto *argument = llvm::dyn_cast<llvm::Argument>(origin);
  if (argument || llvm::isa<llvm::GlobalVariable>(origin))
    base = toGeneric(const_cast<Value *>(origin));
  if (argument && argument->getParent()->getCallingConv() == llvm::CallingConv::PTX_Kernel) {
    sites.get(site).parameter = argument->getArgNo();
    // NVPTX loads through ld.global.nc where nobody may write.
    if (kind == SiteKind::Load && argument->hasNoAliasAttr() && argument->onlyReadsMemory())
      sites.get(site).invariant = true;
    if (argument->hasByValAttr())
      return; // A parameter's own bytes.
  }
  b.CreateCall(check, {toGeneric(pointer), b.CreateZExtOrTrunc(size, b.getInt64Ty()), b.getInt32(site), base});
}

void Instrumenter::run(llvm::Instruction &instruction) {
  llvm::LLVMContext &context = module.getContext();
  auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value); };
  auto sizeOf = [&](llvm::Type *type) { return constant(layout.getTypeStoreSize(type)); };
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return access(instruction, load->isAtomic() ? SiteKind::Atomic : SiteKind::Load, load->getPointerOperand(),
                  sizeOf(load->getType()), load->getAlign().value());
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return access(instruction, store->isAtomic() ? SiteKind::Atomic : SiteKind::Store, store->getPointerOperand(),
                  sizeOf(store->getValueOperand()->getType()), store->getAlign().value());
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return access(instruction, SiteKind::Atomic, update->getPointerOperand(), sizeOf(update->getType()),
                  update->getAlign().value());
  if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return access(instruction, SiteKind::Atomic, exchange->getPointerOperand(),
                  sizeOf(exchange->getNewValOperand()->getType()), exchange->getAlign().value());
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
    access(instruction, SiteKind::Load, transfer->getRawSource(), transfer->getLength(), 1);
    access(instruction, SiteKind::Store, transfer->getRawDest(), transfer->getLength(), 1);
  } else if (auto *fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
    access(instruction, SiteKind::Store, fill->getRawDest(), fill->getLength(), 1);
  }
}

/// Registers and memory of a thread that nothing has written are all ones, as shared memory is: NaN, or -1. That is one
/// of the values that they may have, and one that is seen in results.
static void defineUninitialised(llvm::Function &function) {
  llvm::SmallVector<llvm::AllocaInst *> allocas;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      allocas.push_back(alloca);
    for (llvm::Use &use : instruction.operands()) {
      auto *constant = llvm::dyn_cast<llvm::Constant>(use.get());
      llvm::Type *type = use->getType();
      if (!constant || !(type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy()))
        continue;
      llvm::Constant *ones = llvm::Constant::getAllOnesValue(type);
      if (llvm::isa<llvm::UndefValue>(constant))
        use.set(ones);
      else if (type->isVectorTy() && constant->containsUndefOrPoisonElement())
        use.set(llvm::Constant::replaceUndefsWith(constant, llvm::Constant::getAllOnesValue(type->getScalarType())));
    }
  }
  const llvm::DataLayout &layout = function.getDataLayout();
  for (llvm::AllocaInst *alloca : allocas)
    if (std::optional<llvm::TypeSize> size = alloca->getAllocationSize(layout)) {
      llvm::IRBuilder<> b(alloca->getNextNode());
      b.CreateMemSet(alloca, b.getInt8(0xff), size->getFixedValue(), alloca->getAlign());
    }
}

void mlir::trace::simulator::instrumentAccesses(llvm::Module &module, SiteTable &sites) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *i64 = llvm::Type::getInt64Ty(context);
  llvm::FunctionCallee check = module.getOrInsertFunction("trace_sim_check", llvm::Type::getVoidTy(context), pointer,
                                                          i64, llvm::Type::getInt32Ty(context), pointer);
  Instrumenter instrumenter{module, sites, check};
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::Instruction *> accesses;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (instruction.mayReadOrWriteMemory())
        accesses.push_back(&instruction);
    for (llvm::Instruction *instruction : accesses)
      instrumenter.run(*instruction);
    defineUninitialised(function);
  }
}
