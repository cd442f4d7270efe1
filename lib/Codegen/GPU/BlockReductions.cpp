//===- BlockReductions.cpp - Reductions across the threads of a block --------===//
//
// Always in the same order: lanes of a vector, then pairs of threads by the bits of their numbers, then warps. Every
// thread ends up with the result, computed from the same operands, so that the next stage needs no broadcast.
//
//===----------------------------------------------------------------------===//
#include "ThreadEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::cuda;

/// What a number is while it goes through a shuffle or shared memory: at least 32 bits.
static Type wordType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), std::max(32u, integer.getWidth()));
  return type;
}

static Value toWord(OpBuilder &b, Location loc, Value x) {
  Type word = wordType(x.getType());
  return word == x.getType() ? x : Value(arith::ExtUIOp::create(b, loc, word, x));
}

static Value fromWord(OpBuilder &b, Location loc, Value x, Type type) {
  return x.getType() == type ? x : Value(arith::TruncIOp::create(b, loc, type, x));
}

Value ThreadEmitter::shared(int64_t count, Type type) {
  auto space = mlir::gpu::AddressSpaceAttr::get(b.getContext(), mlir::gpu::AddressSpace::Workgroup);
  sharedBytes = llvm::alignTo(sharedBytes, 16) + count * llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  Value memory =
      function.addWorkgroupAttribution(MemRefType::get({count}, type, MemRefLayoutAttrInterface(), space), loc);
  // Without it LLVM counts on more than what the PTX then says.
  function.setWorkgroupAttributionAttr(function.getNumWorkgroupAttributions() - 1,
                                       b.getStringAttr(LLVM::LLVMDialect::getAlignAttrName()), b.getI64IntegerAttr(16));
  return memory;
}

Value ThreadEmitter::shuffleXor(Value x, int64_t offset) {
  Value word = toWord(b, loc, x);
  Value other =
      mlir::gpu::ShuffleOp::create(b, loc, word, static_cast<int32_t>(offset), warpSize, mlir::gpu::ShuffleMode::XOR)
          .getShuffleResult();
  return fromWord(b, loc, other, x.getType());
}

/// Combines the values of `width` neighbouring threads.
void ThreadEmitter::reduceInWarp(const Reduction &reduction, int64_t width, Value &value, Value &index) {
  for (int64_t offset = width / 2; offset; offset /= 2) {
    Value other = shuffleXor(value, offset), otherIndex = index ? shuffleXor(index, offset) : Value();
    combine(reduction, value, index ? &index : nullptr, other, otherIndex);
  }
}

void ThreadEmitter::finishReductions(unsigned stage, Accumulators &accumulators) {
  ArrayRef<unsigned> reductions = k.stages[stage].reductions;
  if (reductions.empty())
    return;
  // The scope of the row, whether or not that of its lanes is open on top of it.
  insertAt(*scopes.back());
  unsigned perVector = accumulators.size() / s.unroll, position = 0;
  struct Partial {
    Value value, index, sharedValues, sharedIndices;
  };
  SmallVector<Partial> partials;
  for (unsigned r : reductions) {
    const Reduction &reduction = k.reductions[r];
    Partial partial;
    combineVectors(reduction, accumulators, perVector, position, partial.value, partial.index);
    position += width(reduction);
    reduceInWarp(reduction, std::min<int64_t>(launch.x, warpSize), partial.value, partial.index);
    partials.push_back(partial);
  }
  if (launch.x > warpSize) {
    int64_t warps = launch.x / warpSize;
    Value size = indexConstant(warpSize), count = indexConstant(warps), zero = indexConstant(0);
    insertAt(*scopes.back());
    Value lane = arith::RemUIOp::create(b, loc, tx, size), warp = arith::DivUIOp::create(b, loc, tx, size);
    // Each row of the block has words of its own.
    Value row = launch.y > 1 ? Value(arith::MulIOp::create(b, loc, ty, count)) : Value();
    if (row)
      warp = arith::AddIOp::create(b, loc, warp, row);
    for (Partial &partial : partials) {
      partial.sharedValues = shared(warps * launch.y, wordType(partial.value.getType()));
      if (partial.index)
        partial.sharedIndices = shared(warps * launch.y, wordType(partial.index.getType()));
    }
    auto first = scf::IfOp::create(b, loc, compare(arith::CmpIPredicate::eq, lane, zero), /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(first.thenBlock());
      for (Partial &partial : partials) {
        memref::StoreOp::create(b, loc, toWord(b, loc, partial.value), partial.sharedValues, warp);
        if (partial.index)
          memref::StoreOp::create(b, loc, partial.index, partial.sharedIndices, warp);
      }
    }
    mlir::gpu::BarrierOp::create(b, loc);
    // Each warp combines the results of all.
    Value from = arith::RemUIOp::create(b, loc, lane, count);
    if (row)
      from = arith::AddIOp::create(b, loc, from, row);
    for (auto [r, partial] : llvm::zip_equal(reductions, partials)) {
      partial.value =
          fromWord(b, loc, memref::LoadOp::create(b, loc, partial.sharedValues, from), partial.value.getType());
      if (partial.index)
        partial.index = memref::LoadOp::create(b, loc, partial.sharedIndices, from);
      reduceInWarp(k.reductions[r], warps, partial.value, partial.index);
    }
  }
  for (auto [r, partial] : llvm::zip_equal(reductions, partials)) {
    const Reduction &reduction = k.reductions[r];
    home(k.nodes[reduction.node].loops).nodes[0][reduction.node] = partial.index ? partial.index : partial.value;
  }
}

/// Each thread has vectors of columns, of which other threads across have the rest.
void ThreadEmitter::finishColumns(unsigned stage, Accumulators &accumulators) {
  ArrayRef<unsigned> reductions = k.stages[stage].reductions;
  if (reductions.empty())
    return;
  insertAt(*scopes.back());
  Accumulators results = accumulators;
  if (launch.y > 1) {
    // By lanes, so that neighbouring threads touch neighbouring banks.
    int64_t width = launch.x, lanes = launch.lanes;
    auto placeOf = [&](Value across, int64_t lane) -> Value {
      Value perThread = indexConstant(lanes * width), offset = indexConstant(lane * width);
      insertAt(*scopes.back());
      Value place = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, across, perThread), tx);
      return arith::AddIOp::create(b, loc, place, offset);
    };
    SmallVector<Value> memory;
    for (Value accumulator : accumulators)
      memory.push_back(
          shared(launch.threads() * lanes, wordType(cast<VectorType>(accumulator.getType()).getElementType())));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value place = placeOf(ty, lane);
      for (auto [accumulator, shared] : llvm::zip_equal(accumulators, memory)) {
        Value x = vector::ExtractOp::create(b, loc, accumulator, ArrayRef<int64_t>{lane});
        memref::StoreOp::create(b, loc, toWord(b, loc, x), shared, place);
      }
    }
    mlir::gpu::BarrierOp::create(b, loc);
    for (int64_t y = 0; y < launch.y; ++y) {
      SmallVector<SmallVector<Value>> elements(accumulators.size());
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value place = placeOf(indexConstant(y), lane);
        for (auto [i, shared] : llvm::enumerate(memory))
          elements[i].push_back(fromWord(b, loc, memref::LoadOp::create(b, loc, shared, place),
                                         cast<VectorType>(accumulators[i].getType()).getElementType()));
      }
      SmallVector<Value> parts;
      for (auto [accumulator, list] : llvm::zip_equal(accumulators, elements))
        parts.push_back(vector::FromElementsOp::create(b, loc, cast<VectorType>(accumulator.getType()), list));
      unsigned position = 0;
      for (unsigned r : reductions) {
        unsigned w = KernelEmitter::width(k.reductions[r]);
        if (y == 0) {
          for (unsigned i = 0; i < w; ++i)
            results[position + i] = parts[position + i];
        } else {
          combine(k.reductions[r], results[position], w == 2 ? &results[position + 1] : nullptr, parts[position],
                  w == 2 ? parts[position + 1] : Value());
        }
        position += w;
      }
    }
  }
  unsigned position = 0;
  for (unsigned r : reductions) {
    const Node &node = k.nodes[k.reductions[r].node];
    unsigned w = width(k.reductions[r]);
    home(node.loops).nodes[0][k.reductions[r].node] = results[position + w - 1];
    position += w;
  }
}
