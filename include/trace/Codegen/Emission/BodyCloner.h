//===- BodyCloner.h - Scalar operations on scalars or vectors --------------===//
#ifndef TRACE_CODEGEN_EMISSION_BODYCLONER_H
#define TRACE_CODEGEN_EMISSION_BODYCLONER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "trace/Codegen/Common/VectorMath.h"
#include "trace/Codegen/Kernel/Schedule.h"

namespace mlir::trace::kernel {

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

} // namespace mlir::trace::kernel

#endif
