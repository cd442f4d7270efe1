//===- GraphBuilder.h - From a fusion's operations to a kernel's nodes -------===//
//
// Two sweeps over the block. Backwards, each operation is asked at which indices its results are wanted, and passes
// the question on to its operands with the index map applied (IndexSweep.cpp). Forwards, a node is made for each
// (value, index) that was asked for (NodeSweep.cpp). Both are linear in the number of such pairs; nothing recurses.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_LIB_CODEGEN_KERNEL_GRAPHBUILDER_H
#define TRACE_LIB_CODEGEN_KERNEL_GRAPHBUILDER_H

#include "trace/Codegen/Kernel/Graph.h"
#include "trace/IR/TraceOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::trace::kernel {

inline RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// How many boxes a space may have; more would be more code than the conditions cost.
constexpr unsigned maxBoxes = 8;
/// At how many different indices a value is computed before it is written to memory instead.
constexpr unsigned maxInstances = 48;

using Operand = std::pair<Value, ExprVector>;

/// One operation at one index.
struct Instance {
  ExprVector at;
  /// What it needs; for cat and pad the alternatives, each with the conditions under which it is the one.
  SmallVector<Operand, 3> operands;
  SmallVector<SmallVector<ExprRange, 1>, 2> conditions;
  /// Iota and random numbers.
  Expr index = 0;
  int reduction = -1;
};

struct GraphBuilder {
  Kernel &k;
  FusionInfo &info;
  IndexContext &ix;
  llvm::DenseMap<Value, llvm::SmallSetVector<ExprVector, 1>> wanted;
  llvm::DenseMap<Operation *, SmallVector<Instance, 1>> instances;
  std::map<std::pair<Operation *, ExprVector>, unsigned> reductionOf;
  /// Spaces or cuts have changed: start again.
  bool changed = false;

  explicit GraphBuilder(Kernel &k) : k(k), info(*k.info), ix(k.index) {}

  void want(Value value, ExprVector at) {
    auto &set = wanted[value];
    set.insert(at);
    if (k.limited && set.size() > maxInstances && !k.tooMany && !info.inMemory.count(value) && value.getDefiningOp() &&
        !isa<ConstantOp, FullOp, IotaOp>(value.getDefiningOp()))
      k.tooMany = value;
  }

  bool run();
  void makeLoops();
  void makeBoxes(Space &space);
  unsigned spaceOf(int64_t numel, ArrayRef<int64_t> extents, bool partial = false);
  Expr boxIndex(unsigned space, unsigned box);
  void wantRoot(Root &root);
  void visit(Operation *op, ExprVector at);
  void visitReduction(Operation *op, Instance &instance);
  void visitCat(CatOp op, ArrayRef<Expr> at, Instance &instance);
  void visitPad(PadOp op, ArrayRef<Expr> at, Instance &instance);
  bool cut(Expr e, int64_t place);

  NodeId node(Node n);
  NodeId loadNode(Value value, unsigned buffer, ExprVector at);
  NodeId rounded(NodeId n);
  NodeId nodeFor(Operation *op, Instance &instance);
  void resolve(Operand target);
  void dataOf(Expr e, SmallVectorImpl<Operand> &found);
  void define(Value value, ExprVector at, NodeId id);
  NodeId lookup(Operand operand) { return k.nodeOf.at({operand.first.getAsOpaquePointer(), operand.second}); }
  /// The loops and stages of what an expression reads from memory.
  void addDependences(Node &n, Expr e);
  unsigned stageFor(unsigned space, int after);
  void storeRoot(const Root &root);

  struct RootPoint {
    int space;
    unsigned box;
    ExprVector at;
    Expr chunk;
  };
  std::map<const Root *, SmallVector<RootPoint, 1>> points;
};

} // namespace mlir::trace::kernel

#endif
