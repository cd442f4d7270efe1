//===- FusionPlan.cpp - Which regions are formed ----------------------------===//
#include "trace/Schedule/FusionPlan.h"
#include "mlir/IR/Remarks.h"
#include "trace/Codegen/Kernel/Emittable.h"
#include "trace/Schedule/FusionAnalysis.h"

using namespace mlir;
using namespace mlir::trace;

namespace {
/// Groups looked at in one search for a path; beyond it the merge is given up.
constexpr unsigned maxSearch = 4096;
/// Length of a chain of cheap ops that each consumer computes anew.
constexpr unsigned maxCopiedChain = 3;

void addUnique(SmallVectorImpl<unsigned> &list, unsigned value) {
  if (!llvm::is_contained(list, value))
    list.push_back(value);
}

/// Takes no operand but sizes: free in any kernel.
bool isLeaf(Operation *op) { return isa<ConstantOp, IotaOp>(op) || (isa<FullOp>(op) && op->getNumOperands() == 0); }
} // namespace

FusionPlan::FusionPlan(func::FuncOp func, const Barrier &barrier, FusionPlanOptions options)
    : func(func), barrier(barrier), options(options) {}

unsigned FusionPlan::find(unsigned node) const {
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Decides whether each reader of the op holds a copy of it; its producers have been decided.
void FusionPlan::decideTransparent(unsigned index) {
  Node &node = nodes[index];
  Operation *op = node.op;
  if (!node.fusible)
    return;
  auto producerOf = [&](Value operand) -> Node * {
    Operation *def = operand.getDefiningOp();
    return def ? &nodes[indexOf.at(def)] : nullptr;
  };
  auto isConstant = [&](Value operand) {
    Node *producer = producerOf(operand);
    return producer && producer->constant;
  };
  for (Value operand : op->getOperands())
    if (Node *producer = producerOf(operand); producer && producer->transparent)
      node.depth = std::max(node.depth, producer->depth);
  bool view = op->hasTrait<trace::OpTrait::ViewLike>();
  if (isLeaf(op) || view) {
    node.transparent = true;
    node.constant = llvm::all_of(op->getOperands(), isConstant);
    return;
  }
  // A cheap op that reads one value (beside constants) of no more bytes than it makes: reading that value again costs
  // no more than reading its result, and the result is never written.
  if (!op->hasTrait<trace::OpTrait::Elementwise>() || getElementCost(op) > 1 || ++node.depth > maxCopiedChain)
    return;
  int64_t bytes = 0;
  bool constant = true;
  for (Value operand : op->getOperands())
    if (!isConstant(operand)) {
      bytes += getByteSize(operand.getType());
      constant = false;
    }
  if (bytes > getByteSize(op->getResult(0).getType()))
    return;
  // Only where all readers can hold the copy, on the same side: otherwise the result is written in any case.
  for (Operation *user : op->getUsers()) {
    const Node &reader = nodes[indexOf.at(user)];
    if (!reader.fusible || user->hasTrait<trace::OpTrait::ViewLike>() || reader.backward != node.backward)
      return;
  }
  node.transparent = true;
  node.constant = constant;
}

void FusionPlan::classify() {
  Block &block = func.getBody().front();
  for (Operation &op : block) {
    indexOf[&op] = nodes.size();
    Node node;
    node.op = &op;
    std::string why;
    node.fusible = isFusible(&op) && kernel::canEmit(&op, &why);
    if (isFusible(&op) && !node.fusible && !op.hasTrait<trace::OpTrait::ViewLike>())
      remark::missed(op.getLoc(),
                     remark::RemarkOpts::name("not-emitted").category("trace-fuse").function(func.getName()))
          << remark::add("{0} runs through LibTorch", op.getName().getStringRef().str())
          << remark::reason("it {0}", why);
    node.backward = barrier.isBackward(&op);
    nodes.push_back(node);
  }
}

void FusionPlan::connect() {
  Operation *lastEffect = nullptr;
  for (unsigned index = 0; index < nodes.size(); ++index) {
    Node &node = nodes[index];
    for (Value operand : node.op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def)
        continue;
      unsigned producer = indexOf.at(def);
      if (!nodes[producer].transparent) {
        addUnique(node.producers, producer);
        continue;
      }
      for (unsigned copy : nodes[producer].copied)
        addUnique(node.copied, copy);
      addUnique(node.copied, producer);
      for (unsigned further : nodes[producer].producers)
        addUnique(node.producers, further);
    }
    decideTransparent(index);
    // Ops with effects keep their order, which the groups around them must allow.
    if (!isMemoryEffectFree(node.op) && !isa<GetGradOp>(node.op)) {
      if (lastEffect)
        addUnique(node.producers, indexOf.at(lastEffect));
      lastEffect = node.op;
    }
  }
  for (unsigned index = 0; index < nodes.size(); ++index) {
    if (nodes[index].transparent)
      continue;
    for (unsigned producer : nodes[index].producers)
      addUnique(nodes[producer].users, index);
  }
  // A constant (or what is made of constants) that a library op or the caller reads must be written by a kernel.
  for (Node &node : nodes) {
    if (node.fusible || node.transparent)
      continue;
    for (Value operand : node.op->getOperands())
      if (Operation *def = getViewBase(operand).getDefiningOp(); def && nodes[indexOf.at(def)].fusible && isLeaf(def))
        nodes[indexOf.at(def)].users.push_back(indexOf.at(node.op));
  }
  parent.resize(nodes.size());
  groups.resize(nodes.size());
  for (unsigned index = 0; index < nodes.size(); ++index) {
    parent[index] = index;
    groups[index].members = {index};
    groups[index].producers = nodes[index].producers;
    groups[index].users = nodes[index].users;
    groups[index].order = index;
  }
}

SmallVector<Operation *> FusionPlan::regionOps(ArrayRef<unsigned> members) const {
  llvm::SmallDenseSet<unsigned, 32> held(members.begin(), members.end());
  for (unsigned member : members)
    held.insert(nodes[member].copied.begin(), nodes[member].copied.end());
  SmallVector<unsigned> order(held.begin(), held.end());
  llvm::sort(order);
  SmallVector<Operation *> ops;
  for (unsigned index : order) {
    Operation *op = nodes[index].op;
    if (isa<ReshapeOp>(op)) {
      Operation *def = op->getOperand(0).getDefiningOp();
      if (!def || !held.contains(indexOf.at(def))) {
        held.erase(index);
        continue;
      }
    }
    ops.push_back(op);
  }
  return ops;
}

SmallVector<Operation *> FusionPlan::getRegionOps(ArrayRef<Operation *> group) const {
  SmallVector<unsigned> members;
  for (Operation *op : group)
    members.push_back(indexOf.at(op));
  return regionOps(members);
}

bool FusionPlan::escapes(Value value, ArrayRef<Operation *> group) const {
  unsigned index = indexOf.at(value.getDefiningOp());
  if (nodes[index].transparent && group.size() > 1)
    return false;
  unsigned own = find(indexOf.at(group.front()));
  if (find(index) != own)
    return false; // a copy
  return nodes[index].transparent || llvm::any_of(nodes[index].users, [&](unsigned user) { return find(user) != own; });
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

bool FusionPlan::isLegal(unsigned a, unsigned b, StringRef &why) const {
  const Group &first = groups[a], &second = groups[b];
  if (first.members.size() + second.members.size() > options.maxOps) {
    why = "the region would hold too many ops";
    return false;
  }
  SmallVector<unsigned> members;
  std::merge(first.members.begin(), first.members.end(), second.members.begin(), second.members.end(),
             std::back_inserter(members));
  SmallVector<Operation *> ops = regionOps(members);
  auto escapes = [&](Value value) {
    unsigned index = indexOf.at(value.getDefiningOp());
    if (nodes[index].transparent)
      return false;
    return llvm::any_of(nodes[index].users, [&](unsigned user) {
      unsigned group = find(user);
      return group != a && group != b;
    });
  };
  llvm::SmallDenseSet<Value, 32> values;
  llvm::SmallDenseSet<Operation *, 32> held(ops.begin(), ops.end());
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !held.contains(operand.getDefiningOp()))
        values.insert(operand);
    if (escapes(op->getResult(0)))
      values.insert(op->getResult(0));
  }
  if (values.size() > options.maxValues) {
    why = "the kernel would read and write too many tensors";
    return false;
  }
  return succeeded(analyzeFusion(ops, escapes, why));
}

/// Collects what must come after `first` (reachable from it, at or before `second`'s place) and before `second`. False
/// where a path other than an edge leads from `first` to `second`: merged they would form a cycle.
bool FusionPlan::reorder(unsigned first, unsigned second, SmallVectorImpl<unsigned> &after,
                         SmallVectorImpl<unsigned> &before) {
  llvm::SmallDenseSet<unsigned, 32> seen{first};
  unsigned last = groups[second].order, from = groups[first].order;
  SmallVector<unsigned> work{first};
  while (!work.empty()) {
    unsigned group = work.pop_back_val();
    for (unsigned user : groups[group].users) {
      unsigned next = find(user);
      if (next == second && group != first)
        return false;
      if (next == second || groups[next].order > last || !seen.insert(next).second)
        continue;
      if (seen.size() > maxSearch)
        return false;
      after.push_back(next);
      work.push_back(next);
    }
  }
  seen.clear();
  seen.insert(second);
  work.push_back(second);
  while (!work.empty()) {
    unsigned group = work.pop_back_val();
    for (unsigned producer : groups[group].producers) {
      unsigned next = find(producer);
      if (next == first || groups[next].order < from || !seen.insert(next).second)
        continue;
      if (seen.size() > maxSearch)
        return false;
      before.push_back(next);
      work.push_back(next);
    }
  }
  return true;
}

/// Says why two groups stay apart.
void FusionPlan::explain(unsigned a, unsigned b) {
  StringRef why;
  if (isLegal(a, b, why))
    why = options.limit >= 0 ? "the limit of regions is reached"
                             : "an op between them would have to run both before and after the kernel";
  Operation *producer = nodes[groups[a].members.back()].op, *consumer = nodes[groups[b].members.front()].op;
  remark::missed(producer->getLoc(),
                 remark::RemarkOpts::name("not-fused").category("trace-fuse").function(func.getName()))
      << remark::add("{0} is not fused into {1}", producer->getName().getStringRef().str(),
                     consumer->getName().getStringRef().str())
      << remark::reason("{0}", why.str());
}

/// Merges two groups if that is legal and makes no cycle.
bool FusionPlan::tryMerge(unsigned a, unsigned b) {
  if (groups[a].order > groups[b].order)
    std::swap(a, b);
  bool newRegion = groups[a].members.size() == 1 && groups[b].members.size() == 1;
  if (options.limit >= 0 && newRegion && formed >= options.limit)
    return false;
  StringRef why;
  SmallVector<unsigned> after, before;
  if (!isLegal(a, b, why) || !reorder(a, b, after, before))
    return false;
  auto byOrder = [&](unsigned x, unsigned y) { return groups[x].order < groups[y].order; };
  llvm::sort(after, byOrder);
  llvm::sort(before, byOrder);
  SmallVector<unsigned> places{groups[a].order, groups[b].order};
  for (unsigned group : llvm::concat<unsigned>(after, before))
    places.push_back(groups[group].order);
  llvm::sort(places);
  unsigned next = 0;
  for (unsigned group : before)
    groups[group].order = places[next++];
  unsigned mergedPlace = places[next++];
  for (unsigned group : after)
    groups[group].order = places[next++];

  if (newRegion)
    ++formed;
  else if (groups[a].members.size() > 1 && groups[b].members.size() > 1)
    --formed;
  merge(a, b);
  groups[find(a)].order = mergedPlace;
  return true;
}

void FusionPlan::merge(unsigned a, unsigned b) {
  if (groups[a].members.size() < groups[b].members.size())
    std::swap(a, b);
  parent[b] = a;
  Group &into = groups[a];
  Group from = std::move(groups[b]);
  groups[b] = Group();
  SmallVector<unsigned> members;
  std::merge(into.members.begin(), into.members.end(), from.members.begin(), from.members.end(),
             std::back_inserter(members));
  into.members = std::move(members);
  // One entry per neighbour group, none for the group itself.
  auto join = [&](SmallVectorImpl<unsigned> &list, ArrayRef<unsigned> more) {
    llvm::SmallDenseSet<unsigned, 16> seen{a};
    SmallVector<unsigned, 4> joined;
    for (unsigned node : llvm::concat<const unsigned>(ArrayRef<unsigned>(list), more))
      if (seen.insert(find(node)).second)
        joined.push_back(node);
    list.assign(joined.begin(), joined.end());
  };
  join(into.producers, from.producers);
  join(into.users, from.users);
}

/// Producers into consumers, in order, the nearest producer first; again while that helps, as a larger region may take
/// what a smaller one could not.
void FusionPlan::mergeProducers() {
  bool changed = true;
  for (unsigned round = 0; changed && round < 3; ++round) {
    changed = false;
    for (unsigned index = 0; index < nodes.size(); ++index) {
      if (!nodes[index].fusible || nodes[index].transparent)
        continue;
      SmallVector<unsigned, 4> producers = nodes[index].producers;
      llvm::sort(producers, [&](unsigned x, unsigned y) { return groups[find(x)].order > groups[find(y)].order; });
      for (unsigned producer : producers) {
        unsigned a = find(producer), b = find(index);
        if (a == b || !nodes[producer].fusible || nodes[producer].backward != nodes[index].backward)
          continue;
        changed |= tryMerge(a, b);
      }
    }
  }
}

/// Regions that read the same value and do not depend on each other, neighbours first.
void FusionPlan::mergeSiblings() {
  llvm::MapVector<Value, SmallVector<unsigned>> readers;
  for (unsigned index = 0; index < nodes.size(); ++index) {
    const Node &node = nodes[index];
    if (!node.fusible || node.transparent)
      continue;
    llvm::SmallSetVector<Value, 8> bases;
    auto addBases = [&](Operation *op) {
      for (Value operand : op->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if ((!def || !nodes[indexOf.at(def)].transparent) &&
            cast<RankedTensorType>(operand.getType()).getNumElements() > 1)
          bases.insert(operand);
      }
    };
    addBases(node.op);
    for (unsigned copy : node.copied)
      addBases(nodes[copy].op);
    for (Value base : bases)
      readers[base].push_back(index);
  }
  for (auto &[base, nodesOf] : readers) {
    llvm::sort(nodesOf, [&](unsigned x, unsigned y) { return groups[find(x)].order < groups[find(y)].order; });
    for (unsigned i = 1; i < nodesOf.size(); ++i) {
      unsigned a = find(nodesOf[i - 1]), b = find(nodesOf[i]);
      if (a != b && nodes[nodesOf[i - 1]].backward == nodes[nodesOf[i]].backward)
        tryMerge(a, b);
    }
  }
}

void FusionPlan::run() {
  classify();
  connect();
  mergeProducers();
  mergeSiblings();
  mergeProducers();
  if (!func.getContext()->getRemarkEngine())
    return;
  // What is apart now stays apart: say why.
  for (unsigned index = 0; index < nodes.size(); ++index) {
    if (!nodes[index].fusible || nodes[index].transparent)
      continue;
    for (unsigned producer : nodes[index].producers)
      if (nodes[producer].fusible && nodes[producer].backward == nodes[index].backward && find(producer) != find(index))
        explain(find(producer), find(index));
  }
}

SmallVector<SmallVector<Operation *>> FusionPlan::getGroups() const {
  SmallVector<SmallVector<Operation *>> result;
  for (unsigned index = 0; index < nodes.size(); ++index) {
    const Node &node = nodes[index];
    if (find(index) != index || !node.fusible)
      continue;
    bool written = isLeaf(node.op) && !node.users.empty();
    if (node.transparent && !written)
      continue;
    SmallVector<Operation *> ops;
    for (unsigned member : groups[index].members)
      ops.push_back(nodes[member].op);
    result.push_back(std::move(ops));
  }
  return result;
}
