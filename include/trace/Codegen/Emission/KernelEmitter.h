//===- KernelEmitter.h - What the emitters of all targets share -------------===//
//
// A scheduled kernel's nodes and index expressions as IR, on vectors of lanes. A target's emitter (lib/Codegen/CPU/
// LoopEmitter.h, lib/Codegen/GPU/ThreadEmitter.h) derives from this one and makes the loops: it opens scopes, says
// where the lanes begin, asks for nodes and stores, and combines what the lanes have reduced.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_EMISSION_KERNELEMITTER_H
#define TRACE_CODEGEN_EMISSION_KERNELEMITTER_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "trace/Codegen/Emission/BodyCloner.h"

namespace mlir::trace::kernel {

class KernelEmitter {
public:
  KernelEmitter(OpBuilder &builder, Location loc, KernelSchedule &schedule, MathTarget target)
      : b(builder), loc(loc), s(schedule), k(schedule.kernel), cloner(builder, loc, target) {}
  virtual ~KernelEmitter() = default;

protected:
  /// Where loops that enclose the current point have begun: values are made in the outermost scope in which all that
  /// they depend on is known, and live there.
  struct Scope {
    Block *block;
    /// The loop that is being filled, before which new values go.
    Operation *child = nullptr;
    LoopSet loops;
    /// One table per vector of the unrolled step (table 0 for what is not on lanes).
    SmallVector<DenseMap<NodeId, Value>, 4> nodes;
    SmallVector<DenseMap<Expr, Value>, 4> exprs, vectors32, vectors64;
  };
  /// An index on lanes: base + coefficient * lane + extra.
  struct LaneIndex {
    Value base;
    int64_t coefficient = 0;
    Value extra;
    unsigned extraBits = 32;
    /// The numbers of elements from one lane to the next, and `extra`: where each lane is, relative to `base`.
    bool contiguous() const { return !extra && coefficient == 1; }
  };
  using Accumulators = SmallVector<Value, 8>;

  // Scopes.
  void push(Block *block, LoopSet loops, unsigned slots);
  void pop();
  Scope &home(LoopSet loops);
  void insertAt(Scope &scope);
  bool onLanes(LoopSet loops) const { return loops & lanesSet; }
  unsigned slot(LoopSet loops) const { return onLanes(loops) ? current : 0; }

  // Lanes.
  LoopSet setLanes(unsigned loop);
  /// The index of the loop on lanes at the first lane of vector `current` of the step.
  virtual Value laneStart(Scope &scope);
  /// The lanes of an access, read from or written to memory as they lie there.
  virtual Value loadLanes(Value memref, VectorType type, Expr at, const LaneIndex &index, Scope &scope) = 0;
  virtual void storeLanes(Value memref, Value x, Expr at, const LaneIndex &index) = 0;
  /// Of the lanes' places relative to LaneIndex::base: a vector of integers.
  Value laneOffsets(const LaneIndex &index, Scope &scope);

  // Nodes and memory.
  void emitNodes(ArrayRef<NodeId> targets);
  Value emitNode(NodeId id);
  Value valueOf(NodeId id);
  Value operand(NodeId id, bool vector);
  Value load(unsigned buffer, Expr index, LoopSet loops);
  void store(const Store &store);
  void storeAt(unsigned buffer, Expr index, Value x);
  Value random(const Node &node);
  Value inRange(const Node &node);
  Value scalar(Expr e);
  Value scalarAtom(Atom atom);
  LaneIndex lanes(Expr e);
  Value vectorOf(Expr e, unsigned bits);
  Value vectorAtom(Atom atom, unsigned bits);
  LoopSet loopsOf(Expr e);
  LoopSet loopsOfAtom(Atom atom);
  /// The greatest power of two that divides the expression at the first lane.
  int64_t factorOf(Expr e);
  bool multipleOf(Expr e, int64_t factor) { return factorOf(e) % factor == 0; }
  Value broadcast(Value x);
  Value indexConstant(int64_t value);
  Value splat(TypedAttr value, bool vector);

  // Reductions.
  void combineArg(const Reduction &reduction, Value &value, Value &index, Value x, Value xIndex);
  /// `value` (and `index`, of ArgMax and ArgMin) with another of its kind.
  void combine(const Reduction &reduction, Value &value, Value *index, Value x, Value xIndex);
  static Type reducedType(const Reduction &reduction);
  /// 2: a value and its index.
  static unsigned width(const Reduction &reduction) {
    return reduction.kind == ReduceKind::ArgMax || reduction.kind == ReduceKind::ArgMin ? 2 : 1;
  }
  Accumulators neutrals(unsigned stage);
  /// Adds vector `current` of a step to its accumulators, from `position` on, which moves. `active`, where not null,
  /// says which lanes count (or, a scalar, whether they do).
  void accumulate(const Reduction &reduction, unsigned box, Value active, Accumulators &accumulators,
                  unsigned &position);
  /// Combines `unroll` vectors pairwise and then the lanes of one by halves: a fixed order. One scalar remains.
  void combineVectors(const Reduction &reduction, ArrayRef<Value> accumulators, unsigned perVector, unsigned position,
                      Value &value, Value &index);

  OpBuilder &b;
  Location loc;
  KernelSchedule &s;
  Kernel &k;
  BodyCloner cloner;

  std::vector<std::unique_ptr<Scope>> scopes;
  DenseMap<unsigned, Value> memrefs; // by buffer
  DenseMap<Attribute, Value> constants;
  DenseMap<Atom, Value> loopValues;
  /// The loop on lanes, its index at the first lane of the step, and which vector of the step is emitted.
  LoopSet lanesSet = 0;
  Atom lanesAtom = 0;
  Value lanesBase;
  int64_t lanesStepMultiple = 1;
  unsigned current = 0;
};

} // namespace mlir::trace::kernel

#endif
