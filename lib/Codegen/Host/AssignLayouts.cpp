//===- AssignLayouts.cpp - Strides of every value of the host functions -----===//
//
// Two walks per function. Backwards: which layout is a value wanted in (from what the results state, through views that
// only permute)? Forwards: the layout of each value, from its operands' and from what is wanted, with copies where
// an op or a result cannot take what there is.
//
//===----------------------------------------------------------------------===//
#include "trace/Codegen/Host/Host.h"
#include "trace/Codegen/Host/Passes.h"
#include "trace/IR/TraceOps.h"
#include "trace/Schedule/Barrier.h"

namespace mlir::trace {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "trace/Codegen/Host/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

using Strides = SmallVector<int64_t>;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// The strides that an argument or a result states; contiguous where it states none.
static Strides statedStrides(DictionaryAttr attributes, Type type) {
  if (attributes)
    if (auto strides = attributes.getAs<DenseI64ArrayAttr>(attrs::strides))
      return Strides(strides.asArrayRef());
  return contiguousStrides(cast<RankedTensorType>(type).getShape());
}

static std::optional<RoleKind> roleKind(DictionaryAttr attributes) {
  auto role = attributes ? attributes.getAs<RoleAttr>(attrs::role) : RoleAttr();
  return role ? std::optional(role.getKind()) : std::nullopt;
}

static std::optional<int64_t> roleIndex(DictionaryAttr attributes, RoleKind kind) {
  auto role = attributes ? attributes.getAs<RoleAttr>(attrs::role) : RoleAttr();
  return role && role.getKind() == kind ? role.getIndex() : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Forward and backward agree
//===----------------------------------------------------------------------===//

/// The results of a forward with role `kind`, by index.
static DenseMap<int64_t, unsigned> resultsByIndex(func::FuncOp forward, RoleKind kind) {
  DenseMap<int64_t, unsigned> results;
  for (unsigned i = 0; i < forward.getNumResults(); ++i)
    if (auto index = roleIndex(forward.getResultAttrDict(i), kind))
      results[*index] = i;
  return results;
}

void mlir::trace::copyForwardLayouts(func::FuncOp forward, func::FuncOp backward) {
  DenseMap<int64_t, unsigned> saved = resultsByIndex(forward, RoleKind::Saved);
  DenseMap<int64_t, unsigned> outputs = resultsByIndex(forward, RoleKind::Output);
  for (unsigned i = 0; i < backward.getNumArguments(); ++i) {
    DictionaryAttr attributes = backward.getArgAttrDict(i);
    Attribute strides;
    auto ofResult = [&](const DenseMap<int64_t, unsigned> &results, int64_t index) {
      // Without roles, results are outputs in order.
      unsigned result = results.contains(index) ? results.lookup(index) : static_cast<unsigned>(index);
      if (result < forward.getNumResults() && forward.getResultTypes()[result] == backward.getArgumentTypes()[i])
        strides = forward.getResultAttr(result, attrs::strides);
    };
    if (auto argument = attributes ? attributes.getAs<IntegerAttr>("trace.forward_argument") : IntegerAttr())
      strides = forward.getArgAttr(argument.getInt(), attrs::strides);
    else if (auto output = attributes ? attributes.getAs<IntegerAttr>("trace.forward_output") : IntegerAttr())
      ofResult(outputs, output.getInt());
    else if (auto index = roleIndex(attributes, RoleKind::Saved))
      ofResult(saved, *index);
    else if (auto index = roleIndex(attributes, RoleKind::Cotangent))
      ofResult(outputs, *index);
    else
      continue;
    // A cotangent is never expanded, even where its output is: the copy that makes it so is cheap to read.
    if (strides &&
        !isDense(cast<RankedTensorType>(backward.getArgumentTypes()[i]).getShape(), cast<DenseI64ArrayAttr>(strides)) &&
        roleKind(attributes) == RoleKind::Cotangent)
      strides = nullptr;
    if (strides)
      backward.setArgAttr(i, attrs::strides, strides);
    else
      backward.removeArgAttr(i, attrs::strides);
  }
  // A gradient in its argument's layout need not be copied when it is accumulated.
  for (unsigned i = 0; i < backward.getNumResults(); ++i) {
    auto argument = roleIndex(backward.getResultAttrDict(i), RoleKind::Gradient);
    if (!argument || *argument >= forward.getNumArguments() ||
        forward.getArgumentTypes()[*argument] != backward.getResultTypes()[i])
      continue;
    auto strides = forward.getArgAttrOfType<DenseI64ArrayAttr>(*argument, attrs::strides);
    if (strides && isDense(cast<RankedTensorType>(backward.getResultTypes()[i]).getShape(), strides))
      backward.setResultAttr(i, attrs::strides, strides);
  }
}

namespace {

/// The layouts of a fusion's operands and results; the key by which a fusion function is cloned.
struct FusionLayout {
  SmallVector<Strides> operands, results;
  bool operator==(const FusionLayout &other) const { return operands == other.operands && results == other.results; }
};

/// The fusion functions of the module, each with the layouts it exists for.
class Fusions {
public:
  explicit Fusions(ModuleOp module) : symbols(module) {}

  /// The function for `callee` with this layout: the function itself at first, clones for further layouts.
  FailureOr<func::FuncOp> get(CallOp call, const FusionLayout &layout) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee)
      return call.emitOpError("calls ") << call.getCalleeAttr() << ", which is no function here";
    auto &versions = layouts[callee];
    for (auto &[known, func] : versions)
      if (known == layout)
        return func;
    func::FuncOp func = callee;
    if (!versions.empty()) {
      func = callee.clone();
      symbols.insert(func, std::next(Block::iterator(callee)));
    }
    state(func, layout);
    versions.emplace_back(layout, func);
    return func;
  }

private:
  static void state(func::FuncOp func, const FusionLayout &layout) {
    Builder b(func.getContext());
    auto isContiguous = [](Type type, ArrayRef<int64_t> strides) {
      return strides == ArrayRef<int64_t>(contiguousStrides(cast<RankedTensorType>(type).getShape()));
    };
    for (auto [i, strides] : llvm::enumerate(layout.operands)) {
      if (isContiguous(func.getArgumentTypes()[i], strides))
        func.removeArgAttr(i, attrs::strides);
      else
        func.setArgAttr(i, attrs::strides, b.getDenseI64ArrayAttr(strides));
    }
    for (auto [i, strides] : llvm::enumerate(layout.results)) {
      if (isContiguous(func.getResultTypes()[i], strides))
        func.removeResultAttr(i, b.getStringAttr(attrs::strides));
      else
        func.setResultAttr(i, attrs::strides, b.getDenseI64ArrayAttr(strides));
    }
  }

  SymbolTable symbols;
  DenseMap<func::FuncOp, SmallVector<std::pair<FusionLayout, func::FuncOp>>> layouts;
};

class Assigner {
public:
  Assigner(func::FuncOp func, Fusions &fusions) : func(func), fusions(fusions), builder(func.getContext()) {}

  LogicalResult run() {
    if (failed(checkTypes()))
      return failure();
    for (BlockArgument argument : func.getArguments())
      strides[argument] = statedStrides(func.getArgAttrDict(argument.getArgNumber()), argument.getType());
    findWanted();
    for (Operation &op : llvm::make_early_inc_range(func.getBody().front().without_terminator()))
      if (failed(assign(&op)))
        return failure();
    settleResults();
    return success();
  }

private:
  LogicalResult checkTypes() {
    auto check = [](Operation *at, Type type) -> LogicalResult {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && tensor.hasStaticShape())
        return success();
      return at->emitOpError("has a value of type ") << type << ": layouts need tensors of static shape";
    };
    for (Type type : func.getArgumentTypes())
      if (failed(check(func, type)))
        return failure();
    for (Operation &op : func.getBody().front())
      for (Type type : op.getResultTypes())
        if (failed(check(&op, type)))
          return failure();
    return success();
  }

  //===--------------------------------------------------------------------===//
  // What layout is wanted
  //===--------------------------------------------------------------------===//

  /// The first result that states a layout for a value decides; views hand it on to what they are views of.
  void findWanted() {
    ReturnOp ret = getReturn(func);
    for (auto [i, value] : llvm::enumerate(ret->getOperands())) {
      DictionaryAttr attributes = func.getResultAttrDict(i);
      if (roleKind(attributes) == RoleKind::Saved)
        continue;
      Strides stated = statedStrides(attributes, value.getType());
      if (isDense(shapeOf(value), stated))
        wanted.try_emplace(value, stated);
    }
    for (Operation &op : llvm::reverse(func.getBody().front())) {
      // A reshape of what does not lie in order would need a copy.
      if (auto reshape = dyn_cast<ReshapeOp>(op)) {
        Value input = reshape.getInput();
        wanted.try_emplace(input, contiguousStrides(shapeOf(input)));
        continue;
      }
      auto it = op.getNumResults() == 1 ? wanted.find(op.getResult(0)) : wanted.end();
      if (it == wanted.end())
        continue;
      Strides result = it->second;
      if (auto transpose = dyn_cast<TransposeOp>(op)) {
        Strides operand(result.size());
        for (auto [d, from] : llvm::enumerate(transpose.getPerm()))
          operand[from] = result[d];
        wanted.try_emplace(transpose.getInput(), operand);
      }
    }
  }

  Strides wantedStrides(Value value) {
    auto it = wanted.find(value);
    return it != wanted.end() ? it->second : contiguousStrides(shapeOf(value));
  }

  //===--------------------------------------------------------------------===//
  // What layout each value has
  //===--------------------------------------------------------------------===//

  LogicalResult assign(Operation *op) {
    if (auto view = getViewSource(op)) {
      auto layout = getViewLayout(op, strides[view]);
      if (!layout) {
        builder.setInsertionPoint(op);
        Value copy = makeCopy(view, contiguousStrides(shapeOf(view)), op->getLoc());
        op->setOperand(0, copy);
        layout = getViewLayout(op, strides[copy]);
      }
      strides[op->getResult(0)] = layout->strides;
      return state(op);
    }
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      // A splat is one element, read again and again.
      bool splat = constant.getValue().isSplat();
      size_t rank = shapeOf(constant).size();
      strides[constant] = splat ? Strides(rank, 0) : contiguousStrides(shapeOf(constant));
      return state(op);
    }
    if (auto call = dyn_cast<CallOp>(op))
      return assignFusion(call);
    if (auto call = dyn_cast<CallLibraryOp>(op))
      return assignLibrary(call);
    if (auto check = dyn_cast<CheckIndexOp>(op)) {
      strides[check] = check.getWrap() ? contiguousStrides(shapeOf(check)) : strides[check.getIndex()];
      return state(op);
    }
    if (isa<ReleaseOp>(op))
      return success();
    return op->emitOpError("has no place in a host function here; run trace-lower-to-library");
  }

  static Value getViewSource(Operation *op) {
    return op->hasTrait<trace::OpTrait::ViewLike>() ? op->getOperand(0) : Value();
  }

  LogicalResult assignFusion(CallOp call) {
    FusionLayout layout;
    for (Value operand : call.getOperands_())
      layout.operands.push_back(strides[operand]);
    for (Value result : call.getResults())
      layout.results.push_back(wantedStrides(result));
    FailureOr<func::FuncOp> callee = fusions.get(call, layout);
    if (failed(callee))
      return failure();
    call.setCallee(callee->getSymName());
    for (auto [result, given] : llvm::zip_equal(call.getResults(), layout.results))
      strides[result] = given;
    return state(call);
  }

  LogicalResult assignLibrary(CallLibraryOp call) {
    ArrayAttr given = call.getResultStridesAttr();
    if (given && given.size() != call.getNumResults())
      return call.emitOpError("needs one result_strides entry per result");
    // Matrix products are written where and how we say.
    bool free = !given && canChooseLayout(call);
    for (auto [i, result] : llvm::enumerate(call.getResults())) {
      Strides chosen = free ? wantedStrides(result) : contiguousStrides(shapeOf(result));
      if (given) {
        auto stated = readStrides(given[i]);
        if (!stated || stated->size() != shapeOf(result).size())
          return call.emitOpError("result_strides entry ") << i << " does not fit " << result.getType();
        chosen = *stated;
      }
      strides[result] = chosen;
    }
    return state(call);
  }

  /// Matrix products write any layout; batched ones only contiguous matrices quickly, so that another layout must be
  /// worth a call per matrix.
  bool canChooseLayout(CallLibraryOp call) {
    if (call.getName() == "aten.mm.default" || call.getName() == "aten.addmm.default")
      return true;
    if (call.getName() != "aten.matmul.default" && call.getName() != "aten.bmm.default")
      return false;
    constexpr int64_t worthwhile = 4096; // elements of a matrix
    ArrayRef<int64_t> shape = shapeOf(call.getResult(0));
    return shape.size() > 2 && shape[shape.size() - 1] * shape[shape.size() - 2] >= worthwhile &&
           wantedStrides(call.getResult(0)).back() == 1;
  }

  /// Strides as array<i64: ..> or as [..]; a contiguous layout as unit.
  static std::optional<Strides> readStrides(Attribute attribute) {
    if (auto dense = dyn_cast<DenseI64ArrayAttr>(attribute))
      return Strides(dense.asArrayRef());
    auto list = dyn_cast<ArrayAttr>(attribute);
    if (!list)
      return std::nullopt;
    Strides strides;
    for (Attribute each : list) {
      auto integer = dyn_cast<IntegerAttr>(each);
      if (!integer)
        return std::nullopt;
      strides.push_back(integer.getInt());
    }
    return strides;
  }

  /// Writes the strides of an op's results down.
  LogicalResult state(Operation *op) {
    SmallVector<Attribute> layouts;
    for (Value result : op->getResults())
      layouts.push_back(builder.getDenseI64ArrayAttr(strides[result]));
    op->setAttr(layoutsAttr, builder.getArrayAttr(layouts));
    return success();
  }

  /// A copy of `value` with other strides, at the insertion point.
  Value makeCopy(Value value, ArrayRef<int64_t> to, Location loc) {
    Attribute operand = OperandRefAttr::get(builder.getContext(), 0);
    Attribute list = builder.getDenseI64ArrayAttr(to);
    auto copy =
        CallLibraryOp::create(builder, loc, TypeRange(value.getType()), builder.getStringAttr("aten.clone.default"),
                              value, builder.getArrayAttr(operand), builder.getArrayAttr(list), UnitAttr());
    strides[copy.getResult(0)] = Strides(to);
    (void)state(copy);
    return copy.getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// The value whose buffer this one shows.
  static Value getRoot(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      bool checked = isa<CheckIndexOp>(op) && !cast<CheckIndexOp>(op).getWrap();
      if (!checked && !getViewSource(op))
        break;
      value = op->getOperand(0);
    }
    return value;
  }

  /// The value may not be handed out as result `i` without a copy: somebody else has its buffer.
  bool mustOwn(Value value, unsigned i, const DenseSet<Value> &returned, const DenseSet<Value> &rootsOfGradients) {
    std::optional<RoleKind> role = roleKind(func.getResultAttrDict(i));
    Value root = getRoot(value);
    if (root.getDefiningOp<ConstantOp>())
      return true;
    if (role == RoleKind::Gradient) {
      // A cotangent may be passed through, as eager does; nothing else that is not ours, and no buffer twice but as
      // the very same tensor (which is never accumulated in place while another has it).
      if (isa<BlockArgument>(root) &&
          roleKind(func.getArgAttrDict(cast<BlockArgument>(root).getArgNumber())) != RoleKind::Cotangent)
        return true;
      return rootsOfGradients.contains(root) && !returned.contains(value);
    }
    if (role == RoleKind::Saved || role == RoleKind::Mutated || role == RoleKind::Alias)
      return false;
    return isa<BlockArgument>(root) || returned.contains(value);
  }

  void settleResults() {
    ReturnOp ret = getReturn(func);
    DenseSet<Value> returned, rootsOfGradients;
    for (unsigned i = 0; i < ret->getNumOperands(); ++i) {
      Value value = ret->getOperand(i);
      std::optional<RoleKind> role = roleKind(func.getResultAttrDict(i));
      Strides have = strides[value], want = statedStrides(func.getResultAttrDict(i), value.getType());
      bool fits = sameLayout(shapeOf(value), have, want);
      bool own = mustOwn(value, i, returned, rootsOfGradients);
      // What is saved is read as it lies; a gradient of another layout is copied where it is accumulated; a layout in
      // which elements overlap cannot be written.
      bool keep = role == RoleKind::Saved || role == RoleKind::Gradient || role == RoleKind::Mutated ||
                  role == RoleKind::Alias || !isDense(shapeOf(value), want);
      if (own || (!fits && !keep)) {
        builder.setInsertionPoint(ret);
        if (!isDense(shapeOf(value), want))
          want = isDense(shapeOf(value), have) ? have : contiguousStrides(shapeOf(value));
        Value copy = makeCopy(value, want, ret.getLoc());
        ret->setOperand(i, copy);
      } else {
        returned.insert(value);
      }
      if (role == RoleKind::Gradient)
        rootsOfGradients.insert(getRoot(ret->getOperand(i)));
      stateResult(i, strides[ret->getOperand(i)]);
    }
  }

  /// The layout that result `i` really has.
  void stateResult(unsigned i, const Strides &given) {
    auto type = cast<RankedTensorType>(func.getResultTypes()[i]);
    if (given == contiguousStrides(type.getShape()))
      func.removeResultAttr(i, builder.getStringAttr(attrs::strides));
    else
      func.setResultAttr(i, attrs::strides, builder.getDenseI64ArrayAttr(given));
  }

  func::FuncOp func;
  Fusions &fusions;
  OpBuilder builder;
  DenseMap<Value, Strides> strides, wanted;
};

struct AssignLayouts : mlir::trace::impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    Fusions fusions(getOperation());
    SmallVector<func::FuncOp> forwards, backwards;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (isHostFunction(func)) {
        auto side = func->getAttrOfType<StringAttr>(attrs::side);
        (side && side.getValue() == "backward" ? backwards : forwards).push_back(func);
      }
    for (func::FuncOp forward : forwards)
      if (failed(Assigner(forward, fusions).run()))
        return signalPassFailure();
    for (func::FuncOp backward : backwards) {
      if (auto name = backward->getAttrOfType<FlatSymbolRefAttr>("trace.forward_symbol"))
        if (auto forward = symbols.lookup<func::FuncOp>(name.getAttr()))
          copyForwardLayouts(forward, backward);
      if (failed(Assigner(backward, fusions).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
