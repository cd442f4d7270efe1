//===- Rewrite.h - From NVPTX's LLVM IR to the host's -----------------------===//
#ifndef TRACE_LIB_SIMULATOR_REWRITE_H
#define TRACE_LIB_SIMULATOR_REWRITE_H

#include "Machine.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace mlir::trace::simulator {

/// Numbers the instructions that messages speak of. They are described as they stand when the table is made, before
/// anything is rewritten.
class SiteTable {
public:
  SiteTable(const llvm::Module &module, std::vector<Site> &sites);
  /// A new site for `instruction`.
  uint32_t add(const llvm::Instruction &instruction, SiteKind kind);
  Site &get(uint32_t index) { return sites[index]; }

private:
  std::vector<Site> &sites;
  llvm::DenseMap<const llvm::Instruction *, Site> descriptions;
};

/// Replaces NVVM intrinsics, traps and assertions by code for the host. Adds a line to `errors` for each call that has
/// no meaning here.
void rewriteIntrinsics(llvm::Module &module, SiteTable &sites, std::vector<std::string> &errors);

/// Replaces an arithmetic NVVM intrinsic, or returns null: none of these. `name` is without "llvm.nvvm.".
llvm::Value *rewriteArithmetic(llvm::CallInst &call, llvm::StringRef name);

/// Replaces a piece of inline assembly that libdevice has, or returns null: another one.
llvm::Value *rewriteAssembly(llvm::CallInst &call);

/// Calls the check before each access to memory that is not a thread's own.
void instrumentAccesses(llvm::Module &module, SiteTable &sites);

} // namespace mlir::trace::simulator

#endif
