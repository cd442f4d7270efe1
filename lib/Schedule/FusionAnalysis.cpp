//===- FusionAnalysis.cpp - Which ops one kernel can compute ----------------===//
#include "trace/Schedule/FusionAnalysis.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::trace;

int64_t mlir::trace::getElementCost(Operation *op) {
  if (!op->hasTrait<trace::OpTrait::Elementwise>())
    return isa<RandomUniformOp>(op)                    ? 20
           : isa<RandomNormalOp>(op)                   ? 60
           : op->hasTrait<trace::OpTrait::Reduction>() ? 1
                                                       : 0;
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<DivOp, DivFloorOp, DivTruncOp, RemainderOp, FmodOp, SqrtOp, RsqrtOp, ReciprocalOp, HypotOp>(
          [](auto) { return 4; })
      .Case<ExpOp, Exp2Op, LogOp, Log2Op, SigmoidOp, TanhOp, Expm1Op, Log1pOp, Log10Op, SinOp, CosOp, ErfOp>(
          [](auto) { return 10; })
      .Case<ErfcOp, ErfinvOp, LgammaOp, DigammaOp, TanOp, AsinOp, AcosOp, AtanOp, SinhOp, CoshOp, AsinhOp, AcoshOp,
            AtanhOp, PowOp, Atan2Op>([](auto) { return 25; })
      .Default([](auto) { return 1; });
}

SmallVector<int64_t> mlir::trace::getReducedDims(Operation *op) {
  if (auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dims"))
    return SmallVector<int64_t>(dims.asArrayRef());
  return {op->getAttrOfType<IntegerAttr>("dim").getInt()};
}

namespace {

enum Context : uint8_t { Element = 1, Row = 2, Mapped = 4 };

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
int64_t countOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }
bool isReduction(Operation *op) { return op->hasTrait<trace::OpTrait::Reduction>(); }

/// What a reduction removes from the row-major order of its operand: intervals [inner, outer) of strides, adjacent ones
/// merged, dimensions of one element left out. Over the columns of a row of n: {[1, n)}.
SmallVector<std::pair<int64_t, int64_t>> reducedIntervals(Operation *op) {
  SmallVector<int64_t> dims = getReducedDims(op);
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  SmallVector<std::pair<int64_t, int64_t>> intervals;
  int64_t stride = 1;
  for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
    int64_t next = stride * shape[d];
    if (shape[d] != 1 && llvm::is_contained(dims, d)) {
      if (!intervals.empty() && intervals.back().second == stride)
        intervals.back().second = next;
      else
        intervals.push_back({stride, next});
    }
    stride = next;
  }
  return intervals;
}

/// All shapes that a space is seen under must be groupings of the dimensions of one finest shape, so that an index
/// under any of them is affine in the loops' indices. Shapes are kept as sets of strides.
class SpaceShape {
public:
  explicit SpaceShape(int64_t elements) : elements(elements) {}
  void add(ArrayRef<int64_t> shape) {
    int64_t stride = 1;
    for (int64_t size : llvm::reverse(shape)) {
      if (size != 1)
        addStride(stride);
      stride *= size;
    }
  }
  void addStride(int64_t stride) {
    if (!llvm::is_contained(strides, stride))
      strides.push_back(stride);
  }
  bool isConsistent() {
    llvm::sort(strides);
    int64_t previous = 1;
    for (int64_t stride : strides) {
      if (stride % previous != 0)
        return false;
      previous = stride;
    }
    return elements % previous == 0;
  }

private:
  int64_t elements;
  SmallVector<int64_t, 8> strides;
};

class Analysis {
public:
  Analysis(ArrayRef<Operation *> ops, function_ref<bool(Value)> escapes) : ops(ops), escapes(escapes) {}

  FailureOr<FusionSpace> run(StringRef &why) {
    if (succeeded(findSpace()) && succeeded(classifyReductions()) && succeeded(placeResults()) &&
        succeeded(propagate()))
      return space;
    why = reason;
    return failure();
  }

private:
  LogicalResult fail(StringRef text) {
    reason = text;
    return failure();
  }
  bool inside(Value value) const { return value.getDefiningOp() && members.contains(value.getDefiningOp()); }
  bool usedInside(Operation *op) const {
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return members.contains(user); });
  }
  int64_t rows() const { return space.columns ? space.elements / space.columns : space.elements; }
  bool isRowCount(Value value) const { return space.columns && countOf(value) == rows(); }

  /// The space is that of the largest value that leaves the region or is reduced.
  LogicalResult findSpace() {
    members.insert(ops.begin(), ops.end());
    bool any = false;
    for (Operation *op : ops) {
      if (!llvm::all_of(op->getResultTypes(), [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); }))
        return fail("sizes are not known at compile time");
      for (Value operand : op->getOperands())
        if (auto type = dyn_cast<RankedTensorType>(operand.getType()); !type || !type.hasStaticShape())
          return fail("sizes are not known at compile time");
      bool reduces = isReduction(op);
      if (reduces || llvm::any_of(op->getResults(), escapes)) {
        space.elements = std::max(space.elements, countOf(reduces ? op->getOperand(0) : op->getResult(0)));
        any = true;
      }
    }
    if (any && space.elements == 0 && ops.size() > 1)
      return fail("the tensors are empty");
    return success();
  }

  /// Finds the columns, and refuses reductions that do not go together.
  LogicalResult classifyReductions() {
    SmallVector<Operation *> rowReductions;
    for (Operation *op : ops) {
      if (llvm::any_of(op->getOperands(), [&](Value operand) { return late.contains(operand); })) {
        if (failed(placeLate(op)))
          return failure();
      } else if (isReduction(op)) {
        if (countOf(op->getOperand(0)) == space.elements) {
          if (failed(classifyReduction(op)))
            return failure();
          continue;
        }
        rowReductions.push_back(op);
        if (usedInside(op))
          late.insert(op->getResult(0));
      }
    }
    if (!middle.empty() && (rowLength || columnLength))
      return fail("the reductions are over different dimensions");
    if (rowLength && columnLength && rowLength != columnLength)
      return fail("the reduction over the rows has rows of another length");
    space.columns = rowLength ? rowLength : columnLength;
    for (Operation *op : rowReductions) {
      if (!isRowCount(op->getOperand(0)))
        return fail("a reduction is over another number of elements");
      auto intervals = reducedIntervals(op);
      if (intervals.size() != 1 || intervals[0].second != rows())
        return fail("a reduction of one value per row is not over the outermost dimensions");
    }
    return success();
  }

  /// A reduction over elements of the space.
  LogicalResult classifyReduction(Operation *op) {
    auto intervals = reducedIntervals(op);
    bool full = intervals.size() == 1 && intervals[0] == std::pair<int64_t, int64_t>(1, space.elements);
    bool trailing = intervals.empty() || (intervals.size() == 1 && intervals[0].first == 1);
    bool leading = intervals.size() == 1 && intervals[0].second == space.elements;
    if (usedInside(op) && trailing && (!full || space.elements <= maxSingleRow))
      knownInside.insert(op->getResult(0));
    else if (usedInside(op) && !trailing)
      late.insert(op->getResult(0));
    else if (full) {
      if (usedInside(op))
        late.insert(op->getResult(0));
      return success();
    }
    if (trailing) {
      int64_t length = intervals.empty() ? 1 : intervals[0].second;
      if (rowLength && rowLength != length)
        return fail("the reductions have rows of different lengths");
      rowLength = length;
    } else if (leading) {
      if (columnLength && columnLength != intervals[0].first)
        return fail("the reductions over rows have rows of different lengths");
      columnLength = intervals[0].first;
    } else {
      if (!middle.empty() && middle != intervals)
        return fail("the reductions are over different dimensions");
      middle = intervals;
    }
    return success();
  }

  /// An op on the result of a reduction that is complete only after the last row: computed behind it if it is no
  /// larger.
  LogicalResult placeLate(Operation *op) {
    int64_t most = 0;
    for (Value operand : op->getOperands())
      if (late.contains(operand))
        most = std::max(most, countOf(operand));
    bool inOrder =
        op->hasTrait<trace::OpTrait::Elementwise>() || op->hasTrait<trace::OpTrait::ViewLike>() || isReduction(op);
    if (!inOrder || countOf(op->getResult(0)) > most)
      return fail("a reduction over the rows is complete only after the last row");
    late.insert(op->getResult(0));
    return success();
  }

  /// Gives the results and reduced values their contexts; what leaves must be per element or per row.
  LogicalResult placeResults() {
    for (Operation *op : ops) {
      if (late.contains(op->getResult(0)) && !isReduction(op))
        continue;
      if (isReduction(op) && !late.contains(op->getOperand(0)))
        context[op->getOperand(0)] |= countOf(op->getOperand(0)) == space.elements ? Element : Row;
      for (Value result : op->getResults()) {
        if (!escapes(result) || late.contains(result) || (isReduction(op) && !knownInside.contains(result)))
          continue;
        if (countOf(result) == space.elements)
          context[result] |= Element;
        else if (isRowCount(result))
          context[result] |= Row;
        else
          return fail("the results have different numbers of elements");
      }
    }
    // Known only within a row: what depends on a reduction used inside.
    for (Operation *op : ops)
      if (llvm::any_of(op->getOperands(), [&](Value operand) { return knownInside.contains(operand); }))
        knownInside.insert(op->result_begin(), op->result_end());
    return success();
  }

  /// Carries contexts from results to operands, and adds up what evaluating a value more often than once costs.
  LogicalResult propagate() {
    SpaceShape elementShape(space.elements), rowShape(rows());
    if (space.columns)
      elementShape.addStride(space.columns);
    int64_t excess = 0;
    for (Operation *op : llvm::reverse(ops)) {
      Value result = op->getResult(0);
      uint8_t where = context.lookup(result);
      if (late.contains(result)) {
        if (isReduction(op) && !late.contains(op->getOperand(0)))
          addReduced(op->getOperand(0), elementShape);
        else
          askBehind(op);
        continue;
      }
      if (isReduction(op)) {
        if (where & Mapped)
          return fail("a reduction is read at another row's index");
        if (!knownInside.contains(result))
          where = 0;
      } else if ((where & Mapped) && knownInside.contains(result)) {
        return fail("a value that depends on a reduction is read at another row's index");
      }
      if (where & Element)
        elementShape.add(shapeOf(result));
      if (where & Row)
        rowShape.add(shapeOf(result));
      if (isReduction(op))
        addReduced(op->getOperand(0), elementShape);

      int64_t times = evaluations(result, where);
      excess += std::max<int64_t>(0, times - countOf(result)) * getElementCost(op);
      for (OpOperand &operand : op->getOpOperands()) {
        if (!inside(operand.get()) || isReduction(op))
          continue;
        for (Context one : {Element, Row, Mapped})
          if (where & one)
            if (failed(ask(op, operand, one, times)))
              return failure();
      }
    }
    if (excess > 4 * space.elements + freeExcess)
      return fail("computing a value anew for every use costs more than keeping it");
    if (!elementShape.isConsistent() || !rowShape.isConsistent())
      return fail("the shapes do not divide into one nest of loops");
    return success();
  }

  void addReduced(Value value, SpaceShape &shape) const {
    if (countOf(value) == space.elements)
      shape.add(shapeOf(value));
  }

  /// What an op behind the last row reads beside late values is computed there.
  void askBehind(Operation *op) {
    for (Value operand : op->getOperands())
      if (inside(operand) && !late.contains(operand)) {
        context[operand] |= Mapped;
        int64_t &most = mapped[operand];
        most = std::max(most, countOf(operand));
      }
  }

  int64_t evaluations(Value value, uint8_t where) const {
    return (where & Element ? space.elements : 0) + (where & Row ? rows() : 0) +
           (where & Mapped ? mapped.lookup(value) : 0);
  }

  /// `op`, evaluated `times` times in context `where`, reads `operand`, a value of the region.
  LogicalResult ask(Operation *op, OpOperand &operand, Context where, int64_t times) {
    Value value = operand.get(), result = op->getResult(0);
    bool sameCount = countOf(value) == countOf(result);
    Context asked = Mapped;
    if (op->hasTrait<trace::OpTrait::Elementwise>()) {
      asked = where;
    } else if (isa<ReshapeOp>(op)) {
      asked = where;
      // Elsewhere than in the space's own order, an index of the operand must be affine in the result's.
      if (where == Mapped && !splitsDims(shapeOf(value), shapeOf(result)))
        return fail("a reshape joins dimensions of a value that is not read in order");
    } else if (isa<BroadcastInDimOp>(op) && sameCount) {
      asked = where;
    } else if (auto transpose = dyn_cast<TransposeOp>(op); transpose && movesOnlyUnitDims(transpose)) {
      asked = where;
    } else if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
      if (where == Element && isRowCount(value) && repeatsRows(broadcast))
        asked = Row;
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      if (operand.getOperandNumber() == 1)
        asked = where; // the result has the index's shape
      else if (picksWithinRow(gather, where))
        return askRowOf(value);
    }
    context[value] |= asked;
    if (asked == Mapped) {
      int64_t count = isa<PadOp, CatOp>(op) ? std::min(times, countOf(value)) : times;
      int64_t &most = mapped[value];
      most = std::max(most, count);
    }
    return success();
  }

  /// A gather along the columns whose result is one value per row reads only its own row: as if per element.
  bool picksWithinRow(GatherOp gather, Context where) const {
    Value input = gather.getInput();
    return where == Row && countOf(input) == space.elements && gather.getDim() + 1 == shapeOf(input).size() &&
           shapeOf(input).back() == space.columns;
  }
  LogicalResult askRowOf(Value value) {
    context[value] |= Element;
    return success();
  }

  /// The operand has a value per row and the result repeats it over the columns.
  bool repeatsRows(BroadcastInDimOp broadcast) const {
    ArrayRef<int64_t> from = shapeOf(broadcast.getInput()), to = shapeOf(broadcast.getResult());
    SmallVector<bool> present(to.size());
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
      present[dim] = from[i] != 1 || to[dim] == 1;
    int64_t product = 1;
    for (int64_t d = static_cast<int64_t>(to.size()) - 1; d >= 0; --d) {
      if (to[d] == 1)
        continue;
      if (product < space.columns) {
        if (present[d])
          return false;
        product *= to[d];
      } else if (!present[d]) {
        return false;
      }
    }
    return product == space.columns;
  }

  static bool movesOnlyUnitDims(TransposeOp transpose) {
    int64_t last = -1;
    for (int64_t dim : transpose.getPerm()) {
      if (shapeOf(transpose.getInput())[dim] == 1)
        continue;
      if (dim < last)
        return false;
      last = dim;
    }
    return true;
  }

  /// `to` has the dimensions of `from`, some of them split.
  static bool splitsDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    llvm::SmallSet<int64_t, 8> strides;
    int64_t stride = 1;
    for (int64_t size : llvm::reverse(to)) {
      strides.insert(stride);
      stride *= size;
    }
    stride = 1;
    for (int64_t size : llvm::reverse(from)) {
      if (size != 1 && !strides.contains(stride))
        return false;
      stride *= size;
    }
    return true;
  }

  /// Longest row that one thread reduces for all: below the cost of starting threads.
  static constexpr int64_t maxSingleRow = 1 << 16;
  /// Work that costs no more than starting one more kernel.
  static constexpr int64_t freeExcess = 1 << 14;

  ArrayRef<Operation *> ops;
  function_ref<bool(Value)> escapes;
  FusionSpace space;
  StringRef reason;
  llvm::SmallDenseSet<Operation *, 32> members;
  int64_t rowLength = 0, columnLength = 0;
  SmallVector<std::pair<int64_t, int64_t>> middle;
  /// Known only within a row: results of reductions over the columns, and what depends on them.
  llvm::SmallDenseSet<Value, 32> knownInside;
  /// Known only after the last row.
  llvm::SmallDenseSet<Value, 8> late;
  llvm::SmallDenseMap<Value, uint8_t, 32> context;
  llvm::SmallDenseMap<Value, int64_t, 32> mapped;
};

} // namespace

FailureOr<FusionSpace> mlir::trace::analyzeFusion(ArrayRef<Operation *> ops, function_ref<bool(Value)> escapes,
                                                  StringRef &why) {
  return Analysis(ops, escapes).run(why);
}
