//===- GradientCheck.cpp - Gradients against finite differences -------------===//
#include "Program.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;

namespace {
/// One joint against finite differences of its own outputs (or of the function that it was made of).
class Checker {
public:
  Checker(func::FuncOp primal, func::FuncOp joint, const GradientOptions &options)
      : primal(primal), joint(joint), options(options) {}

  LogicalResult check(StringRef what, raw_ostream &os);

private:
  LogicalResult makeInputs();
  /// The outputs' inner product with the cotangents, at the current arguments.
  FailureOr<double> loss(StopGradientValues::Mode mode);
  /// d loss / d argument j, element e: five points, so that the error is of the order of step^4.
  FailureOr<double> difference(unsigned j, int64_t e);

  func::FuncOp primal, joint;
  const GradientOptions &options;
  SmallVector<Tensor> arguments;
  llvm::DenseMap<int64_t, Tensor> cotangents;
  StopGradientValues stopGradients;
};
} // namespace

LogicalResult Checker::makeInputs() {
  for (auto [i, type] : llvm::enumerate(joint.getArgumentTypes())) {
    auto it = options.given.find(i);
    FailureOr<Tensor> value = it == options.given.end()
                                  ? randomTensor(joint.getLoc(), type, options.inputs, i)
                                  : parseInput(joint.getLoc(), type, it->second, options.inputs, i);
    if (failed(value))
      return failure();
    arguments.push_back(std::move(*value));
  }
  // Every floating-point output that may depend on a differentiable argument, whether its get_grad is used or not.
  for (auto [k, output] : llvm::enumerate(getReturn(joint).getOutputs())) {
    auto type = dyn_cast<RankedTensorType>(output.getType());
    if (!type || !isa<FloatType>(type.getElementType()) || joint.getResultAttr(k, attrs::nonDifferentiable))
      continue;
    InputOptions range = options.inputs;
    range.low = -1, range.high = 1;
    FailureOr<Tensor> value = randomTensor(joint.getLoc(), type, range, (1 << 20) + k);
    if (failed(value))
      return failure();
    cotangents[k] = std::move(*value);
  }
  return success();
}

FailureOr<double> Checker::loss(StopGradientValues::Mode mode) {
  InterpreterOptions interpreter;
  interpreter.f64 = true;
  interpreter.outputsOnly = true;
  interpreter.stopGradients = &stopGradients;
  stopGradients.mode = mode;
  stopGradients.cursor.clear();
  FailureOr<SmallVector<Tensor>> outputs = interpret(primal, arguments, interpreter);
  if (failed(outputs))
    return failure();
  double sum = 0;
  for (auto &[k, cotangent] : cotangents) {
    const Tensor &output = (*outputs)[k];
    if (output.getNumElements() != cotangent.getNumElements())
      return joint.emitError("output ") << k << " has a size that its type does not tell: " << output.getType();
    for (int64_t i = 0, e = output.getNumElements(); i < e; ++i)
      sum += output.floats[i] * cotangent.floats[i];
  }
  return sum;
}

FailureOr<double> Checker::difference(unsigned j, int64_t e) {
  double &x = arguments[j].floats[e], at = x, step = 1e-4 * std::max(1.0, std::abs(x));
  double values[4];
  const double offsets[] = {-2, -1, 1, 2};
  for (int i = 0; i < 4; ++i) {
    x = at + offsets[i] * step;
    FailureOr<double> value = loss(StopGradientValues::Mode::Replay);
    if (failed(value)) {
      x = at;
      return failure();
    }
    values[i] = *value;
  }
  x = at;
  return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step);
}

LogicalResult Checker::check(StringRef what, raw_ostream &os) {
  if (failed(makeInputs()) || failed(loss(StopGradientValues::Mode::Record)))
    return failure();
  InterpreterOptions interpreter;
  interpreter.f64 = true;
  interpreter.cotangents = cotangents;
  FailureOr<SmallVector<Tensor>> results = interpret(joint, arguments, interpreter);
  if (failed(results))
    return failure();
  ReturnOp ret = getReturn(joint);
  unsigned numOutputs = ret.getOutputs().size();
  llvm::DenseMap<int64_t, const Tensor *> gradients;
  for (auto [i, argument] : llvm::enumerate(ret.getGradientOf()))
    gradients[argument] = &(*results)[numOutputs + i];

  bool correct = true;
  int64_t checked = 0;
  for (unsigned j = 0; j < arguments.size(); ++j) {
    auto it = gradients.find(j);
    // A differentiable argument without a gradient claims that it is zero everywhere.
    bool claimsZero = it == gradients.end();
    if (claimsZero && !joint.getArgAttr(j, attrs::requiresGrad))
      continue;
    int64_t count = arguments[j].getNumElements(), step = std::max<int64_t>(1, count / options.maxElements);
    SmallVector<std::pair<int64_t, double>> differences;
    double largest = 0;
    for (int64_t e = 0; e < count; e += step) {
      FailureOr<double> value = difference(j, e);
      if (failed(value))
        return failure();
      differences.push_back({e, *value});
      if (std::isfinite(*value))
        largest = std::max(largest, std::abs(*value));
    }
    int64_t wrong = 0;
    std::string first;
    for (auto [e, expected] : differences) {
      double got = claimsZero ? 0 : it->second->floats[e];
      double scale = std::max({std::abs(got), std::abs(expected), 0.01 * largest});
      ++checked;
      if (std::abs(got - expected) <= options.tolerance * scale + 1e-9) // false for NaN
        continue;
      if (wrong++ == 0)
        llvm::raw_string_ostream(first) << indexString(arguments[j].getShape(), e) << ": gradient "
                                        << llvm::format("%.9g", got) << ", finite difference "
                                        << llvm::format("%.9g", expected);
    }
    if (wrong) {
      correct = false;
      llvm::errs() << "error: @" << joint.getName() << ": " << what << " of argument " << j << " ("
                   << arguments[j].getType() << ") is wrong in " << wrong << " of " << differences.size()
                   << " elements; first at " << first << "\n";
    }
  }
  if (!correct)
    return failure();
  os << "@" << joint.getName() << ": " << what << "s of " << checked << " elements agree with finite differences\n";
  return success();
}

/// A clone of the module, with `function` and private functions only, after some passes; null after an error.
static OwningOpRef<ModuleOp> runPasses(ModuleOp module, StringRef function, StringRef pipeline) {
  OwningOpRef<ModuleOp> clone = module.clone();
  for (auto func : llvm::make_early_inc_range(clone->getOps<func::FuncOp>()))
    if (!func.isPrivate() && func.getName() != function && SymbolTable::symbolKnownUseEmpty(func, *clone))
      func.erase();
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(pipeline, manager, llvm::errs())) || failed(manager.run(*clone)))
    return nullptr;
  return clone;
}

static bool hasDifferentiableArgument(func::FuncOp func) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (func.getArgAttr(i, attrs::requiresGrad))
      return true;
  return false;
}

LogicalResult mlir::trace::checkGradients(ModuleOp module, StringRef function, const GradientOptions &options,
                                          raw_ostream &os) {
  // A joint that is differentiated again must still say where no gradient flows.
  StringRef firstPipeline =
      options.secondOrder ? "trace-claim,trace-autodiff{differentiate-again=true}" : "trace-claim,trace-autodiff";
  bool found = false, correct = true;
  for (auto func : module.getOps<func::FuncOp>()) {
    StringRef name = func.getName();
    if (function.empty() ? func.isPrivate() : name != function)
      continue;
    bool isJoint = func->hasAttr(attrs::joint);
    if (!isJoint && !hasDifferentiableArgument(func))
      continue;
    found = true;
    func::FuncOp joint = func;
    OwningOpRef<ModuleOp> joints;
    if (!isJoint) {
      joints = runPasses(module, name, firstPipeline);
      if (!joints) {
        correct = false;
        continue;
      }
      joint = joints->lookupSymbol<func::FuncOp>(name);
      if (!joint || !joint->hasAttr(attrs::joint)) {
        os << "@" << name << ": no output depends on a differentiable argument\n";
        continue;
      }
    }
    if (failed(Checker(func, joint, options).check("gradient", os))) {
      correct = false;
      continue;
    }
    if (!options.secondOrder)
      continue;
    OwningOpRef<ModuleOp> plain = runPasses(isJoint ? module : *joints, name, "func.func(trace-joint-to-function)");
    if (!plain)
      return failure();
    OwningOpRef<ModuleOp> second = runPasses(*plain, name, "trace-autodiff{differentiate-again=true}");
    if (!second)
      return failure();
    auto plainFunc = plain->lookupSymbol<func::FuncOp>(name), secondJoint = second->lookupSymbol<func::FuncOp>(name);
    if (!plainFunc || !secondJoint)
      return func.emitError("has no function of its gradients");
    if (!secondJoint->hasAttr(attrs::joint)) {
      os << "@" << name << ": the gradients depend on no differentiable argument\n";
      continue;
    }
    if (failed(Checker(plainFunc, secondJoint, options).check("second derivative", os)))
      correct = false;
  }
  if (!found)
    return module.emitError("no function with a differentiable argument, and no joint, to check");
  return success(correct);
}
