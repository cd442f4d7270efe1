//===- ThreadEmitter.h - A scheduled kernel as what one thread does ----------===//
#ifndef TRACE_LIB_CODEGEN_GPU_THREADEMITTER_H
#define TRACE_LIB_CODEGEN_GPU_THREADEMITTER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "trace/Codegen/Emission/KernelEmitter.h"
#include "trace/Codegen/GPU/Launch.h"

namespace mlir::trace::cuda {

using namespace kernel;

/// Emits one kernel as a gpu.func. Where threads reach past the end of their loop, they read the last elements again
/// and do not write, so that they can take part in shuffles and barriers.
class ThreadEmitter : public KernelEmitter {
public:
  ThreadEmitter(OpBuilder &builder, Location loc, KernelSchedule &schedule, const Launch &launch)
      : KernelEmitter(builder, loc, schedule, gpuMath()), launch(launch) {}

  /// The body of `function`, which has one argument for each of `buffers`, and constants as globals of these names.
  void emit(mlir::gpu::GPUFuncOp function, ArrayRef<unsigned> buffers, ArrayRef<StringAttr> globals);

  /// Bytes of shared memory.
  int64_t getSharedBytes() const { return sharedBytes; }

private:
  static MathTarget gpuMath() {
    MathTarget target;
    target.gpu = true;
    return target;
  }

  // Memory.
  Value loadLanes(Value memref, VectorType type, Expr at, const LaneIndex &index, Scope &scope) override;
  void storeLanes(Value memref, Value x, Expr at, const LaneIndex &index) override;
  Value laneStart(Scope &scope) override;
  /// Shared memory for `count` numbers of `type`.
  Value shared(int64_t count, Type type);

  // The mappings of Launch.
  void emitPoints();
  void emitRows();
  void emitColumns();
  void emitChunks();
  void emitTiles();

  /// Gives the outer loops `positions` their values at a point, counted with the last loop fastest.
  void setPoint(ArrayRef<unsigned> positions, Value point);
  int64_t extentOf(ArrayRef<unsigned> positions) const;
  void emitLoads(ArrayRef<NodeId> targets);
  void emitResults(unsigned vectors);
  /// A row's stages, then what is written once per row. `sums`: what the stores that accumulate add to, instead of
  /// memory.
  void emitRow(Accumulators *sums);
  void emitRowInRegisters(Accumulators *sums);
  void emitRowResults();
  LoopSet openRow();
  void closeRow();
  void storeSums(ArrayRef<unsigned> stores, ValueRange sums);
  int64_t threadsOnLanes(unsigned space) const;
  void emitStage(unsigned stage);
  void emitNeutral(const Store &store);
  Accumulators emitBox(unsigned stage, unsigned box, unsigned depth, Accumulators accumulators);
  Accumulators emitLanes(unsigned stage, unsigned box, Accumulators accumulators);
  void emitStep(unsigned stage, unsigned box, unsigned vectors, Accumulators &accumulators);
  void storeIf(Value condition, function_ref<void()> stores);
  Value both(Value a, Value b);

  // Reductions across threads (BlockReductions.cpp).
  void finishReductions(unsigned stage, Accumulators &accumulators);
  void finishColumns(unsigned stage, Accumulators &accumulators);
  Value shuffleXor(Value x, int64_t offset);
  void reduceInWarp(const Reduction &reduction, int64_t width, Value &value, Value &index);

  scf::ForOp forLoop(Value low, Value high, int64_t step, ValueRange inits);
  void barrier();
  Value compare(arith::CmpIPredicate predicate, Value a, Value c) {
    return arith::CmpIOp::create(b, loc, predicate, a, c);
  }

  const Launch &launch;
  mlir::gpu::GPUFuncOp function;
  int64_t sharedBytes = 0;
  /// The thread's place in its block, along lanes and across; the block's number.
  Value tx, ty, block;
  /// From one vector of the step to the next, in elements.
  int64_t laneStride = 0;
  /// The thread's point (Rows), or its lanes (Columns), are real; null: always.
  Value active;
  /// Which of the step's vectors are real, where not all are.
  SmallVector<Value, 8> activeVectors;
  /// Vectors are brought back to this place, where they would reach past the end.
  Value lastVector;
};

} // namespace mlir::trace::cuda

#endif
