//===- Split.cpp - Forward and backward from a joint function ---------------===//
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "trace/Schedule/Barrier.h"
#include "trace/Split/Passes.h"

namespace mlir::trace {
#define GEN_PASS_DEF_SPLIT
#include "trace/Split/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {

/// What the backward reads of the forward, in the order of the backward's arguments.
struct Crossing {
  llvm::SetVector<Value> saved;
  llvm::MapVector<Value, int64_t> arguments; // to the forward's argument number
  llvm::MapVector<Value, int64_t> outputs;   // to the forward's output number
  llvm::MapVector<int64_t, SmallVector<GetGradOp>> cotangents;
};

/// Made anew in the backward: never saved.
bool isRemade(Operation *op) {
  return op->hasTrait<trace::OpTrait::ViewLike>() || isa<ConstantOp, IotaOp, RecomputeBarrierOp>(op) ||
         (isa<FullOp>(op) && op->getNumOperands() == 0);
}

/// The operands that `op` reads after the split, when a recompute_barrier is its input.
OperandRange getReads(Operation *op) {
  return isa<RecomputeBarrierOp>(op) ? op->getOperands().take_front(1) : op->getOperands();
}

class JointSplit {
public:
  JointSplit(func::FuncOp func, const Barrier &barrier) : func(func), barrier(barrier), ret(getReturn(func)) {}

  LogicalResult run(SymbolTable &symbols) {
    if (failed(checkOutputs()))
      return failure();
    findBackward();
    std::string name = func.getSymName().str();
    for (StringRef suffix : {"_forward", "_backward"})
      if (Operation *taken = symbols.lookup(name + suffix.str())) {
        InFlightDiagnostic error = func.emitOpError("cannot be split: the name '") << name << suffix << "' is taken";
        error.attachNote(taken->getLoc()) << "it is taken here";
        return error;
      }
    if (backwardOps.empty() && ret.getGradients().empty()) {
      makeForward(symbols, name);
      return success();
    }
    if (failed(findCrossing()))
      return failure();
    func::FuncOp backward = makeBackward(name);
    symbols.insert(backward, std::next(Block::iterator(func)));
    report();
    makeForward(symbols, name);
    return success();
  }

private:
  LogicalResult checkOutputs() {
    for (auto [i, output] : llvm::enumerate(ret.getOutputs())) {
      Operation *def = output.getDefiningOp();
      if (!def || barrier.isForward(def))
        continue;
      InFlightDiagnostic error = ret.emitOpError("output ") << i << " is computed after the barrier";
      error.attachNote(def->getLoc()) << "it is computed here";
      return error;
    }
    return success();
  }

  /// The ops after the barrier that a gradient needs, and those with effects.
  void findBackward() {
    DenseSet<Operation *> needed;
    auto need = [&](Value value) {
      if (Operation *def = value.getDefiningOp())
        needed.insert(def);
    };
    llvm::for_each(ret.getGradients(), need);
    for (Operation &op : llvm::reverse(ret->getBlock()->without_terminator())) {
      if (!barrier.isBackward(&op))
        break;
      if (!needed.contains(&op) && isMemoryEffectFree(&op))
        continue;
      backwardOps.push_back(&op);
      llvm::for_each(getReads(&op), need);
    }
    std::reverse(backwardOps.begin(), backwardOps.end());
  }

  LogicalResult findCrossing() {
    DenseMap<Value, int64_t> outputOf;
    for (auto [i, output] : llvm::enumerate(ret.getOutputs()))
      outputOf.try_emplace(output, i);
    DenseSet<int64_t> mutated;
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (auto role = func.getResultAttrOfType<RoleAttr>(i, attrs::role); role && role.getKind() == RoleKind::Mutated)
        mutated.insert(role.getIndex().value_or(-1));

    DenseSet<Value> seen;
    SmallVector<std::pair<Value, Operation *>> work; // a value, and an op of the backward that reads it
    for (Operation *op : backwardOps)
      for (Value operand : getReads(op))
        work.push_back({operand, op});
    for (Value gradient : ret.getGradients())
      work.push_back({gradient, ret});
    // In order, so that saved values are numbered as the backward first reads them.
    for (size_t next = 0; next < work.size(); ++next) {
      auto [value, reader] = work[next];
      if (!seen.insert(value).second)
        continue;
      Operation *def = value.getDefiningOp();
      if (auto getGrad = dyn_cast_or_null<GetGradOp>(def)) {
        crossing.cotangents[getGrad.getOutput()].push_back(getGrad);
      } else if (auto argument = dyn_cast<BlockArgument>(value)) {
        int64_t number = argument.getArgNumber();
        if (mutated.contains(number)) {
          InFlightDiagnostic error = reader->emitOpError("in the backward reads argument ")
                                     << number << ", which the function has mutated by then";
          error.attachNote(ret.getLoc()) << "its new value is returned here";
          return error;
        }
        crossing.arguments[value] = number;
      } else if (barrier.isBackward(def)) {
        continue;
      } else if (auto output = outputOf.find(value); output != outputOf.end()) {
        crossing.outputs[value] = output->second;
      } else if (isRemade(def)) {
        remade.push_back(def);
        for (Value operand : getReads(def))
          work.push_back({operand, reader});
      } else {
        crossing.saved.insert(value);
      }
    }
    auto byNumber = [](auto &a, auto &b) { return a.second < b.second; };
    auto sorted = [&](llvm::MapVector<Value, int64_t> &map) {
      auto entries = map.takeVector();
      llvm::sort(entries, byNumber);
      for (auto &[value, number] : entries)
        map[value] = number;
    };
    sorted(crossing.arguments);
    sorted(crossing.outputs);
    auto cotangents = crossing.cotangents.takeVector();
    llvm::sort(cotangents, [](auto &a, auto &b) { return a.first < b.first; });
    for (auto &[number, getGrads] : cotangents)
      crossing.cotangents[number] = getGrads;
    llvm::sort(remade, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return success();
  }

  func::FuncOp makeBackward(StringRef name) {
    OpBuilder builder(func.getContext());
    MLIRContext *context = func.getContext();
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> argumentAttrs;
    SmallVector<Value> values;
    auto role = [&](RoleKind kind, int64_t index) {
      return NamedAttribute(builder.getStringAttr(attrs::role), RoleAttr::get(context, kind, index, nullptr));
    };
    auto add = [&](Value value, ArrayRef<NamedAttribute> attributes) {
      types.push_back(value.getType());
      values.push_back(value);
      argumentAttrs.push_back(builder.getDictionaryAttr(attributes));
    };
    for (auto [i, value] : llvm::enumerate(crossing.saved))
      add(value, role(RoleKind::Saved, i));
    for (auto [value, number] : crossing.arguments) {
      NamedAttrList attributes(func.getArgAttrDict(number));
      attributes.erase(attrs::requiresGrad);
      attributes.set(attrs::forwardArgument, builder.getI64IntegerAttr(number));
      add(value, attributes);
    }
    for (auto [value, number] : crossing.outputs) {
      NamedAttrList attributes;
      if (Attribute strides = func.getResultAttr(number, attrs::strides))
        attributes.set(attrs::strides, strides);
      attributes.append(role(RoleKind::Output, number));
      attributes.set(attrs::forwardOutput, builder.getI64IntegerAttr(number));
      add(value, attributes);
    }
    for (auto &[number, getGrads] : crossing.cotangents)
      add(getGrads.front(), role(RoleKind::Cotangent, number));

    SmallVector<Type> resultTypes(ret.getGradients().getTypes());
    auto backward =
        func::FuncOp::create(func.getLoc(), (name + "_backward").str(), builder.getFunctionType(types, resultTypes));
    backward->setAttr(attrs::side, builder.getStringAttr("backward"));
    backward->setAttr(attrs::forwardSymbol, FlatSymbolRefAttr::get(context, (name + "_forward").str()));
    backward.setAllArgAttrs(argumentAttrs);
    unsigned outputs = ret.getOutputs().size();
    for (auto [i, number] : llvm::enumerate(ret.getGradientOf())) {
      NamedAttrList attributes(func.getResultAttrDict(outputs + i));
      attributes.set(attrs::role, RoleAttr::get(context, RoleKind::Gradient, number, nullptr));
      backward.setResultAttrs(i, attributes.getDictionary(context));
    }

    Block *body = backward.addEntryBlock();
    IRMapping map;
    for (auto [value, argument] : llvm::zip_equal(values, body->getArguments())) {
      map.map(value, argument);
      argument.setLoc(value.getLoc());
    }
    for (auto &[number, getGrads] : crossing.cotangents)
      for (GetGradOp getGrad : getGrads)
        map.map(getGrad.getResult(), map.lookup(getGrads.front().getResult()));
    builder.setInsertionPointToEnd(body);
    for (Operation *op : llvm::concat<Operation *>(remade, backwardOps)) {
      if (auto recompute = dyn_cast<RecomputeBarrierOp>(op))
        map.map(recompute.getResult(), map.lookup(recompute.getInput()));
      else
        builder.clone(*op, map);
    }
    SmallVector<Value> gradients;
    for (Value gradient : ret.getGradients())
      gradients.push_back(map.lookup(gradient));
    ReturnOp::create(builder, ret.getLoc(), ValueRange(), gradients, ret.getGradientOf());
    return backward;
  }

  /// The joint becomes the forward: outputs and saved values are returned, all that this does not need goes.
  void makeForward(SymbolTable &symbols, StringRef name) {
    OpBuilder builder(ret);
    SmallVector<Value> results(ret.getOutputs());
    SmallVector<DictionaryAttr> attributes;
    for (unsigned i = 0; i < results.size(); ++i)
      attributes.push_back(func.getResultAttrDict(i));
    for (auto [i, value] : llvm::enumerate(crossing.saved)) {
      results.push_back(value);
      attributes.push_back(builder.getDictionaryAttr(NamedAttribute(
          builder.getStringAttr(attrs::role), RoleAttr::get(func.getContext(), RoleKind::Saved, i, nullptr))));
    }
    ReturnOp::create(builder, ret.getLoc(), results);
    ret.erase();
    if (barrier.exists())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.getBody().front()))) {
        if (isa<ReturnOp>(op))
          continue;
        bool last = &op == barrier.getGrads.front();
        op.erase();
        if (last)
          break;
      }
    func.setFunctionType(builder.getFunctionType(func.getArgumentTypes(), TypeRange(ValueRange(results))));
    func.setAllResultAttrs(attributes);
    func->removeAttr(attrs::joint);
    func->setAttr(attrs::side, builder.getStringAttr("forward"));
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    (void)symbols.rename(func, (name + "_forward").str());
  }

  void report() {
    int64_t bytes = 0;
    for (Value value : crossing.saved) {
      bytes += getByteSize(value.getType());
      std::string type;
      llvm::raw_string_ostream(type) << value.getType();
      remark::analysis(value.getLoc(),
                       remark::RemarkOpts::name("saved").category("trace-split").function(func.getName()))
          << remark::add("{0} bytes: {1} of {2}", getByteSize(value.getType()), type,
                         value.getDefiningOp()->getName().getStringRef().str());
    }
    remark::analysis(func.getLoc(),
                     remark::RemarkOpts::name("saved-total").category("trace-split").function(func.getName()))
        << remark::metric("SavedTensors", static_cast<int64_t>(crossing.saved.size()))
        << remark::metric("SavedBytes", bytes);
  }

  func::FuncOp func;
  const Barrier &barrier;
  ReturnOp ret;
  SmallVector<Operation *> backwardOps, remade;
  Crossing crossing;
};

struct Split : trace::impl::SplitBase<Split> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> functions;
    for (auto func : module.getOps<func::FuncOp>())
      if (isHostFunction(func) && !func->hasAttr(attrs::side))
        functions.push_back(func);
    for (func::FuncOp func : functions) {
      FailureOr<Barrier> barrier = findBarrier(func);
      if (failed(barrier) || failed(JointSplit(func, *barrier).run(symbols)))
        return signalPassFailure();
    }
    dropGradientRules(module);
  }

  /// Nothing is differentiated after the split: symbols lose their rules, and rules that nothing names go.
  void dropGradientRules(ModuleOp module) {
    module.walk([](BsymOp bsym) {
      bsym.removeVjpForwardAttr();
      bsym.removeVjpBackwardAttr();
      bsym.removeVjpOperandsAttr();
    });
    // A rule may name others: until no more go.
    for (bool changed = true; changed;) {
      changed = false;
      SymbolTableCollection tables;
      SymbolUserMap users(tables, module);
      for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
        if (func.isPrivate() && !func->hasAttr(attrs::fusion) && users.useEmpty(func)) {
          func.erase();
          changed = true;
        }
    }
  }
};

} // namespace
