//===- Differentiator.h - Reverse mode on one function ----------------------===//
#ifndef TRACE_LIB_AUTODIFF_DIFFERENTIATOR_H
#define TRACE_LIB_AUTODIFF_DIFFERENTIATOR_H

#include "trace/IR/TraceOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::trace::autodiff {

/// A tensor of numbers that have derivatives.
bool isDifferentiable(Type type);

/// Turns one function into a joint. Region ops stay in place, as owners of their results, until `finish`: their inlined
/// values may be operands themselves (a custom_grad that is an identity), and cotangents are kept by value.
class Differentiator {
public:
  Differentiator(func::FuncOp func, SymbolTableCollection &symbols, bool differentiateAgain);

  LogicalResult run();

private:
  /// Something that the backward walk handles.
  struct Step {
    enum class Kind {
      Rule,       // an op with a gradient rule
      Region,     // results that `backward` gives cotangents for
      Checkpoint, // a body to be cloned and differentiated
      Inlined,    // results that are other names of the values `saved`
    };
    Kind kind;
    Operation *op;
    // Region: what stood before `backward`'s cotangents' turn, and the operands that it gives cotangents of.
    // Checkpoint: the results of the body's impure symbols, in order.
    SmallVector<Value> saved = {};
    Block *backward = nullptr;
    ArrayRef<int64_t> gradOperands = {};

    /// The step gives a cotangent, be it zero, to this operand if it is active. (Others have none: eager's `.grad`
    /// stays None, while zeros make it a tensor.)
    bool mayReach(int64_t operand) const;
  };

  /// Finds what is active among `ops`, in order, and inlines region ops. Appends what has to be differentiated to
  /// `steps`; with null, nothing will be (a checkpoint's forward, a backward).
  LogicalResult prepare(ArrayRef<Operation *> ops, SmallVectorImpl<Step> *steps);
  /// The op's floating-point results depend differentiably on something active.
  bool carriesGradient(Operation *op) const;
  LogicalResult prepareCustomGrad(CustomGradOp op, SmallVectorImpl<Step> *steps);
  LogicalResult prepareCheckpoint(CheckpointOp op, SmallVectorImpl<Step> *steps);
  /// Puts a checkpoint's impure symbols into its own block, out of checkpoints in it; an error where one stands deeper.
  LogicalResult flattenEffects(CheckpointOp op);
  LogicalResult prepareBsym(BsymOp op, SmallVectorImpl<Step> *steps);

  /// The functions named by vjp_forward and vjp_backward have the types that the op's say.
  LogicalResult verifyGradientRule(BsymOp op, func::FuncOp forward, func::FuncOp backward);

  LogicalResult walkBackwards(ArrayRef<Step> steps);
  LogicalResult applyRule(const Step &step, ArrayRef<Value> cotangents);
  LogicalResult applyRegion(const Step &step, ArrayRef<Value> cotangents);
  LogicalResult recompute(const Step &step, ArrayRef<Value> cotangents);

  /// Clones a block without its terminator at `at` and returns the terminator's operands; `clones` gets the new ops.
  SmallVector<Value> inlineBlock(OpBuilder &at, Block &block, ValueRange arguments, Location loc,
                                 SmallVectorImpl<Operation *> &clones);

  void addCotangent(Value value, Value cotangent, Location loc);
  bool anyActive(ValueRange values) const {
    return llvm::any_of(values, [&](Value v) { return active.contains(v); });
  }
  /// The value that stands for `value` once region ops are gone.
  Value resolved(Value value) const;
  /// Replaces the results of inlined ops and erases them.
  void finish();
  void emitGradients();
  void markNonDifferentiable();

  func::FuncOp func;
  SymbolTableCollection &symbols;
  bool differentiateAgain;
  ReturnOp ret;
  /// Stands before the return; the backward is built here.
  OpBuilder builder;
  DenseSet<Value> active;
  /// Values that the backward walk has reached, if only with a symbolic zero, and from which outputs.
  using Outputs = llvm::SmallBitVector;
  DenseMap<Value, Outputs> reached;
  Outputs differentiable;
  /// The outputs from which the walk has reached one of these; none where it has not.
  Outputs reachedFrom(ValueRange values);
  void reach(Value value, const Outputs &outputs);
  DenseMap<Value, Value> cotangentOf;
  DenseMap<Value, Value> replacements;
  SmallVector<Operation *> replaced;
};

} // namespace mlir::trace::autodiff

#endif
