//===- Graph.h - One kernel as loops, stages and scalar nodes ---------------===//
//
// What a fusion's operations say about one element, with everything that is only index arithmetic already gone: a
// graph of scalar nodes over the kernel's loops. It is the same for every target; an emitter clones the nodes onto
// vectors (CPU) or threads (GPU) and adds loads, stores and the combining of reductions.
//
// A kernel runs over its *outer* loops, which are parallel. For one outer point it runs *stages* in order; a stage is a
// sweep over a *space* (a few more loops: a row) that accumulates reductions and writes results. A stage may read the
// reductions of earlier stages. Stores outside any space come last. A space is cut into *boxes* where cat and pad
// change their operand, so that inside a box there is no condition left.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_KERNEL_GRAPH_H
#define TRACE_CODEGEN_KERNEL_GRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trace/Codegen/Kernel/Index.h"
#include <map>
#include <optional>
#include <set>

namespace mlir::trace::kernel {

/// Memory that a kernel reads or writes: the fusion's operands, its results, then scratch.
struct Buffer {
  enum Kind { Operand, Result, Scratch, Constant } kind;
  /// Operand and result number, or number of the scratch buffer.
  unsigned number;
  Type elementType;
  SmallVector<int64_t, 4> shape, strides;
  /// Constant: the values.
  DenseElementsAttr values;
  /// Number of elements from the first to the last in memory.
  int64_t span() const;
  int64_t numElements() const;
};

enum class NodeKind {
  Load,        // buffer[index]
  Constant,    // value
  Elementwise, // op on operands
  Select,      // operands[0] ? operands[1] : operands[2]
  InRange,     // every range holds its expression
  IndexValue,  // index as a number of `type`
  Reduce,      // the result of reductions[reduction]
  Random,      // number `index` of the stream of op; operand 0 is the seed
  Round        // operand 0 rounded to `type`, which is narrower than what it is computed in
};

struct ExprRange {
  Expr expr;
  int64_t low, high; // inclusive
};

struct Node {
  explicit Node(NodeKind kind, Type type, Operation *op = nullptr) : kind(kind), type(type), op(op) {}

  NodeKind kind;
  Type type; // the element type that the program gives it
  Operation *op;
  SmallVector<NodeId, 3> operands;
  /// The nodes of the indices that were read from memory and that `index` and `ranges` depend on.
  SmallVector<NodeId, 1> data;
  unsigned buffer = 0;
  Expr index = 0;
  SmallVector<ExprRange, 1> ranges;
  TypedAttr value;
  unsigned reduction = 0;
  /// The loops on which it depends.
  LoopSet loops = 0;
  /// The last stage whose reductions it needs; -1 without.
  int stage = -1;
  /// f16, bf16: what is computed is a number of that type already, so that rounding would change nothing.
  bool exact = false;
};

enum class ReduceKind { Sum, Prod, Max, Min, Any, All, ArgMax, ArgMin };
ReduceKind reduceKind(Operation *op);

struct Reduction {
  ReduceKind kind;
  Operation *op;
  /// What it is computed in is for the emitter to say; this is what the program calls it.
  Type type;
  unsigned space;
  NodeId node;
  /// For each box of the space: what is accumulated and, for ArgMax and ArgMin, the index that goes with it.
  SmallVector<NodeId, 2> inputs;
  SmallVector<Expr, 2> positions;
  unsigned stage = 0;
};

struct Store {
  NodeId node;
  unsigned buffer;
  Expr index;
  /// Position in space -1 is outside: once per outer point.
  int space = -1;
  unsigned box = 0;
  int stage = -1;
  /// Combined with what stands there by this reduction, instead of written over it.
  Operation *accumulate = nullptr;
};

struct Loop {
  Atom atom;
  int64_t low, high; // inclusive
  int64_t extent() const { return high - low + 1; }
};

struct Space {
  int64_t numel;
  /// Sizes of its loops, outermost first; their product is numel.
  SmallVector<int64_t, 4> extents;
  /// Places in each loop at which a box ends.
  SmallVector<std::set<int64_t>, 4> cuts;
  /// Loops of each box, as indices into Kernel::loops, in the order of `extents`.
  SmallVector<SmallVector<unsigned, 4>, 1> boxes;
  /// How many elements there are at this outer point, where the last chunk of a partial reduction has fewer. Such a
  /// space has one loop and one box.
  std::optional<Expr> limit;
  bool partial = false;
};

struct Stage {
  explicit Stage(unsigned space) : space(space) {}

  unsigned space;
  SmallVector<unsigned, 2> reductions;
  SmallVector<unsigned, 2> stores;
};

/// A value that a kernel computes and writes.
struct Root {
  Value value;
  /// Where it goes; several where a function returns it twice.
  SmallVector<unsigned, 1> buffers;
  /// The dimensions of `value` that are outer loops; the others are a space. (Partial: always all.)
  SmallVector<int64_t, 4> outerDims;
  /// Not 0: `value` is a reduction's result of which this makes the partial results of chunks of so many elements
  /// each, into buffers of shape chunks x kept.
  int64_t chunk = 0;
  /// Not null: `value` is the operand of this reduction over its leading dimensions, which are the outer loops; each
  /// chunk of rows (Kernel::rowsPerChunk) adds up in a row of its own of the buffer, of shape chunks x kept.
  Operation *accumulate = nullptr;

  /// The reduction whose partial results this makes.
  Operation *partialOf() const { return accumulate ? accumulate : chunk ? value.getDefiningOp() : nullptr; }
};

/// The partial results of a reduction that an earlier kernel left.
struct Partial {
  unsigned buffer;
  int64_t chunks;
};

/// What a fusion's kernels share.
struct FusionInfo {
  func::FuncOp func;
  SmallVector<Buffer> buffers;
  /// Values that stand in memory: arguments, and what earlier kernels have written.
  llvm::DenseMap<Value, unsigned> inMemory;
  llvm::DenseMap<Operation *, Partial> partials;
  /// Values that are returned: rounded to their type for every reader.
  llvm::DenseSet<Value> outputs;
  /// Round f16 and bf16 after every operation, as eager does.
  bool exactRounding = false;
};

/// A reduction whose result was read, at an index that depends on `loops`.
struct Demand {
  Operation *op;
  LoopSet loops;
  /// At an index that moves with a space: the kernel would have to reduce anew for each of its points.
  bool inner;
};

struct Kernel {
  FusionInfo *info;
  SmallVector<Root> roots;
  /// Sizes of the outer loops; their product is the number of outer points.
  SmallVector<int64_t, 4> outerExtents;
  std::vector<Space> spaces;
  /// Not 0: the outer loops are chunks x rows of a chunk, and only the chunks are parallel. There are `numRows` rows;
  /// the last chunk may have fewer.
  int64_t rowsPerChunk = 0, numRows = 0;

  IndexContext index;
  SmallVector<Loop> loops;
  SmallVector<unsigned, 4> outer; // indices into `loops`
  std::vector<Node> nodes;
  std::map<std::pair<void *, ExprVector>, NodeId> nodeOf;
  SmallVector<Reduction> reductions;
  SmallVector<Store> stores;
  SmallVector<Stage> stages;

  // What building found out.
  SmallVector<Demand> demands;
  llvm::SetVector<Value> reads;
  llvm::SetVector<Operation *> partialReads;
  /// Conditions on outer loops (as indices into `outer`) that could be cut away were the loop in a space.
  llvm::SmallSetVector<unsigned, 4> outerCuts;
  /// With `limited`, building ends early at a value that is wanted at so many places that it had better be written to
  /// memory.
  bool limited = false;
  Value tooMany;

  /// Builds nodes, reductions, stages and stores for `roots`, `outerExtents` and `spaces` (of which it makes new ones
  /// and new cuts where they are needed, and starts again).
  void build();

  LoopSet outerLoops() const;
  LoopSet loopSet(unsigned loop) const { return index.info(loops[loop].atom).loops; }
  /// The expressions of all memory accesses, conditions and index values.
  SmallVector<Expr> usedExprs() const;
  /// The number of the reduced elements, and sizes of the reduced dimensions.
  static SmallVector<int64_t, 4> reducedShape(Operation *op, SmallVectorImpl<int64_t> *dims = nullptr);
};

/// The common refinement of two factorisations of one number (outermost first), nothing if they do not fit.
std::optional<SmallVector<int64_t, 4>> refine(ArrayRef<int64_t> a, ArrayRef<int64_t> b);

int64_t product(ArrayRef<int64_t> list);

} // namespace mlir::trace::kernel

#endif
