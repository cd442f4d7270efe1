//===- Graph.cpp - One kernel as loops, stages and scalar nodes --------------===//
#include "GraphBuilder.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

int64_t Buffer::span() const {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return last + 1;
}

int64_t Buffer::numElements() const { return product(shape); }

int64_t kernel::product(ArrayRef<int64_t> list) {
  int64_t result = 1;
  for (int64_t n : list)
    result *= n;
  return result;
}

std::optional<SmallVector<int64_t, 4>> kernel::refine(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  // Walk both from the innermost size; the smaller suffix product must divide the larger.
  SmallVector<int64_t, 4> result;
  auto i = a.rbegin(), j = b.rbegin();
  int64_t x = 1, y = 1;
  while (true) {
    while (x == 1 && i != a.rend())
      x = *i++;
    while (y == 1 && j != b.rend())
      y = *j++;
    if (x == 1 && y == 1)
      break;
    int64_t small = std::min(x, y), large = std::max(x, y);
    if (small <= 1 || large % small)
      return std::nullopt;
    result.push_back(small);
    x /= small;
    y /= small;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

ReduceKind kernel::reduceKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, ReduceKind>(op)
      .Case([](ReduceSumOp) { return ReduceKind::Sum; })
      .Case([](ReduceProdOp) { return ReduceKind::Prod; })
      .Case([](ReduceMaxOp) { return ReduceKind::Max; })
      .Case([](ReduceMinOp) { return ReduceKind::Min; })
      .Case([](ReduceAnyOp) { return ReduceKind::Any; })
      .Case([](ReduceAllOp) { return ReduceKind::All; })
      .Case([](ArgmaxOp) { return ReduceKind::ArgMax; })
      .Case([](ArgminOp) { return ReduceKind::ArgMin; });
}

SmallVector<int64_t, 4> Kernel::reducedShape(Operation *op, SmallVectorImpl<int64_t> *dims) {
  SmallVector<int64_t, 4> list;
  if (auto argmax = dyn_cast<ArgmaxOp>(op))
    list = {static_cast<int64_t>(argmax.getDim())};
  else if (auto argmin = dyn_cast<ArgminOp>(op))
    list = {static_cast<int64_t>(argmin.getDim())};
  else
    llvm::append_range(list, op->getAttrOfType<DenseI64ArrayAttr>("dims").asArrayRef());
  SmallVector<int64_t, 4> shape;
  for (int64_t dim : list)
    shape.push_back(tensorType(op->getOperand(0)).getDimSize(dim));
  if (dims)
    dims->assign(list.begin(), list.end());
  return shape;
}

LoopSet Kernel::outerLoops() const {
  LoopSet set = 0;
  for (unsigned loop : outer)
    set |= loopSet(loop);
  return set;
}

SmallVector<Expr> Kernel::usedExprs() const {
  llvm::SetVector<Expr> used;
  auto add = [&](Expr e, auto &self) -> void {
    if (!used.insert(e))
      return;
    for (auto [atom, c] : index.get(e).terms) {
      const AtomInfo &info = index.info(atom);
      if (info.kind != AtomKind::Loop && info.kind != AtomKind::Data)
        self(info.operand, self);
    }
  };
  for (const Node &node : nodes) {
    if (node.kind == NodeKind::Load || node.kind == NodeKind::IndexValue || node.kind == NodeKind::Random)
      add(node.index, add);
    for (const ExprRange &range : node.ranges)
      add(range.expr, add);
  }
  for (const Store &store : stores)
    add(store.index, add);
  for (const Reduction &reduction : reductions)
    for (Expr e : reduction.positions)
      add(e, add);
  return used.takeVector();
}

/// False: spaces or cuts changed, start again.
bool GraphBuilder::run() {
  makeLoops();
  for (Root &root : k.roots)
    wantRoot(root);
  Block &block = info.func.front();
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (op.getNumResults() != 1)
      continue;
    auto it = wanted.find(op.getResult(0));
    if (it == wanted.end())
      continue;
    // A value in memory is read; but the reduction of a partial root is not its own reader.
    if (info.inMemory.count(op.getResult(0)))
      continue;
    for (ExprVector at : SmallVector<ExprVector>(it->second.begin(), it->second.end()))
      visit(&op, at);
    if (k.tooMany)
      return true;
  }
  if (changed)
    return false;
  for (const Root &root : k.roots)
    for (const RootPoint &point : points[&root])
      resolve({root.chunk ? root.value.getDefiningOp()->getOperand(0) : root.value, point.at});
  for (const Root &root : k.roots)
    storeRoot(root);
  return true;
}

void Kernel::build() {
  while (true) {
    index = IndexContext();
    loops.clear();
    outer.clear();
    nodes.clear();
    nodeOf.clear();
    reductions.clear();
    stores.clear();
    stages.clear();
    demands.clear();
    reads.clear();
    partialReads.clear();
    outerCuts.clear();
    tooMany = nullptr;
    for (Space &space : spaces) {
      space.boxes.clear();
      space.limit.reset();
    }
    // Spaces nobody uses any more stay: they only cost loop numbers.
    if (GraphBuilder(*this).run())
      return;
  }
}
