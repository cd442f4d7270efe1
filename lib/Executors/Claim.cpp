//===- Claim.cpp - trace-claim ----------------------------------------------===//
#include "mlir/IR/Remarks.h"
#include "trace/Executors/Passes.h"
#include "trace/Executors/Registry.h"

namespace mlir::trace {
#define GEN_PASS_DEF_CLAIM
#include "trace/Executors/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

/// Replaces `op` by its region; appends the region's bound symbols, the last first.
static void inlineDecomposition(BsymOp op, SmallVectorImpl<BsymOp> &pending) {
  Block &block = op.getBody().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  Location outer = NameLoc::get(op.getNameAttr(), op.getLoc());
  for (auto [argument, operand] : llvm::zip_equal(block.getArguments(), op.getOperands_()))
    argument.replaceAllUsesWith(operand);
  for (Operation &inner : block.without_terminator())
    if (isa<UnknownLoc>(inner.getLoc()))
      inner.setLoc(outer);
  SmallVector<BsymOp> symbols;
  for (Operation &inner : block.without_terminator())
    inner.walk<WalkOrder::PreOrder>([&](BsymOp symbol) {
      symbols.push_back(symbol);
      return WalkResult::skip();
    });
  pending.append(symbols.rbegin(), symbols.rend());
  op.replaceAllUsesWith(yield.getOperands());
  yield.erase();
  op->getBlock()->getOperations().splice(Block::iterator(op), block.getOperations());
  op.erase();
}

static LogicalResult unclaimed(BsymOp op, ArrayRef<Executor> executors) {
  InFlightDiagnostic error = op.emitOpError()
                             << "'" << op.getName() << "' has no decomposition and no executor takes it";
  std::string names = llvm::join(llvm::map_range(executors, [](const Executor &e) { return e.name; }), ", ");
  Diagnostic &note = error.attachNote(op.getLoc()) << "asked, in this order: " << names;
  if (!op.getArgumentsAttr())
    note << "; 'aten' takes symbols with 'arguments' and a name 'namespace.operator.overload'";
  return error;
}

namespace {
struct Claim : trace::impl::ClaimBase<Claim> {
  using ClaimBase::ClaimBase;

  void runOnOperation() override {
    std::vector<Executor> asked;
    if (failed(selectExecutors(asked)))
      return signalPassFailure();
    // A stack, the next one on top. Only outermost symbols: what a claimed symbol's region holds is the executor's.
    SmallVector<BsymOp> pending;
    getOperation()->walk<WalkOrder::PreOrder>([&](BsymOp op) {
      pending.push_back(op);
      return WalkResult::skip();
    });
    std::reverse(pending.begin(), pending.end());

    bool failedAny = false;
    while (!pending.empty()) {
      BsymOp op = pending.pop_back_val();
      const Executor *owner =
          llvm::find_if(ArrayRef<Executor>(asked), [&](const Executor &executor) { return executor.claims(op); });
      if (owner != ArrayRef<Executor>(asked).end()) {
        remark::passed(op.getLoc(), remark::RemarkOpts::name("claimed").category("trace-claim"))
            << ("'" + op.getName() + "' is claimed by '" + owner->name + "'").str();
        op->setAttr(attrs::executor, StringAttr::get(&getContext(), owner->name));
      } else if (!op.getBody().empty()) {
        remark::analysis(op.getLoc(), remark::RemarkOpts::name("inlined").category("trace-claim"))
            << ("'" + op.getName() + "' is replaced by its decomposition").str();
        inlineDecomposition(op, pending);
      } else {
        (void)unclaimed(op, asked);
        failedAny = true;
      }
    }
    if (failedAny)
      signalPassFailure();
  }

  LogicalResult selectExecutors(std::vector<Executor> &asked) {
    std::vector<Executor> all = ExecutorRegistry::get().ordered();
    if (executors.empty()) {
      asked = std::move(all);
      return success();
    }
    for (const std::string &name : executors) {
      auto it = llvm::find_if(all, [&](const Executor &executor) { return executor.name == name; });
      if (it == all.end())
        return getOperation().emitError("trace-claim: no executor is called '") << name << "'";
      asked.push_back(*it);
    }
    return success();
  }
};
} // namespace
