//===- ThreadEmitter.cpp - How the threads of a block share a kernel ---------===//
#include "ThreadEmitter.h"
#include "Coalescing.h"
#include "trace/IR/TraceOps.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::cuda;

void ThreadEmitter::emit(mlir::gpu::GPUFuncOp func, ArrayRef<unsigned> buffers, ArrayRef<StringAttr> globals) {
  function = func;
  Block *entry = &func.getBody().front();
  b.setInsertionPointToEnd(entry);
  mlir::gpu::ReturnOp::create(b, loc);
  push(entry, 0, 1);
  for (auto [i, buffer] : llvm::enumerate(buffers))
    memrefs[buffer] = entry->getArgument(i);
  llvm::SetVector<unsigned> used;
  for (const Node &node : k.nodes)
    if (node.kind == NodeKind::Load)
      used.insert(node.buffer);
  for (unsigned i : used) {
    const Buffer &buffer = k.info->buffers[i];
    if (buffer.kind != Buffer::Constant)
      continue;
    auto type = MemRefType::get({buffer.numElements()}, memoryType(buffer.elementType), MemRefLayoutAttrInterface(),
                                b.getI64IntegerAttr(1));
    memrefs[i] = memref::GetGlobalOp::create(b, loc, type, globals[i].getValue());
  }
  Value thread = mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x);
  block = mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x);
  if (launch.y == 1) {
    tx = thread;
  } else {
    Value x = indexConstant(launch.x);
    insertAt(*scopes.back());
    tx = arith::RemUIOp::create(b, loc, thread, x);
    ty = arith::DivUIOp::create(b, loc, thread, x);
  }
  switch (launch.mapping) {
  case Launch::Points:
    emitPoints();
    break;
  case Launch::Rows:
    emitRows();
    break;
  case Launch::Columns:
    emitColumns();
    break;
  case Launch::Chunks:
    emitChunks();
    break;
  case Launch::Tiles:
    emitTiles();
    break;
  }
  pop();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value ThreadEmitter::loadLanes(Value memref, VectorType type, Expr at, const LaneIndex &index, Scope &scope) {
  if (index.contiguous()) {
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    int64_t alignment = std::min<int64_t>({16, factorOf(at) * bytes, type.getNumElements() * bytes});
    insertAt(scope);
    return vector::LoadOp::create(b, loc, type, memref, ValueRange{index.base}, /*nontemporal=*/false,
                                  llvm::MaybeAlign(alignment));
  }
  Value offsets = laneOffsets(index, scope);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    insertAt(scope);
    Value offset = vector::ExtractOp::create(b, loc, offsets, ArrayRef<int64_t>{i});
    offset = arith::IndexCastOp::create(b, loc, b.getIndexType(), offset);
    Value place = arith::AddIOp::create(b, loc, index.base, offset);
    elements.push_back(memref::LoadOp::create(b, loc, memref, place));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

void ThreadEmitter::storeLanes(Value memref, Value x, Expr at, const LaneIndex &index) {
  auto type = cast<VectorType>(x.getType());
  if (index.contiguous()) {
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    int64_t alignment = std::min<int64_t>({16, factorOf(at) * bytes, type.getNumElements() * bytes});
    vector::StoreOp::create(b, loc, x, memref, ValueRange{index.base}, /*nontemporal=*/false,
                            llvm::MaybeAlign(alignment));
    return;
  }
  Value offsets = laneOffsets(index, *scopes.back());
  insertAt(*scopes.back());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value offset = vector::ExtractOp::create(b, loc, offsets, ArrayRef<int64_t>{i});
    offset = arith::IndexCastOp::create(b, loc, b.getIndexType(), offset);
    Value place = arith::AddIOp::create(b, loc, index.base, offset);
    memref::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, x, ArrayRef<int64_t>{i}), memref, place);
  }
}

Value ThreadEmitter::laneStart(Scope &scope) {
  if (!current && !lastVector)
    return lanesBase;
  // Made where the lanes' scope is, which is what every index on lanes lives in at least.
  Value &start = scope.exprs[current][k.index.atom(lanesAtom)];
  if (!start) {
    Value offset = indexConstant(current * laneStride);
    insertAt(scope);
    Value place = current ? Value(arith::AddIOp::create(b, loc, lanesBase, offset)) : lanesBase;
    bool mayReachPast = lastVector && (activeVectors.empty() || activeVectors[current]);
    start = mayReachPast ? Value(arith::MinUIOp::create(b, loc, place, lastVector)) : place;
  }
  return start;
}

void ThreadEmitter::barrier() {
  insertAt(*scopes.back());
  mlir::gpu::BarrierOp::create(b, loc);
}

scf::ForOp ThreadEmitter::forLoop(Value low, Value high, int64_t step, ValueRange inits) {
  Value stepValue = indexConstant(step);
  insertAt(*scopes.back());
  return scf::ForOp::create(b, loc, low, high, stepValue, inits);
}

Value ThreadEmitter::both(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  insertAt(*scopes.back());
  return arith::AndIOp::create(b, loc, a, c);
}

void ThreadEmitter::storeIf(Value condition, function_ref<void()> stores) {
  if (!condition)
    return stores();
  insertAt(*scopes.back());
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  push(branch.thenBlock(), 0, scopes.back()->nodes.size());
  stores();
  pop();
}

//===----------------------------------------------------------------------===//
// Outer points
//===----------------------------------------------------------------------===//

int64_t ThreadEmitter::extentOf(ArrayRef<unsigned> positions) const {
  int64_t extent = 1;
  for (unsigned position : positions)
    extent *= k.outerExtents[position];
  return extent;
}

void ThreadEmitter::setPoint(ArrayRef<unsigned> positions, Value point) {
  for (size_t i = positions.size(); i-- > 0;) {
    Value index = point;
    if (i) {
      Value extent = indexConstant(k.outerExtents[positions[i]]);
      insertAt(*scopes.back());
      index = arith::RemUIOp::create(b, loc, point, extent);
      point = arith::DivUIOp::create(b, loc, point, extent);
    }
    loopValues[k.loops[k.outer[positions[i]]].atom] = index;
  }
}

/// The loads that the targets need and that wait for nothing: all of a step's vectors are under way before the first
/// is used.
void ThreadEmitter::emitLoads(ArrayRef<NodeId> targets) {
  SmallVector<NodeId> stack(targets), loads;
  llvm::DenseSet<NodeId> seen;
  while (!stack.empty()) {
    NodeId id = stack.pop_back_val();
    const Node &node = k.nodes[id];
    if (!seen.insert(id).second || valueOf(id))
      continue;
    if (node.kind == NodeKind::Load && node.data.empty())
      loads.push_back(id);
    llvm::append_range(stack, node.operands);
  }
  llvm::sort(loads);
  for (NodeId id : loads)
    emitNode(id);
}

/// What is written outside any space, for each vector of outer points.
void ThreadEmitter::emitResults(unsigned vectors) {
  SmallVector<NodeId> targets;
  for (const Store &st : k.stores)
    if (st.space < 0)
      targets.push_back(st.node);
  for (current = 0; vectors > 1 && current < vectors; ++current)
    emitLoads(targets);
  for (current = 0; current < vectors; ++current) {
    emitNodes(targets);
    for (const Store &st : k.stores)
      if (st.space < 0)
        store(st);
  }
  current = 0;
}

void ThreadEmitter::emitPoints() {
  SmallVector<unsigned> rest(s.outerOrder.begin(), s.outerOrder.end() - 1);
  unsigned loop = k.outer[s.outerOrder.back()];
  int64_t extent = k.loops[loop].extent(), points = extentOf(rest);
  int64_t row = static_cast<int64_t>(launch.x) * launch.lanes, tile = row * launch.unroll;
  int64_t tiles = llvm::divideCeil(extent, tile);
  Value numTiles = indexConstant(tiles), rowsOfBlock = indexConstant(launch.y);
  insertAt(*scopes.back());
  Value tileNumber = block, point = block;
  if (points > 1 || launch.y > 1) {
    tileNumber = arith::RemUIOp::create(b, loc, block, numTiles);
    point = arith::DivUIOp::create(b, loc, block, numTiles);
  }
  Value real;
  if (launch.y > 1) {
    point = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, point, rowsOfBlock), ty);
    if (points % launch.y) {
      Value end = indexConstant(points);
      insertAt(*scopes.back());
      real = compare(arith::CmpIPredicate::ult, point, end);
    }
  }
  // Without barriers, threads past the end have nothing to do.
  storeIf(real, [&] {
    LoopSet loops = 0;
    for (unsigned position : rest)
      loops |= k.loopSet(k.outer[position]);
    push(scopes.back()->block, loops, 1);
    setPoint(rest, point);
    LoopSet onLane = setLanes(loop) | pointSet;
    lanesStepMultiple = launch.lanes;
    laneStride = row;
    Value size = indexConstant(tile), width = indexConstant(launch.lanes), end = indexConstant(extent);
    insertAt(*scopes.back());
    Value tileStart = arith::MulIOp::create(b, loc, tileNumber, size);
    Value start = arith::AddIOp::create(b, loc, tileStart, arith::MulIOp::create(b, loc, tx, width));
    auto step = [&](Block *body, Value base, unsigned vectors) {
      push(body, onLane, vectors);
      lanesBase = base;
      emitResults(vectors);
      pop();
    };
    if (extent % tile == 0) {
      step(scopes.back()->block, start, launch.unroll);
    } else {
      if (launch.unroll > 1 && extent >= tile) {
        insertAt(*scopes.back());
        Value whole = compare(arith::CmpIPredicate::ule, arith::AddIOp::create(b, loc, tileStart, size), end);
        auto branch = scf::IfOp::create(b, loc, whole, /*withElseRegion=*/true);
        step(branch.thenBlock(), start, launch.unroll);
        push(branch.elseBlock(), 0, 1);
      } else {
        push(scopes.back()->block, 0, 1);
      }
      // The last tile, a vector at a time.
      Value stop = tiles == 1 ? end : Value();
      if (!stop) {
        insertAt(*scopes.back());
        stop = arith::MinUIOp::create(b, loc, end, arith::AddIOp::create(b, loc, tileStart, size));
      }
      scf::ForOp vectors = forLoop(start, stop, row, {});
      step(vectors.getBody(), vectors.getInductionVar(), 1);
      pop();
    }
    pop();
  });
}

void ThreadEmitter::emitRows() {
  SmallVector<unsigned> all(s.outerOrder.begin(), s.outerOrder.end());
  int64_t rows = extentOf(all);
  LoopSet loops = pointSet;
  for (unsigned loop : k.outer)
    loops |= k.loopSet(loop);
  Value row = block;
  if (launch.y > 1) {
    Value perBlock = indexConstant(launch.y), last = indexConstant(rows - 1), end = indexConstant(rows);
    insertAt(*scopes.back());
    row = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, block, perBlock), ty);
    if (rows % launch.y) {
      active = compare(arith::CmpIPredicate::ult, row, end);
      row = arith::MinUIOp::create(b, loc, row, last);
    }
  }
  push(scopes.back()->block, loops, 1);
  setPoint(all, row);
  emitRow(nullptr);
  pop();
}

void ThreadEmitter::emitRow(Accumulators *sums) {
  if (launch.inRegisters)
    emitRowInRegisters(sums);
  else
    for (unsigned stage = 0; stage < k.stages.size(); ++stage)
      emitStage(stage);
  emitRowResults();
}

/// What is written once per row, by its first thread.
void ThreadEmitter::emitRowResults() {
  if (llvm::none_of(k.stores, [](const Store &st) { return st.space < 0; }))
    return;
  SmallVector<NodeId> targets;
  for (const Store &st : k.stores)
    if (st.space < 0)
      targets.push_back(st.node);
  emitNodes(targets);
  Value first;
  if (launch.x > 1) {
    Value zero = indexConstant(0);
    insertAt(*scopes.back());
    first = compare(arith::CmpIPredicate::eq, tx, zero);
  }
  storeIf(both(active, first), [&] {
    for (const Store &st : k.stores)
      if (st.space < 0)
        store(st);
  });
}

/// Puts the one loop of a row on lanes: where each of the thread's vectors is, and whether it is there. Gives its
/// loops.
LoopSet ThreadEmitter::openRow() {
  unsigned loopNumber = k.spaces[k.stages[0].space].boxes[0][0];
  const Loop &loop = k.loops[loopNumber];
  LoopSet loops = setLanes(loopNumber);
  int64_t row = static_cast<int64_t>(launch.x) * launch.lanes, count = loop.extent();
  laneStride = row;
  lanesStepMultiple = loop.low ? int64_t(1) << llvm::countr_zero(uint64_t(loop.low | launch.lanes)) : launch.lanes;
  Value width = indexConstant(launch.lanes), low = indexConstant(loop.low), end = indexConstant(loop.high + 1);
  Value last = indexConstant(loop.high + 1 - launch.lanes);
  insertAt(*scopes.back());
  lanesBase = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, tx, width), low);
  activeVectors.assign(launch.unroll, Value());
  for (unsigned v = 0; v < launch.unroll; ++v)
    if ((v + 1) * row > count) {
      Value offset = indexConstant(v * row);
      insertAt(*scopes.back());
      activeVectors[v] = compare(arith::CmpIPredicate::ult, arith::AddIOp::create(b, loc, lanesBase, offset), end);
      lastVector = last;
    }
  return loops;
}

void ThreadEmitter::closeRow() {
  lanesSet = 0;
  lastVector = nullptr;
  activeVectors.clear();
}

/// All stages on one sweep's vectors, each of which is read once. `sums`: what the stores that accumulate add to,
/// instead of memory.
void ThreadEmitter::emitRowInRegisters(Accumulators *sums) {
  LoopSet loops = openRow();
  push(scopes.back()->block, loops, launch.unroll);
  for (unsigned stage = 0; stage < k.stages.size(); ++stage) {
    SmallVector<NodeId> targets;
    for (unsigned i : k.stages[stage].stores)
      targets.push_back(k.stores[i].node);
    for (unsigned r : k.stages[stage].reductions)
      targets.push_back(k.reductions[r].inputs[0]);
    for (current = 0; current < launch.unroll; ++current)
      emitLoads(targets);
    Accumulators accumulators = neutrals(stage);
    unsigned position = 0;
    for (current = 0; current < launch.unroll; ++current) {
      emitNodes(targets);
      for (unsigned r : k.stages[stage].reductions)
        accumulate(k.reductions[r], 0, activeVectors[current], accumulators, position);
      unsigned sum = 0;
      for (unsigned i : k.stages[stage].stores) {
        const Store &st = k.stores[i];
        if (!st.accumulate || !sums)
          continue;
        unsigned number = current;
        for (unsigned j = 0; j < i; ++j)
          number += k.stores[j].accumulate ? launch.unroll : 0;
        Type element = cast<RankedTensorType>(st.accumulate->getOperand(0).getType()).getElementType();
        insertAt(*scopes.back());
        Value x = broadcast(valueOf(st.node));
        (*sums)[number] = cloner.combine(reduceKind(st.accumulate), (*sums)[number], x, !element.isUnsignedInteger());
        ++sum;
      }
      if (k.stages[stage].stores.size() > sum)
        storeIf(both(active, activeVectors[current]), [&] {
          for (unsigned i : k.stages[stage].stores)
            if (!k.stores[i].accumulate || !sums)
              store(k.stores[i]);
        });
    }
    current = 0;
    finishReductions(stage, accumulators);
  }
  pop();
  closeRow();
}

//===----------------------------------------------------------------------===//
// Stages as loops
//===----------------------------------------------------------------------===//

void ThreadEmitter::emitStage(unsigned stage) {
  Accumulators accumulators = neutrals(stage);
  const Space &space = k.spaces[k.stages[stage].space];
  for (unsigned box = 0; box < space.boxes.size(); ++box)
    accumulators = emitBox(stage, box, 0, accumulators);
  if (launch.mapping == Launch::Columns)
    finishColumns(stage, accumulators);
  else
    finishReductions(stage, accumulators);
}

/// How many threads share a loop on lanes; the others of a row share the loop around it.
int64_t ThreadEmitter::threadsOnLanes(unsigned space) const {
  ArrayRef<unsigned> order = s.spaceOrder[space];
  if (order.size() < 2)
    return launch.x;
  int64_t longest = 1;
  for (auto &box : k.spaces[space].boxes)
    longest = std::max(longest, k.loops[box[order.back()]].extent());
  return std::min<int64_t>(launch.x, llvm::PowerOf2Ceil(llvm::divideCeil(longest, int64_t(launch.lanes))));
}

/// The loops of a box from `depth` on.
ThreadEmitter::Accumulators ThreadEmitter::emitBox(unsigned stage, unsigned box, unsigned depth,
                                                   Accumulators accumulators) {
  unsigned spaceIndex = k.stages[stage].space;
  const Space &space = k.spaces[spaceIndex];
  ArrayRef<unsigned> order = s.spaceOrder[spaceIndex];
  bool columns = launch.mapping == Launch::Columns, innermost = depth + 1 == order.size();
  if (innermost && !columns)
    return emitLanes(stage, box, accumulators);
  const Loop &loop = k.loops[space.boxes[box][order[depth]]];
  // Who shares the loop: of columns the threads across, of rows those that the lanes have no use for.
  Value first;
  int64_t step = 1;
  if (columns && depth == 0) {
    step = launch.y;
    first = ty;
  } else if (!columns && depth + 2 == order.size()) {
    int64_t onLanes = threadsOnLanes(spaceIndex);
    step = launch.x / onLanes;
    if (step > 1) {
      Value threads = indexConstant(onLanes);
      insertAt(*scopes.back());
      first = arith::DivUIOp::create(b, loc, tx, threads);
    }
  }
  Value low = indexConstant(loop.low), high = indexConstant(loop.high + 1);
  if (space.limit) {
    Value limit = scalar(*space.limit);
    insertAt(*scopes.back());
    high = arith::MinSIOp::create(b, loc, high, limit);
  }
  if (step > 1) {
    insertAt(*scopes.back());
    low = arith::AddIOp::create(b, loc, low, first);
  }
  scf::ForOp forOp = forLoop(low, high, step, accumulators);
  loopValues[loop.atom] = forOp.getInductionVar();
  push(forOp.getBody(), k.loopSet(space.boxes[box][order[depth]]), 1);
  Accumulators inner(forOp.getRegionIterArgs().begin(), forOp.getRegionIterArgs().end());
  if (innermost)
    emitStep(stage, box, 1, inner);
  else
    inner = emitBox(stage, box, depth + 1, inner);
  if (!inner.empty()) {
    insertAt(*scopes.back());
    scf::YieldOp::create(b, loc, inner);
  }
  pop();
  return Accumulators(forOp.getResults().begin(), forOp.getResults().end());
}

/// The innermost loop of a row: whole steps of all its threads, then a vector each.
ThreadEmitter::Accumulators ThreadEmitter::emitLanes(unsigned stage, unsigned box, Accumulators accumulators) {
  unsigned spaceIndex = k.stages[stage].space;
  const Space &space = k.spaces[spaceIndex];
  unsigned loopNumber = space.boxes[box][s.spaceOrder[spaceIndex].back()];
  const Loop &loop = k.loops[loopNumber];
  LoopSet loops = setLanes(loopNumber);
  int64_t count = loop.extent(), threads = threadsOnLanes(spaceIndex), row = threads * launch.lanes;
  unsigned unroll = launch.unroll;
  while (unroll > 1 && count < unroll * row)
    unroll /= 2;
  int64_t step = unroll * row;
  laneStride = row;
  lanesStepMultiple = loop.low ? int64_t(1) << llvm::countr_zero(uint64_t(loop.low | launch.lanes)) : launch.lanes;
  Value low = indexConstant(loop.low), high = indexConstant(loop.high + 1), mainEnd, place = tx;
  Value width = indexConstant(launch.lanes), numThreads = indexConstant(threads);
  insertAt(*scopes.back());
  if (threads < launch.x)
    place = arith::RemUIOp::create(b, loc, place, numThreads);
  place = arith::MulIOp::create(b, loc, place, width);
  bool main = count >= step, tail = count % step != 0, uneven = count % row != 0;
  if (space.limit) {
    Value limit = scalar(*space.limit), stepValue = indexConstant(step);
    insertAt(*scopes.back());
    high = arith::MinSIOp::create(b, loc, high, limit);
    mainEnd = arith::SubIOp::create(b, loc, high, arith::RemUIOp::create(b, loc, high, stepValue));
    main = tail = uneven = true;
  } else {
    mainEnd = indexConstant(loop.low + count / step * step);
  }
  Value last;
  if (uneven) {
    insertAt(*scopes.back());
    last = arith::SubIOp::create(b, loc, high, width);
  }
  auto emitLoop = [&](Value from, Value to, unsigned vectors, bool partly) {
    scf::ForOp forOp = forLoop(from, to, vectors * row, accumulators);
    push(forOp.getBody(), loops, vectors);
    lanesBase = arith::AddIOp::create(b, loc, forOp.getInductionVar(), place);
    if (partly) {
      activeVectors.assign(1, compare(arith::CmpIPredicate::ult, lanesBase, to));
      lastVector = last;
    }
    Accumulators inner(forOp.getRegionIterArgs().begin(), forOp.getRegionIterArgs().end());
    emitStep(stage, box, vectors, inner);
    if (!inner.empty()) {
      insertAt(*scopes.back());
      scf::YieldOp::create(b, loc, inner);
    }
    lastVector = nullptr;
    activeVectors.clear();
    pop();
    accumulators.assign(forOp.getResults().begin(), forOp.getResults().end());
  };
  if (main)
    emitLoop(low, mainEnd, unroll, false);
  if (tail)
    emitLoop(mainEnd, high, 1, uneven);
  lanesSet = 0;
  return accumulators;
}

/// One step of the innermost loop: what each vector adds to its accumulators, and stores.
void ThreadEmitter::emitStep(unsigned stageIndex, unsigned box, unsigned vectors, Accumulators &accumulators) {
  const Stage &stage = k.stages[stageIndex];
  SmallVector<NodeId> targets;
  SmallVector<unsigned> stores;
  for (unsigned i : stage.stores)
    if (k.stores[i].box == box) {
      targets.push_back(k.stores[i].node);
      stores.push_back(i);
    }
  for (unsigned r : stage.reductions)
    targets.push_back(k.reductions[r].inputs[box]);
  for (current = 0; vectors > 1 && current < vectors; ++current)
    emitLoads(targets);
  unsigned position = 0;
  for (current = 0; current < vectors; ++current) {
    emitNodes(targets);
    Value real = activeVectors.empty() ? Value() : activeVectors[current];
    for (unsigned r : stage.reductions)
      accumulate(k.reductions[r], box, launch.mapping == Launch::Columns ? Value() : real, accumulators, position);
    if (!stores.empty())
      storeIf(both(active, real), [&] {
        for (unsigned i : stores)
          store(k.stores[i]);
      });
  }
  current = 0;
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

void ThreadEmitter::emitColumns() {
  SmallVector<unsigned> rest(s.outerOrder.begin(), s.outerOrder.end() - 1);
  unsigned loop = k.outer[s.outerOrder.back()];
  int64_t extent = k.loops[loop].extent(), row = static_cast<int64_t>(launch.x) * launch.lanes;
  int64_t tiles = llvm::divideCeil(extent, row);
  LoopSet loops = 0;
  for (unsigned position : rest)
    loops |= k.loopSet(k.outer[position]);
  Value tile = block, numTiles = indexConstant(tiles), size = indexConstant(row), width = indexConstant(launch.lanes);
  Value end = indexConstant(extent), last = indexConstant(extent - launch.lanes), zero = indexConstant(0);
  push(scopes.back()->block, loops, 1);
  if (!rest.empty()) {
    insertAt(*scopes.back());
    tile = arith::RemUIOp::create(b, loc, block, numTiles);
    setPoint(rest, arith::DivUIOp::create(b, loc, block, numTiles));
  }
  LoopSet onLane = setLanes(loop) | pointSet;
  lanesStepMultiple = launch.lanes;
  laneStride = row;
  insertAt(*scopes.back());
  lanesBase = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, tile, size),
                                    arith::MulIOp::create(b, loc, tx, width));
  if (extent % row) {
    active = compare(arith::CmpIPredicate::ult, lanesBase, end);
    lanesBase = arith::MinUIOp::create(b, loc, lanesBase, last);
  }
  push(scopes.back()->block, onLane, 1);
  for (unsigned stage = 0; stage < k.stages.size(); ++stage)
    emitStage(stage);
  Value first;
  if (launch.y > 1) {
    insertAt(*scopes.back());
    first = compare(arith::CmpIPredicate::eq, ty, zero);
  }
  storeIf(both(active, first), [&] { emitResults(1); });
  pop();
  pop();
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

/// A chunk of rows, one after the other. What the rows add up to is kept in registers where a row is, and otherwise in
/// the chunk's row of partial results, which is made neutral first.
void ThreadEmitter::emitChunks() {
  const Loop &chunk = k.loops[k.outer[0]], &row = k.loops[k.outer[1]];
  push(scopes.back()->block, k.loopSet(k.outer[0]), 1);
  loopValues[chunk.atom] = block;
  SmallVector<unsigned> summing;
  for (auto [i, st] : llvm::enumerate(k.stores))
    if (st.accumulate)
      summing.push_back(i);
  Accumulators sums;
  for (unsigned i : summing) {
    const Store &st = k.stores[i];
    if (!launch.inRegisters) {
      emitNeutral(st);
      continue;
    }
    Type element = cast<RankedTensorType>(st.accumulate->getOperand(0).getType()).getElementType();
    TypedAttr neutral = cloner.neutral(reduceKind(st.accumulate), computeType(element), !element.isUnsignedInteger());
    sums.append(launch.unroll, splat(neutral, true));
  }
  Value low = indexConstant(0), high = indexConstant(k.rowsPerChunk);
  if (k.numRows % k.rowsPerChunk) {
    Value perChunk = indexConstant(k.rowsPerChunk), rows = indexConstant(k.numRows);
    insertAt(*scopes.back());
    Value before = arith::MulIOp::create(b, loc, block, perChunk);
    high = arith::MinUIOp::create(b, loc, high, arith::SubIOp::create(b, loc, rows, before));
  }
  scf::ForOp rows = forLoop(low, high, 1, sums);
  push(rows.getBody(), k.loopSet(k.outer[1]) | pointSet, 1);
  loopValues[row.atom] = rows.getInductionVar();
  // Shared memory and partial results of the row before have been read, and are visible to all threads.
  barrier();
  Accumulators inner(rows.getRegionIterArgs().begin(), rows.getRegionIterArgs().end());
  emitRow(&inner);
  if (!inner.empty()) {
    insertAt(*scopes.back());
    scf::YieldOp::create(b, loc, inner);
  }
  pop();
  if (launch.inRegisters)
    storeSums(summing, rows.getResults());
  pop();
}

void ThreadEmitter::storeSums(ArrayRef<unsigned> stores, ValueRange sums) {
  LoopSet loops = openRow();
  push(scopes.back()->block, loops, launch.unroll);
  for (current = 0; current < launch.unroll; ++current)
    storeIf(activeVectors[current], [&] {
      for (auto [i, number] : llvm::enumerate(stores))
        storeAt(k.stores[number].buffer, k.stores[number].index, sums[i * launch.unroll + current]);
    });
  current = 0;
  pop();
  closeRow();
}

/// Writes the neutral element everywhere where `st` will accumulate in this chunk.
void ThreadEmitter::emitNeutral(const Store &st) {
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
  const Loop &loop = k.loops[lanesLoop];
  LoopSet loops = setLanes(lanesLoop);
  lanesStepMultiple = loop.low ? int64_t(1) << llvm::countr_zero(uint64_t(loop.low | launch.lanes)) : launch.lanes;
  Value width = indexConstant(launch.lanes), begin = indexConstant(loop.low);
  insertAt(*scopes.back());
  Value start = arith::AddIOp::create(b, loc, begin, arith::MulIOp::create(b, loc, tx, width));
  scf::ForOp forOp = forLoop(start, indexConstant(loop.high + 1), static_cast<int64_t>(launch.x) * launch.lanes, {});
  push(forOp.getBody(), loops, 1);
  lanesBase = forOp.getInductionVar();
  storeAt(st.buffer, st.index, splat(neutral, true));
  pop();
  lanesSet = 0;
  while (opened--)
    pop();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// 32 x 32 points a block. What lies across is read along its memory into shared memory, whose rows are one element
/// longer than the tile, so that a column of it touches every bank once.
void ThreadEmitter::emitTiles() {
  unsigned lanes = s.outerOrder.back(), across = s.outerOrder[s.outerOrder.size() - 2];
  SmallVector<unsigned> rest(s.outerOrder.begin(), s.outerOrder.end() - 2);
  int64_t extents[2] = {k.outerExtents[across], k.outerExtents[lanes]};
  Value edge = indexConstant(tileEdge), ends[2] = {indexConstant(extents[0]), indexConstant(extents[1])};
  Value lasts[2] = {indexConstant(extents[0] - 1), indexConstant(extents[1] - 1)};
  Value counts[2] = {indexConstant(llvm::divideCeil(extents[0], tileEdge)),
                     indexConstant(llvm::divideCeil(extents[1], tileEdge))};
  LoopSet loops = 0;
  for (unsigned position : rest)
    loops |= k.loopSet(k.outer[position]);
  push(scopes.back()->block, loops, 1);
  insertAt(*scopes.back());
  Value starts[2];
  Value number = block;
  for (int i : {1, 0}) {
    Value tile = arith::RemUIOp::create(b, loc, number, counts[i]);
    number = arith::DivUIOp::create(b, loc, number, counts[i]);
    starts[i] = arith::MulIOp::create(b, loc, tile, edge);
  }
  setPoint(rest, number);
  LoopSet tileLoops = k.loopSet(k.outer[across]) | k.loopSet(k.outer[lanes]) | pointSet;
  Atom atoms[2] = {k.loops[k.outer[across]].atom, k.loops[k.outer[lanes]].atom};
  SmallVector<NodeId> loads = transposedLoads(s);
  SmallVector<Value> tiles;
  for (NodeId load : loads)
    tiles.push_back(shared(tileEdge * (tileEdge + 1), memoryType(k.nodes[load].type)));
  Value pitch = indexConstant(tileEdge + 1), zero = indexConstant(0);
  // Reading: a warp runs along the loop across, and takes every eighth of the other.
  auto sweep = [&](LoopSet loops, function_ref<void(Value)> body) {
    scf::ForOp forOp = forLoop(zero, edge, launch.y, {});
    push(forOp.getBody(), loops, 1);
    insertAt(*scopes.back());
    body(arith::AddIOp::create(b, loc, forOp.getInductionVar(), ty));
    pop();
  };
  sweep(tileLoops, [&](Value other) {
    Value places[2] = {tx, other};
    for (int i : {0, 1}) {
      Value place = arith::AddIOp::create(b, loc, starts[i], places[i]);
      // The elements past the end are read by nobody.
      loopValues[atoms[i]] = extents[i] % tileEdge ? Value(arith::MinUIOp::create(b, loc, place, lasts[i])) : place;
    }
    for (auto [load, tile] : llvm::zip_equal(loads, tiles)) {
      Value index = scalar(k.nodes[load].index);
      insertAt(*scopes.back());
      Value x = memref::LoadOp::create(b, loc, memrefs.at(k.nodes[load].buffer), index);
      Value at = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, other, pitch), tx);
      memref::StoreOp::create(b, loc, x, tile, at);
    }
  });
  barrier();
  // What depends on the point belongs behind the condition: elements past the end are not read either.
  sweep(0, [&](Value other) {
    Value places[2] = {other, tx}, real;
    for (int i : {0, 1}) {
      Value place = arith::AddIOp::create(b, loc, starts[i], places[i]);
      loopValues[atoms[i]] = place;
      if (extents[i] % tileEdge)
        real = both(real, compare(arith::CmpIPredicate::ult, place, ends[i]));
    }
    insertAt(*scopes.back());
    Value at = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, tx, pitch), other);
    SmallVector<Value> values;
    for (auto [load, tile] : llvm::zip_equal(loads, tiles))
      values.push_back(cloner.fromMemory(memref::LoadOp::create(b, loc, tile, at), k.nodes[load].type));
    storeIf(real, [&] {
      push(scopes.back()->block, tileLoops, 1);
      for (auto [load, value] : llvm::zip_equal(loads, values))
        home(k.nodes[load].loops).nodes[0][load] = value;
      emitResults(1);
      pop();
    });
  });
  pop();
}
