//===- NodeEmission.cpp - Nodes, index expressions and memory accesses -------===//
#include "trace/Codegen/Emission/KernelEmitter.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void KernelEmitter::push(Block *block, LoopSet loops, unsigned slots) {
  auto scope = std::make_unique<Scope>();
  scope->block = block;
  scope->loops = loops | (scopes.empty() ? 0 : scopes.back()->loops);
  scope->nodes.resize(slots);
  scope->exprs.resize(slots);
  scope->vectors32.resize(slots);
  scope->vectors64.resize(slots);
  // Scopes may share a block; a loop in it is in the way of all of them.
  for (auto &outer : llvm::reverse(scopes))
    if (block->getParentOp()->getBlock() == outer->block)
      outer->child = block->getParentOp();
  scopes.push_back(std::move(scope));
  insertAt(*scopes.back());
}

void KernelEmitter::pop() {
  Block *block = scopes.back()->block;
  scopes.pop_back();
  if (scopes.empty())
    return;
  if (block != scopes.back()->block)
    for (auto &outer : llvm::reverse(scopes))
      if (outer->block == scopes.back()->block)
        outer->child = nullptr;
  insertAt(*scopes.back());
}

KernelEmitter::Scope &KernelEmitter::home(LoopSet loops) {
  for (auto &scope : scopes)
    if (!(loops & ~scope->loops))
      return *scope;
  llvm_unreachable("a value depends on a loop that is not open");
}

void KernelEmitter::insertAt(Scope &scope) {
  if (scope.child)
    b.setInsertionPoint(scope.child);
  else if (!scope.block->empty() && scope.block->back().hasTrait<mlir::OpTrait::IsTerminator>())
    b.setInsertionPoint(&scope.block->back());
  else
    b.setInsertionPointToEnd(scope.block);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value KernelEmitter::splat(TypedAttr value, bool vector) {
  if (vector)
    value = DenseElementsAttr::get(VectorType::get({static_cast<int64_t>(s.lanes)}, value.getType()), Attribute(value));
  Value &constant = constants[value];
  if (!constant) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(scopes.front()->block);
    constant = arith::ConstantOp::create(b, loc, value);
  }
  return constant;
}

Value KernelEmitter::indexConstant(int64_t value) { return splat(b.getIndexAttr(value), false); }

Value KernelEmitter::broadcast(Value x) {
  if (isa<VectorType>(x.getType()))
    return x;
  Attribute constant;
  if (matchPattern(x, m_Constant(&constant)))
    return splat(cast<TypedAttr>(constant), true);
  return vector::BroadcastOp::create(b, loc, VectorType::get({static_cast<int64_t>(s.lanes)}, x.getType()), x);
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

/// With what the indices that are read from memory depend on (they may come out of a reduction).
LoopSet KernelEmitter::loopsOfAtom(Atom atom) {
  const AtomInfo &info = k.index.info(atom);
  if (info.kind == AtomKind::Loop)
    return info.loops;
  if (info.kind == AtomKind::Data)
    return info.loops | k.nodes[k.nodeOf.at({info.value, info.at})].loops;
  return loopsOf(info.operand);
}

LoopSet KernelEmitter::loopsOf(Expr e) {
  LoopSet loops = 0;
  for (auto [atom, c] : k.index.get(e).terms)
    loops |= loopsOfAtom(atom);
  return loops;
}

Value KernelEmitter::scalarAtom(Atom atom) {
  const AtomInfo info = k.index.info(atom);
  switch (info.kind) {
  case AtomKind::Loop:
    return loopValues.at(atom);
  case AtomKind::FloorDiv:
  case AtomKind::Mod: {
    Value x = scalar(info.operand), divisor = indexConstant(info.divisor);
    insertAt(home(loopsOfAtom(atom)));
    bool negative = k.index.range(info.operand).first < 0;
    if (info.kind == AtomKind::FloorDiv)
      return negative ? Value(arith::FloorDivSIOp::create(b, loc, x, divisor))
                      : Value(arith::DivUIOp::create(b, loc, x, divisor));
    if (!negative)
      return arith::RemUIOp::create(b, loc, x, divisor);
    Value quotient = arith::FloorDivSIOp::create(b, loc, x, divisor);
    return arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, quotient, divisor));
  }
  case AtomKind::Clamp: {
    Value x = scalar(info.operand), low = indexConstant(info.low), high = indexConstant(info.high);
    insertAt(home(loopsOfAtom(atom)));
    return arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, x, low), high);
  }
  case AtomKind::Data: {
    Value x = emitNode(k.nodeOf.at({info.value, info.at}));
    Value low = indexConstant(info.low), high = indexConstant(info.high);
    insertAt(home(loopsOfAtom(atom)));
    x = arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
    // Indices are checked before the fusion; a stray one must not reach past the operand nevertheless.
    return arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, x, low), high);
  }
  }
  llvm_unreachable("unknown atom");
}

/// The expression as an index; it does not depend on the loop on lanes.
Value KernelEmitter::scalar(Expr e) {
  Scope &scope = home(loopsOf(e));
  if (auto it = scope.exprs[0].find(e); it != scope.exprs[0].end())
    return it->second;
  const LinearExpr linear = k.index.get(e);
  if (linear.terms.empty())
    return indexConstant(linear.constant);
  // Outer loops' terms first, so that the sum over them is made once.
  SmallVector<std::pair<Atom, int64_t>> terms(linear.terms.begin(), linear.terms.end());
  auto depth = [&](Atom atom) {
    LoopSet loops = loopsOfAtom(atom);
    unsigned i = 0;
    while (loops & ~scopes[i]->loops)
      ++i;
    return i;
  };
  llvm::sort(terms, [&](auto &x, auto &y) {
    return std::make_pair(depth(x.first), x.first) < std::make_pair(depth(y.first), y.first);
  });
  Value sum;
  if (terms.size() > 1 && depth(terms.front().first) < depth(terms.back().first)) {
    Expr prefix = k.index.constant(0);
    Expr rest = e;
    unsigned last = depth(terms.back().first);
    for (auto [atom, c] : terms) {
      if (depth(atom) == last)
        continue;
      Expr term = k.index.scale(k.index.atom(atom), c);
      prefix = k.index.add(prefix, term);
      rest = k.index.add(rest, k.index.scale(term, -1));
    }
    Value x = scalar(prefix), y = scalar(rest);
    insertAt(scope);
    sum = arith::AddIOp::create(b, loc, x, y);
  } else {
    for (auto [atom, c] : terms) {
      Value x = scalarAtom(atom);
      Value factor = c == 1 ? Value() : indexConstant(c);
      insertAt(scope);
      if (factor)
        x = arith::MulIOp::create(b, loc, x, factor);
      sum = sum ? Value(arith::AddIOp::create(b, loc, sum, x)) : x;
    }
    if (linear.constant) {
      Value constant = indexConstant(linear.constant);
      insertAt(scope);
      sum = arith::AddIOp::create(b, loc, sum, constant);
    }
  }
  scope.exprs[0][e] = sum;
  return sum;
}

LoopSet KernelEmitter::setLanes(unsigned loop) {
  lanesAtom = k.loops[loop].atom;
  lanesSet = k.loopSet(loop);
  return lanesSet;
}

Value KernelEmitter::laneStart(Scope &scope) {
  if (!current)
    return lanesBase;
  Value &shifted = scope.exprs[current][k.index.atom(lanesAtom)];
  if (!shifted) {
    Value offset = indexConstant(static_cast<int64_t>(current) * s.lanes);
    insertAt(scope);
    shifted = arith::AddIOp::create(b, loc, lanesBase, offset);
  }
  return shifted;
}

/// Splits an expression that depends on the loop on lanes.
KernelEmitter::LaneIndex KernelEmitter::lanes(Expr e) {
  LaneIndex result;
  Expr uniform = e;
  SmallVector<std::pair<Atom, int64_t>> others;
  const LinearExpr linear = k.index.get(e);
  for (auto [atom, c] : linear.terms) {
    if (!onLanes(loopsOfAtom(atom)))
      continue;
    uniform = k.index.add(uniform, k.index.scale(k.index.atom(atom), -c));
    if (atom == lanesAtom)
      result.coefficient = c;
    else
      others.push_back({atom, c});
  }
  Value base = scalar(uniform);
  Scope &scope = home(loopsOf(e));
  if (result.coefficient) {
    Value &known = scope.exprs[current][e];
    if (!known) {
      Value start = laneStart(scope);
      Value factor = result.coefficient == 1 ? Value() : indexConstant(result.coefficient);
      insertAt(scope);
      if (factor)
        start = arith::MulIOp::create(b, loc, start, factor);
      Value sum = arith::AddIOp::create(b, loc, base, start);
      scope.exprs[current][e] = sum;
      base = sum;
    } else {
      base = known;
    }
  }
  result.base = base;
  if (!others.empty()) {
    int64_t low = 0, high = 0;
    for (auto [atom, c] : others) {
      const AtomInfo &info = k.index.info(atom);
      low += std::min(c * info.low, c * info.high);
      high += std::max(c * info.low, c * info.high);
    }
    int64_t spread = std::abs(result.coefficient) * s.lanes;
    result.extraBits = low - spread < INT32_MIN || high + spread > INT32_MAX ? 64 : 32;
    for (auto [atom, c] : others) {
      Value x = vectorAtom(atom, result.extraBits);
      Value factor = c == 1 ? Value() : splat(b.getIntegerAttr(b.getIntegerType(result.extraBits), c), true);
      insertAt(scope);
      if (factor)
        x = arith::MulIOp::create(b, loc, x, factor);
      result.extra = result.extra ? Value(arith::AddIOp::create(b, loc, result.extra, x)) : x;
    }
  }
  return result;
}

static Value iota(OpBuilder &b, Location loc, unsigned lanes, Type type, int64_t factor,
                  llvm::function_ref<Value(TypedAttr)> constant) {
  unsigned bits = cast<IntegerType>(type).getWidth();
  SmallVector<APInt> values;
  for (unsigned i = 0; i < lanes; ++i)
    values.push_back(APInt(bits, static_cast<uint64_t>(i * factor), /*isSigned=*/false, /*implicitTrunc=*/true));
  return constant(cast<TypedAttr>(
      Attribute(DenseIntElementsAttr::get(VectorType::get({static_cast<int64_t>(lanes)}, type), values))));
}

/// The expression as a vector of integers, a lane each.
Value KernelEmitter::vectorOf(Expr e, unsigned bits) {
  Scope &scope = home(loopsOf(e));
  auto &table = (bits == 32 ? scope.vectors32 : scope.vectors64)[current];
  if (auto it = table.find(e); it != table.end())
    return it->second;
  LaneIndex index = lanes(e);
  Type type = b.getIntegerType(bits);
  Value steps;
  if (index.coefficient)
    steps = iota(b, loc, s.lanes, type, index.coefficient, [&](TypedAttr value) { return splat(value, false); });
  insertAt(scope);
  Value result = broadcast(arith::IndexCastOp::create(b, loc, type, index.base));
  if (steps)
    result = arith::AddIOp::create(b, loc, result, steps);
  if (index.extra) {
    Value extra = index.extra;
    if (index.extraBits < bits)
      extra = arith::ExtSIOp::create(b, loc, result.getType(), extra);
    else if (index.extraBits > bits)
      extra = arith::TruncIOp::create(b, loc, result.getType(), extra);
    result = arith::AddIOp::create(b, loc, result, extra);
  }
  table[e] = result;
  return result;
}

static unsigned bitsFor(const IndexContext &index, Expr e) {
  auto [low, high] = index.range(e);
  return low < INT32_MIN || high > INT32_MAX ? 64 : 32;
}

Value KernelEmitter::vectorAtom(Atom atom, unsigned bits) {
  const AtomInfo info = k.index.info(atom);
  Scope &scope = home(loopsOfAtom(atom));
  Type type = b.getIntegerType(bits);
  auto constant = [&](int64_t value, Type type) { return splat(b.getIntegerAttr(type, value), true); };
  if (info.kind == AtomKind::Data) {
    Value x = emitNode(k.nodeOf.at({info.value, info.at}));
    Value low = constant(info.low, b.getI64Type()), high = constant(info.high, b.getI64Type());
    insertAt(scope);
    x = broadcast(x);
    x = arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, x, low), high);
    return bits == 64 ? x
                      : Value(arith::TruncIOp::create(
                            b, loc, VectorType::get(cast<VectorType>(x.getType()).getShape(), type), x));
  }
  assert(info.kind != AtomKind::Loop && "the loop on lanes is no extra term");
  unsigned inner = std::max(bits, bitsFor(k.index, info.operand));
  Type innerType = b.getIntegerType(inner);
  Value x = vectorOf(info.operand, inner);
  Value result;
  if (info.kind == AtomKind::Clamp) {
    Value low = constant(info.low, innerType), high = constant(info.high, innerType);
    insertAt(scope);
    result = arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, x, low), high);
  } else {
    Value divisor = constant(info.divisor, innerType);
    insertAt(scope);
    Value quotient = k.index.range(info.operand).first < 0 ? Value(arith::FloorDivSIOp::create(b, loc, x, divisor))
                                                           : Value(arith::DivUIOp::create(b, loc, x, divisor));
    result = info.kind == AtomKind::FloorDiv
                 ? quotient
                 : Value(arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, quotient, divisor)));
  }
  if (inner > bits)
    result = arith::TruncIOp::create(b, loc, VectorType::get({static_cast<int64_t>(s.lanes)}, type), result);
  return result;
}

int64_t KernelEmitter::factorOf(Expr e) {
  const LinearExpr &linear = k.index.get(e);
  uint64_t bits = static_cast<uint64_t>(linear.constant) | (uint64_t(1) << 62);
  for (auto [atom, c] : linear.terms)
    bits |= static_cast<uint64_t>(atom == lanesAtom && onLanes(loopsOfAtom(atom)) ? c * lanesStepMultiple : c);
  return static_cast<int64_t>(bits & -bits);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// `loops`: all that the index depends on, also through what it reads.
Value KernelEmitter::load(unsigned buffer, Expr at, LoopSet loops) {
  Value memref = memrefs.at(buffer);
  Type program = k.info->buffers[buffer].elementType, stored = memoryType(program);
  Value x;
  if (!onLanes(loops)) {
    Value index = scalar(at);
    insertAt(home(loops));
    x = memref::LoadOp::create(b, loc, memref, index);
  } else {
    LaneIndex index = lanes(at);
    x = loadLanes(memref, VectorType::get({static_cast<int64_t>(s.lanes)}, stored), at, index, home(loops));
  }
  insertAt(home(loops));
  return cloner.fromMemory(x, program);
}

void KernelEmitter::store(const Store &store) {
  Value x = valueOf(store.node);
  if (store.accumulate) {
    Type element = cast<RankedTensorType>(store.accumulate->getOperand(0).getType()).getElementType();
    LoopSet loops = loopsOf(store.index);
    Value before = load(store.buffer, store.index, loops);
    insertAt(*scopes.back());
    if (onLanes(loops))
      x = broadcast(x);
    x = cloner.combine(reduceKind(store.accumulate), before, x, !element.isUnsignedInteger());
  }
  storeAt(store.buffer, store.index, x);
}

void KernelEmitter::storeAt(unsigned number, Expr at, Value x) {
  const Buffer &buffer = k.info->buffers[number];
  Value memref = memrefs.at(number);
  LoopSet loops = loopsOf(at);
  Scope &scope = *scopes.back();
  if (!onLanes(loops)) {
    Value index = scalar(at);
    insertAt(scope);
    if (isa<VectorType>(x.getType()))
      x = vector::ExtractOp::create(b, loc, x, ArrayRef<int64_t>{0});
    memref::StoreOp::create(b, loc, cloner.toMemory(x, buffer.elementType), memref, index);
    return;
  }
  LaneIndex index = lanes(at);
  insertAt(scope);
  storeLanes(memref, cloner.toMemory(broadcast(x), buffer.elementType), at, index);
}

Value KernelEmitter::laneOffsets(const LaneIndex &index, Scope &scope) {
  unsigned bits = index.extra ? index.extraBits : std::abs(index.coefficient) * s.lanes > INT32_MAX ? 64 : 32;
  Value offsets = index.extra;
  if (index.coefficient || !offsets) {
    Value steps = iota(b, loc, s.lanes, b.getIntegerType(bits), index.coefficient,
                       [&](TypedAttr value) { return splat(value, false); });
    insertAt(scope);
    offsets = offsets ? Value(arith::AddIOp::create(b, loc, offsets, steps)) : steps;
  }
  return offsets;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Value KernelEmitter::valueOf(NodeId id) {
  const Node &node = k.nodes[id];
  return home(node.loops).nodes[slot(node.loops)].lookup(id);
}

Value KernelEmitter::operand(NodeId id, bool vector) {
  Value x = valueOf(id);
  return vector ? broadcast(x) : x;
}

/// Everything that the targets need and that is not there yet, operands first. Node numbers are in that order already.
void KernelEmitter::emitNodes(ArrayRef<NodeId> targets) {
  SmallVector<NodeId> needed, stack(targets);
  llvm::DenseSet<NodeId> seen;
  while (!stack.empty()) {
    NodeId id = stack.pop_back_val();
    if (!seen.insert(id).second || valueOf(id))
      continue;
    needed.push_back(id);
    llvm::append_range(stack, k.nodes[id].operands);
    llvm::append_range(stack, k.nodes[id].data);
  }
  llvm::sort(needed);
  for (NodeId id : needed)
    emitNode(id);
}

Value KernelEmitter::inRange(const Node &node) {
  bool vector = onLanes(node.loops);
  Value result;
  for (const ExprRange &range : node.ranges) {
    auto [low, high] = k.index.range(range.expr);
    auto add = [&](Value condition) {
      result = result ? Value(arith::AndIOp::create(b, loc, result, condition)) : condition;
    };
    bool lane = onLanes(loopsOf(range.expr));
    unsigned bits = bitsFor(k.index, range.expr);
    Value x = lane ? vectorOf(range.expr, bits) : scalar(range.expr);
    auto bound = [&](int64_t value) {
      return lane ? splat(b.getIntegerAttr(b.getIntegerType(bits), value), true) : indexConstant(value);
    };
    auto widen = [&](Value condition) { return vector ? broadcast(condition) : condition; };
    if (low < range.low) {
      Value limit = bound(range.low);
      insertAt(home(node.loops));
      add(widen(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, x, limit)));
    }
    if (high > range.high) {
      Value limit = bound(range.high);
      insertAt(home(node.loops));
      add(widen(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, limit)));
    }
  }
  return result ? result : splat(b.getBoolAttr(true), vector);
}

Value KernelEmitter::random(const Node &node) {
  Value seed = operand(node.operands[0], false);
  Scope &scope = home(node.loops);
  bool normal = isa<RandomNormalOp>(node.op);
  int64_t stream = node.op->getAttrOfType<IntegerAttr>("stream").getInt();
  VectorMath &math = cloner.mathematics();
  Value result;
  Type compute = computeType(node.type);
  if (onLanes(node.loops)) {
    LaneIndex index = lanes(node.index);
    if (index.coefficient == 1 && !index.extra && s.lanes % 4 == 0 && multipleOf(node.index, 4)) {
      insertAt(scope);
      Value first = arith::IndexCastOp::create(b, loc, b.getI64Type(), index.base);
      Value words = math.philoxRun(seed, stream, first, s.lanes);
      result = normal ? math.normalFromWords(words, compute) : math.uniformFromWords(words, compute);
    } else {
      Value elements = vectorOf(node.index, 64);
      insertAt(scope);
      result = normal ? math.normalAt(seed, stream, elements, compute)
                      : math.uniformFromWords(math.philoxAt(seed, stream, elements), compute);
    }
  } else {
    Value index = scalar(node.index);
    insertAt(scope);
    Value element = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    result = normal ? math.normalAt(seed, stream, element, compute)
                    : math.uniformFromWords(math.philoxAt(seed, stream, element), compute);
  }
  if (compute != node.type)
    result = math.roundThrough(result, node.type);
  return result;
}

Value KernelEmitter::emitNode(NodeId id) {
  if (Value known = valueOf(id))
    return known;
  const Node &node = k.nodes[id];
  bool vector = onLanes(node.loops);
  Scope &scope = home(node.loops);
  insertAt(scope);
  Value result;
  switch (node.kind) {
  case NodeKind::Load:
    result = load(node.buffer, node.index, node.loops);
    break;
  case NodeKind::Constant: {
    Type compute = computeType(node.type);
    TypedAttr value = node.value;
    if (!value)
      value = cast<TypedAttr>(b.getZeroAttr(compute));
    if (auto number = dyn_cast<FloatAttr>(value); number && number.getType() != compute) {
      bool lost;
      APFloat wide = number.getValue();
      wide.convert(cast<FloatType>(compute).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
      value = FloatAttr::get(compute, wide);
    } else if (auto integer = dyn_cast<IntegerAttr>(value); integer && integer.getType() != compute) {
      value = IntegerAttr::get(compute, integer.getValue());
    }
    result = splat(value, false);
    break;
  }
  case NodeKind::Elementwise: {
    SmallVector<Value> operands;
    for (NodeId o : node.operands)
      operands.push_back(operand(o, vector));
    result = cloner.elementwise(node.op, operands);
    break;
  }
  case NodeKind::Select: {
    Value condition = operand(node.operands[0], false);
    Value a = operand(node.operands[1], vector), c = operand(node.operands[2], vector);
    result = arith::SelectOp::create(b, loc, condition, a, c);
    break;
  }
  case NodeKind::InRange:
    result = inRange(node);
    break;
  case NodeKind::IndexValue: {
    Type compute = computeType(node.type);
    bool isFloat = isa<FloatType>(compute);
    if (vector) {
      unsigned bits = bitsFor(k.index, node.index);
      Value x = vectorOf(node.index, bits);
      insertAt(scope);
      result = cloner.convert(x, b.getIntegerType(bits), node.type);
    } else {
      Value x = scalar(node.index);
      insertAt(scope);
      Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), x);
      result = cloner.convert(number, b.getI64Type(), node.type);
    }
    (void)isFloat;
    break;
  }
  case NodeKind::Random:
    result = random(node);
    break;
  case NodeKind::Round:
    result = cloner.round(operand(node.operands[0], vector), node.type);
    break;
  case NodeKind::Reduce:
    llvm_unreachable("a reduction's result is read before its stage has run");
  }
  scope.nodes[slot(node.loops)][id] = result;
  return result;
}
