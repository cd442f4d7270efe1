//===- VerifySplit.cpp - The contract of the split stage --------------------===//
#include "trace/IR/TraceOps.h"
#include "trace/Pipelines/Passes.h"
#include "trace/Pipelines/Verify.h"
#include "trace/Schedule/Barrier.h"

namespace mlir::trace {
#define GEN_PASS_DEF_VERIFYSPLIT
#include "trace/Pipelines/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {

RoleAttr roleOf(Attribute attribute) { return dyn_cast_if_present<RoleAttr>(attribute); }

/// The forward's results that are saved values, by number.
FailureOr<SmallVector<unsigned>> findSaved(func::FuncOp forward) {
  SmallVector<unsigned> saved;
  ReturnOp ret = getReturn(forward);
  llvm::SmallDenseMap<Value, unsigned> seen;
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    RoleAttr role = roleOf(forward.getResultAttr(i, attrs::role));
    Value value = ret.getOutputs()[i];
    if (!role || role.getKind() != RoleKind::Saved) {
      if (!saved.empty())
        return forward.emitOpError("result ") << i << " is an output behind a saved value";
      seen.try_emplace(value, i);
      continue;
    }
    if (role.getIndex() != static_cast<int64_t>(saved.size()))
      return forward.emitOpError("result ") << i << " should be saved value " << saved.size();
    if (isa<BlockArgument>(value))
      return forward.emitOpError("saves its argument ")
             << cast<BlockArgument>(value).getArgNumber() << ", which the backward can read as an argument";
    if (auto [first, isNew] = seen.try_emplace(value, i); !isNew) {
      InFlightDiagnostic error = ret.emitOpError("keeps a value twice, as results ") << first->second << " and " << i;
      error.attachNote(value.getLoc()) << "the value";
      return error;
    }
    saved.push_back(i);
  }
  return saved;
}

LogicalResult verifySide(func::FuncOp func) {
  StringAttr side = func->getAttrOfType<StringAttr>(attrs::side);
  if (!side || (side.getValue() != "forward" && side.getValue() != "backward"))
    return func.emitOpError("'") << attrs::side << "' must be \"forward\" or \"backward\"";
  if (func->hasAttr(attrs::joint))
    return func.emitOpError("is split, but still has '") << attrs::joint << "'";
  for (Operation &op : func.getBody().front())
    if (isa<GetGradOp, RecomputeBarrierOp>(op)) {
      InFlightDiagnostic error = op.emitOpError("is left after the split");
      error.attachNote(func.getLoc()) << "in this function";
      return error;
    }
  ReturnOp ret = getReturn(func);
  if (side.getValue() == "forward" ? !ret.getGradients().empty() : !ret.getOutputs().empty())
    return ret.emitOpError() << (side.getValue() == "forward" ? "a forward gives no gradients"
                                                              : "a backward gives gradients only");
  return success();
}

LogicalResult mismatch(func::FuncOp backward, unsigned argument, StringRef of, int64_t number, func::FuncOp forward) {
  InFlightDiagnostic error = backward.emitOpError("argument ")
                             << argument << " does not have the type of the forward's " << of << " " << number;
  error.attachNote(forward.getLoc()) << "the forward";
  return error;
}

LogicalResult verifyPair(func::FuncOp forward, func::FuncOp backward) {
  FailureOr<SmallVector<unsigned>> saved = findSaved(forward);
  if (failed(saved))
    return failure();
  unsigned outputs = forward.getNumResults() - saved->size();
  llvm::SmallDenseSet<int64_t> read;
  for (unsigned i = 0; i < backward.getNumArguments(); ++i) {
    Type type = backward.getArgumentTypes()[i];
    auto fits = [&](TypeRange types, int64_t number) {
      return number >= 0 && number < static_cast<int64_t>(types.size()) && types[number] == type;
    };
    TypeRange results = forward.getResultTypes();
    if (auto number = backward.getArgAttrOfType<IntegerAttr>(i, attrs::forwardArgument)) {
      if (!fits(forward.getArgumentTypes(), number.getInt()))
        return mismatch(backward, i, "argument", number.getInt(), forward);
      continue;
    }
    if (auto number = backward.getArgAttrOfType<IntegerAttr>(i, attrs::forwardOutput)) {
      if (!fits(results.take_front(outputs), number.getInt()))
        return mismatch(backward, i, "output", number.getInt(), forward);
      continue;
    }
    RoleAttr role = roleOf(backward.getArgAttr(i, attrs::role));
    int64_t number = role && role.getIndex() ? *role.getIndex() : -1;
    if (role && role.getKind() == RoleKind::Saved) {
      if (!fits(results.drop_front(outputs), number))
        return mismatch(backward, i, "saved value", number, forward);
      // A backward without some cotangents may need less, but keeps its arguments.
      if (backward.getArgument(i).use_empty() && !backward->hasAttr(attrs::absentCotangents)) {
        InFlightDiagnostic error = backward.emitOpError("does not use saved value ") << number;
        error.attachNote(forward.getLoc()) << "the forward keeps it";
        return error;
      }
      read.insert(number);
    } else if (role && role.getKind() == RoleKind::Cotangent) {
      if (!fits(results.take_front(outputs), number))
        return mismatch(backward, i, "output", number, forward);
    } else {
      return backward.emitOpError("argument ") << i << " does not say where its value comes from";
    }
  }
  for (unsigned i = 0; i < saved->size(); ++i)
    if (!read.contains(i)) {
      InFlightDiagnostic error = forward.emitOpError("keeps saved value ") << i << " for nothing";
      error.attachNote(backward.getLoc()) << "the backward does not take it";
      return error;
    }
  for (unsigned i = 0; i < backward.getNumResults(); ++i) {
    RoleAttr role = roleOf(backward.getResultAttr(i, attrs::role));
    int64_t number = role && role.getKind() == RoleKind::Gradient ? role.getIndex().value_or(-1) : -1;
    if (number < 0 || number >= static_cast<int64_t>(forward.getNumArguments()) ||
        forward.getArgumentTypes()[number] != backward.getResultTypes()[i]) {
      InFlightDiagnostic error = backward.emitOpError("result ")
                                 << i << " does not have the type of the forward's argument " << number
                                 << ", of which it is the gradient";
      error.attachNote(forward.getLoc()) << "the forward";
      return error;
    }
  }
  return success();
}

struct VerifySplit : trace::impl::VerifySplitBase<VerifySplit> {
  void runOnOperation() override {
    if (failed(verifySplit(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult mlir::trace::verifySplit(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::SmallDenseSet<Operation *> paired;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(attrs::side) || !getReturn(func))
      continue;
    if (failed(verifySide(func)))
      return failure();
    auto name = func->getAttrOfType<FlatSymbolRefAttr>(attrs::forwardSymbol);
    if (!name)
      continue;
    auto forward = symbols.lookup<func::FuncOp>(name.getValue());
    if (!forward || !forward->hasAttr(attrs::side) || !getReturn(forward))
      return func.emitOpError("names a forward ") << name << " that is not there";
    if (failed(verifyPair(forward, func)))
      return failure();
    paired.insert(forward);
  }
  for (auto func : module.getOps<func::FuncOp>())
    if (auto side = func->getAttrOfType<StringAttr>(attrs::side);
        side && side.getValue() == "forward" && !paired.contains(func))
      if (FailureOr<SmallVector<unsigned>> saved = findSaved(func); failed(saved) || !saved->empty())
        return failed(saved) ? failure() : func.emitOpError("keeps values, but has no backward");
  return success();
}
