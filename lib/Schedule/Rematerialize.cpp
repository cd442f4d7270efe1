//===- Rematerialize.cpp - What the backward keeps, what it computes again --===//
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "trace/Schedule/Barrier.h"
#include "trace/Schedule/FusionAnalysis.h"
#include "trace/Schedule/MinCut.h"
#include "trace/Schedule/Passes.h"

namespace mlir::trace {
#define GEN_PASS_DEF_REMATERIALIZE
#include "trace/Schedule/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {

/// Costs are in this part of a byte of memory traffic.
constexpr int64_t unit = 10;
/// What a core adds while it moves a byte: arithmetic of one element costs a fifth of a byte per unit of
/// getElementCost (16 lanes a cycle against some 3 bytes a cycle).
constexpr int64_t arithmetic = 2;
/// Philox makes four numbers at a time.
constexpr int64_t randomCost = 5;

bool isView(Operation *op) { return op->hasTrait<trace::OpTrait::ViewLike>(); }
/// Free wherever it stands.
bool isLeaf(Operation *op) { return isa<ConstantOp, IotaOp>(op) || (isa<FullOp>(op) && op->getNumOperands() == 0); }

bool isConstantView(Value value) {
  Operation *def = getViewBase(value).getDefiningOp();
  return def && isLeaf(def);
}

class Rematerialization {
public:
  Rematerialization(func::FuncOp func, Barrier barrier, double memoryWeight)
      : func(func), barrier(std::move(barrier)), memoryWeight(memoryWeight), ret(getReturn(func)),
        dependent(dependentOnGetGrads(func)) {
    unsigned number = 0;
    for (Operation &op : *ret->getBlock()) {
      position[&op] = number++;
      unsigned &most = depth[&op];
      for (Value operand : op.getOperands())
        if (Operation *def = operand.getDefiningOp())
          most = std::max(most, depth.lookup(def) + (isFusible(def) ? 0 : 1));
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (auto role = func.getResultAttrOfType<RoleAttr>(i, attrs::role); role && role.getKind() == RoleKind::Mutated)
        if (role.getIndex() && *role.getIndex() < static_cast<int64_t>(func.getNumArguments()))
          mutated.insert(func.getArgument(*role.getIndex()));
  }

  void run() {
    findDemand();
    if (demanded.empty())
      return;
    bool report = func.getContext()->getRemarkEngine();
    int64_t before = report ? keptBytes() : 0;
    buildNetwork();
    cut.run();
    if (report)
      explain();
    moveForward();
    copyIntoBackward();
    if (report)
      remark::analysis(func.getLoc(), options("bytes-kept"))
          << remark::metric("BytesBefore", before) << remark::metric("BytesAfter", keptBytes());
  }

private:
  remark::RemarkOpts options(StringRef name) {
    return remark::RemarkOpts::name(name).category("trace-rematerialize").function(func.getName());
  }

  /// Whether a cotangent reaches the op: it is backward whatever is decided. The return reads gradients.
  bool hasCotangent(Operation *op) { return dependent.contains(op) || op == ret.getOperation(); }
  /// An output needs the op: it is computed in the forward whatever is decided.
  bool isNeededForward(Operation *op) { return barrier.isForward(op); }
  bool isOutput(Value value) { return outputs.contains(value); }

  OperandRange backwardReads(Operation *op) {
    return op == ret.getOperation() ? ret.getGradients() : op->getOperands();
  }

  /// The values that ops with a cotangent read of those without.
  void findDemand() {
    outputs.insert(ret.getOutputs().begin(), ret.getOutputs().end());
    for (Operation &op : *ret->getBlock()) {
      if (isa<GetGradOp>(op) || !hasCotangent(&op))
        continue;
      for (Value value : backwardReads(&op))
        if (Operation *def = value.getDefiningOp(); def && !dependent.contains(def))
          demanded.insert(value);
    }
  }

  /// A library op reads the value, or a view of it, in a place for which `where` holds.
  template <typename Where> bool hasLibraryReader(Value value, Where where) {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isView(user) ? hasLibraryReader(user->getResult(0), where)
                       : where(user) && !isFusible(user) && !isa<ReturnOp, GetGradOp, RecomputeBarrierOp>(user))
        return true;
    }
    return false;
  }

  /// The forward reads the value, or a view of it, in a library op or behind one: no kernel holds both ends, so that
  /// the value is written to memory whether it is kept or not.
  bool isReadBehindLibrary(Value value, unsigned from) {
    for (Operation *user : value.getUsers()) {
      if (!isNeededForward(user))
        continue;
      if (isView(user) ? isReadBehindLibrary(user->getResult(0), from) : !isFusible(user) || depth.lookup(user) > from)
        return true;
    }
    return false;
  }

  int64_t keepCost(Value value) {
    Operation *def = value.getDefiningOp();
    if (isView(def) || isLeaf(def))
      return MinCut::infinite;
    int64_t bytes = getByteSize(value.getType());
    if (isOutput(value))
      return 0;
    bool written = !isFusible(def) || isReadBehindLibrary(value, depth.lookup(def));
    return static_cast<int64_t>(bytes * unit * (memoryWeight + (written ? 1 : 2))) + 1;
  }

  /// What computing `op` in the backward costs.
  int64_t repeatCost(Operation *op) {
    // By the time of the backward the argument has its new value.
    if (llvm::any_of(op->getOperands(), [&](Value operand) { return mutated.contains(getViewBase(operand)); }))
      return MinCut::infinite;
    if (!isNeededForward(op) || isView(op) || isLeaf(op))
      return 0;
    if (!isFusible(op) || !isMemoryEffectFree(op))
      return MinCut::infinite;
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    int64_t count = type.hasStaticShape() ? type.getNumElements() : 0;
    int64_t cost = count * arithmetic * (isa<RandomUniformOp, RandomNormalOp>(op) ? randomCost : getElementCost(op));
    if (op->hasTrait<trace::OpTrait::Reduction>())
      cost = getByteSize(op->getOperand(0).getType()) * unit;
    // Reading elements that an index chooses does not stream.
    if (isa<GatherOp, TakeOp>(op))
      cost += getByteSize(result.getType()) * unit;
    if (hasLibraryReader(result, [&](Operation *user) { return hasCotangent(user); }))
      cost += 2 * getByteSize(result.getType()) * unit;
    return cost + 1;
  }

  /// A node per op and per value. Source side: forward. The edge from an op to its value is cut where the value is
  /// kept; the edge from the source to an op where it is computed in the backward.
  void buildNetwork() {
    SmallVector<Value> work(demanded.begin(), demanded.end());
    for (Value value : demanded)
      cut.addEdge(valueNode(value), MinCut::sink, MinCut::infinite);
    DenseSet<Operation *> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!visited.insert(value).second)
        continue;
      cut.addEdge(opNode(op), valueNode(value), keepCost(value));
      if (!seen.insert(op).second)
        continue;
      candidates.push_back(op);
      int64_t repeat = repeatCost(op);
      if (repeat)
        cut.addEdge(MinCut::source, opNode(op), repeat);
      if (repeat == MinCut::infinite)
        continue; // what it reads does not matter
      for (Value operand : op->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!def)
          continue;
        cut.addEdge(valueNode(operand), opNode(op), MinCut::infinite);
        work.push_back(operand);
        // Moved in front of the barrier, an op takes along what it reads.
        if (!isNeededForward(op) && !isNeededForward(def))
          cut.addEdge(opNode(op), opNode(def), MinCut::infinite);
      }
    }
    llvm::sort(candidates, [&](Operation *a, Operation *b) { return position.at(a) < position.at(b); });
  }

  unsigned opNode(Operation *op) {
    auto [found, isNew] = opNodes.try_emplace(op, 0);
    if (isNew)
      found->second = cut.addNode();
    return found->second;
  }
  unsigned valueNode(Value value) {
    auto [found, isNew] = valueNodes.try_emplace(value, 0);
    if (isNew)
      found->second = cut.addNode();
    return found->second;
  }
  bool inBackward(Operation *op) {
    auto found = opNodes.find(op);
    return found != opNodes.end() && !cut.onSourceSide(found->second);
  }

  /// Ops that only the backward needs and that the cut puts in front of the barrier, with what they read.
  void moveForward() {
    DenseSet<Operation *> moved;
    SmallVector<Operation *> work;
    for (Operation *op : candidates)
      if (!isNeededForward(op) && !inBackward(op) && !isView(op) && !isLeaf(op))
        work.push_back(op);
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (isNeededForward(op) || !moved.insert(op).second)
        continue;
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp())
          work.push_back(def);
    }
    SmallVector<Operation *> order(moved.begin(), moved.end());
    llvm::sort(order, [&](Operation *a, Operation *b) { return position.at(a) < position.at(b); });
    for (Operation *op : order)
      op->moveBefore(barrier.getGrads.front());
  }

  void copyIntoBackward() {
    // What is copied: forward ops on the sink's side, but views and constants only of and with copies.
    llvm::SetVector<Operation *> copied;
    for (Operation *op : candidates) {
      if (!isNeededForward(op) || !inBackward(op) || isLeaf(op))
        continue;
      Operation *base = isView(op) ? op->getOperand(0).getDefiningOp() : nullptr;
      if (!isView(op) || (base && copied.contains(base)))
        copied.insert(op);
    }
    // From the last to the first: a copy stands in front of its first reader behind the barrier.
    DenseMap<Operation *, Operation *> anchor;
    DenseMap<Operation *, unsigned> place;
    unsigned number = 0;
    for (Operation &op : *ret->getBlock())
      place[&op] = number++;
    for (Operation *op : llvm::reverse(copied)) {
      Operation *first = nullptr;
      for (Operation *user : op->getUsers()) {
        Operation *reader = nullptr;
        if (auto found = anchor.find(user); found != anchor.end())
          reader = found->second;
        else if (!isNeededForward(user) && !isa<GetGradOp>(user) &&
                 (user != ret.getOperation() || llvm::is_contained(ret.getGradients(), op->getResult(0))))
          reader = user;
        if (reader && (!first || place.at(reader) < place.at(first)))
          first = reader;
      }
      if (first)
        anchor[op] = first;
    }

    OpBuilder builder(func.getContext());
    IRMapping map;
    Operation *last = barrier.getGrads.back();
    // A value of the forward as the copies read it; views are made anew on the protected base, so that they fuse.
    auto protect = [&](auto &&self, Value value) -> void {
      Operation *def = value.getDefiningOp();
      if (map.contains(value) || isConstantView(value) || (def && !isNeededForward(def)))
        return;
      Operation *protectedOp;
      if (def && isView(def)) {
        self(self, def->getOperand(0));
        builder.setInsertionPointAfter(last);
        protectedOp = builder.clone(*def, map);
      } else {
        builder.setInsertionPointAfter(last);
        protectedOp = RecomputeBarrierOp::create(builder, value.getLoc(), value, barrier.getGrads.front().getResult());
      }
      copies.insert(protectedOp);
      map.map(value, protectedOp->getResult(0));
      last = protectedOp;
    };
    for (Operation *op : copied) {
      auto found = anchor.find(op);
      if (found == anchor.end())
        continue;
      for (Value operand : op->getOperands())
        protect(protect, operand);
      builder.setInsertionPoint(found->second);
      copies.insert(builder.clone(*op, map));
    }
    for (Operation *op : copied) {
      if (!anchor.contains(op))
        continue;
      Value original = op->getResult(0), copy = map.lookup(original);
      original.replaceUsesWithIf(copy, [&](OpOperand &use) {
        Operation *user = use.getOwner();
        if (user == ret.getOperation())
          return use.getOperandNumber() >= ret.getOutputs().size();
        return !isNeededForward(user) && !isa<GetGradOp, RecomputeBarrierOp>(user) && !copies.contains(user);
      });
    }
  }

  /// Bytes of what crosses the barrier as it stands, views counted as their bases.
  int64_t keptBytes() {
    llvm::SmallDenseSet<Value, 32> bases;
    int64_t bytes = 0;
    for (Operation &op : *ret->getBlock()) {
      if (isNeededForward(&op) || isa<GetGradOp>(op))
        continue;
      for (Value value : backwardReads(&op)) {
        Value base = getViewBase(value);
        Operation *def = base.getDefiningOp();
        if (def && isNeededForward(def) && !isLeaf(def) && !isOutput(base) && bases.insert(base).second)
          bytes += getByteSize(base.getType());
      }
    }
    return bytes;
  }

  /// Says of each value that the backward could read what became of it.
  void explain() {
    for (Operation *op : candidates) {
      if (isView(op) || isLeaf(op) || (!isNeededForward(op) && inBackward(op)))
        continue;
      for (Value value : op->getResults()) {
        auto node = valueNodes.find(value);
        if (node == valueNodes.end() || cut.onSourceSide(node->second))
          continue; // not read in the backward
        std::string name = op->getName().getStringRef().str();
        int64_t bytes = getByteSize(value.getType()), repeat = repeatCost(op);
        if (inBackward(op))
          remark::passed(op->getLoc(), options("recomputed"))
              << remark::add("{0} is computed again", name)
              << remark::reason("that costs {0} bytes of traffic, keeping it {1}", repeat / unit,
                                keepCost(value) / unit);
        else
          remark::missed(op->getLoc(), options("kept"))
              << remark::add("{0} is kept: {1} bytes", name, bytes)
              << remark::reason("{0}", isOutput(value) ? "it is an output"
                                       : repeat == MinCut::infinite
                                           ? "its op is not computed twice"
                                           : "that is cheaper than computing it, or what it reads, again");
      }
    }
  }

  func::FuncOp func;
  Barrier barrier;
  double memoryWeight;
  ReturnOp ret;
  DenseSet<Operation *> dependent;
  DenseMap<Operation *, unsigned> position;
  /// Library ops on the longest path to an op.
  DenseMap<Operation *, unsigned> depth;
  DenseSet<Value> outputs, mutated, visited;
  llvm::SetVector<Value> demanded;
  SmallVector<Operation *> candidates;
  DenseMap<Operation *, unsigned> opNodes;
  DenseMap<Value, unsigned> valueNodes;
  DenseSet<Operation *> copies;
  MinCut cut;
};

struct Rematerialize : trace::impl::RematerializeBase<Rematerialize> {
  using RematerializeBase::RematerializeBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!isHostFunction(func) || !func->hasAttr(attrs::joint))
      return;
    FailureOr<Barrier> barrier = findBarrier(func);
    if (failed(barrier))
      return signalPassFailure();
    if (barrier->exists())
      Rematerialization(func, *barrier, memoryWeight).run();
  }
};

} // namespace
