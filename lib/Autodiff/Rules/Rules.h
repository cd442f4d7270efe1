//===- Rules.h - How gradient rules are written and attached ----------------===//
//
// A rule is an external model of DifferentiableOpInterface. Most are one expression per operand; `unary`, `binary` and
// `custom` make models of them. The dialect knows no rule.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_AUTODIFF_RULES_RULES_H
#define TRACE_LIB_AUTODIFF_RULES_RULES_H

#include "Expr.h"
#include <atomic>

namespace mlir::trace::autodiff {

/// What a rule written as code sees.
struct Vjp {
  OpBuilder &builder;
  Location loc;
  /// One per result; null where it is a symbolic zero.
  ArrayRef<Value> cotangents;
  /// One per operand: its cotangent is wanted.
  ArrayRef<bool> needed;
  /// One per operand; null where it is a symbolic zero.
  SmallVectorImpl<Value> &grads;

  E expr(Value value) const { return E(builder, loc, value); }
  /// The cotangent of the only result, or of the first.
  E g() const { return expr(cotangents[0]); }
};

/// External models are stateless types, and C++17's closures cannot be default-constructed: a model keeps its rule's
/// function in a static of its own type. Every context stores the same functions, hence the relaxed atomics.
template <typename Op, typename Function> struct RuleSlot {
  static inline std::atomic<Function> function{nullptr};
};

using UnaryRule = E (*)(E x, E y, E g);
using BinaryRule = E (*)(E a, E b, E y, E g);
template <typename Op> using CustomRule = LogicalResult (*)(Op op, Vjp vjp);

template <typename Op> struct UnaryModel : DifferentiableOpInterface::ExternalModel<UnaryModel<Op>, Op> {
  using Slot = RuleSlot<UnaryModel, UnaryRule>;
  LogicalResult buildVjp(Operation *op, OpBuilder &builder, ArrayRef<Value> cotangents, ArrayRef<bool> needed,
                         SmallVectorImpl<Value> &grads) const {
    auto at = [&](Value value) { return E(builder, op->getLoc(), value); };
    if (needed[0])
      grads[0] =
          Slot::function.load(std::memory_order_relaxed)(at(op->getOperand(0)), at(op->getResult(0)), at(cotangents[0]))
              .value;
    return success();
  }
};

template <typename Op> struct BinaryModel : DifferentiableOpInterface::ExternalModel<BinaryModel<Op>, Op> {
  struct Lhs;
  struct Rhs;
  using LhsSlot = RuleSlot<Lhs, BinaryRule>;
  using RhsSlot = RuleSlot<Rhs, BinaryRule>;
  LogicalResult buildVjp(Operation *op, OpBuilder &builder, ArrayRef<Value> cotangents, ArrayRef<bool> needed,
                         SmallVectorImpl<Value> &grads) const {
    auto at = [&](Value value) { return E(builder, op->getLoc(), value); };
    BinaryRule rules[] = {LhsSlot::function.load(std::memory_order_relaxed),
                          RhsSlot::function.load(std::memory_order_relaxed)};
    for (unsigned i = 0; i < 2; ++i)
      if (needed[i])
        grads[i] =
            rules[i](at(op->getOperand(0)), at(op->getOperand(1)), at(op->getResult(0)), at(cotangents[0])).value;
    return success();
  }
};

template <typename Op> struct CustomModel : DifferentiableOpInterface::ExternalModel<CustomModel<Op>, Op> {
  using Slot = RuleSlot<CustomModel, CustomRule<Op>>;
  LogicalResult buildVjp(Operation *op, OpBuilder &builder, ArrayRef<Value> cotangents, ArrayRef<bool> needed,
                         SmallVectorImpl<Value> &grads) const {
    return Slot::function.load(std::memory_order_relaxed)(cast<Op>(op),
                                                          Vjp{builder, op->getLoc(), cotangents, needed, grads});
  }
};

/// The gradient is zero wherever it exists (floor, sign, ...): a symbolic zero.
template <typename Op> struct ZeroModel : DifferentiableOpInterface::ExternalModel<ZeroModel<Op>, Op> {
  LogicalResult buildVjp(Operation *, OpBuilder &, ArrayRef<Value>, ArrayRef<bool>, SmallVectorImpl<Value> &) const {
    return success();
  }
};

/// A symbolic zero, for the operands of a binary op that has no gradient towards one of them.
inline E noGradient(E, E, E, E g) { return g.with(Value()); }

/// Attaches rules to the ops of one context.
class RuleTable {
public:
  explicit RuleTable(MLIRContext &context) : context(context) {}

  template <typename Op> void unary(UnaryRule rule) {
    UnaryModel<Op>::Slot::function.store(rule, std::memory_order_relaxed);
    Op::template attachInterface<UnaryModel<Op>>(context);
  }
  template <typename Op> void binary(BinaryRule lhs, BinaryRule rhs) {
    BinaryModel<Op>::LhsSlot::function.store(lhs, std::memory_order_relaxed);
    BinaryModel<Op>::RhsSlot::function.store(rhs, std::memory_order_relaxed);
    Op::template attachInterface<BinaryModel<Op>>(context);
  }
  template <typename Op> void custom(CustomRule<Op> rule) {
    CustomModel<Op>::Slot::function.store(rule, std::memory_order_relaxed);
    Op::template attachInterface<CustomModel<Op>>(context);
  }
  template <typename... Ops> void zero() { (Ops::template attachInterface<ZeroModel<Ops>>(context), ...); }

private:
  MLIRContext &context;
};

// One per file of this folder. Random numbers, comparisons, constants and whatever gives integers need no rule: nothing
// active goes in or comes out.
void addElementwiseRules(RuleTable &rules);
void addShapeRules(RuleTable &rules);
void addReductionRules(RuleTable &rules);
void addIndexingRules(RuleTable &rules);
void addLibraryRules(RuleTable &rules);
void addTrainingRules(RuleTable &rules);

} // namespace mlir::trace::autodiff

#endif
