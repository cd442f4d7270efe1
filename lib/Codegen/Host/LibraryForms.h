//===- LibraryForms.h - Which LibTorch operator computes an op --------------===//
#ifndef TRACE_LIB_CODEGEN_HOST_LIBRARYFORMS_H
#define TRACE_LIB_CODEGEN_HOST_LIBRARYFORMS_H

#include "mlir/IR/Builders.h"
#include "trace/IR/TraceOps.h"

namespace mlir::trace::host {

/// Writes calls of library operators at the builder's insertion point.
class LibraryBuilder {
public:
  LibraryBuilder(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  /// An argument of a call: an operand, or a constant attribute (unit for None).
  struct Argument {
    Argument(Value value) : value(value) {}
    Argument(Attribute attribute) : attribute(attribute) {}
    Value value;
    Attribute attribute;
  };

  ResultRange call(StringRef name, TypeRange results, ArrayRef<Argument> arguments);
  Value call(StringRef name, Type result, ArrayRef<Argument> arguments) {
    return call(name, TypeRange(result), arguments)[0];
  }
  /// A list argument with operands in it; null values stand for None.
  ResultRange callWithList(StringRef name, TypeRange results, ValueRange list, ArrayRef<Argument> before,
                           ArrayRef<Argument> after);

  Attribute none() { return b.getUnitAttr(); }
  Attribute integer(int64_t value) { return b.getI64IntegerAttr(value); }
  Attribute boolean(bool value) { return b.getBoolAttr(value); }
  Attribute integers(ArrayRef<int64_t> values) { return b.getI64ArrayAttr(values); }
  /// The name of an element type ("torch.float32").
  Attribute dtype(Type elementType);
  Value reshape(Value value, ArrayRef<int64_t> shape);

  OpBuilder &b;
  Location loc;
};

/// "torch.float32"; empty for a type that LibTorch has not.
StringRef getTorchName(Type elementType);

/// Builds the library form of an op and returns what replaces its results; empty where there is none. Covers the
/// library prims (but the gradients of convolutions), and elementwise, reduction, data movement and indexing ops.
SmallVector<Value> buildLibraryForm(OpBuilder &builder, Operation *op);

/// aten.convolution_backward for the gradients of one convolution; either op may be null. Returns the input's
/// gradient, then the weight's, each where its op is given.
SmallVector<Value> buildConvolutionBackward(OpBuilder &builder, ConvolutionInputGradOp inputGrad,
                                            ConvolutionWeightGradOp weightGrad);

/// Replaces a call of a fusion that only adds a bias to an aten.mm, which nobody else reads, by aten.addmm. The product
/// is left dead. Returns whether it did.
bool foldBiasIntoProduct(OpBuilder &builder, CallOp call, func::FuncOp callee);

} // namespace mlir::trace::host

#endif
