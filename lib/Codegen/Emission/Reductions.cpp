//===- Reductions.cpp - Accumulators and how they are combined ---------------===//
#include "trace/Codegen/Emission/KernelEmitter.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

Type KernelEmitter::reducedType(const Reduction &reduction) {
  return cast<RankedTensorType>(reduction.op->getOperand(0).getType()).getElementType();
}

KernelEmitter::Accumulators KernelEmitter::neutrals(unsigned stage) {
  Accumulators result;
  for (unsigned v = 0; v < s.unroll; ++v)
    for (unsigned r : k.stages[stage].reductions) {
      const Reduction &reduction = k.reductions[r];
      Type element = reducedType(reduction);
      result.push_back(splat(cloner.neutral(reduction.kind, computeType(element), !element.isUnsignedInteger()), true));
      if (width(reduction) == 2)
        result.push_back(splat(b.getI64IntegerAttr(INT64_MAX), true));
    }
  return result;
}

/// (value, index) becomes (x, xIndex) where that is further out, or as far and earlier; a NaN is further than anything.
void KernelEmitter::combineArg(const Reduction &reduction, Value &value, Value &index, Value x, Value xIndex) {
  bool max = reduction.kind == ReduceKind::ArgMax;
  VectorMath &math = cloner.mathematics();
  Value further, same;
  if (isa<FloatType>(getElementTypeOrSelf(x))) {
    auto compare = [&](arith::CmpFPredicate p, Value a, Value c) -> Value {
      return arith::CmpFOp::create(b, loc, p, a, c);
    };
    Value xNan = compare(arith::CmpFPredicate::UNO, x, x), nan = compare(arith::CmpFPredicate::UNO, value, value);
    Value ordered = compare(max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, x, value);
    // unordered and the accumulator is a number: x is the NaN
    Value notNan = arith::XOrIOp::create(b, loc, nan, math.constantInt(nan, b.getI1Type(), 1));
    further = arith::OrIOp::create(b, loc, ordered, arith::AndIOp::create(b, loc, xNan, notNan));
    same = arith::OrIOp::create(b, loc, compare(arith::CmpFPredicate::OEQ, x, value),
                                arith::AndIOp::create(b, loc, xNan, nan));
  } else {
    Type element = reducedType(reduction);
    bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
    auto predicate = max ? (isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt)
                         : (isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt);
    further = arith::CmpIOp::create(b, loc, predicate, x, value);
    same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, value);
  }
  Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, xIndex, index);
  Value take = arith::OrIOp::create(b, loc, further, arith::AndIOp::create(b, loc, same, earlier));
  value = math.select(take, x, value);
  index = math.select(take, xIndex, index);
}

void KernelEmitter::combine(const Reduction &reduction, Value &value, Value *index, Value x, Value xIndex) {
  if (index)
    combineArg(reduction, value, *index, x, xIndex);
  else
    value = cloner.combine(reduction.kind, value, x, !reducedType(reduction).isUnsignedInteger());
}

void KernelEmitter::accumulate(const Reduction &reduction, unsigned box, Value active, Accumulators &accumulators,
                               unsigned &position) {
  insertAt(*scopes.back());
  Value x = broadcast(valueOf(reduction.inputs[box])), at;
  bool indexed = width(reduction) == 2;
  if (indexed) {
    Expr place = reduction.positions[box];
    if (onLanes(loopsOf(place))) {
      at = vectorOf(place, 64);
      insertAt(*scopes.back());
    } else {
      at = scalar(place);
      insertAt(*scopes.back());
      at = broadcast(arith::IndexCastOp::create(b, loc, b.getI64Type(), at));
    }
  }
  Value value = accumulators[position], index = indexed ? accumulators[position + 1] : Value();
  combine(reduction, value, indexed ? &index : nullptr, x, at);
  for (Value next : {value, index}) {
    if (!next)
      continue;
    Value &accumulator = accumulators[position++];
    accumulator = active ? Value(arith::SelectOp::create(b, loc, active, next, accumulator)) : next;
  }
}

void KernelEmitter::combineVectors(const Reduction &reduction, ArrayRef<Value> accumulators, unsigned perVector,
                                   unsigned position, Value &value, Value &index) {
  bool indexed = width(reduction) == 2;
  unsigned vectors = accumulators.size() / perVector;
  SmallVector<Value> values, indices;
  for (unsigned v = 0; v < vectors; ++v) {
    values.push_back(accumulators[v * perVector + position]);
    indices.push_back(indexed ? accumulators[v * perVector + position + 1] : Value());
  }
  for (unsigned count = vectors; count > 1; count = (count + 1) / 2)
    for (unsigned v = 0; v < count / 2; ++v) {
      unsigned other = v + (count + 1) / 2;
      combine(reduction, values[v], indexed ? &indices[v] : nullptr, values[other], indices[other]);
    }
  value = values[0];
  index = indices[0];
  auto part = [&](Value x, int64_t from, int64_t size) -> Value {
    return vector::ExtractStridedSliceOp::create(b, loc, x, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{size},
                                                 ArrayRef<int64_t>{1});
  };
  for (int64_t size = s.lanes / 2; size; size /= 2) {
    Value high = part(value, size, size), highIndex = indexed ? part(index, size, size) : Value();
    value = part(value, 0, size);
    if (indexed)
      index = part(index, 0, size);
    combine(reduction, value, indexed ? &index : nullptr, high, highIndex);
  }
  value = vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{0});
  if (indexed)
    index = vector::ExtractOp::create(b, loc, index, ArrayRef<int64_t>{0});
}
