//===- Tensor.cpp - Tensors, rounding, printing, comparing ------------------===//
#include "trace/Interpreter/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;

Tensor::Tensor(Type elementType, ArrayRef<int64_t> shape) : elementType(elementType), shape(shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  if (isFloat())
    floats.resize(count);
  else
    ints.resize(count);
}

bool Tensor::isSupported(Type elementType) {
  if (auto type = dyn_cast<FloatType>(elementType))
    return type.getWidth() <= 64;
  if (auto type = dyn_cast<IntegerType>(elementType))
    return type.getWidth() <= 64 && !(type.getWidth() == 64 && type.isUnsigned());
  return isa<IndexType>(elementType);
}

static int64_t integerValue(Type type, const APInt &value) {
  bool zeroExtend = type.isUnsignedInteger() || type.isInteger(1);
  return zeroExtend ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
}

FailureOr<Tensor> Tensor::fromAttribute(ElementsAttr attr) {
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  auto type = dyn_cast<RankedTensorType>(attr.getShapedType());
  if (!dense || !type || !isSupported(type.getElementType()))
    return failure();
  Tensor result(type.getElementType(), type.getShape());
  if (result.isFloat()) {
    for (auto [i, value] : llvm::enumerate(dense.getValues<APFloat>()))
      result.floats[i] = value.convertToDouble();
  } else {
    for (auto [i, value] : llvm::enumerate(dense.getValues<APInt>()))
      result.ints[i] = integerValue(type.getElementType(), value);
  }
  return result;
}

FailureOr<Tensor> Tensor::scalar(TypedAttr attr) {
  if (!attr || !isSupported(attr.getType()))
    return failure();
  Tensor result(attr.getType(), {});
  if (auto value = dyn_cast<FloatAttr>(attr))
    result.floats[0] = value.getValue().convertToDouble();
  else if (auto value = dyn_cast<IntegerAttr>(attr))
    result.ints[0] = integerValue(attr.getType(), value.getValue());
  else
    return failure();
  return result;
}

Tensor Tensor::reshaped(ArrayRef<int64_t> newShape) const {
  Tensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

double mlir::trace::roundToType(Type type, double value) {
  if (type.isF64() || std::isnan(value))
    return value;
  float narrow = static_cast<float>(value);
  if (type.isF32())
    return narrow;
  if (type.isBF16()) {
    uint32_t bits = llvm::bit_cast<uint32_t>(narrow);
    if (!std::isinf(narrow))
      bits += 0x7fff + ((bits >> 16) & 1);
    return llvm::bit_cast<float>(bits & 0xffff0000u);
  }
  APFloat rounded(narrow);
  bool losesInfo;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

int64_t mlir::trace::wrapToType(Type type, int64_t value) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() == 64)
    return value;
  return integerValue(type, APInt(64, static_cast<uint64_t>(value)).trunc(integer.getWidth()));
}

uint64_t mlir::trace::elementBits(const Tensor &tensor, int64_t i) {
  Type type = tensor.getElementType();
  if (!tensor.isFloat())
    return APInt(64, static_cast<uint64_t>(tensor.ints[i])).zextOrTrunc(type.getIntOrFloatBitWidth()).getZExtValue();
  APFloat value(tensor.floats[i]);
  bool losesInfo;
  value.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

void mlir::trace::setElementBits(Tensor &tensor, int64_t i, uint64_t bits) {
  Type type = tensor.getElementType();
  if (!tensor.isFloat()) {
    tensor.ints[i] = wrapToType(type, static_cast<int64_t>(bits));
    return;
  }
  APFloat value(cast<FloatType>(type).getFloatSemantics(), APInt(64, bits).trunc(type.getIntOrFloatBitWidth()));
  tensor.floats[i] = value.convertToDouble();
}

//===----------------------------------------------------------------------===//
// Printing and comparing
//===----------------------------------------------------------------------===//

static void printElement(raw_ostream &os, const Tensor &tensor, int64_t i, int precision) {
  if (!tensor.isFloat()) {
    if (tensor.getElementType().isInteger(1))
      os << (tensor.ints[i] ? "true" : "false");
    else
      os << tensor.ints[i];
    return;
  }
  double value = tensor.floats[i];
  if (std::isnan(value))
    os << "nan"; // without a sign, which no op of the dialect promises
  else if (std::isinf(value))
    os << (value < 0 ? "-inf" : "inf");
  else
    os << llvm::format("%.*g", precision, value);
}

void Tensor::print(raw_ostream &os, int precision, int64_t maxElements) const {
  os << getType();
  int64_t count = getNumElements();
  if (count > maxElements) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
      sum += get(i);
    os << " = (" << count << " elements, sum " << llvm::format("%.*g", precision, sum) << ")\n";
    return;
  }
  bool oneLine = shape.size() < 2;
  int64_t row = oneLine ? count : shape.back();
  if (oneLine)
    os << " =";
  for (int64_t i = 0; i < count; ++i) {
    if (!oneLine && i % row == 0)
      os << "\n ";
    os << " ";
    printElement(os, *this, i, precision);
  }
  os << "\n";
}

TensorDifference mlir::trace::compareTensors(const Tensor &a, const Tensor &b, double atol, double rtol,
                                             bool signedZeros) {
  TensorDifference result;
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i) {
    double x = a.get(i), y = b.get(i);
    bool equal = (std::isnan(x) && std::isnan(y)) || x == y;
    // int64 values above 2^53 are compared as they are.
    if (!a.isFloat() && !b.isFloat())
      equal = a.ints[i] == b.ints[i];
    if (equal && signedZeros && x == 0 && std::signbit(x) != std::signbit(y)) {
      if (result.mismatches++ == 0)
        result.firstIndex = i;
      continue;
    }
    if (equal)
      continue;
    double difference = std::abs(x - y);
    if (!(difference <= atol + rtol * std::abs(y)) || !std::isfinite(difference)) {
      if (result.mismatches++ == 0)
        result.firstIndex = i;
    }
    if (std::isfinite(difference)) {
      result.maxAbsolute = std::max(result.maxAbsolute, difference);
      if (y != 0)
        result.maxRelative = std::max(result.maxRelative, difference / std::abs(y));
    } else {
      result.maxAbsolute = result.maxRelative = INFINITY;
    }
  }
  return result;
}

std::string mlir::trace::indexString(ArrayRef<int64_t> shape, int64_t linear) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    index[i] = linear % shape[i];
    linear /= shape[i];
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(index, os);
  os << "]";
  return text;
}
