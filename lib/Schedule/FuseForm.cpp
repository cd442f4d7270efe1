//===- FuseForm.cpp - Gather ops into trace.fusion regions ------------------===//
#include "mlir/IR/IRMapping.h"
#include "trace/Schedule/FusionPlan.h"
#include "trace/Schedule/Passes.h"
#include <queue>

namespace mlir::trace {
#define GEN_PASS_DEF_FUSEFORM
#include "trace/Schedule/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {

/// The ops of a block and the groups among them, in an order in which each group can run as a whole.
class Schedule {
public:
  Schedule(Block &block, ArrayRef<SmallVector<Operation *>> groups) : groups(groups) {
    for (auto [i, group] : llvm::enumerate(groups))
      for (Operation *op : group)
        groupOf[op] = i;
    unsigned position = 0;
    for (Operation &op : block.without_terminator())
      positions[&op] = position++;
  }

  /// Calls `visit` with each op that is in no group and, as the first op of the list, with each group. Of what is ready
  /// the one whose last op stood first goes first, so that the order stays near the user's; forward stays in front
  /// of the get_grads, as no forward op waits for one.
  template <typename Visit> void run(Block &block, const FusionPlan &plan, Visit visit) {
    // A unit is a group or an op on its own; it waits for the units that its ops and their copies read.
    DenseMap<Operation *, unsigned> unitOf;
    struct Unit {
      SmallVector<Operation *> ops;
      SmallVector<unsigned> readers;
      unsigned waiting = 0, key = 0;
      bool group = false;
    };
    std::vector<Unit> units;
    for (Operation &op : block.without_terminator()) {
      auto found = groupOf.find(&op);
      if (found == groupOf.end()) {
        unitOf[&op] = units.size();
        units.push_back({{&op}, {}, 0, positions.at(&op), false});
        continue;
      }
      ArrayRef<Operation *> group = groups[found->second];
      if (group.front() == &op) {
        unitOf[&op] = units.size();
        units.push_back({SmallVector<Operation *>(group), {}, 0, positions.at(group.back()), true});
      } else {
        unitOf[&op] = unitOf.at(group.front());
      }
    }
    std::optional<unsigned> lastEffect;
    for (unsigned u = 0; u < units.size(); ++u) {
      llvm::SmallDenseSet<unsigned, 8> before;
      auto waitFor = [&](Operation *op) {
        for (Value operand : op->getOperands())
          if (Operation *def = operand.getDefiningOp(); def && unitOf.at(def) != u)
            before.insert(unitOf.at(def));
      };
      SmallVector<Operation *> ops = units[u].group ? plan.getRegionOps(units[u].ops) : units[u].ops;
      llvm::for_each(ops, waitFor);
      // What the region copies is not waited for: only what the copies read.
      if (units[u].group)
        for (Operation *op : ops)
          if (unitOf.at(op) != u)
            before.erase(unitOf.at(op));
      if (!units[u].group && !isMemoryEffectFree(units[u].ops.front()) && !isa<GetGradOp>(units[u].ops.front())) {
        if (lastEffect)
          before.insert(*lastEffect);
        lastEffect = u;
      }
      for (unsigned producer : before)
        units[producer].readers.push_back(u);
      units[u].waiting = before.size();
    }
    using Entry = std::pair<unsigned, unsigned>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
    for (unsigned u = 0; u < units.size(); ++u)
      if (units[u].waiting == 0)
        ready.push({units[u].key, u});
    while (!ready.empty()) {
      unsigned u = ready.top().second;
      ready.pop();
      visit(ArrayRef<Operation *>(units[u].ops), units[u].group);
      for (unsigned reader : units[u].readers)
        if (--units[reader].waiting == 0)
          ready.push({units[reader].key, reader});
    }
  }

private:
  ArrayRef<SmallVector<Operation *>> groups;
  DenseMap<Operation *, unsigned> groupOf, positions;
};

struct FuseForm : trace::impl::FuseFormBase<FuseForm> {
  using FuseFormBase::FuseFormBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!isHostFunction(func))
      return;
    FailureOr<Barrier> barrier = findBarrier(func);
    if (failed(barrier))
      return signalPassFailure();

    FusionPlanOptions options;
    options.limit = fuseLimit;
    FusionPlan plan(func, *barrier, options);
    plan.run();
    rewrite(func, plan);
  }

  void rewrite(func::FuncOp func, const FusionPlan &plan) {
    Block &block = func.getBody().front();
    SmallVector<SmallVector<Operation *>> groups = plan.getGroups();
    if (groups.empty())
      return;
    Operation *end = block.getTerminator();
    OpBuilder builder(end);

    // What a region gives is decided before any use changes.
    std::vector<SmallVector<Value>> results;
    for (ArrayRef<Operation *> group : groups) {
      results.emplace_back();
      for (Operation *op : group)
        for (Value value : op->getResults())
          if (plan.escapes(value, group))
            results.back().push_back(value);
    }
    DenseMap<Operation *, unsigned> groupStart;
    for (auto [i, group] : llvm::enumerate(groups))
      groupStart[group.front()] = i;

    // The values that regions give, by what they stood for; uses change at the end, when all copies are made.
    SmallVector<std::pair<Value, Value>> replaced;
    IRMapping given;
    Schedule(block, groups).run(block, plan, [&](ArrayRef<Operation *> ops, bool isGroup) {
      if (!isGroup) {
        ops.front()->moveBefore(end);
        return;
      }
      ArrayRef<Value> values = results[groupStart.at(ops.front())];
      FusionOp fusion = createRegion(builder, plan.getRegionOps(ops), ops, values);
      for (auto [value, result] : llvm::zip_equal(values, fusion.getResults()))
        replaced.push_back({value, result});
    });

    for (auto [value, result] : replaced)
      value.replaceAllUsesWith(result);
    for (ArrayRef<Operation *> group : groups)
      for (Operation *op : group)
        op->dropAllReferences();
    // The groups' ops stand in front of all that was moved: going backwards, views and constants that are now only in
    // regions go first, and then what they viewed.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isFusible(&op) && op.use_empty())
        op.erase();
  }

  /// The ops behind their operands, in an order that depends only on what the values are made of: where a copied op
  /// stood does not make a region different from others.
  SmallVector<Operation *> orderFromResults(const llvm::SmallDenseSet<Operation *, 32> &held, ArrayRef<Value> values) {
    SmallVector<Operation *> order;
    llvm::SmallDenseSet<Operation *, 32> seen;
    auto visit = [&](auto &&self, Value value) -> void {
      Operation *op = value.getDefiningOp();
      if (!op || !held.contains(op) || !seen.insert(op).second)
        return;
      for (Value operand : op->getOperands())
        self(self, operand);
      order.push_back(op);
    };
    for (Value value : values)
      visit(visit, value);
    return order;
  }

  /// Builds the region of `unordered` (copies included) that gives `values`.
  FusionOp createRegion(OpBuilder &builder, ArrayRef<Operation *> unordered, ArrayRef<Operation *> computed,
                        ArrayRef<Value> values) {
    llvm::SmallDenseSet<Operation *, 32> held(unordered.begin(), unordered.end());
    SmallVector<Operation *> ops = orderFromResults(held, values);
    llvm::SetVector<Value> operands;
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (!operand.getDefiningOp() || !held.contains(operand.getDefiningOp()))
          operands.insert(operand);
    // A value that also comes through a recompute_barrier is one operand, the protected one.
    llvm::SmallDenseMap<Value, Value> protectedAs;
    for (Value operand : operands)
      if (auto recompute = operand.getDefiningOp<RecomputeBarrierOp>())
        protectedAs.try_emplace(recompute.getInput(), operand);
    operands.remove_if([&](Value operand) { return protectedAs.contains(operand); });
    SmallVector<Location> locs;
    for (Operation *op : computed)
      if (!llvm::is_contained(locs, op->getLoc()))
        locs.push_back(op->getLoc());

    auto fusion = FusionOp::create(builder, FusedLoc::get(builder.getContext(), locs), TypeRange(ValueRange(values)),
                                   operands.getArrayRef());
    Block &body = fusion.getBody().emplaceBlock();
    IRMapping map;
    for (Value operand : operands)
      map.map(operand, body.addArgument(operand.getType(), operand.getLoc()));
    for (auto [value, protectedValue] : protectedAs)
      map.map(value, map.lookup(protectedValue));
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    for (Operation *op : ops)
      inner.clone(*op, map);
    SmallVector<Value> yielded;
    for (Value value : values)
      yielded.push_back(map.lookup(value));
    YieldOp::create(inner, fusion.getLoc(), yielded);
    return fusion;
  }
};

} // namespace
