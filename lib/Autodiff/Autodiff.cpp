//===- Autodiff.cpp - trace-autodiff ----------------------------------------===//
#include "Differentiator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "trace/Autodiff/Passes.h"

namespace mlir::trace {
#define GEN_PASS_DEF_AUTODIFF
#include "trace/Autodiff/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

/// The functions that bound symbols under `root` name as gradient rules, by name.
static void collectRuleNames(Operation *root, llvm::SetVector<StringAttr> &names) {
  root->walk([&](BsymOp op) {
    for (FlatSymbolRefAttr ref : {op.getVjpForwardAttr(), op.getVjpBackwardAttr()})
      if (ref)
        names.insert(ref.getAttr());
  });
}

static void dropRules(func::FuncOp func) {
  func.walk([](BsymOp op) {
    op.removeVjpForwardAttr();
    op.removeVjpBackwardAttr();
    op.removeVjpOperandsAttr();
  });
}

namespace {
struct Autodiff : trace::impl::AutodiffBase<Autodiff> {
  using AutodiffBase::AutodiffBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection symbols;
    llvm::SetVector<StringAttr> rules;
    collectRuleNames(module, rules);
    SmallVector<func::FuncOp> functions;
    for (auto func : module.getOps<func::FuncOp>())
      if (!rules.contains(func.getSymNameAttr()) && !func.isExternal() && !func->hasAttr(attrs::fusion) &&
          !func->hasAttr(attrs::side))
        functions.push_back(func);
    for (func::FuncOp func : functions)
      if (failed(differentiate(func, symbols)))
        return signalPassFailure();
    eraseUnusedRules(functions, rules, symbols.getSymbolTable(module));
  }

  LogicalResult differentiate(func::FuncOp func, SymbolTableCollection &symbols) {
    if (func->hasAttr(attrs::joint))
      return func.emitError("is a joint already; trace-joint-to-function makes a function of it that can be "
                            "differentiated again");
    if (getReturn(func))
      return autodiff::Differentiator(func, symbols, differentiateAgain).run();
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (func.getArgAttr(i, attrs::requiresGrad))
        return func.emitError("with a 'trace.requires_grad' argument must have one block that ends in trace.return");
    return success();
  }

  /// Gradient rules have done their work: erases the private ones that no function names any more.
  void eraseUnusedRules(ArrayRef<func::FuncOp> functions, const llvm::SetVector<StringAttr> &rules,
                        SymbolTable &table) {
    llvm::SetVector<StringAttr> used;
    for (func::FuncOp func : functions) {
      if (!differentiateAgain)
        dropRules(func);
      collectRuleNames(func, used);
    }
    for (unsigned i = 0; i < used.size(); ++i) // grows
      if (Operation *rule = table.lookup(used[i]))
        collectRuleNames(rule, used);
    for (StringAttr name : rules) {
      auto rule = table.lookup<func::FuncOp>(name);
      if (rule && rule.isPrivate() && !used.contains(name))
        table.erase(rule);
    }
  }
};
} // namespace
