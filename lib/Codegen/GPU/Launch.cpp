//===- Launch.cpp - How a kernel's threads share its work --------------------===//
#include "trace/Codegen/GPU/Launch.h"
#include "Coalescing.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;
using namespace mlir::trace::cuda;

std::optional<DeviceModel> cuda::getDeviceModel(StringRef chip) {
  static constexpr DeviceModel models[] = {
      {"sm_80", 108, 2048, 32, 167936}, {"sm_86", 84, 1536, 16, 102400},   {"sm_89", 142, 1536, 24, 102400},
      {"sm_90", 132, 2048, 32, 233472}, {"sm_100", 148, 2048, 32, 233472},
  };
  unsigned version;
  StringRef number = chip;
  if (!number.consume_front("sm_") || number.consumeInteger(10, version) || number.size() > 1 || version < 80)
    return std::nullopt;
  const DeviceModel *best = &models[0];
  for (const DeviceModel &model : models) {
    unsigned has;
    StringRef name = model.chip;
    name.consume_front("sm_");
    name.getAsInteger(10, has);
    if (has <= version)
      best = &model;
  }
  return *best;
}

ScheduleOptions cuda::getScheduleOptions(bool exactRounding) {
  ScheduleOptions options;
  options.vectorBits = warpSize * 32;
  options.exactRounding = exactRounding;
  options.fewPoints = 32;
  options.fewColumns = 4096;
  options.maxChunks = 512;
  options.minRowsPerChunk = 8;
  return options;
}

static unsigned powerCeil(int64_t n) { return llvm::PowerOf2Ceil(std::max<int64_t>(n, 1)); }

static unsigned bytesOf(Type type) { return std::max(1u, type.isInteger(1) ? 1u : type.getIntOrFloatBitWidth() / 8); }

namespace {

/// What the heuristic looks at.
struct Work {
  /// Elements of one 16-byte access, by the narrowest numbers.
  unsigned lanes = 4;
  /// Loads, the bytes of one element of each, and nodes.
  unsigned loads = 0, loadBytes = 0, nodes = 0;
  bool wide = false; // f64
};

Work measure(const KernelSchedule &s) {
  const Kernel &k = s.kernel;
  Work work;
  unsigned narrowest = 8;
  bool bytesOnly = true;
  auto see = [&](unsigned buffer) {
    Type type = k.info->buffers[buffer].elementType;
    unsigned bytes = bytesOf(type);
    bytesOnly &= bytes == 1;
    if (bytes > 1)
      narrowest = std::min(narrowest, bytes);
    work.wide |= type.isF64();
  };
  for (const Node &node : k.nodes) {
    if (node.kind == NodeKind::Load) {
      see(node.buffer);
      ++work.loads;
      work.loadBytes += bytesOf(k.info->buffers[node.buffer].elementType);
    }
    work.nodes += node.kind != NodeKind::Constant;
  }
  for (const Store &store : k.stores)
    see(store.buffer);
  work.lanes = bytesOnly ? 8 : std::min(8u, 16 / narrowest);
  // Long bodies have other work to hide latencies with, and registers are short.
  if (work.nodes > 60)
    work.lanes = std::min(work.lanes, 4u);
  if (work.nodes > 160)
    work.lanes = std::min(work.lanes, 2u);
  return work;
}

/// The loops that are on lanes: of each box of the spaces that stages sweep, or the outer one.
SmallVector<unsigned> lanesLoops(const KernelSchedule &s) {
  const Kernel &k = s.kernel;
  SmallVector<unsigned> loops;
  if (s.lanesOuter) {
    loops.push_back(k.outer[s.outerOrder.back()]);
    return loops;
  }
  llvm::SmallDenseSet<unsigned> seen;
  for (const Stage &stage : k.stages)
    if (seen.insert(stage.space).second)
      for (unsigned box = 0; box < k.spaces[stage.space].boxes.size(); ++box)
        loops.push_back(s.lanesLoop(stage.space, box));
  return loops;
}

/// The greatest width that is a power of two, at most `most`, and divides every loop on lanes.
unsigned widthFor(const KernelSchedule &s, unsigned most) {
  const Kernel &k = s.kernel;
  uint64_t bits = llvm::bit_floor(uint64_t(most));
  for (unsigned loop : lanesLoops(s))
    bits |= k.loops[loop].extent();
  for (const Stage &stage : k.stages)
    if (const std::optional<Expr> &limit = k.spaces[stage.space].limit) {
      const LinearExpr &linear = k.index.get(*limit);
      bits |= linear.constant;
      for (auto [atom, c] : linear.terms)
        bits |= c;
    }
  return bits & -bits;
}

/// One loop without conditions, swept by every stage: what could stay in registers between stages.
const Loop *onlyRow(const KernelSchedule &s) {
  const Kernel &k = s.kernel;
  if (k.stages.empty())
    return nullptr;
  const Space &space = k.spaces[k.stages[0].space];
  for (const Stage &stage : k.stages)
    if (stage.space != k.stages[0].space)
      return nullptr;
  if (space.boxes.size() != 1 || space.extents.size() != 1 || space.limit)
    return nullptr;
  return &k.loops[space.boxes[0][0]];
}

/// What all reductions together keep of one lane, as it goes through shared memory: at least 32 bits for each number.
int64_t wordBytes(const Kernel &k) {
  int64_t bytes = 0;
  for (const Stage &stage : k.stages)
    for (unsigned r : stage.reductions) {
      const Reduction &reduction = k.reductions[r];
      Type element = cast<RankedTensorType>(reduction.op->getOperand(0).getType()).getElementType();
      bytes += std::max(4u, bytesOf(computeType(element)));
      if (reduction.kind == ReduceKind::ArgMax || reduction.kind == ReduceKind::ArgMin)
        bytes += 8;
    }
  return bytes;
}

/// Chooses step by step: the mapping's method first, then what holds for all.
struct Chooser {
  KernelSchedule &s;
  Kernel &k = s.kernel;
  const DeviceModel &device;
  const LaunchOverrides &overrides;
  Work work = measure(s);
  Launch launch = {};
  /// Threads that the device holds; threads of a block that were wished for (0: none).
  int64_t resident = device.multiprocessors * device.threads;
  int64_t most = overrides.threads ? std::clamp<int64_t>(llvm::PowerOf2Ceil(overrides.threads), warpSize, 1024) : 0;
  /// Registers that a thread keeps or has loads on the way to.
  int64_t kept = 0;

  Chooser(KernelSchedule &schedule, const DeviceModel &device, const LaunchOverrides &overrides)
      : s(schedule), device(device), overrides(overrides) {}
  Launch choose();
  void points();
  void columns();
  void rows();
  int64_t lanesExtent() const { return k.loops[k.outer[s.outerOrder.back()]].extent(); }
};

} // namespace

void Chooser::points() {
  int64_t extent = lanesExtent();
  int64_t rest = std::max<int64_t>(1, product(k.outerExtents) / std::max<int64_t>(extent, 1));
  if (chooseTiles(s)) {
    launch.mapping = Launch::Tiles;
    launch.lanes = launch.unroll = 1;
    launch.x = 32;
    launch.y = 8;
    launch.blocks = tileBlocks(s);
    return;
  }
  int64_t threads = most ? most : 256, vectors = extent / launch.lanes;
  // Small work is spread over the machine before a thread gets several vectors.
  while (!most && threads > 64 && vectors * rest < device.multiprocessors * threads)
    threads /= 2;
  launch.x = std::min<int64_t>(threads, powerCeil(vectors));
  launch.y = threads / launch.x;
  while (launch.unroll > 1 && (vectors < static_cast<int64_t>(launch.x) * launch.unroll ||
                               (!overrides.unroll && vectors * rest < resident * launch.unroll)))
    launch.unroll /= 2;
  launch.blocks = llvm::divideCeil(vectors, static_cast<int64_t>(launch.x) * launch.unroll) *
                  llvm::divideCeil(rest, static_cast<int64_t>(launch.y));
}

void Chooser::columns() {
  launch.mapping = Launch::Columns;
  int64_t extent = lanesExtent();
  int64_t rest = std::max<int64_t>(1, product(k.outerExtents) / std::max<int64_t>(extent, 1));
  int64_t depth = 1;
  for (const Stage &stage : k.stages)
    depth = std::max(depth, k.spaces[stage.space].extents[s.spaceOrder[stage.space][0]]);
  int64_t vectors = extent / launch.lanes;
  // Few columns: narrower accesses make more threads.
  while (launch.lanes > 1 && !overrides.lanes && vectors * rest * 8 < resident / 8 && vectors < warpSize) {
    launch.lanes /= 2;
    vectors *= 2;
  }
  int64_t threads = most ? most : 256;
  launch.x = std::min<int64_t>(warpSize, powerCeil(vectors));
  // Blocks that are fewer than the multiprocessors had better be narrow, with more rows at a time. Eight threads beside
  // each other still read 128 bytes.
  while (launch.x > 8 && launch.lanes >= work.lanes && depth > threads / launch.x &&
         llvm::divideCeil(vectors, static_cast<int64_t>(launch.x)) * rest <
             static_cast<uint64_t>(2 * device.multiprocessors))
    launch.x /= 2;
  launch.y = std::clamp<int64_t>(threads / launch.x, 1, std::min<int64_t>(powerCeil(depth), 32));
  launch.y = std::max<int64_t>(launch.y, warpSize / launch.x);
  // With many reductions their shared memory decides; a single thread for a column needs none.
  while (launch.y > 1 && launch.threads() * launch.lanes * wordBytes(k) > staticSharedBytes)
    launch.y /= 2;
  launch.unroll = 1;
  launch.blocks = llvm::divideCeil(vectors, static_cast<int64_t>(launch.x)) * rest;
}

void Chooser::rows() {
  launch.mapping = k.rowsPerChunk ? Launch::Chunks : Launch::Rows;
  int64_t rows = k.rowsPerChunk ? k.outerExtents[0] : product(k.outerExtents);
  // Threads run through one box of a row after the other.
  int64_t elements = 1, boxes = 1;
  for (const Stage &stage : k.stages) {
    const Space &space = k.spaces[stage.space];
    boxes = std::max<int64_t>(boxes, space.boxes.size());
    for (ArrayRef<unsigned> box : space.boxes) {
      int64_t numel = 1;
      for (unsigned loop : box)
        numel *= k.loops[loop].extent();
      elements = std::max(elements, numel);
    }
  }
  int64_t vectors = llvm::divideCeil(elements, static_cast<int64_t>(launch.lanes));
  // About four vectors a thread, fewer where rows are few.
  int64_t x = std::min<int64_t>(1024, powerCeil(llvm::divideCeil(vectors, int64_t(4))));
  while (x < 1024 && x < vectors && rows * x < resident / 2)
    x *= 2;
  if (most)
    x = std::min<int64_t>(most, powerCeil(vectors));
  const Loop *row = onlyRow(s);
  unsigned accumulators = 0;
  for (const Store &store : k.stores)
    accumulators += store.accumulate != nullptr;
  if (row && (k.stages.size() > 1 || accumulators)) {
    auto slots = [&](int64_t x) { return llvm::divideCeil(row->extent(), x * launch.lanes); };
    // What a thread keeps of a row, in registers of 32 bits.
    auto keeps = [&](int64_t x) {
      return slots(x) * launch.lanes * (work.wide ? 2 : 1) * (work.loads + accumulators + 1);
    };
    while (x < std::min<int64_t>(1024, powerCeil(vectors)) && !most && keeps(x) > 64)
      x *= 2;
    if (keeps(x) <= (x == 1024 ? 40 : 96) && slots(x) <= 8) {
      launch.inRegisters = true;
      launch.unroll = slots(x);
      kept = keeps(x);
    }
  }
  launch.x = x;
  // A chunk's rows share accumulators; everything else shares a block where rows are short.
  if (k.rowsPerChunk)
    launch.x = std::max<int64_t>(x, warpSize);
  else if (x < 128)
    launch.y = std::max<int64_t>(std::min<int64_t>(128 / x, powerCeil(rows)), llvm::divideCeil(warpSize, x));
  if (!launch.inRegisters) {
    while (launch.unroll > 1 && vectors < static_cast<int64_t>(launch.x) * launch.unroll)
      launch.unroll /= 2;
    // Boxes that are done in one step are in flight together.
    kept = work.loadBytes * launch.lanes * launch.unroll * (vectors <= launch.x ? boxes : 1) / 4;
  }
  launch.blocks = k.rowsPerChunk ? rows : llvm::divideCeil(rows, static_cast<int64_t>(launch.y));
}

Launch Chooser::choose() {
  launch.lanes = widthFor(s, overrides.lanes ? std::min(overrides.lanes, 16u) : work.lanes);
  launch.unroll = work.nodes > 60 ? 1 : work.nodes > 24 ? 2 : 4;
  if (overrides.unroll)
    launch.unroll = llvm::PowerOf2Ceil(std::min(overrides.unroll, 8u));
  if (s.lanesOuter && k.stages.empty())
    points();
  else if (s.lanesOuter)
    columns();
  else
    rows();
  // Half of the threads that a multiprocessor could hold hide the latencies, a quarter where each keeps much of a row
  // and so has more accesses in flight. Where the blocks do not fill the device, registers are for nobody else.
  int64_t perBlock = llvm::alignTo(launch.threads(), warpSize);
  int64_t planned = std::min(device.threads / (kept > 40 ? 4 : 2) / perBlock, device.blocks);
  launch.resident =
      std::max<int64_t>(1, std::min<int64_t>(planned, llvm::divideCeil(launch.blocks, device.multiprocessors)));
  launch.bytesInFlight = work.loadBytes * launch.lanes * launch.unroll;
  launch.maxRegisters =
      std::min<int64_t>(255, llvm::alignDown(device.registers / (launch.resident * perBlock), int64_t(8)));
  s.lanes = launch.lanes;
  s.unroll = launch.unroll;
  return launch;
}

Launch cuda::chooseLaunch(KernelSchedule &schedule, const DeviceModel &device, const LaunchOverrides &overrides) {
  return Chooser(schedule, device, overrides).choose();
}

StringRef cuda::stringifyMapping(Launch::Mapping mapping) {
  static constexpr llvm::StringLiteral names[] = {"points", "rows", "columns", "chunks of rows", "tiles"};
  return names[mapping];
}

std::string Launch::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyMapping(mapping) << ": " << blocks << " blocks of " << x << " x " << y << " threads, " << lanes
     << " lanes x " << unroll << (inRegisters ? ", rows in registers" : "") << ", " << resident
     << " a multiprocessor with at most " << maxRegisters << " registers";
  return text;
}
