//===- Tensor.h - The values of the reference interpreter -------------------===//
#ifndef TRACE_INTERPRETER_TENSOR_H
#define TRACE_INTERPRETER_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <vector>

namespace mlir::trace {

/// A tensor in row-major order. Floating-point elements are kept as doubles (each holds a value of the element type,
/// unless the interpreter runs in f64 mode), integers and i1 as int64_t (ui8 zero-extended, everything else
/// sign-extended, i1 as 0 or 1). A scalar such as an `index` is a tensor of rank 0.
class Tensor {
public:
  Tensor() = default;
  /// Zeros.
  Tensor(Type elementType, ArrayRef<int64_t> shape);

  /// The elements of a constant; fails for resources and for complex elements.
  static FailureOr<Tensor> fromAttribute(ElementsAttr attr);
  /// A tensor of one element, from a FloatAttr or IntegerAttr.
  static FailureOr<Tensor> scalar(TypedAttr attr);
  /// Whether tensors of this element type can be represented (complex ones cannot).
  static bool isSupported(Type elementType);

  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return isFloat() ? floats.size() : ints.size(); }
  Type getElementType() const { return elementType; }
  RankedTensorType getType() const { return RankedTensorType::get(shape, elementType); }
  bool isFloat() const { return isa<FloatType>(elementType); }

  double getFloat(int64_t i) const { return floats[i]; }
  int64_t getInt(int64_t i) const { return ints[i]; }
  /// Element i as a double, whatever the element type.
  double get(int64_t i) const { return isFloat() ? floats[i] : static_cast<double>(ints[i]); }

  std::vector<double> floats;
  std::vector<int64_t> ints;

  /// The same elements under another shape of as many.
  Tensor reshaped(ArrayRef<int64_t> newShape) const;

  /// Prints `tensor<2x3xf32>` and the elements: behind ` = ` for rank 0 and 1, else one line per innermost row.
  void print(raw_ostream &os, int precision = 6, int64_t maxElements = 4096) const;

private:
  Type elementType;
  SmallVector<int64_t> shape;
};

/// `value` rounded to a floating-point type, to nearest even. f16, bf16 and f8 are rounded by way of f32, as PyTorch
/// does, which computes them in f32.
double roundToType(Type type, double value);
/// `value` wrapped to an integer type.
int64_t wrapToType(Type type, int64_t value);
/// The bits of an element, and the element of given bits.
uint64_t elementBits(const Tensor &tensor, int64_t i);
void setElementBits(Tensor &tensor, int64_t i, uint64_t bits);

/// Where two tensors differ: NaN equals NaN, otherwise |a - b| <= atol + rtol * |b|. With `signedZeros`, 0.0 and -0.0
/// differ.
struct TensorDifference {
  int64_t mismatches = 0;
  int64_t firstIndex = -1;
  double maxAbsolute = 0, maxRelative = 0;
};
TensorDifference compareTensors(const Tensor &a, const Tensor &b, double atol, double rtol, bool signedZeros = false);

/// "[1, 2]": a row-major position as indices.
std::string indexString(ArrayRef<int64_t> shape, int64_t linear);

} // namespace mlir::trace

#endif
