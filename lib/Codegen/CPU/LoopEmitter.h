//===- LoopEmitter.h - A scheduled kernel as loops over vectors --------------===//
#ifndef TRACE_LIB_CODEGEN_CPU_LOOPEMITTER_H
#define TRACE_LIB_CODEGEN_CPU_LOOPEMITTER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "trace/Codegen/Emission/KernelEmitter.h"

namespace mlir::trace::cpu {

using namespace kernel;

/// Emits one kernel as a function.
class LoopEmitter : public KernelEmitter {
public:
  using KernelEmitter::KernelEmitter;

  /// The body of `function`, whose arguments are those of the kernel ABI. `slots[i]` is the place of buffer i in the
  /// array of pointers; constants are globals of these names.
  void emit(func::FuncOp function, ArrayRef<unsigned> slots, ArrayRef<StringAttr> globals);

private:
  Value loadLanes(Value memref, VectorType type, Expr at, const LaneIndex &index, Scope &scope) override;
  void storeLanes(Value memref, Value x, Expr at, const LaneIndex &index) override;
  Value allOnes() { return splat(b.getBoolAttr(true), true); }

  void emitOuter(Value lo, Value hi);
  void emitChunk(scf::ForOp parallel);
  void emitNeutral(const Store &store);
  void emitBlock(Value block);
  void emitPoint();
  void emitStage(unsigned stage);
  Accumulators emitBox(unsigned stage, unsigned box, unsigned depth, Accumulators accumulators);
  Accumulators emitLanes(unsigned stage, unsigned box, Accumulators accumulators);
  void emitStep(unsigned stage, unsigned box, unsigned vectors, Accumulators &accumulators);
  scf::ForOp forLoop(Value low, Value high, int64_t step, ValueRange inits);
  void finishReductions(unsigned stage, Accumulators &accumulators);

  /// Which lanes are real; null: all.
  Value mask;
};

} // namespace mlir::trace::cpu

#endif
