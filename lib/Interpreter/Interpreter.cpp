//===- Interpreter.cpp - Functions, regions, calls --------------------------===//
#include "trace/Interpreter/Interpreter.h"
#include "Evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

FailureOr<SmallVector<int64_t>> Evaluation::staticShape(unsigned i) const {
  auto type = cast<RankedTensorType>(op->getResultTypes()[i]);
  if (!type.hasStaticShape())
    return op->emitOpError("is interpreted with a static result only, not ") << type;
  return SmallVector<int64_t>(type.getShape());
}

std::optional<LogicalResult> interpreter::evaluatePrim(Evaluation &eval) {
  for (auto evaluate : {evaluateUnary, evaluateBinary, evaluateConversion, evaluateShape, evaluateReduction,
                        evaluateIndexing, evaluateProduct, evaluateRandom})
    if (std::optional<LogicalResult> done = evaluate(eval))
      return done;
  return std::nullopt;
}

/// Why a value cannot stand for a type; empty where it can.
static std::string whyNot(const Tensor &value, Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool fits = getElementTypeOrSelf(type) == value.getElementType();
  fits =
      fits && (tensor ? succeeded(verifyCompatibleShape(tensor.getShape(), value.getShape())) : value.getRank() == 0);
  if (!fits)
    os << "is " << value.getType() << ", not " << type;
  return text;
}

namespace {
/// One run of a function, with all that it calls.
class Machine {
public:
  explicit Machine(const InterpreterOptions &options) : options(options) {}

  LogicalResult runFunction(func::FuncOp func, ArrayRef<Tensor> arguments, SmallVectorImpl<Tensor> &results);

private:
  /// Runs a block; the results are the operands of its terminator.
  LogicalResult runBlock(Block &block, ArrayRef<Tensor> arguments, SmallVectorImpl<Tensor> &results);
  /// Runs one op that is not a terminator.
  LogicalResult runOp(Operation *op, ArrayRef<const Tensor *> operands, SmallVectorImpl<Tensor> &results);
  LogicalResult runStructure(Evaluation &eval, bool &known);
  LogicalResult runOpaque(Evaluation &eval, BsymOp op);
  LogicalResult call(Operation *op, FlatSymbolRefAttr callee, ArrayRef<const Tensor *> operands,
                     SmallVectorImpl<Tensor> &results);
  /// The ops that the outputs of a joint need, in `needed`.
  void findNeeded(ReturnOp ret, llvm::DenseSet<Operation *> &needed);

  const InterpreterOptions &options;
  SymbolTableCollection symbols;
  unsigned depth = 0;
};
} // namespace

LogicalResult Machine::runFunction(func::FuncOp func, ArrayRef<Tensor> arguments, SmallVectorImpl<Tensor> &results) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return func.emitError("only functions with one block can be interpreted");
  if (arguments.size() != func.getNumArguments())
    return func.emitError("takes ") << func.getNumArguments() << " arguments, not " << arguments.size();
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (std::string why = whyNot(argument, func.getArgumentTypes()[i]); !why.empty())
      return func.emitError("argument ") << i << " " << why;
  if (depth == 256)
    return func.emitError("calls are nested too deeply");
  ++depth;
  LogicalResult result = runBlock(func.getBody().front(), arguments, results);
  --depth;
  return result;
}

void Machine::findNeeded(ReturnOp ret, llvm::DenseSet<Operation *> &needed) {
  SmallVector<Value> worklist(ret.getOutputs());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (op && needed.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
}

LogicalResult Machine::runBlock(Block &block, ArrayRef<Tensor> arguments, SmallVectorImpl<Tensor> &results) {
  llvm::DenseMap<Value, std::unique_ptr<Tensor>> values;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = std::make_unique<Tensor>(value);
  auto lookUp = [&](Operation *op, Value value) -> const Tensor * {
    auto it = values.find(value);
    if (it != values.end())
      return it->second.get();
    op->emitError("uses a value that has been released");
    return nullptr;
  };

  llvm::DenseSet<Operation *> needed;
  ReturnOp ret = dyn_cast<ReturnOp>(block.back());
  bool outputsOnly = options.outputsOnly && ret && depth == 1;
  if (outputsOnly)
    findNeeded(ret, needed);

  for (Operation &op : block) {
    if (isa<YieldOp, ReturnOp, func::ReturnOp>(op)) {
      ValueRange returned = outputsOnly ? ValueRange(ret.getOutputs()) : ValueRange(op.getOperands());
      for (Value value : returned) {
        const Tensor *tensor = lookUp(&op, value);
        if (!tensor)
          return failure();
        results.push_back(*tensor);
      }
      return success();
    }
    if (outputsOnly && !needed.contains(&op))
      continue;
    if (isa<ReleaseOp>(op)) {
      for (Value value : op.getOperands()) {
        if (!lookUp(&op, value))
          return failure();
        values.erase(value);
      }
      continue;
    }
    SmallVector<const Tensor *> operands;
    for (Value value : op.getOperands()) {
      operands.push_back(lookUp(&op, value));
      if (!operands.back())
        return failure();
    }
    SmallVector<Tensor> opResults;
    if (failed(runOp(&op, operands, opResults)))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op.getResults(), opResults)) {
      if (std::string why = whyNot(value, result.getType()); !why.empty())
        return op.emitError("interpreted value of result ") << result.getResultNumber() << " " << why;
      values[result] = std::make_unique<Tensor>(std::move(value));
    }
  }
  return block.getParentOp()->emitError("block without a terminator");
}

LogicalResult Machine::runOp(Operation *op, ArrayRef<const Tensor *> operands, SmallVectorImpl<Tensor> &results) {
  for (Type type : op->getResultTypes())
    if (!Tensor::isSupported(getElementTypeOrSelf(type)))
      return op->emitOpError("gives ") << type << ", which the interpreter does not support";
  Evaluation eval{op, operands, results, options};
  bool known = true;
  LogicalResult result = runStructure(eval, known);
  if (known)
    return result;
  if (std::optional<LogicalResult> done = evaluatePrim(eval))
    return *done;
  return op->emitOpError("cannot be interpreted");
}

LogicalResult Machine::call(Operation *op, FlatSymbolRefAttr callee, ArrayRef<const Tensor *> operands,
                            SmallVectorImpl<Tensor> &results) {
  auto func = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, callee);
  if (!func)
    return op->emitOpError("calls ") << callee << ", which is no function here";
  SmallVector<Tensor> arguments;
  for (const Tensor *operand : operands)
    arguments.push_back(*operand);
  return runFunction(func, arguments, results);
}

LogicalResult Machine::runOpaque(Evaluation &eval, BsymOp op) {
  if (std::optional<LogicalResult> done = evaluateLibrary(eval, op.getName(), op.getArgumentsAttr()))
    return *done;
  // The augmented forward of its gradient rule computes the results too.
  if (op.getVjpForward()) {
    SmallVector<Tensor> all;
    if (failed(call(op, op.getVjpForwardAttr(), eval.operands, all)))
      return failure();
    if (all.size() < op->getNumResults())
      return op.emitOpError("has a gradient rule that gives fewer values than the op has results");
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      eval.results.push_back(std::move(all[i]));
    return success();
  }
  return op.emitOpError("'") << op.getName() << "' is opaque and has no interpretation";
}

LogicalResult Machine::runStructure(Evaluation &eval, bool &known) {
  auto runRegion = [&](Region &region) {
    SmallVector<Tensor> arguments;
    for (const Tensor *operand : eval.operands)
      arguments.push_back(*operand);
    // Regions are no functions: `outputsOnly` does not reach into them.
    ++depth;
    LogicalResult result = runBlock(region.front(), arguments, eval.results);
    --depth;
    return result;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(eval.op)
      .Case<BsymOp>([&](BsymOp op) { return op.getBody().empty() ? runOpaque(eval, op) : runRegion(op.getBody()); })
      .Case<FusionOp>([&](FusionOp op) { return runRegion(op.getBody()); })
      .Case<CheckpointOp>([&](CheckpointOp op) { return runRegion(op.getBody()); })
      .Case<CustomGradOp>([&](CustomGradOp op) {
        LogicalResult result = runRegion(op.getPrimal());
        if (succeeded(result)) // the rest is what the backward wants
          eval.results.truncate(op->getNumResults());
        return result;
      })
      .Case<CallOp>([&](CallOp op) { return call(op, op.getCalleeAttr(), eval.operands, eval.results); })
      .Case<func::CallOp>([&](func::CallOp op) { return call(op, op.getCalleeAttr(), eval.operands, eval.results); })
      .Case<CallLibraryOp>([&](CallLibraryOp op) -> LogicalResult {
        if (std::optional<LogicalResult> done = evaluateLibrary(eval, op.getName(), op.getArgumentsAttr()))
          return *done;
        return op.emitOpError("'") << op.getName() << "' has no interpretation";
      })
      // Sizes of dynamic dimensions.
      .Case<tensor::DimOp>([&](tensor::DimOp op) -> LogicalResult {
        int64_t dim = eval.operands[1]->ints[0];
        if (dim < 0 || dim >= eval.operands[0]->getRank())
          return op.emitError("dimension ") << dim << " is out of range";
        Tensor size(op.getType(), {});
        size.ints[0] = eval.operands[0]->getShape()[dim];
        return eval.give(std::move(size));
      })
      .Case<arith::ConstantOp>([&](arith::ConstantOp op) -> LogicalResult {
        FailureOr<Tensor> value = Tensor::scalar(op.getValue());
        if (failed(value))
          return op.emitOpError("is interpreted for scalars only");
        return eval.give(std::move(*value));
      })
      .Case<RecomputeBarrierOp>([&](RecomputeBarrierOp) { return eval.give(*eval.operands[0]); })
      .Case<GetGradOp>([&](GetGradOp op) -> LogicalResult {
        auto it = options.cotangents.find(op.getOutput());
        if (it == options.cotangents.end())
          return op.emitError("no cotangent was given for output ") << op.getOutput();
        if (it->second.getShape() != eval.operands[0]->getShape())
          return op.emitError("the cotangent given for output ")
                 << op.getOutput() << " is " << it->second.getType() << ", not " << eval.operands[0]->getType();
        return eval.give(it->second);
      })
      .Case<StopGradientOp>([&](StopGradientOp op) -> LogicalResult {
        StopGradientValues *kept = options.stopGradients;
        if (!kept)
          return eval.give(*eval.operands[0]);
        auto &list = kept->values[op];
        if (kept->mode == StopGradientValues::Mode::Record) {
          list.push_back(*eval.operands[0]);
          return eval.give(*eval.operands[0]);
        }
        unsigned at = kept->cursor[op]++;
        if (at >= list.size())
          return op.emitError("was not reached in the run whose values are replayed");
        return eval.give(list[at]);
      })
      .Default([&](Operation *) {
        known = false;
        return success();
      });
}

FailureOr<SmallVector<Tensor>> mlir::trace::interpret(func::FuncOp func, ArrayRef<Tensor> arguments,
                                                      const InterpreterOptions &options) {
  SmallVector<Tensor> results;
  if (failed(Machine(options).runFunction(func, arguments, results)))
    return failure();
  return results;
}
