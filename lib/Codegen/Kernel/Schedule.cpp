//===- Schedule.cpp - How a fusion is cut into kernels and run ---------------===//
#include "trace/Codegen/Kernel/Schedule.h"
#include "Planner.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

Type kernel::computeType(Type type) {
  if (isa<Float16Type, BFloat16Type>(type))
    return Float32Type::get(type.getContext());
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

unsigned KernelSchedule::lanesLoop(unsigned space, unsigned box) const {
  if (lanesOuter)
    return kernel.outer[outerOrder.back()];
  return kernel.spaces[space].boxes[box][spaceOrder[space].back()];
}

namespace {

/// Work (elements) below which it does not matter.
constexpr int64_t smallWork = 1 << 16;

unsigned countLoops(LoopSet set) {
  return llvm::popcount(static_cast<uint64_t>(set)) + llvm::popcount(static_cast<uint64_t>(set >> 64));
}

} // namespace

static SmallVector<int64_t, 4> stridesOf(Attribute attr, ArrayRef<int64_t> shape) {
  if (auto strides = dyn_cast_if_present<DenseI64ArrayAttr>(attr))
    return SmallVector<int64_t, 4>(strides.asArrayRef());
  return SmallVector<int64_t, 4>(contiguousStrides(shape));
}

void Planner::makeBuffers() {
  func::FuncOp func = info.func;
  auto add = [&](Buffer::Kind kind, unsigned number, RankedTensorType type, Attribute strides) {
    info.buffers.push_back({kind, number, type.getElementType(), SmallVector<int64_t, 4>(type.getShape()),
                            stridesOf(strides, type.getShape()), nullptr});
    return info.buffers.size() - 1;
  };
  for (BlockArgument argument : func.getArguments())
    info.inMemory[argument] = add(Buffer::Operand, argument.getArgNumber(), tensorType(argument),
                                  func.getArgAttr(argument.getArgNumber(), attrs::strides));
  for (auto [i, value] : llvm::enumerate(getReturn(func).getOutputs())) {
    unsigned buffer = add(Buffer::Result, i, tensorType(value), func.getResultAttr(i, attrs::strides));
    info.outputs.insert(value);
    if (tensorType(value).getNumElements() == 0)
      continue;
    if (PlannedRoot *root = rootOf(value, false)) {
      root->root.buffers.push_back(buffer);
      continue;
    }
    roots.push_back(std::make_unique<PlannedRoot>());
    roots.back()->root = {value, {buffer}, {}};
  }
  for (auto constant : func.getOps<ConstantOp>()) {
    auto values = cast<DenseElementsAttr>(constant.getValue());
    if (values.isSplat() || values.empty())
      continue;
    unsigned buffer = add(Buffer::Constant, 0, constant.getType(), nullptr);
    info.buffers[buffer].values = values;
    info.inMemory[constant] = buffer;
  }
}

unsigned Planner::addScratch(Type type, ArrayRef<int64_t> shape) {
  // Numbers are kept as they are computed: nothing is rounded because it happens to go through memory.
  info.buffers.push_back({Buffer::Scratch, numScratch++, computeType(type), SmallVector<int64_t, 4>(shape),
                          SmallVector<int64_t, 4>(contiguousStrides(shape)), nullptr});
  return info.buffers.size() - 1;
}

PlannedRoot *Planner::rootOf(Value value, bool partial) {
  for (auto &root : roots)
    if (root->root.value == value && !root->root.accumulate && (root->root.chunk != 0) == partial)
      return root.get();
  return nullptr;
}

/// From now on the value is read from memory, where a kernel of its own (or the one that returns it) puts it.
void Planner::materialize(Value value) {
  PlannedRoot *root = rootOf(value, false);
  if (!root) {
    roots.push_back(std::make_unique<PlannedRoot>());
    root = roots.back().get();
    root->root = {value, {addScratch(tensorType(value).getElementType(), tensorType(value).getShape())}, {}};
  }
  info.inMemory[value] = root->root.buffers[0];
}

/// Cuts a reduction of much data into chunks, of a size that depends on nothing but the shape.
bool Planner::makePartial(Operation *op) {
  if (info.partials.count(op) || isa<ArgmaxOp, ArgminOp>(op))
    return false;
  int64_t count = product(Kernel::reducedShape(op)), kept = tensorType(op->getResult(0)).getNumElements();
  if (count * kept < smallWork || count < 256)
    return false;
  int64_t chunk =
      std::max<int64_t>({llvm::divideCeilSigned(count, options.maxChunks), (16383 + kept) / kept, int64_t(64)});
  chunk = llvm::alignTo(std::min(chunk, count), 16);
  int64_t chunks = llvm::divideCeil(count, chunk);
  if (chunks < 2)
    return false;
  SmallVector<int64_t, 4> shape = {chunks};
  llvm::append_range(shape, tensorType(op->getResult(0)).getShape());
  auto planned = std::make_unique<PlannedRoot>();
  planned->root = {op->getResult(0), {addScratch(tensorType(op->getResult(0)).getElementType(), shape)}, {}};
  planned->root.chunk = chunk;
  info.partials[op] = {planned->root.buffers[0], chunks};
  roots.push_back(std::move(planned));
  return true;
}

/// How many rows add up in one row of partial results: a divisor of their number if there is a good one.
int64_t Planner::rowsPerChunk(int64_t rows) const {
  int64_t least = std::max<int64_t>(llvm::divideCeilSigned(rows, options.maxChunks), options.minRowsPerChunk);
  for (int64_t n = least; n < 2 * least; ++n)
    if (rows % n == 0)
      return n;
  return least;
}

/// Reductions over leading dimensions (the gradients of biases and of norms' weights) run along the rows, in memory
/// order, adding whole rows up: then they share a kernel with what else is done to these rows.
void Planner::accumulateColumns() {
  for (Operation &op : info.func.front().without_terminator()) {
    if (!op.hasTrait<trace::OpTrait::Reduction>() || isa<ArgmaxOp, ArgminOp>(op) || op.use_empty() ||
        byColumns.contains(&op))
      continue;
    SmallVector<int64_t, 4> dims;
    SmallVector<int64_t, 4> reduced = Kernel::reducedShape(&op, &dims);
    int64_t rows = product(reduced), columns = tensorType(op.getResult(0)).getNumElements();
    bool leading = !dims.empty() && dims.back() + 1 == static_cast<int64_t>(dims.size());
    // Fewer columns than a few vectors stay in registers; more than fit a core's cache had better be blocked.
    if (!leading || rows < 64 || columns < 64 || columns > (1 << 16) || rows * columns < smallWork)
      continue;
    int64_t chunks = llvm::divideCeil(rows, rowsPerChunk(rows));
    SmallVector<int64_t, 4> shape = {chunks};
    llvm::append_range(shape, tensorType(op.getResult(0)).getShape());
    auto planned = std::make_unique<PlannedRoot>();
    planned->root = {op.getOperand(0), {addScratch(tensorType(op.getResult(0)).getElementType(), shape)}, {}};
    planned->root.accumulate = &op;
    info.partials[&op] = {planned->root.buffers[0], chunks};
    roots.push_back(std::move(planned));
  }
}

/// Builds the root alone, all its dimensions outer loops, to see which reductions it reads and where. True if something
/// was put into memory, so that the question must be asked again.
bool Planner::probe(PlannedRoot &planned) {
  Root &root = planned.root;
  Kernel k;
  k.info = &info;
  ArrayRef<int64_t> shape = tensorType(root.value).getShape();
  // While it is made, the root's own value is not to be read from memory.
  auto own = info.inMemory.find(root.value);
  std::optional<unsigned> saved;
  if (own != info.inMemory.end() && !root.accumulate && !isa<BlockArgument>(root.value) &&
      info.buffers[own->second].kind != Buffer::Constant) {
    saved = own->second;
    info.inMemory.erase(own);
  }
  llvm::scope_exit restore([&] {
    if (saved)
      info.inMemory[root.value] = *saved;
  });
  root.outerDims.clear();
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    root.outerDims.push_back(i);
  if (root.chunk)
    k.outerExtents.push_back(info.buffers[root.buffers[0]].shape[0]);
  llvm::append_range(k.outerExtents, shape);
  k.roots = {root};
  k.roots[0].accumulate = nullptr; // only what it reads matters here
  k.limited = true;
  k.build();
  planned.reads = k.reads;
  planned.partialReads = k.partialReads;
  if (saved)
    info.inMemory[root.value] = *saved;
  saved.reset();
  if (k.tooMany) {
    materialize(k.tooMany);
    return true;
  }
  // Room for the boxes that cuts will make.
  if (k.loops.size() > maxLoops / 2)
    for (const Demand &demand : k.demands)
      if (!info.inMemory.count(demand.op->getResult(0)) && demand.op->getResult(0) != root.value) {
        materialize(demand.op->getResult(0));
        return true;
      }
  bool changed = false;
  for (const Demand &demand : k.demands)
    if (demand.inner && !info.inMemory.count(demand.op->getResult(0))) {
      materialize(demand.op->getResult(0));
      changed = true;
    }
  if (changed)
    return true;
  planned.isFree = k.demands.empty() && !root.partialOf();
  if (root.accumulate) {
    // Its outer loops are given. What varies along other loops is read from memory.
    SmallVector<int64_t, 4> dims;
    Kernel::reducedShape(root.accumulate, &dims);
    LoopSet rows = 0;
    for (int64_t dim : dims)
      rows |= k.loopSet(k.outer[dim]);
    for (const Demand &demand : k.demands) {
      bool everyRow = true;
      for (int64_t dim : dims)
        everyRow &= shape[dim] == 1 || (demand.loops & k.loopSet(k.outer[dim]));
      if ((demand.loops & ~rows) || !everyRow) {
        materialize(demand.op->getResult(0));
        changed = true;
      }
    }
    root.outerDims = dims;
    return changed;
  }
  if (k.demands.empty() || root.chunk) {
    // A chunk's reductions of its own inputs, at outer points, would be computed once per chunk: memory.
    for (const Demand &demand : k.demands) {
      materialize(demand.op->getResult(0));
      changed = true;
    }
    return changed;
  }
  // The outer loops: those of the demand with the most work.
  LoopSet best = 0;
  int64_t mostWork = -1;
  for (const Demand &demand : k.demands) {
    int64_t work = tensorType(demand.op->getOperand(0)).getNumElements();
    if (work > mostWork || (work == mostWork && countLoops(demand.loops) > countLoops(best))) {
      mostWork = work;
      best = demand.loops;
    }
  }
  // A root that is a reduction itself has nothing but outer points.
  for (const Demand &demand : k.demands)
    if (demand.op->getResult(0) == root.value)
      best = demand.loops;
  int64_t points = 1;
  SmallVector<int64_t, 4> dims;
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    if (shape[i] == 1 || (best & k.loopSet(k.outer[i]))) {
      dims.push_back(i);
      points *= shape[i];
    }
  int64_t total = tensorType(root.value).getNumElements();
  for (const Demand &demand : k.demands) {
    Value result = demand.op->getResult(0);
    int64_t kept = tensorType(result).getNumElements();
    // Computed anew for points that differ in nothing that it depends on, or by too few workers.
    bool again = demand.loops != best || points > 2 * kept;
    bool serial = points < options.fewPoints && mostWork >= smallWork;
    // By columns the outer points are on lanes: units are blocks of them.
    SmallVector<int64_t, 4> reducedDims;
    Kernel::reducedShape(demand.op, &reducedDims);
    bool columns = !llvm::is_contained(reducedDims, tensorType(demand.op->getOperand(0)).getRank() - 1);
    serial |= columns && points < options.fewColumns && mostWork >= 4 * smallWork;
    if (demand.loops != best && points <= kept)
      again = true;
    if (info.inMemory.count(result))
      continue;
    if (result == root.value) {
      if (serial)
        changed |= makePartial(demand.op);
      continue;
    }
    if (again || (serial && total > 4 * points)) {
      materialize(result);
      changed = true;
    } else if (serial) {
      changed |= makePartial(demand.op);
    }
  }
  if (changed)
    return true;
  root.outerDims = dims;
  return false;
}

/// Joins neighbouring loops that every access runs through as one.
void Planner::collapse(Kernel &k) {
  SmallVector<Expr> used = k.usedExprs();
  auto joins = [&](unsigned a, unsigned b) {
    int64_t extent = k.loops[b].extent();
    return llvm::all_of(used, [&](Expr e) {
      return k.index.coefficient(e, k.loops[a].atom) == extent * k.index.coefficient(e, k.loops[b].atom);
    });
  };
  bool changed = false;
  for (size_t i = k.rowsPerChunk ? 0 : k.outer.size(); i > 1 && i-- > 1;)
    if (joins(k.outer[i - 1], k.outer[i])) {
      k.outerExtents[i - 1] *= k.outerExtents[i];
      k.outerExtents.erase(k.outerExtents.begin() + i);
      k.outer.erase(k.outer.begin() + i);
      k.loops[k.outer[i - 1]].high = k.outerExtents[i - 1] - 1;
      k.loops[k.outer[i - 1]].low = 0;
      changed = true;
      // The joined loop stands for the inner one from here on.
      if (i >= 2) {
        k.build();
        used = k.usedExprs();
      }
    }
  if (changed)
    k.build();
}

namespace {
/// What one memory access costs per vector if this loop is on lanes.
double accessCost(const Kernel &k, Expr index, LoopSet loops, Atom lanes, unsigned vectorLanes) {
  if (!(loops & k.index.info(lanes).loops))
    return 0.25;
  int64_t c = k.index.coefficient(index, lanes);
  // Anything but a plain term is a gather.
  LoopSet rest = 0;
  for (auto [atom, factor] : k.index.get(index).terms)
    if (atom != lanes)
      rest |= k.index.info(atom).loops;
  if (c == 1 && !(rest & k.index.info(lanes).loops))
    return 1;
  return 0.6 * vectorLanes;
}

double efficiency(int64_t extent, unsigned lanes) {
  return static_cast<double>(extent) / llvm::alignTo(std::max<int64_t>(extent, 1), lanes);
}
} // namespace

void Planner::chooseLanes(KernelSchedule &s) {
  Kernel &k = s.kernel;
  // Lanes: by the widest numbers that move with a loop.
  bool wide = false, narrow = false;
  for (const Node &node : k.nodes) {
    if (!node.loops || node.kind == NodeKind::Constant || node.kind == NodeKind::InRange)
      continue;
    wide |= node.type.isF64();
    narrow |= isa<FloatType>(node.type) && !node.type.isF64();
  }
  if (!wide && !narrow)
    wide = llvm::all_of(k.nodes, [](const Node &n) { return n.type.isInteger(64) || n.type.isInteger(1); });
  s.lanes = std::max(2u, options.vectorBits / (wide ? 64 : 32));

  // Accesses by the space they run in (-1: outer points).
  struct Access {
    Expr index;
    LoopSet loops;
  };
  std::vector<SmallVector<Access>> bySpace(k.spaces.size());
  SmallVector<Access> outside;
  auto addAccess = [&](Expr index, LoopSet loops) {
    bool found = false;
    for (auto [i, space] : llvm::enumerate(k.spaces))
      for (auto &box : space.boxes)
        for (unsigned loop : box)
          if (!found && (loops & k.loopSet(loop))) {
            bySpace[i].push_back({index, loops});
            found = true;
          }
    if (!found)
      outside.push_back({index, loops});
  };
  for (const Node &node : k.nodes)
    if (node.kind == NodeKind::Load)
      addAccess(node.index, node.loops);
  for (const Store &store : k.stores)
    addAccess(store.index, k.index.loops(store.index));

  // Rows on lanes: for each space the innermost loop that reads best.
  double rowCost = 0;
  s.spaceOrder.assign(k.spaces.size(), {});
  llvm::SmallBitVector usedSpaces(k.spaces.size());
  for (const Stage &stage : k.stages)
    usedSpaces.set(stage.space);
  for (auto [i, space] : llvm::enumerate(k.spaces)) {
    unsigned bestLoop = 0;
    double best = 1e30;
    for (unsigned position = 0; position < space.extents.size(); ++position) {
      double cost = 0;
      for (const Access &access : bySpace[i])
        for (auto &box : space.boxes)
          if (access.loops & k.loopSet(box[position]) || &box == &space.boxes.front())
            cost += accessCost(k, access.index, access.loops, k.loops[box[position]].atom, s.lanes);
      cost /= efficiency(space.extents[position], s.lanes);
      if (cost <= best) {
        best = cost;
        bestLoop = position;
      }
    }
    for (unsigned position = 0; position < space.extents.size(); ++position)
      if (position != bestLoop)
        s.spaceOrder[i].push_back(position);
    if (!space.extents.empty())
      s.spaceOrder[i].push_back(bestLoop);
    if (usedSpaces.test(i))
      rowCost += (best > 1e29 ? 1 : best) * space.numel / s.lanes;
  }
  rowCost += 12.0 * k.reductions.size() + outside.size();

  double outerCost = 1e30;
  unsigned bestOuter = 0;
  for (auto [position, loop] : llvm::enumerate(k.outer)) {
    double cost = 0;
    for (auto [i, space] : llvm::enumerate(k.spaces))
      for (const Access &access : bySpace[i])
        if (usedSpaces.test(i))
          cost += accessCost(k, access.index, access.loops, k.loops[loop].atom, s.lanes) * space.numel;
    for (const Access &access : outside)
      cost += accessCost(k, access.index, access.loops, k.loops[loop].atom, s.lanes);
    cost /= s.lanes * efficiency(k.loops[loop].extent(), s.lanes);
    if (cost <= outerCost) {
      outerCost = cost;
      bestOuter = position;
    }
  }
  bool limited = llvm::any_of(k.spaces, [](const Space &space) { return space.limit.has_value(); });
  bool hasSpaces = usedSpaces.any();
  s.lanesOuter = !k.outer.empty() && (!hasSpaces || outerCost < rowCost);
  if (k.rowsPerChunk)
    s.lanesOuter = false;
  // The length of the last chunk moves with the chunk, which then cannot be on lanes.
  if (limited && s.lanesOuter && bestOuter == 0 && k.outer.size() == 1)
    s.lanesOuter = false;

  s.outerOrder.clear();
  for (unsigned position = 0; position < k.outer.size(); ++position)
    if (!s.lanesOuter || position != bestOuter)
      s.outerOrder.push_back(position);
  if (s.lanesOuter)
    s.outerOrder.push_back(bestOuter);
  if (s.lanesOuter)
    for (auto [i, space] : llvm::enumerate(k.spaces)) {
      // No loop of a space is on lanes: in memory order.
      s.spaceOrder[i].clear();
      for (unsigned position = 0; position < space.extents.size(); ++position)
        s.spaceOrder[i].push_back(position);
    }
}

/// The outer loop that runs along memory in an access that the lanes run across; nothing if there is none.
static std::optional<unsigned> transposedLoop(const KernelSchedule &s) {
  const Kernel &k = s.kernel;
  Atom lanes = k.loops[k.outer[s.outerOrder.back()]].atom;
  auto along = [&](Expr e) -> std::optional<unsigned> {
    if (std::abs(k.index.coefficient(e, lanes)) < 16)
      return std::nullopt;
    for (unsigned position : s.outerOrder)
      if (k.index.coefficient(e, k.loops[k.outer[position]].atom) == 1)
        return position;
    return std::nullopt;
  };
  for (const Node &node : k.nodes)
    if (node.kind == NodeKind::Load)
      if (auto position = along(node.index))
        return position;
  for (const Store &store : k.stores)
    if (auto position = along(store.index))
      return position;
  return std::nullopt;
}

void Planner::finish(KernelSchedule &s) {
  Kernel &k = s.kernel;
  k.spaces.clear();
  // A root's own value is made here, not read.
  SmallVector<std::pair<Value, unsigned>> own;
  for (Root &root : k.roots) {
    auto it = info.inMemory.find(root.value);
    if (!root.partialOf() && it != info.inMemory.end() && !isa<BlockArgument>(root.value) &&
        info.buffers[it->second].kind != Buffer::Constant) {
      own.push_back({root.value, it->second});
      info.inMemory.erase(it);
    }
  }
  k.build();
  collapse(k);
  chooseLanes(s);
  // A cat or pad along the loop on lanes: make it a space, which can be cut.
  if (s.lanesOuter && k.stages.empty() && k.outerCuts.contains(s.outerOrder.back()) &&
      s.outerOrder.back() + 1 == k.outer.size()) {
    int64_t points = product(ArrayRef<int64_t>(k.outerExtents).drop_back());
    bool fits = true;
    SmallVector<Root> saved = k.roots;
    for (Root &root : k.roots) {
      auto dims = prefixDims(root.value, points);
      fits &= dims.has_value() && !root.chunk;
      if (dims)
        root.outerDims = *dims;
    }
    if (fits) {
      k.outerExtents.pop_back();
      k.build();
      collapse(k);
      chooseLanes(s);
    } else {
      k.roots = saved;
    }
  }
  for (auto [value, buffer] : own)
    info.inMemory[value] = buffer;

  for (const Demand &demand : k.demands)
    if (demand.inner)
      intoMemory.insert(demand.op);
  // Parallel units and how many make a task worth a thread.
  int64_t perPoint = 1;
  for (const Stage &stage : k.stages)
    perPoint += k.spaces[stage.space].numel;
  s.unroll = k.nodes.size() > 200 ? 1 : k.nodes.size() > 60 ? 2 : 4;
  s.units = product(k.outerExtents);
  s.unitOrder = s.outerOrder;
  if (k.rowsPerChunk) {
    s.units = k.outerExtents[0];
    perPoint *= k.rowsPerChunk;
  }
  if (s.lanesOuter) {
    int64_t extent = k.outerExtents[s.outerOrder.back()], rest = s.units / extent;
    int64_t step = s.lanes * s.unroll;
    // Many small blocks where there is a row below each, long ones where there is not.
    s.block = k.stages.empty() ? std::max<int64_t>(step, llvm::alignTo(4096, step)) : step;
    if (k.stages.empty())
      if (std::optional<unsigned> along = transposedLoop(s)) {
        s.block = std::max<int64_t>(step, llvm::alignTo(256, step));
        llvm::erase(s.unitOrder, *along);
        s.unitOrder.push_back(*along);
      }
    s.units = rest * llvm::divideCeil(extent, s.block);
    perPoint *= std::min(s.block, extent);
  }
  s.grain = std::max<int64_t>(1, 32768 / perPoint);
}

std::string KernelSchedule::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "outer [";
  llvm::interleaveComma(outerOrder, os, [&](unsigned i) { os << kernel.outerExtents[i]; });
  os << "] ";
  if (kernel.rowsPerChunk)
    os << "(chunks x rows) ";
  os << (lanesOuter ? "lanes over the last outer loop" : "lanes over rows") << ", " << lanes << " lanes x " << unroll
     << ", " << units << " units";
  if (lanesOuter)
    os << " of " << block;
  for (auto [i, stage] : llvm::enumerate(kernel.stages)) {
    const Space &space = kernel.spaces[stage.space];
    os << "; stage " << i << " over [";
    llvm::interleaveComma(spaceOrder[stage.space], os, [&space, &os](unsigned p) { os << space.extents[p]; });
    os << "]";
    if (space.boxes.size() > 1)
      os << " in " << space.boxes.size() << " boxes";
    os << ": " << stage.reductions.size() << " reductions, " << stage.stores.size() << " stores";
  }
  return text;
}

std::unique_ptr<FusionSchedule> kernel::schedule(func::FuncOp func, const ScheduleOptions &options) {
  llvm::DenseSet<Operation *> byColumns;
  llvm::SetVector<Operation *> intoMemory;
  while (true) {
    auto plan = std::make_unique<FusionSchedule>();
    plan->info.func = func;
    plan->info.exactRounding = options.exactRounding;
    Planner planner(*plan, options);
    planner.byColumns = byColumns;
    planner.makeBuffers();
    planner.accumulateColumns();
    for (Operation *op : intoMemory)
      planner.materialize(op->getResult(0));
    // Putting a value into memory changes what every root has to do.
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t i = 0; i < planner.roots.size() && !changed; ++i)
        changed = planner.probe(*planner.roots[i]);
    }
    planner.levels();
    if (planner.group())
      return plan;
    byColumns = planner.byColumns;
    intoMemory.insert_range(planner.intoMemory);
  }
}
