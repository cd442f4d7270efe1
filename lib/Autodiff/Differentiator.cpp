//===- Differentiator.cpp - Reverse mode on one function --------------------===//
#include "Differentiator.h"
#include "Rules/Expr.h"
#include "SoftmaxShift.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::autodiff;

bool autodiff::isDifferentiable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType, ComplexType>(tensor.getElementType());
}

/// Rules of prims are written for real numbers; of complex ones, only these need no conjugate.
static bool isRealLinear(Operation *op) {
  return isa<AddOp, SubOp, NegOp, ReduceSumOp, RecomputeBarrierOp>(op) || op->hasTrait<trace::OpTrait::ViewLike>() ||
         op->hasTrait<trace::OpTrait::DataMovement>();
}

Differentiator::Differentiator(func::FuncOp func, SymbolTableCollection &symbols, bool differentiateAgain)
    : func(func), symbols(symbols), differentiateAgain(differentiateAgain), ret(getReturn(func)), builder(ret) {}

LogicalResult Differentiator::run() {
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), attrs::requiresGrad))
      active.insert(argument);

  SmallVector<Operation *> ops;
  for (Operation &op : func.getBody().front().without_terminator())
    ops.push_back(&op);
  SmallVector<Step> steps;
  if (failed(prepare(ops, &steps)))
    return failure();

  markNonDifferentiable();
  differentiable.resize(ret.getOutputs().size());
  bool joint = anyActive(ret.getOutputs());
  if (joint) {
    func->setAttr(attrs::joint, builder.getUnitAttr());
    for (auto [k, output] : llvm::enumerate(ret.getOutputs())) {
      if (!active.contains(output))
        continue;
      Location loc = output.getDefiningOp() ? output.getLoc() : ret.getLoc();
      Value cotangent = GetGradOp::create(builder, loc, output, k);
      Outputs itself(ret.getOutputs().size());
      itself.set(k);
      differentiable.set(k);
      reach(output, itself);
      addCotangent(output, cotangent, loc);
    }
    if (failed(walkBackwards(steps)))
      return failure();
  }
  finish();
  if (joint)
    emitGradients();
  return success();
}

bool Differentiator::Step::mayReach(int64_t operand) const {
  if (kind == Kind::Region)
    return llvm::is_contained(gradOperands, operand);
  return !isa<RecomputeBarrierOp>(op) || operand == 0;
}

//===----------------------------------------------------------------------===//
// Forward: activity, region ops
//===----------------------------------------------------------------------===//

LogicalResult Differentiator::prepare(ArrayRef<Operation *> ops, SmallVectorImpl<Step> *steps) {
  for (Operation *op : ops) {
    if (auto stop = dyn_cast<StopGradientOp>(op)) {
      if (!differentiateAgain) {
        replacements[stop.getResult()] = stop.getInput();
        replaced.push_back(stop);
      }
      continue;
    }
    LogicalResult result = success();
    if (auto custom = dyn_cast<CustomGradOp>(op))
      result = prepareCustomGrad(custom, steps);
    else if (auto checkpoint = dyn_cast<CheckpointOp>(op))
      result = prepareCheckpoint(checkpoint, steps);
    else if (auto bsym = dyn_cast<BsymOp>(op); bsym && anyActive(bsym->getOperands()))
      result = prepareBsym(bsym, steps);
    else if (carriesGradient(op)) {
      bool any = false;
      for (Value value : op->getResults())
        if (isDifferentiable(value.getType())) {
          active.insert(value);
          any = true;
        }
      if (any && steps)
        steps->push_back(Step{Step::Kind::Rule, op});
    }
    if (failed(result))
      return failure();
  }
  return success();
}

bool Differentiator::carriesGradient(Operation *op) const {
  // `after` is no operand that the result depends on.
  if (auto barrier = dyn_cast<RecomputeBarrierOp>(op))
    return active.contains(barrier.getInput());
  return anyActive(op->getOperands()) && !isa<BitcastOp>(op) && !isSoftmaxShift(op);
}

LogicalResult Differentiator::prepareCustomGrad(CustomGradOp op, SmallVectorImpl<Step> *steps) {
  OpBuilder at(op);
  SmallVector<Operation *> clones;
  SmallVector<Value> values = inlineBlock(at, op.getPrimal().front(), op.getOperands_(), op.getLoc(), clones);
  for (auto [result, value] : llvm::zip(op.getResults(), values))
    replacements[result] = value;
  replaced.push_back(op);
  if (failed(prepare(clones, nullptr)))
    return failure();

  if (llvm::none_of(op.getGradOperands(), [&](int64_t i) { return active.contains(op.getOperands_()[i]); }))
    return success();
  std::optional<ArrayRef<int64_t>> without = op.getNonDifferentiable();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (isDifferentiable(result.getType()) && !(without && llvm::is_contained(*without, static_cast<int64_t>(i))))
      active.insert(result);
  if (steps)
    steps->push_back(Step{Step::Kind::Region, op, llvm::to_vector(ArrayRef(values).drop_front(op.getNumResults())),
                          &op.getBackward().front(), op.getGradOperands()});
  return success();
}

static bool isImpureSymbol(Operation *op) {
  auto bsym = dyn_cast<BsymOp>(op);
  return bsym && bsym.getImpure();
}

LogicalResult Differentiator::flattenEffects(CheckpointOp op) {
  auto findImpure = [](Operation *op) {
    BsymOp found;
    op->walk([&](BsymOp symbol) {
      if (symbol.getImpure())
        found = symbol;
    });
    return found;
  };
  // What is inlined may hold a checkpoint itself, so this is repeated until there is none.
  Block &body = op.getBody().front();
  for (bool again = true; again;) {
    again = false;
    for (auto nested : llvm::make_early_inc_range(body.getOps<CheckpointOp>())) {
      if (!findImpure(nested))
        continue;
      OpBuilder at(nested);
      SmallVector<Operation *> clones;
      nested.replaceAllUsesWith(
          inlineBlock(at, nested.getBody().front(), nested.getOperands_(), nested.getLoc(), clones));
      nested.erase();
      again = true;
    }
  }
  for (Operation &inner : body) {
    BsymOp impure = findImpure(&inner);
    if (!impure)
      continue;
    // A gradient rule's forward function would run the symbol again for what the gradient needs.
    if (impure == &inner && !impure.getVjpForward())
      continue;
    InFlightDiagnostic error = impure.emitOpError("is impure and would be computed again in the backward");
    error.attachNote(op.getLoc()) << "it stands in this checkpoint"
                                  << (impure == &inner ? ", and its gradient rule computes it"
                                                       : ", in a region of its own");
    return error;
  }
  return success();
}

LogicalResult Differentiator::prepareCheckpoint(CheckpointOp op, SmallVectorImpl<Step> *steps) {
  if (failed(flattenEffects(op)))
    return failure();
  OpBuilder at(op);
  SmallVector<Operation *> clones;
  SmallVector<Value> values = inlineBlock(at, op.getBody().front(), op.getOperands_(), op.getLoc(), clones);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values))
    replacements[result] = value;
  replaced.push_back(op);
  if (failed(prepare(clones, nullptr)))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values))
    if (active.contains(value))
      active.insert(result);
  if (!steps || !anyActive(op.getResults()))
    return success();
  SmallVector<Value> drawn;
  for (Operation *clone : clones) {
    if (!isImpureSymbol(clone))
      continue;
    if (anyActive(clone->getResults()))
      return clone->emitOpError() << "'" << cast<BsymOp>(clone).getName() << "' has no gradient rule";
    llvm::append_range(drawn, clone->getResults());
  }
  steps->push_back(Step{Step::Kind::Checkpoint, op, std::move(drawn)});
  return success();
}

/// Only called for active bsyms: the others stay as they are.
LogicalResult Differentiator::prepareBsym(BsymOp op, SmallVectorImpl<Step> *steps) {
  if (op.getVjpForward()) {
    ArrayRef<int64_t> operands = op.getVjpOperands().value_or(ArrayRef<int64_t>());
    if (llvm::none_of(operands, [&](int64_t i) { return active.contains(op.getOperands_()[i]); }))
      return success();
    for (Value result : op.getResults())
      if (isDifferentiable(result.getType()))
        active.insert(result);
    // A forward that will not be differentiated needs nothing saved.
    if (!steps)
      return success();
    auto forward = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, op.getVjpForwardAttr());
    auto backward = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, op.getVjpBackwardAttr());
    if (failed(verifyGradientRule(op, forward, backward)))
      return failure();
    OpBuilder at(op);
    SmallVector<Operation *> clones;
    SmallVector<Value> values = inlineBlock(at, forward.getBody().front(), op.getOperands_(), op.getLoc(), clones);
    for (auto [result, value] : llvm::zip(op.getResults(), values))
      replacements[result] = value;
    replaced.push_back(op);
    if (failed(prepare(clones, nullptr)))
      return failure();
    steps->push_back(Step{Step::Kind::Region, op, llvm::to_vector(ArrayRef(values).drop_front(op.getNumResults())),
                          &backward.getBody().front(), operands});
    return success();
  }
  if (!op.getBody().empty()) {
    // Claimed whole by an executor that has no gradient for it: its decomposition has one.
    OpBuilder at(op);
    SmallVector<Operation *> clones;
    SmallVector<Value> values = inlineBlock(at, op.getBody().front(), op.getOperands_(), op.getLoc(), clones);
    replaced.push_back(op);
    if (failed(prepare(clones, steps)))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op.getResults(), values)) {
      replacements[result] = value;
      if (active.contains(value))
        active.insert(result);
    }
    if (steps)
      steps->push_back(Step{Step::Kind::Inlined, op, values});
    return success();
  }
  for (Value result : op.getResults())
    if (isDifferentiable(result.getType()))
      active.insert(result);
  if (steps && anyActive(op.getResults()))
    steps->push_back(Step{Step::Kind::Rule, op});
  return success();
}

LogicalResult Differentiator::verifyGradientRule(BsymOp op, func::FuncOp forward, func::FuncOp backward) {
  auto fail = [&](func::FuncOp rule, const Twine &what) {
    InFlightDiagnostic error = op.emitOpError()
                               << "'" << op.getName() << "' has a gradient rule that does not fit: " << what;
    error.attachNote(rule.getLoc()) << "the rule stands here";
    return error;
  };
  for (func::FuncOp rule : {forward, backward})
    if (!getReturn(rule))
      return fail(rule, "@" + rule.getSymName() + " must have a body that ends in trace.return");
  if (TypeRange(forward.getArgumentTypes()) != TypeRange(op.getOperands_()))
    return fail(forward, "@" + forward.getSymName() + " must take the operands");
  if (forward.getNumResults() < op.getNumResults() ||
      TypeRange(forward.getResultTypes()).take_front(op.getNumResults()) != TypeRange(op.getResultTypes()))
    return fail(forward, "@" + forward.getSymName() + " must return the results, then what the backward wants");
  if (backward.getArgumentTypes() != forward.getResultTypes())
    return fail(backward, "@" + backward.getSymName() + " must take the cotangents of the results, then what @" +
                              forward.getSymName() + " returns for it");
  SmallVector<Type> wanted;
  for (int64_t i : op.getVjpOperands().value_or(ArrayRef<int64_t>())) {
    if (i < 0 || i >= static_cast<int64_t>(op.getOperands_().size()))
      return fail(backward, "vjp_operands names operand " + Twine(i) + ", which is not there");
    wanted.push_back(op.getOperands_()[i].getType());
  }
  if (backward.getResultTypes() != ArrayRef<Type>(wanted))
    return fail(backward, "@" + backward.getSymName() + " must return the cotangents of vjp_operands");
  return success();
}

SmallVector<Value> Differentiator::inlineBlock(OpBuilder &at, Block &block, ValueRange arguments, Location loc,
                                               SmallVectorImpl<Operation *> &clones) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    Operation *clone = at.clone(op, mapping);
    if (isa<UnknownLoc>(clone->getLoc()))
      clone->setLoc(loc);
    clones.push_back(clone);
  }
  SmallVector<Value> values;
  for (Value value : block.getTerminator()->getOperands())
    values.push_back(mapping.lookup(value));
  return values;
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

LogicalResult Differentiator::walkBackwards(ArrayRef<Step> steps) {
  for (const Step &step : llvm::reverse(steps)) {
    Operation *op = step.op;
    Outputs outputs = reachedFrom(op->getResults());
    if (outputs.none())
      continue;
    if (step.kind == Step::Kind::Inlined) {
      for (auto [result, value] : llvm::zip_equal(op->getResults(), step.saved)) {
        Outputs from = reachedFrom(result);
        if (from.none() || !active.contains(value))
          continue;
        reach(value, from);
        if (Value cotangent = cotangentOf.lookup(result))
          addCotangent(value, cotangent, op->getLoc());
      }
      continue;
    }
    SmallVector<Value> cotangents;
    for (Value result : op->getResults())
      cotangents.push_back(cotangentOf.lookup(result));
    bool any = llvm::any_of(cotangents, [](Value cotangent) { return bool(cotangent); });
    // A checkpoint's body says itself which results reach which operands.
    if (!any || step.kind != Step::Kind::Checkpoint)
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (active.contains(operand) && step.mayReach(i))
          reach(operand, outputs);
    if (!any)
      continue;
    LogicalResult result = failure();
    switch (step.kind) {
    case Step::Kind::Rule:
      result = applyRule(step, cotangents);
      break;
    case Step::Kind::Region:
      result = applyRegion(step, cotangents);
      break;
    case Step::Kind::Checkpoint:
      result = recompute(step, cotangents);
      break;
    case Step::Kind::Inlined:
      llvm_unreachable("handled above");
    }
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult Differentiator::applyRule(const Step &step, ArrayRef<Value> cotangents) {
  Operation *op = step.op;
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable) {
    InFlightDiagnostic error = op->emitOpError();
    if (auto bsym = dyn_cast<BsymOp>(op))
      error << "'" << bsym.getName() << "' ";
    error << "has no gradient rule";
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (!isa<GetGradOp>(user) && (!first || user->isBeforeInBlock(first)))
        first = user;
    if (first)
      error.attachNote(first->getLoc()) << "its gradient is asked for through this use";
    return error;
  }
  SmallVector<bool> needed;
  for (Value operand : op->getOperands()) {
    needed.push_back(active.contains(operand));
    if (needed.back() && isa<ComplexType>(getElementTypeOrSelf(operand.getType())) && !isRealLinear(op))
      return op->emitOpError("has no gradient rule for complex numbers");
  }
  SmallVector<Value> grads(op->getNumOperands());
  if (failed(differentiable.buildVjp(builder, cotangents, needed, grads)))
    return failure();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!grads[i] || !needed[i])
      continue;
    if (grads[i].getType() != operand.getType())
      return op->emitOpError("has a gradient rule that gives ")
             << grads[i].getType() << " for operand " << i << " of type " << operand.getType();
    addCotangent(operand, grads[i], op->getLoc());
  }
  return success();
}

LogicalResult Differentiator::applyRegion(const Step &step, ArrayRef<Value> cotangents) {
  Operation *op = step.op;
  SmallVector<Value> arguments;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Value cotangent = cotangents[i];
    // Zeros only where the backward looks at them.
    if (!cotangent && !step.backward->getArgument(i).use_empty())
      cotangent = constantLike(E(builder, op->getLoc(), result), 0.0).value;
    arguments.push_back(cotangent ? cotangent : result);
  }
  llvm::append_range(arguments, step.saved);
  SmallVector<Operation *> clones;
  SmallVector<Value> grads = inlineBlock(builder, *step.backward, arguments, op->getLoc(), clones);
  if (failed(prepare(clones, nullptr)))
    return failure();
  for (auto [i, grad] : llvm::zip_equal(step.gradOperands, grads))
    if (Value operand = op->getOperand(i); active.contains(operand))
      addCotangent(operand, grad, op->getLoc());
  return success();
}

LogicalResult Differentiator::recompute(const Step &step, ArrayRef<Value> cotangents) {
  auto checkpoint = cast<CheckpointOp>(step.op);
  Value after = *llvm::find_if(cotangents, [](Value cotangent) { return bool(cotangent); });
  SmallVector<Step> steps;
  SmallVector<Value> arguments;
  for (Value operand : checkpoint.getOperands_()) {
    Operation *producer = operand.getDefiningOp();
    if (!isa<RankedTensorType>(operand.getType()) || (producer && producer->hasTrait<mlir::OpTrait::ConstantLike>())) {
      arguments.push_back(operand);
      continue;
    }
    auto barrier = RecomputeBarrierOp::create(builder, checkpoint.getLoc(), operand, after);
    arguments.push_back(barrier);
    if (active.contains(operand)) {
      active.insert(barrier);
      steps.push_back(Step{Step::Kind::Rule, barrier});
    }
  }
  SmallVector<Operation *> clones;
  SmallVector<Value> values =
      inlineBlock(builder, checkpoint.getBody().front(), arguments, checkpoint.getLoc(), clones);
  // Impure symbols are not run again: what they gave is saved.
  ArrayRef<Value> drawn = step.saved;
  llvm::erase_if(clones, [&](Operation *clone) {
    if (!isImpureSymbol(clone))
      return false;
    for (Value result : clone->getResults()) {
      result.replaceAllUsesWith(drawn.front());
      llvm::replace(values, result, drawn.front());
      drawn = drawn.drop_front();
    }
    clone->erase();
    return true;
  });
  if (failed(prepare(clones, &steps)))
    return failure();
  for (auto [value, result, cotangent] : llvm::zip_equal(values, checkpoint.getResults(), cotangents)) {
    Outputs outputs = reachedFrom(result);
    if (outputs.none() || !active.contains(value))
      continue;
    reach(value, outputs);
    if (cotangent)
      addCotangent(value, cotangent, checkpoint.getLoc());
  }
  return walkBackwards(steps);
}

Differentiator::Outputs Differentiator::reachedFrom(ValueRange values) {
  Outputs outputs(ret.getOutputs().size());
  for (Value value : values)
    if (auto found = reached.find(value); found != reached.end())
      outputs |= found->second;
  return outputs;
}

void Differentiator::reach(Value value, const Outputs &outputs) {
  auto [found, isNew] = reached.try_emplace(value, outputs);
  if (!isNew)
    found->second |= outputs;
}

void Differentiator::addCotangent(Value value, Value cotangent, Location loc) {
  Value &sum = cotangentOf[value];
  sum = sum ? AddOp::create(builder, loc, sum, cotangent) : cotangent;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void Differentiator::markNonDifferentiable() {
  // All at once: setting one result's attributes costs as much as setting all.
  SmallVector<DictionaryAttr> attributes;
  func.getAllResultAttrs(attributes);
  for (auto [k, output] : llvm::enumerate(ret.getOutputs())) {
    if (active.contains(output))
      continue;
    NamedAttrList list(attributes[k]);
    list.set(attrs::nonDifferentiable, builder.getUnitAttr());
    attributes[k] = list.getDictionary(func.getContext());
  }
  func.setAllResultAttrs(attributes);
}

Value Differentiator::resolved(Value value) const {
  for (auto it = replacements.find(value); it != replacements.end(); it = replacements.find(value))
    value = it->second;
  return value;
}

void Differentiator::finish() {
  for (Operation *op : replaced)
    for (Value result : op->getResults())
      result.replaceAllUsesWith(resolved(result));
  for (auto &[value, cotangent] : cotangentOf)
    cotangent = resolved(cotangent);
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

void Differentiator::emitGradients() {
  SmallVector<Value> gradients;
  SmallVector<int64_t> gradientOf;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument argument : func.getArguments()) {
    Outputs outputs = reachedFrom(argument);
    if (!func.getArgAttr(argument.getArgNumber(), attrs::requiresGrad) || outputs.none())
      continue;
    Value gradient = cotangentOf.lookup(argument);
    if (!gradient)
      gradient = constantLike(E(builder, ret.getLoc(), argument), 0.0).value;
    gradients.push_back(gradient);
    gradientOf.push_back(argument.getArgNumber());
    types.push_back(argument.getType());
    auto role = RoleAttr::get(func.getContext(), RoleKind::Gradient, argument.getArgNumber(), StringAttr());
    NamedAttrList list(builder.getNamedAttr(attrs::role, role));
    if (outputs != differentiable)
      list.set(attrs::reachedBy, builder.getDenseI64ArrayAttr(SmallVector<int64_t>(outputs.set_bits())));
    attributes.push_back(list.getDictionary(func.getContext()));
  }
  SmallVector<unsigned> positions(gradients.size(), func.getNumResults());
  (void)func.insertResults(positions, types, attributes);
  ReturnOp::create(builder, ret.getLoc(), ret.getOutputs(), gradients, gradientOf);
  ret.erase();
}
