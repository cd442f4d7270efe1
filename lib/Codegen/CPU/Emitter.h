//===- Emitter.h - A scheduled kernel as loops over vectors ------------------===//
#ifndef TRACE_LIB_CODEGEN_CPU_EMITTER_H
#define TRACE_LIB_CODEGEN_CPU_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "trace/Codegen/Common/VectorMath.h"
#include "trace/Codegen/Kernel/Schedule.h"

namespace mlir::trace::cpu {

using namespace kernel;

/// Clones scalar operations onto whatever shape their operands have: the part of code generation that does not know
/// about loops. Numbers are in their compute type (kernel::computeType).
class BodyCloner {
public:
  BodyCloner(OpBuilder &builder, Location loc, MathTarget target) : b(builder), loc(loc), math(builder, loc, target) {}

  /// An elementwise operation. Operands are all scalars or all vectors of one length.
  Value elementwise(Operation *op, ValueRange operands);
  /// Between element types of the program; `x` is in the compute type of `from`.
  Value convert(Value x, Type from, Type to);
  Value bitcast(Value x, Type from, Type to);
  /// Rounds to f16 or bf16 and back.
  Value round(Value x, Type type) { return math.roundThrough(x, type); }
  /// A number read from memory, to its compute type, and back.
  Value fromMemory(Value x, Type type);
  Value toMemory(Value x, Type type);

  Value combine(ReduceKind kind, Value accumulator, Value x, bool isSigned);
  /// The number that changes nothing when combined.
  TypedAttr neutral(ReduceKind kind, Type computeType, bool isSigned);

  VectorMath &mathematics() { return math; }

private:
  Type like(Value x, Type element) { return math.like(x, element); }

  OpBuilder &b;
  Location loc;
  VectorMath math;
};

/// How a type lies in memory: i1 is a byte, ui8 signless.
Type memoryType(Type elementType);

/// Emits one kernel as a function.
class KernelEmitter {
public:
  KernelEmitter(OpBuilder &builder, Location loc, KernelSchedule &schedule, MathTarget target)
      : b(builder), loc(loc), s(schedule), k(schedule.kernel), cloner(builder, loc, target) {}

  /// The body of `function`, whose arguments are those of the kernel ABI. `slots[i]` is the place of buffer i in the
  /// array of pointers; constants are globals of these names.
  void emit(func::FuncOp function, ArrayRef<unsigned> slots, ArrayRef<StringAttr> globals);

private:
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
  };

  // Scopes.
  void push(Block *block, LoopSet loops, unsigned slots);
  void pop();
  Scope &home(LoopSet loops);
  void insertAt(Scope &scope);
  bool onLanes(LoopSet loops) const { return loops & lanesSet; }
  unsigned slot(LoopSet loops) const { return onLanes(loops) ? current : 0; }

  // Loops (LoopEmission.cpp).
  void emitOuter(Value lo, Value hi);
  void emitChunk(scf::ForOp parallel);
  void emitNeutral(const Store &store);
  void emitBlock(Value block);
  void emitPoint();
  void emitStage(unsigned stage);
  using Accumulators = SmallVector<Value, 8>;
  Accumulators emitBox(unsigned stage, unsigned box, unsigned depth, Accumulators accumulators);
  Accumulators emitLanes(unsigned stage, unsigned box, Accumulators accumulators);
  void emitStep(unsigned stage, unsigned box, unsigned vectors, Accumulators &accumulators);
  scf::ForOp forLoop(Value low, Value high, int64_t step, ValueRange inits);
  void finishReductions(unsigned stage, Accumulators &accumulators);
  void combineArg(const Reduction &reduction, Value &value, Value &index, Value x, Value xIndex);
  unsigned width(const Reduction &reduction) const {
    return reduction.kind == ReduceKind::ArgMax || reduction.kind == ReduceKind::ArgMin ? 2 : 1;
  }
  Accumulators neutrals(unsigned stage);
  LoopSet setLanes(unsigned loop);

  // Nodes and memory (NodeEmission.cpp).
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
  bool multipleOf(Expr e, int64_t factor);
  Value broadcast(Value x);
  Value indexConstant(int64_t value);
  Value splat(TypedAttr value, bool vector);
  Value allOnes();

  OpBuilder &b;
  Location loc;
  KernelSchedule &s;
  Kernel &k;
  BodyCloner cloner;

  std::vector<std::unique_ptr<Scope>> scopes;
  DenseMap<unsigned, Value> memrefs; // by buffer
  DenseMap<Attribute, Value> constants;
  DenseMap<Atom, Value> loopValues;
  /// The loop on lanes, its index at the first lane of the step, which vector of the step is emitted, and which of its
  /// lanes are real (null: all).
  LoopSet lanesSet = 0;
  Atom lanesAtom = 0;
  Value lanesBase;
  int64_t lanesStepMultiple = 1;
  unsigned current = 0;
  Value mask;
};

} // namespace mlir::trace::cpu

#endif
