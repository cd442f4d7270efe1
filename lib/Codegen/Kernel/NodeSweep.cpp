//===- NodeSweep.cpp - A node for each element that a kernel needs -----------===//
#include "GraphBuilder.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

/// The values read from memory that an expression depends on.
void GraphBuilder::dataOf(Expr e, SmallVectorImpl<Operand> &found) {
  for (auto [atom, c] : LinearExpr(ix.get(e)).terms) {
    AtomInfo info = ix.info(atom);
    if (info.kind == AtomKind::Data)
      found.push_back({Value::getFromOpaquePointer(info.value), info.at});
    else if (info.kind != AtomKind::Loop)
      dataOf(info.operand, found);
  }
}

void GraphBuilder::define(Value value, ExprVector at, NodeId id) {
  if (info.outputs.contains(value) || info.exactRounding)
    id = rounded(id);
  k.nodeOf[{value.getAsOpaquePointer(), at}] = id;
}

/// Makes the node of `target` after all that it needs: operands, and the values that its index depends on. (Those may
/// stand later in the block than what they index.) With a stack of its own: chains of operations are long.
void GraphBuilder::resolve(Operand target) {
  SmallVector<std::pair<Operand, bool>> stack = {{target, false}};
  while (!stack.empty()) {
    auto [key, ready] = stack.pop_back_val();
    auto [value, at] = key;
    if (k.nodeOf.count({value.getAsOpaquePointer(), at}))
      continue;
    auto memory = info.inMemory.find(value);
    Instance *instance = nullptr;
    if (memory == info.inMemory.end()) {
      auto &list = instances[value.getDefiningOp()];
      instance = llvm::find_if(list, [at = at](Instance &i) { return i.at == at; });
    }
    if (ready) {
      define(value, at, instance ? nodeFor(value.getDefiningOp(), *instance) : loadNode(value, memory->second, at));
      continue;
    }
    stack.push_back({key, true});
    SmallVector<Operand> needed;
    if (instance)
      llvm::append_range(needed, instance->operands);
    for (Expr e : ix.vectorOf(at))
      dataOf(e, needed);
    for (Operand operand : needed)
      if (!k.nodeOf.count({operand.first.getAsOpaquePointer(), operand.second}))
        stack.push_back({operand, false});
  }
}

void GraphBuilder::addDependences(Node &n, Expr e) {
  n.loops |= ix.loops(e);
  SmallVector<Operand> found;
  dataOf(e, found);
  for (Operand operand : found) {
    NodeId id = lookup(operand);
    n.data.push_back(id);
    n.loops |= k.nodes[id].loops;
    n.stage = std::max(n.stage, k.nodes[id].stage);
  }
}

NodeId GraphBuilder::node(Node n) {
  for (NodeId operand : n.operands) {
    n.loops |= k.nodes[operand].loops;
    n.stage = std::max(n.stage, k.nodes[operand].stage);
  }
  if (n.kind == NodeKind::Load || n.kind == NodeKind::IndexValue || n.kind == NodeKind::Random)
    addDependences(n, n.index);
  for (const ExprRange &range : n.ranges)
    addDependences(n, range.expr);
  k.nodes.push_back(std::move(n));
  return k.nodes.size() - 1;
}

NodeId GraphBuilder::loadNode(Value value, unsigned buffer, ExprVector at) {
  const Buffer &memory = info.buffers[buffer];
  Node n(NodeKind::Load, tensorType(value).getElementType());
  n.buffer = buffer;
  n.index = ix.dot(ix.vectorOf(at), memory.strides);
  n.exact = true;
  k.reads.insert(value);
  return node(n);
}

static bool isHalf(Type type) { return isa<Float16Type, BFloat16Type>(type); }

NodeId GraphBuilder::rounded(NodeId id) {
  if (!isHalf(k.nodes[id].type) || k.nodes[id].exact)
    return id;
  Node n(NodeKind::Round, k.nodes[id].type);
  n.operands = {id};
  n.exact = true;
  return node(n);
}

/// Operations whose result shows a rounding of their operands: it is not a number of the same type that is itself
/// only known up to a rounding.
static bool showsRounding(Operation *op) {
  if (isa<EqOp, NeOp, LtOp, LeOp, GtOp, GeOp, LogicalNotOp, IsinfOp, IsfiniteOp, BitcastOp, NextafterOp, FloorOp,
          CeilOp, RoundOp, TruncOp, SignOp, DivFloorOp, DivTruncOp, RemainderOp, FmodOp, ArgmaxOp, ArgminOp>(op))
    return true;
  auto convert = dyn_cast<ConvertOp>(op);
  return convert && !isa<FloatType>(convert.getType().getElementType());
}

/// Operations that give a number of the type when their operands are such.
static bool keepsExact(Operation *op) {
  return isa<WhereOp, MaximumOp, MinimumOp, FmaxOp, FminOp, ClampOp, ReluOp, AbsOp, NegOp, SignOp, FloorOp, CeilOp,
             RoundOp, TruncOp, CopysignOp, StopGradientOp, ReduceMaxOp, ReduceMinOp>(op);
}

/// The result of reducing nothing.
static TypedAttr neutral(Operation *op, Type type) {
  bool one = isa<ReduceProdOp, ReduceAllOp>(op);
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, one ? 1.0 : 0.0);
  return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), one));
}

NodeId GraphBuilder::nodeFor(Operation *op, Instance &instance) {
  Type type = tensorType(op->getResult(0)).getElementType();
  auto constant = [&](TypedAttr value) {
    Node n(NodeKind::Constant, type);
    n.value = value;
    n.exact = true;
    return node(n);
  };
  if (auto splat = dyn_cast<ConstantOp>(op))
    return constant(cast<TypedAttr>(cast<DenseElementsAttr>(splat.getValue()).getSplatValue<Attribute>()));
  if (auto full = dyn_cast<FullOp>(op))
    return constant(full.getValueAttr());
  if (isa<IotaOp, RandomUniformOp, RandomNormalOp>(op)) {
    Node n(isa<IotaOp>(op) ? NodeKind::IndexValue : NodeKind::Random, type, op);
    n.index = instance.index;
    for (Operand operand : instance.operands)
      n.operands.push_back(lookup(operand));
    return node(n);
  }
  if (isa<CatOp, PadOp>(op)) {
    NodeId result = lookup(instance.operands.back());
    for (size_t i = instance.operands.size() - 1; i-- > 0;) {
      Node condition(NodeKind::InRange, IntegerType::get(op->getContext(), 1));
      condition.ranges = instance.conditions[i];
      Node select(NodeKind::Select, type);
      select.operands = {node(condition), lookup(instance.operands[i]), result};
      select.exact = k.nodes[select.operands[1]].exact && k.nodes[result].exact;
      result = node(select);
    }
    return result;
  }
  if (op->hasTrait<trace::OpTrait::Reduction>()) {
    SmallVector<int64_t, 4> reduced = Kernel::reducedShape(op);
    int64_t numel = product(reduced);
    if (numel == 0)
      return constant(neutral(op, type));
    if (numel == 1)
      return instance.operands.empty() ? constant(IntegerAttr::get(type, 0)) : lookup(instance.operands[0]);
    if (instance.reduction < 0) { // it is to become memory; nothing of this kernel is used
      Node n(NodeKind::Constant, type);
      return node(n);
    }
    Reduction &reduction = k.reductions[instance.reduction];
    auto partial = info.partials.find(op);
    if (partial != info.partials.end()) {
      SmallVector<Expr, 4> at;
      ArrayRef<int64_t> kept = tensorType(op->getResult(0)).getShape();
      Expr keptLinear = ix.linearize(ix.vectorOf(instance.at), kept);
      for (unsigned box = 0; box < k.spaces[reduction.space].boxes.size(); ++box) {
        Node load(NodeKind::Load, info.buffers[partial->second.buffer].elementType);
        load.buffer = partial->second.buffer;
        load.index = ix.add(ix.scale(boxIndex(reduction.space, box), product(kept)), keptLinear);
        load.exact = true;
        k.partialReads.insert(op);
        reduction.inputs.push_back(node(load));
      }
    } else {
      for (Operand operand : instance.operands) {
        NodeId input = lookup(operand);
        reduction.inputs.push_back(showsRounding(op) ? rounded(input) : input);
      }
    }
    Node n(NodeKind::Reduce, type, op);
    n.reduction = instance.reduction;
    n.loops = ix.loopsOf(instance.at) | pointSet;
    int after = -1;
    n.exact = keepsExact(op);
    for (NodeId input : reduction.inputs) {
      after = std::max(after, k.nodes[input].stage);
      n.exact &= k.nodes[input].exact;
    }
    reduction.stage = stageFor(reduction.space, after);
    k.stages[reduction.stage].reductions.push_back(instance.reduction);
    n.stage = reduction.stage;
    NodeId id = node(n);
    k.reductions[instance.reduction].node = id;
    return id;
  }
  // Views and identities are their operand's node at another index.
  if (op->hasTrait<trace::OpTrait::ViewLike>() ||
      isa<ReverseOp, GatherOp, TakeOp, StopGradientOp, RecomputeBarrierOp>(op))
    return lookup(instance.operands[0]);
  Node n(NodeKind::Elementwise, type, op);
  n.exact = true;
  for (Operand operand : instance.operands) {
    NodeId id = lookup(operand);
    if (showsRounding(op))
      id = rounded(id);
    n.operands.push_back(id);
    n.exact &= k.nodes[id].exact;
  }
  n.exact &= keepsExact(op);
  n.exact |= isa<ConvertOp, BitcastOp>(op);
  return node(n);
}

unsigned GraphBuilder::stageFor(unsigned space, int after) {
  for (unsigned i = after + 1; i < k.stages.size(); ++i)
    if (k.stages[i].space == space)
      return i;
  k.stages.emplace_back(space);
  return k.stages.size() - 1;
}

void GraphBuilder::storeRoot(const Root &root) {
  for (const RootPoint &point : points[&root]) {
    Value value = root.chunk ? root.value.getDefiningOp()->getOperand(0) : root.value;
    NodeId id = lookup({value, point.at});
    if (root.chunk) {
      // Not stored as it is: accumulated over the chunk.
      Reduction reduction;
      Operation *op = root.value.getDefiningOp();
      reduction.kind = reduceKind(op);
      reduction.op = op;
      reduction.type = tensorType(root.value).getElementType();
      reduction.space = point.space;
      reduction.inputs = {id};
      Node n(NodeKind::Reduce, reduction.type, op);
      n.reduction = k.reductions.size();
      n.loops = k.outerLoops() | pointSet;
      reduction.stage = stageFor(point.space, k.nodes[id].stage);
      n.stage = reduction.stage;
      k.stages[reduction.stage].reductions.push_back(n.reduction);
      reduction.node = node(n);
      k.reductions.push_back(reduction);
      k.stores.push_back({reduction.node, root.buffers[0], point.chunk});
      continue;
    }
    for (unsigned buffer : root.buffers) {
      Store store{id, buffer, 0, point.space, point.box};
      if (root.accumulate) {
        // At the chunk's row of partial results: the index of what is kept.
        SmallVector<Expr, 4> at = ix.vectorOf(point.at), kept = {ix.atom(k.loops[k.outer[0]].atom)};
        kept.append(at.begin() + root.outerDims.size(), at.end());
        store.index = ix.dot(kept, info.buffers[buffer].strides);
        store.accumulate = root.accumulate;
      } else {
        store.index = ix.dot(ix.vectorOf(point.at), info.buffers[buffer].strides);
      }
      if (point.space >= 0) {
        store.stage = stageFor(point.space, k.nodes[id].stage);
        k.stages[store.stage].stores.push_back(k.stores.size());
      }
      k.stores.push_back(store);
    }
  }
}
