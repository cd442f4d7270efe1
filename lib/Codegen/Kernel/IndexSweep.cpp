//===- IndexSweep.cpp - Which elements of which values a kernel needs --------===//
#include "GraphBuilder.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

/// Without the dimensions of size 1, which no loop is needed for.
static SmallVector<int64_t, 4> withoutOnes(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> result;
  llvm::copy_if(shape, std::back_inserter(result), [](int64_t n) { return n != 1; });
  return result;
}

void GraphBuilder::makeBoxes(Space &space) {
  // The cut places of each loop, dropping those of outer loops first where there would be too many boxes.
  SmallVector<SmallVector<std::pair<int64_t, int64_t>, 4>, 4> segments;
  unsigned boxes = 1;
  for (size_t i = space.extents.size(); i-- > 0;) {
    SmallVector<std::pair<int64_t, int64_t>, 4> list;
    int64_t from = 0;
    if (boxes * (space.cuts[i].size() + 1) <= maxBoxes &&
        k.loops.size() + maxBoxes * space.extents.size() < maxLoops - 16)
      for (int64_t place : space.cuts[i]) {
        list.push_back({from, place - 1});
        from = place;
      }
    list.push_back({from, space.extents[i] - 1});
    boxes *= list.size();
    segments.insert(segments.begin(), list);
  }
  for (unsigned box = 0; box < boxes; ++box) {
    SmallVector<unsigned, 4> loops;
    unsigned rest = box, count = boxes;
    for (auto &list : segments) {
      count /= list.size();
      auto [low, high] = list[rest / count];
      rest %= count;
      k.loops.push_back({ix.loop(low, high), low, high});
      loops.push_back(k.loops.size() - 1);
    }
    space.boxes.push_back(loops);
  }
}

void GraphBuilder::makeLoops() {
  for (int64_t extent : k.outerExtents) {
    k.loops.push_back({ix.loop(0, extent - 1), 0, extent - 1});
    k.outer.push_back(k.loops.size() - 1);
  }
  for (Space &space : k.spaces)
    makeBoxes(space);
}

unsigned GraphBuilder::spaceOf(int64_t numel, ArrayRef<int64_t> shape, bool partial) {
  SmallVector<int64_t, 4> extents = withoutOnes(shape);
  for (auto [i, space] : llvm::enumerate(k.spaces)) {
    if (space.numel != numel || space.partial != partial)
      continue;
    auto common = refine(space.extents, extents);
    if (!common)
      continue;
    if (*common != space.extents) {
      space.extents = *common;
      space.cuts.assign(common->size(), {});
      changed = true;
    }
    return i;
  }
  Space space;
  space.numel = numel;
  space.extents = extents;
  space.cuts.resize(extents.size());
  space.partial = partial;
  makeBoxes(space);
  k.spaces.push_back(space);
  return k.spaces.size() - 1;
}

Expr GraphBuilder::boxIndex(unsigned space, unsigned box) {
  SmallVector<Expr, 4> atoms;
  for (unsigned loop : k.spaces[space].boxes[box])
    atoms.push_back(ix.atom(k.loops[loop].atom));
  return ix.linearize(atoms, k.spaces[space].extents);
}

void GraphBuilder::wantRoot(Root &root) {
  SmallVector<Expr, 4> outer;
  for (unsigned loop : k.outer)
    outer.push_back(ix.atom(k.loops[loop].atom));
  Expr linear = ix.linearize(outer, k.outerExtents);
  ArrayRef<int64_t> shape = tensorType(root.value).getShape();
  if (root.chunk) {
    // Outer points are chunks x kept; the space is one chunk.
    Operation *op = root.value.getDefiningOp();
    SmallVector<int64_t, 4> dims;
    SmallVector<int64_t, 4> reduced = Kernel::reducedShape(op, &dims);
    int64_t total = product(reduced), chunks = llvm::divideCeil(total, root.chunk);
    SmallVector<int64_t, 4> outerShape = {chunks};
    llvm::append_range(outerShape, shape);
    SmallVector<Expr, 4> at = ix.delinearize(linear, outerShape);
    unsigned space = spaceOf(root.chunk, {root.chunk}, /*partial=*/true);
    if (total % root.chunk)
      k.spaces[space].limit = ix.addConstant(ix.scale(at[0], -root.chunk), total);
    Expr position = ix.add(ix.scale(at[0], root.chunk), boxIndex(space, 0));
    SmallVector<Expr, 4> within = ix.delinearize(position, reduced), input;
    const Expr *kept = at.begin() + 1, *moved = within.begin();
    for (int64_t i = 0, e = tensorType(op->getOperand(0)).getRank(); i < e; ++i)
      input.push_back(llvm::is_contained(dims, i) ? *moved++ : *kept++);
    ExprVector v = ix.vector(input);
    want(op->getOperand(0), v);
    points[&root].push_back({static_cast<int>(space), 0, v, linear});
    return;
  }
  SmallVector<int64_t, 4> outerShape, restShape;
  SmallVector<int64_t, 4> restDims;
  for (int64_t i = 0, e = shape.size(); i < e; ++i) {
    if (llvm::is_contained(root.outerDims, i)) {
      outerShape.push_back(shape[i]);
    } else {
      restDims.push_back(i);
      restShape.push_back(shape[i]);
    }
  }
  SmallVector<Expr, 4> at(shape.size());
  for (auto [dim, e] : llvm::zip_equal(root.outerDims, ix.delinearize(linear, outerShape)))
    at[dim] = e;
  int64_t numel = product(restShape);
  if (restDims.empty() || numel == 1) {
    for (int64_t dim : restDims)
      at[dim] = ix.constant(0);
    ExprVector v = ix.vector(at);
    want(root.value, v);
    points[&root].push_back({-1, 0, v, 0});
    return;
  }
  unsigned space = spaceOf(numel, restShape);
  for (unsigned box = 0; box < k.spaces[space].boxes.size(); ++box) {
    for (auto [dim, e] : llvm::zip_equal(restDims, ix.delinearize(boxIndex(space, box), restShape)))
      at[dim] = e;
    ExprVector v = ix.vector(at);
    want(root.value, v);
    points[&root].push_back({static_cast<int>(space), box, v, 0});
  }
}

/// Asks for a box to end where expression e reaches `place`. True if that can be had.
bool GraphBuilder::cut(Expr e, int64_t place) {
  LinearExpr linear = ix.get(e);
  if (linear.terms.size() != 1)
    return false;
  auto [atom, factor] = linear.terms[0];
  const AtomInfo &a = ix.info(atom);
  if (a.kind != AtomKind::Loop || factor <= 0)
    return false;
  int64_t at = llvm::divideCeilSigned(place - linear.constant, factor);
  if (at <= a.low || at > a.high)
    return false;
  for (auto [i, loop] : llvm::enumerate(k.outer))
    if (k.loops[loop].atom == atom)
      k.outerCuts.insert(i);
  for (Space &space : k.spaces) {
    if (space.partial)
      continue;
    for (auto &box : space.boxes)
      for (auto [position, loop] : llvm::enumerate(box)) {
        if (k.loops[loop].atom != atom)
          continue;
        if (!space.cuts[position].insert(at).second)
          return false; // asked for before, and not to be had
        unsigned boxes = 1;
        for (auto &cuts : space.cuts)
          boxes *= cuts.size() + 1;
        if (boxes > maxBoxes)
          return false;
        changed = true;
        return true;
      }
  }
  return false;
}

void GraphBuilder::visitCat(CatOp op, ArrayRef<Expr> at, Instance &instance) {
  int64_t dim = op.getDim(), offset = 0;
  auto [low, high] = ix.range(at[dim]);
  for (Value input : op.getInputs()) {
    int64_t size = tensorType(input).getDimSize(dim), from = offset;
    offset += size;
    if (size == 0 || high < from || low >= from + size)
      continue;
    SmallVector<Expr, 4> index(at);
    index[dim] = ix.clamp(ix.addConstant(at[dim], -from), 0, size - 1);
    if (low < from)
      cut(at[dim], from);
    if (high >= from + size)
      cut(at[dim], from + size);
    instance.operands.push_back({input, ix.vector(index)});
    instance.conditions.push_back({{at[dim], from, from + size - 1}});
  }
}

void GraphBuilder::visitPad(PadOp op, ArrayRef<Expr> at, Instance &instance) {
  auto shape = tensorType(op.getInput()).getShape();
  SmallVector<ExprRange, 1> conditions;
  SmallVector<Expr, 4> index;
  bool never = false;
  for (auto [i, e] : llvm::enumerate(at)) {
    int64_t step = op.getInterior()[i] + 1, size = shape[i];
    Expr shifted = ix.addConstant(e, -op.getLow()[i]);
    Expr quotient = ix.floorDiv(shifted, step), rest = ix.mod(shifted, step);
    auto [low, high] = ix.range(quotient);
    if (size == 0 || high < 0 || low >= size) {
      never = true;
      break;
    }
    if (low < 0 || high >= size) {
      conditions.push_back({quotient, 0, size - 1});
      if (low < 0)
        cut(quotient, 0);
      if (high >= size)
        cut(quotient, size);
    }
    if (ix.range(rest) != std::pair<int64_t, int64_t>(0, 0))
      conditions.push_back({rest, 0, 0});
    index.push_back(ix.clamp(quotient, 0, size - 1));
  }
  if (!never) {
    instance.operands.push_back({op.getInput(), ix.vector(index)});
    instance.conditions.push_back(conditions);
  }
  if (never || !conditions.empty()) {
    instance.operands.push_back({op.getValue(), ix.vector({})});
    instance.conditions.push_back({});
  }
}

void GraphBuilder::visitReduction(Operation *op, Instance &instance) {
  SmallVector<int64_t, 4> dims;
  SmallVector<int64_t, 4> reduced = Kernel::reducedShape(op, &dims);
  int64_t numel = product(reduced);
  auto inputType = tensorType(op->getOperand(0));
  SmallVector<Expr, 4> kept = ix.vectorOf(instance.at);
  auto inputAt = [&](ArrayRef<Expr> within) {
    SmallVector<Expr, 4> index;
    const Expr *k = kept.begin(), *w = within.begin();
    for (int64_t i = 0, e = inputType.getRank(); i < e; ++i)
      index.push_back(llvm::is_contained(dims, i) ? *w++ : *k++);
    return ix.vector(index);
  };
  bool arg = isa<ArgmaxOp, ArgminOp>(op);
  if (numel == 0)
    return; // a constant
  if (numel == 1) {
    if (!arg)
      instance.operands.push_back({op->getOperand(0), inputAt(SmallVector<Expr, 4>(dims.size(), ix.constant(0)))});
    return; // the element itself, or index 0
  }
  LoopSet loops = ix.loopsOf(instance.at);
  bool inner = loops & ~k.outerLoops();
  for (Expr e : kept)
    for (auto [atom, c] : ix.get(e).terms)
      inner |= ix.info(atom).kind == AtomKind::Data && (ix.info(atom).loops & ~k.outerLoops());
  k.demands.push_back({op, loops, inner});
  if (inner)
    return;
  auto [it, inserted] = reductionOf.try_emplace({op, instance.at}, k.reductions.size());
  instance.reduction = it->second;
  if (!inserted)
    return;
  Reduction reduction;
  reduction.kind = reduceKind(op);
  reduction.op = op;
  reduction.type = tensorType(op->getResult(0)).getElementType();
  auto partial = info.partials.find(op);
  if (partial != info.partials.end()) {
    reduction.space = spaceOf(partial->second.chunks, {partial->second.chunks});
  } else {
    reduction.space = spaceOf(numel, reduced);
    for (unsigned box = 0; box < k.spaces[reduction.space].boxes.size(); ++box) {
      SmallVector<Expr, 4> within = ix.delinearize(boxIndex(reduction.space, box), reduced);
      ExprVector at = inputAt(within);
      want(op->getOperand(0), at);
      instance.operands.push_back({op->getOperand(0), at});
      if (arg)
        reduction.positions.push_back(within[0]);
    }
  }
  k.reductions.push_back(reduction);
}

void GraphBuilder::visit(Operation *op, ExprVector atVector) {
  Instance instance;
  instance.at = atVector;
  SmallVector<Expr, 4> at = ix.vectorOf(atVector);
  auto single = [&](Value input, ArrayRef<Expr> index) { instance.operands.push_back({input, ix.vector(index)}); };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](BroadcastInDimOp view) {
        SmallVector<Expr, 4> index;
        for (auto [i, dim] : llvm::enumerate(view.getDims()))
          index.push_back(tensorType(view.getInput()).getDimSize(i) == 1 ? ix.constant(0) : at[dim]);
        single(view.getInput(), index);
      })
      .Case([&](ReshapeOp view) {
        single(view.getInput(),
               ix.delinearize(ix.linearize(at, view.getType().getShape()), tensorType(view.getInput()).getShape()));
      })
      .Case([&](TransposeOp view) {
        SmallVector<Expr, 4> index(at.size());
        for (auto [i, dim] : llvm::enumerate(view.getPerm()))
          index[dim] = at[i];
        single(view.getInput(), index);
      })
      .Case([&](SliceOp view) {
        SmallVector<Expr, 4> index;
        for (auto [i, e] : llvm::enumerate(at))
          index.push_back(ix.addConstant(ix.scale(e, view.getStrides()[i]), view.getStarts()[i]));
        single(view.getInput(), index);
      })
      .Case([&](ReverseOp view) {
        SmallVector<Expr, 4> index(at);
        for (int64_t dim : view.getDims())
          index[dim] = ix.addConstant(ix.scale(at[dim], -1), view.getType().getDimSize(dim) - 1);
        single(view.getInput(), index);
      })
      .Case([&](CatOp cat) { visitCat(cat, at, instance); })
      .Case([&](PadOp pad) { visitPad(pad, at, instance); })
      .Case([&](GatherOp gather) {
        int64_t size = tensorType(gather.getInput()).getDimSize(gather.getDim());
        want(gather.getIndex(), atVector);
        SmallVector<Expr, 4> index(at);
        index[gather.getDim()] =
            ix.data(gather.getIndex().getAsOpaquePointer(), atVector, 0, size - 1, ix.loopsOf(atVector));
        single(gather.getInput(), index);
      })
      .Case([&](TakeOp take) {
        int64_t dim = take.getDim(), rank = tensorType(take.getIndex()).getRank();
        int64_t size = tensorType(take.getInput()).getDimSize(dim);
        ExprVector indexAt = ix.vector(ArrayRef<Expr>(at).slice(dim, rank));
        want(take.getIndex(), indexAt);
        SmallVector<Expr, 4> index(at.begin(), at.begin() + dim);
        index.push_back(ix.data(take.getIndex().getAsOpaquePointer(), indexAt, 0, size - 1, ix.loopsOf(indexAt)));
        index.append(at.begin() + dim + rank, at.end());
        single(take.getInput(), index);
      })
      .Case([&](IotaOp iota) { instance.index = at[iota.getDim()]; })
      .Case<RandomUniformOp, RandomNormalOp>([&](auto random) {
        single(random.getSeed(), {});
        instance.index = ix.linearize(at, random.getType().getShape());
      })
      .Case([&](RecomputeBarrierOp barrier) { single(barrier.getInput(), at); })
      .Case<ConstantOp, FullOp>([&](auto) {})
      .Default([&](Operation *other) {
        if (other->hasTrait<trace::OpTrait::Reduction>()) {
          visitReduction(other, instance);
          return;
        }
        for (Value operand : other->getOperands())
          instance.operands.push_back({operand, atVector});
      });
  for (auto [value, index] : instance.operands)
    want(value, index);
  instances[op].push_back(std::move(instance));
}
