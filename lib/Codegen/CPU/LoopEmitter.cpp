//===- LoopEmitter.cpp - Loops, stages and reductions of a kernel ------------===//
#include "LoopEmitter.h"
#include "trace/IR/TraceOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::cpu;

void LoopEmitter::emit(func::FuncOp function, ArrayRef<unsigned> slots, ArrayRef<StringAttr> globals) {
  Block *entry = function.addEntryBlock();
  push(entry, 0, 1);
  // The memory that this kernel touches.
  llvm::SetVector<unsigned> used;
  for (const Node &node : k.nodes)
    if (node.kind == NodeKind::Load)
      used.insert(node.buffer);
  for (const Store &store : k.stores)
    used.insert(store.buffer);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  for (unsigned i : used) {
    const Buffer &buffer = k.info->buffers[i];
    auto type = MemRefType::get({std::max<int64_t>(buffer.span(), 1)}, memoryType(buffer.elementType));
    if (buffer.kind == Buffer::Constant) {
      memrefs[i] = memref::GetGlobalOp::create(b, loc, type, globals[i].getValue());
      continue;
    }
    Value place = LLVM::GEPOp::create(b, loc, pointer, pointer, entry->getArgument(0),
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slots[i])});
    Value data = LLVM::LoadOp::create(b, loc, pointer, place);
    auto array = LLVM::LLVMArrayType::get(b.getI64Type(), 1);
    auto descriptorType =
        LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer, b.getI64Type(), array, array});
    Value zero = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    Value size = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(type.getDimSize(0)));
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    Value descriptor = LLVM::PoisonOp::create(b, loc, descriptorType);
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, data, ArrayRef<int64_t>{0});
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, data, ArrayRef<int64_t>{1});
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, zero, ArrayRef<int64_t>{2});
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, size, ArrayRef<int64_t>{3, 0});
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, one, ArrayRef<int64_t>{4, 0});
    memrefs[i] = UnrealizedConversionCastOp::create(b, loc, type, descriptor).getResult(0);
  }
  Value lo = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry->getArgument(1));
  Value hi = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry->getArgument(2));
  func::ReturnOp::create(b, loc);
  insertAt(*scopes.back());
  emitOuter(lo, hi);
  pop();
}

scf::ForOp LoopEmitter::forLoop(Value low, Value high, int64_t step, ValueRange inits) {
  Value stepValue = indexConstant(step);
  insertAt(*scopes.back());
  return scf::ForOp::create(b, loc, low, high, stepValue, inits);
}

Value LoopEmitter::loadLanes(Value memref, VectorType type, Expr at, const LaneIndex &index, Scope &scope) {
  if (index.contiguous()) {
    if (!mask) {
      insertAt(scope);
      return vector::LoadOp::create(b, loc, type, memref, index.base);
    }
    Value zero = splat(cast<TypedAttr>(b.getZeroAttr(type.getElementType())), true);
    insertAt(scope);
    return vector::MaskedLoadOp::create(b, loc, type, memref, index.base, mask, zero);
  }
  if (!index.extra && index.coefficient == -1 && !mask) {
    Value back = indexConstant(static_cast<int64_t>(s.lanes) - 1);
    insertAt(scope);
    Value first = arith::SubIOp::create(b, loc, index.base, back);
    Value x = vector::LoadOp::create(b, loc, type, memref, first);
    SmallVector<int64_t> order;
    for (int64_t i = s.lanes; i-- > 0;)
      order.push_back(i);
    return vector::ShuffleOp::create(b, loc, x, x, order);
  }
  Value zero = splat(cast<TypedAttr>(b.getZeroAttr(type.getElementType())), true), all = mask ? mask : allOnes();
  Value offsets = laneOffsets(index, scope);
  insertAt(scope);
  return vector::GatherOp::create(b, loc, type, memref, index.base, offsets, all, zero);
}

void LoopEmitter::storeLanes(Value memref, Value x, Expr at, const LaneIndex &index) {
  if (index.contiguous()) {
    if (mask)
      vector::MaskedStoreOp::create(b, loc, memref, index.base, mask, x);
    else
      vector::StoreOp::create(b, loc, x, memref, index.base);
    return;
  }
  Value all = mask ? mask : allOnes(), offsets = laneOffsets(index, *scopes.back());
  insertAt(*scopes.back());
  vector::ScatterOp::create(b, loc, Type(), memref, index.base, offsets, all, x);
}

//===----------------------------------------------------------------------===//
// Outer loops
//===----------------------------------------------------------------------===//

void LoopEmitter::emitOuter(Value lo, Value hi) {
  scf::ForOp parallel = forLoop(lo, hi, 1, {});
  if (k.rowsPerChunk) {
    emitChunk(parallel);
    return;
  }
  // One unit is a point of the outer loops, or a block of the one on lanes.
  unsigned lanesPosition = s.lanesOuter ? s.outerOrder.back() : ~0u;
  SmallVector<int64_t, 4> extents;
  LoopSet loops = 0;
  for (unsigned position : s.unitOrder) {
    extents.push_back(k.outerExtents[position]);
    if (position == lanesPosition)
      extents.back() = llvm::divideCeil(extents.back(), s.block);
    else
      loops |= k.loopSet(k.outer[position]);
  }
  if (s.lanesOuter)
    setLanes(k.outer[lanesPosition]);
  push(parallel.getBody(), s.lanesOuter ? loops : loops | pointSet, 1);
  Value rest = parallel.getInductionVar(), block;
  for (size_t i = extents.size(); i-- > 0;) {
    Value index = rest;
    if (i) {
      Value extent = indexConstant(extents[i]);
      insertAt(*scopes.back());
      index = arith::RemUIOp::create(b, loc, rest, extent);
      rest = arith::DivUIOp::create(b, loc, rest, extent);
    }
    if (s.unitOrder[i] == lanesPosition)
      block = index;
    else
      loopValues[k.loops[k.outer[s.unitOrder[i]]].atom] = index;
  }
  if (s.lanesOuter)
    emitBlock(block);
  else
    emitPoint();
  pop();
}

/// A chunk of rows, one after the other. Its row of partial results is made neutral first.
void LoopEmitter::emitChunk(scf::ForOp parallel) {
  const Loop &chunk = k.loops[k.outer[0]], &row = k.loops[k.outer[1]];
  push(parallel.getBody(), k.loopSet(k.outer[0]), 1);
  loopValues[chunk.atom] = parallel.getInductionVar();
  for (const Store &st : k.stores)
    if (st.accumulate)
      emitNeutral(st);
  Value low = indexConstant(0), high = indexConstant(k.rowsPerChunk);
  if (k.numRows % k.rowsPerChunk) {
    Value perChunk = indexConstant(k.rowsPerChunk), rows = indexConstant(k.numRows);
    insertAt(*scopes.back());
    Value before = arith::MulIOp::create(b, loc, parallel.getInductionVar(), perChunk);
    high = arith::MinUIOp::create(b, loc, high, arith::SubIOp::create(b, loc, rows, before));
  }
  scf::ForOp rows = forLoop(low, high, 1, {});
  push(rows.getBody(), k.loopSet(k.outer[1]) | pointSet, 1);
  loopValues[row.atom] = rows.getInductionVar();
  emitPoint();
  pop();
  pop();
}

/// Writes the neutral element everywhere where `st` will accumulate in this chunk.
void LoopEmitter::emitNeutral(const Store &st) {
  Type element = cast<RankedTensorType>(st.accumulate->getOperand(0).getType()).getElementType();
  TypedAttr neutral = cloner.neutral(reduceKind(st.accumulate), computeType(element), !element.isUnsignedInteger());
  const Space &space = k.spaces[st.space];
  ArrayRef<unsigned> order = s.spaceOrder[st.space];
  unsigned opened = 0;
  for (unsigned position : order.drop_back()) {
    const Loop &loop = k.loops[space.boxes[st.box][position]];
    scf::ForOp forOp = forLoop(indexConstant(loop.low), indexConstant(loop.high + 1), 1, {});
    loopValues[loop.atom] = forOp.getInductionVar();
    push(forOp.getBody(), k.loopSet(space.boxes[st.box][position]), 1);
    ++opened;
  }
  unsigned lanesLoop = space.boxes[st.box][order.back()];
  LoopSet loops = setLanes(lanesLoop);
  Value high = indexConstant(k.loops[lanesLoop].high + 1);
  scf::ForOp forOp = forLoop(indexConstant(k.loops[lanesLoop].low), high, s.lanes, {});
  push(forOp.getBody(), loops, 1);
  lanesBase = forOp.getInductionVar();
  Value left = arith::SubIOp::create(b, loc, high, lanesBase);
  mask = vector::CreateMaskOp::create(b, loc, VectorType::get({static_cast<int64_t>(s.lanes)}, b.getI1Type()), left);
  storeAt(st.buffer, st.index, splat(neutral, true));
  mask = nullptr;
  pop();
  lanesSet = 0;
  while (opened--)
    pop();
}

/// A block of outer points on lanes: whole steps, then single vectors under a mask.
void LoopEmitter::emitBlock(Value block) {
  unsigned loop = k.outer[s.outerOrder.back()];
  LoopSet loops = k.loopSet(loop);
  int64_t extent = k.loops[loop].extent(), step = static_cast<int64_t>(s.lanes) * s.unroll;
  while (s.unroll > 1 && extent < step) {
    s.unroll /= 2;
    step /= 2;
  }
  Value size = indexConstant(s.block), end = indexConstant(extent);
  insertAt(*scopes.back());
  Value low = arith::MulIOp::create(b, loc, block, size);
  Value high = arith::AddIOp::create(b, loc, low, size);
  bool whole = extent % s.block == 0;
  if (!whole)
    high = arith::MinUIOp::create(b, loc, high, end);
  bool tail = extent % step != 0 || s.block % step != 0;
  Value mainEnd = high;
  if (tail) {
    Value stepValue = indexConstant(step);
    insertAt(*scopes.back());
    Value length = arith::SubIOp::create(b, loc, high, low);
    Value rest = arith::RemUIOp::create(b, loc, length, stepValue);
    mainEnd = arith::SubIOp::create(b, loc, high, rest);
  }
  auto body = [&](scf::ForOp forOp, unsigned vectors) {
    push(forOp.getBody(), loops | pointSet, vectors);
    lanesBase = forOp.getInductionVar();
    lanesStepMultiple = s.lanes;
    emitPoint();
    pop();
  };
  unsigned vectors = s.unroll;
  if (extent >= step) {
    body(forLoop(low, mainEnd, step, {}), vectors);
    scopes.back()->child = nullptr;
  }
  if (tail) {
    scf::ForOp forOp = forLoop(mainEnd, high, s.lanes, {});
    push(forOp.getBody(), loops | pointSet, 1);
    lanesBase = forOp.getInductionVar();
    lanesStepMultiple = s.lanes;
    Value left = arith::SubIOp::create(b, loc, high, lanesBase);
    mask = vector::CreateMaskOp::create(b, loc, VectorType::get({static_cast<int64_t>(s.lanes)}, b.getI1Type()), left);
    s.unroll = 1;
    emitPoint();
    s.unroll = vectors;
    mask = nullptr;
    pop();
  }
}

/// One outer point (with lanesOuter: one step of them).
void LoopEmitter::emitPoint() {
  for (unsigned stage = 0; stage < k.stages.size(); ++stage)
    emitStage(stage);
  unsigned vectors = s.lanesOuter ? s.unroll : 1;
  for (unsigned v = 0; v < vectors; ++v) {
    current = v;
    SmallVector<NodeId> targets;
    for (const Store &st : k.stores)
      if (st.space < 0)
        targets.push_back(st.node);
    emitNodes(targets);
    for (const Store &st : k.stores)
      if (st.space < 0)
        store(st);
  }
  current = 0;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void LoopEmitter::emitStage(unsigned stage) {
  Accumulators accumulators = neutrals(stage);
  const Space &space = k.spaces[k.stages[stage].space];
  for (unsigned box = 0; box < space.boxes.size(); ++box)
    accumulators = emitBox(stage, box, 0, accumulators);
  finishReductions(stage, accumulators);
}

/// The loops of a box from `depth` on.
LoopEmitter::Accumulators LoopEmitter::emitBox(unsigned stage, unsigned box, unsigned depth,
                                               Accumulators accumulators) {
  unsigned spaceIndex = k.stages[stage].space;
  const Space &space = k.spaces[spaceIndex];
  ArrayRef<unsigned> order = s.spaceOrder[spaceIndex];
  bool innermost = depth + 1 == order.size();
  if (innermost && !s.lanesOuter)
    return emitLanes(stage, box, accumulators);
  const Loop &loop = k.loops[space.boxes[box][order[depth]]];
  Value low = indexConstant(loop.low), high = indexConstant(loop.high + 1);
  if (space.limit) {
    Value limit = scalar(*space.limit);
    insertAt(*scopes.back());
    high = arith::MinSIOp::create(b, loc, high, limit);
  }
  scf::ForOp forOp = forLoop(low, high, 1, accumulators);
  loopValues[loop.atom] = forOp.getInductionVar();
  push(forOp.getBody(), k.loopSet(space.boxes[box][order[depth]]), s.lanesOuter ? s.unroll : 1);
  Accumulators inner(forOp.getRegionIterArgs().begin(), forOp.getRegionIterArgs().end());
  if (innermost)
    emitStep(stage, box, s.unroll, inner);
  else
    inner = emitBox(stage, box, depth + 1, inner);
  if (!inner.empty()) {
    insertAt(*scopes.back());
    scf::YieldOp::create(b, loc, inner);
  }
  pop();
  return Accumulators(forOp.getResults().begin(), forOp.getResults().end());
}

/// The innermost loop of a row, on lanes: whole steps, then single vectors under a mask.
LoopEmitter::Accumulators LoopEmitter::emitLanes(unsigned stage, unsigned box, Accumulators accumulators) {
  unsigned spaceIndex = k.stages[stage].space;
  const Space &space = k.spaces[spaceIndex];
  unsigned loopNumber = space.boxes[box][s.spaceOrder[spaceIndex].back()];
  const Loop &loop = k.loops[loopNumber];
  LoopSet loops = setLanes(loopNumber);
  int64_t count = loop.extent();
  unsigned vectors = s.unroll;
  while (vectors > 1 && count < static_cast<int64_t>(vectors) * s.lanes)
    vectors /= 2;
  int64_t step = static_cast<int64_t>(vectors) * s.lanes;
  Value low = indexConstant(loop.low), high = indexConstant(loop.high + 1), mainEnd;
  bool main = count >= step, tail = count % step != 0;
  if (space.limit) {
    Value limit = scalar(*space.limit), stepValue = indexConstant(step);
    insertAt(*scopes.back());
    high = arith::MinSIOp::create(b, loc, high, limit);
    Value rest = arith::RemUIOp::create(b, loc, high, stepValue);
    mainEnd = arith::SubIOp::create(b, loc, high, rest);
    main = tail = true;
  } else {
    mainEnd = indexConstant(loop.low + count / step * step);
  }
  auto emitLoop = [&](Value from, Value to, unsigned vectors, bool masked) {
    scf::ForOp forOp = forLoop(from, to, static_cast<int64_t>(vectors) * s.lanes, accumulators);
    push(forOp.getBody(), loops, vectors);
    lanesBase = forOp.getInductionVar();
    lanesStepMultiple = loop.low % s.lanes == 0 ? s.lanes : 1;
    if (masked) {
      Value left = arith::SubIOp::create(b, loc, to, lanesBase);
      mask =
          vector::CreateMaskOp::create(b, loc, VectorType::get({static_cast<int64_t>(s.lanes)}, b.getI1Type()), left);
    }
    Accumulators inner(forOp.getRegionIterArgs().begin(), forOp.getRegionIterArgs().end());
    emitStep(stage, box, vectors, inner);
    if (!inner.empty()) {
      insertAt(*scopes.back());
      scf::YieldOp::create(b, loc, inner);
    }
    mask = nullptr;
    pop();
    accumulators.assign(forOp.getResults().begin(), forOp.getResults().end());
  };
  if (main)
    emitLoop(low, mainEnd, vectors, false);
  if (tail)
    emitLoop(mainEnd, high, 1, true);
  lanesSet = 0;
  return accumulators;
}

/// One step of the innermost loop: stores, and what each vector adds to its accumulators.
void LoopEmitter::emitStep(unsigned stageIndex, unsigned box, unsigned vectors, Accumulators &accumulators) {
  const Stage &stage = k.stages[stageIndex];
  SmallVector<NodeId> targets;
  for (unsigned i : stage.stores)
    if (k.stores[i].box == box)
      targets.push_back(k.stores[i].node);
  for (unsigned r : stage.reductions)
    targets.push_back(k.reductions[r].inputs[box]);
  unsigned position = 0;
  for (unsigned v = 0; v < vectors; ++v) {
    current = v;
    emitNodes(targets);
    for (unsigned i : stage.stores)
      if (k.stores[i].box == box)
        store(k.stores[i]);
    // Lanes beyond the end leave their accumulator alone (outer points on lanes are not combined with each other).
    for (unsigned r : stage.reductions)
      accumulate(k.reductions[r], box, s.lanesOuter ? Value() : mask, accumulators, position);
  }
  current = 0;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Values of the reductions, as far as one thread has them: all of it.
void LoopEmitter::finishReductions(unsigned stage, Accumulators &accumulators) {
  ArrayRef<unsigned> reductions = k.stages[stage].reductions;
  if (reductions.empty())
    return;
  unsigned perVector = accumulators.size() / s.unroll, position = 0;
  insertAt(*scopes.back());
  for (unsigned r : reductions) {
    const Reduction &reduction = k.reductions[r];
    const Node &node = k.nodes[reduction.node];
    unsigned w = width(reduction);
    if (s.lanesOuter) {
      // Each vector holds outer points of its own.
      for (unsigned v = 0; v < s.unroll; ++v) {
        Scope &target = home(node.loops);
        target.nodes[onLanes(node.loops) ? v : 0][reduction.node] = accumulators[v * perVector + position + w - 1];
      }
    } else {
      Value value, index;
      combineVectors(reduction, accumulators, perVector, position, value, index);
      home(node.loops).nodes[0][reduction.node] = w == 2 ? index : value;
    }
    position += w;
  }
}
