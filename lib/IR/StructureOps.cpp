//===- StructureOps.cpp - Verifiers of symbols, regions, calls, returns -----===//
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

/// A region's block takes `operands` and its trace.yield gives values of `results`' types.
static LogicalResult verifyBody(Operation *op, Region &region, TypeRange operands, TypeRange results, StringRef what) {
  Block &block = region.front();
  if (block.getArgumentTypes() != operands)
    return op->emitOpError() << what << " must take the types of the operands";
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << what << " must end in trace.yield";
  if (yield.getOperandTypes() != results) {
    InFlightDiagnostic error = op->emitOpError() << what << " must yield the types of the results";
    error.attachNote(yield.getLoc()) << "yielded here";
    return error;
  }
  return success();
}

/// #trace.operand<i> in an argument list must name an operand, and every operand must be named.
static LogicalResult verifyArguments(Operation *op, ArrayAttr arguments, unsigned operands) {
  if (!arguments)
    return success();
  SmallVector<bool> used(operands);
  LogicalResult result = success();
  arguments.walk([&](OperandRefAttr ref) {
    if (ref.getIndex() < 0 || ref.getIndex() >= static_cast<int64_t>(operands))
      result = op->emitOpError() << "argument list names operand " << ref.getIndex() << " of " << operands;
    else
      used[ref.getIndex()] = true;
  });
  if (succeeded(result) && llvm::is_contained(used, false))
    return op->emitOpError("has an operand that its argument list does not name");
  return result;
}

LogicalResult BsymOp::verify() {
  if (!getBody().empty() &&
      failed(verifyBody(*this, getBody(), getOperands_().getTypes(), getResultTypes(), "decomposition")))
    return failure();
  if (getVjpForward().has_value() != getVjpBackward().has_value())
    return emitOpError("needs both vjp_forward and vjp_backward, or neither");
  if (getImpure() && !getBody().empty())
    return emitOpError("has a decomposition, whose ops say themselves what is impure");
  return verifyArguments(*this, getArgumentsAttr(), getOperands_().size());
}

static void addEffects(bool impure, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (!impure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void BsymOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) { addEffects(getImpure(), effects); }

LogicalResult BsymOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (FlatSymbolRefAttr ref : {getVjpForwardAttr(), getVjpBackwardAttr()})
    if (ref && !symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, ref))
      return emitOpError("has a gradient rule ") << ref << " that is no function here";
  return success();
}

LogicalResult CallLibraryOp::verify() { return verifyArguments(*this, getArgumentsAttr(), getOperands_().size()); }

void CallLibraryOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(getImpure(), effects);
}

LogicalResult FusionOp::verify() {
  if (failed(verifyBody(*this, getBody(), getOperands_().getTypes(), getResultTypes(), "body")))
    return failure();
  for (Operation &inner : getBody().front()) {
    if (isa<YieldOp>(inner) || isFusible(&inner))
      continue;
    InFlightDiagnostic error = emitOpError("cannot hold '") << inner.getName() << "'";
    error.attachNote(inner.getLoc()) << "the op stands here";
    return error;
  }
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("calls ") << getCalleeAttr() << ", which is no function here";
  if (TypeRange(callee.getArgumentTypes()) != TypeRange(getOperands_()) ||
      TypeRange(callee.getResultTypes()) != TypeRange(getResultTypes())) {
    InFlightDiagnostic error = emitOpError("does not have the type of its callee");
    error.attachNote(callee.getLoc()) << "callee is " << callee.getFunctionType();
    return error;
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  auto func = cast<func::FuncOp>((*this)->getParentOp());
  SmallVector<Type> types(getOutputs().getTypes());
  llvm::append_range(types, getGradients().getTypes());
  if (types.size() != func.getNumResults())
    return emitOpError("has ") << types.size() << " operands, but the function has " << func.getNumResults()
                               << " results";
  for (auto [i, type] : llvm::enumerate(types))
    if (type != func.getResultTypes()[i])
      return emitOpError("operand ") << i << " is " << type << ", but the function's result " << i << " is "
                                     << func.getResultTypes()[i];
  if (getGradientOf().size() != getGradients().size())
    return emitOpError("needs one argument number per gradient");
  if (!getGradients().empty() && !func->hasAttr(attrs::joint) && !func->hasAttr(attrs::side))
    return emitOpError("gives gradients, but its function is neither a joint nor a backward");
  if (!func->hasAttr(attrs::joint))
    return success();
  for (auto [gradient, argument] : llvm::zip_equal(getGradients(), getGradientOf())) {
    if (argument < 0 || argument >= static_cast<int64_t>(func.getNumArguments()))
      return emitOpError("gives a gradient of argument ") << argument << ", which is not there";
    if (gradient.getType() != func.getArgumentTypes()[argument])
      return emitOpError("gradient of argument ") << argument << " is " << gradient.getType()
                                                  << ", but the argument is " << func.getArgumentTypes()[argument];
  }
  return success();
}

LogicalResult GetGradOp::verify() {
  auto func = (*this)->getParentOfType<func::FuncOp>();
  if (!func || (*this)->getParentOp() != func || !func->hasAttr(attrs::joint))
    return emitOpError("must stand at the top level of a joint function (func.func with trace.joint)");
  if (!isa<FloatType, ComplexType>(getType().getElementType()))
    return emitOpError("of ") << getType() << ": only floating-point outputs have a cotangent";
  // During construction the function may still lack its terminator.
  ReturnOp ret = func.getBody().hasOneBlock() && !func.getBody().front().empty()
                     ? dyn_cast<ReturnOp>(func.getBody().front().back())
                     : ReturnOp();
  if (!ret)
    return success();
  if (getOutput() >= ret.getOutputs().size()) {
    InFlightDiagnostic error = emitOpError("asks for output ") << getOutput() << " of " << ret.getOutputs().size();
    error.attachNote(ret.getLoc()) << "outputs are returned here";
    return error;
  }
  if (ret.getOutputs()[getOutput()] != getInput()) {
    InFlightDiagnostic error = emitOpError("operand is not output ") << getOutput() << " of the function";
    error.attachNote(ret.getLoc()) << "outputs are returned here";
    return error;
  }
  return success();
}

LogicalResult CheckpointOp::verify() {
  return verifyBody(*this, getBody(), getOperands_().getTypes(), getResultTypes(), "body");
}

LogicalResult CustomGradOp::verify() {
  Block &primal = getPrimal().front();
  if (primal.getArgumentTypes() != getOperands_().getTypes())
    return emitOpError("primal must take the types of the operands");
  auto yield = primal.empty() ? YieldOp() : dyn_cast<YieldOp>(primal.back());
  if (!yield || yield.getNumOperands() < getNumResults() ||
      TypeRange(yield.getOperandTypes()).take_front(getNumResults()) != TypeRange(getResultTypes()))
    return emitOpError("primal must yield the results, followed by what the backward wants");
  SmallVector<Type> wanted(getResultTypes());
  llvm::append_range(wanted, TypeRange(yield.getOperandTypes()).drop_front(getNumResults()));
  SmallVector<Type> gradients;
  for (int64_t i : getGradOperands()) {
    if (i < 0 || i >= static_cast<int64_t>(getOperands_().size()))
      return emitOpError("has a gradient for operand ") << i << ", which is not there";
    gradients.push_back(getOperands_()[i].getType());
  }
  return verifyBody(*this, getBackward(), wanted, gradients, "backward");
}
