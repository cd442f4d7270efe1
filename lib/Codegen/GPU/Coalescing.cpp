//===- Coalescing.cpp - Operands that lie the other way round ----------------===//
#include "Coalescing.h"
#include "trace/Codegen/GPU/Launch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

/// The outer loop with which the access moves by one element at a time.
static std::optional<unsigned> alongMemory(const Kernel &k, Expr index) {
  for (auto [position, loop] : llvm::enumerate(k.outer))
    if (k.index.coefficient(index, k.loops[loop].atom) == 1 && k.outerExtents[position] > 1)
      return position;
  return std::nullopt;
}

/// A plain sum of loops: nothing that a tile read by other threads would see differently.
static bool isLinear(const Kernel &k, Expr index) {
  return llvm::all_of(k.index.get(index).terms,
                      [&](auto &term) { return k.index.info(term.first).kind == AtomKind::Loop; });
}

bool cuda::chooseTiles(KernelSchedule &s) {
  const Kernel &k = s.kernel;
  if (k.stores.empty() || k.outer.size() < 2)
    return false;
  std::optional<unsigned> lanes = alongMemory(k, k.stores[0].index);
  if (!lanes || k.outerExtents[*lanes] < tileEdge / 2)
    return false;
  for (const Store &store : k.stores)
    if (alongMemory(k, store.index) != lanes || store.accumulate)
      return false;
  std::optional<unsigned> across;
  Atom atom = k.loops[k.outer[*lanes]].atom;
  for (const Node &node : k.nodes) {
    if (node.kind != NodeKind::Load || !k.index.coefficient(node.index, atom))
      continue;
    std::optional<unsigned> along = alongMemory(k, node.index);
    if (along && *along != *lanes && isLinear(k, node.index) && k.outerExtents[*along] >= tileEdge / 2)
      across = across ? across : along;
  }
  if (!across)
    return false;
  llvm::erase(s.outerOrder, *lanes);
  llvm::erase(s.outerOrder, *across);
  s.outerOrder.push_back(*across);
  s.outerOrder.push_back(*lanes);
  return true;
}

SmallVector<NodeId> cuda::transposedLoads(const KernelSchedule &s) {
  const Kernel &k = s.kernel;
  unsigned lanes = s.outerOrder.back(), across = s.outerOrder[s.outerOrder.size() - 2];
  SmallVector<NodeId> loads;
  int64_t room = staticSharedBytes;
  for (auto [id, node] : llvm::enumerate(k.nodes)) {
    if (node.kind != NodeKind::Load || !isLinear(k, node.index) || alongMemory(k, node.index) != across ||
        !k.index.coefficient(node.index, k.loops[k.outer[lanes]].atom))
      continue;
    // Those that do not fit are read where they lie.
    room -= tileEdge * (tileEdge + 1) * llvm::divideCeil(node.type.getIntOrFloatBitWidth(), 8);
    if (room < 0)
      break;
    loads.push_back(id);
  }
  return loads;
}

int64_t cuda::tileBlocks(const KernelSchedule &s) {
  const Kernel &k = s.kernel;
  int64_t blocks = 1;
  for (auto [i, position] : llvm::enumerate(s.outerOrder)) {
    bool tiled = i + 2 >= s.outerOrder.size();
    blocks *= tiled ? llvm::divideCeil(k.outerExtents[position], tileEdge) : k.outerExtents[position];
  }
  return blocks;
}
