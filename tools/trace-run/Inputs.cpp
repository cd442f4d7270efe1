//===- Inputs.cpp - Random and given values ---------------------------------===//
#include "Program.h"
#include "mlir/IR/Diagnostics.h"
#include "trace/Interpreter/Npy.h"

using namespace mlir;
using namespace mlir::trace;

namespace {
/// SplitMix64: the same numbers on every machine and standard library.
struct Generator {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  double uniform() { return (next() >> 11) * 0x1p-53; }
};
} // namespace

FailureOr<Tensor> mlir::trace::randomTensor(Location loc, Type type, const InputOptions &options, uint64_t salt) {
  Type element = getElementTypeOrSelf(type);
  if (!Tensor::isSupported(element))
    return emitError(loc) << "cannot make values of " << type;
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t size : tensor.getShape())
      shape.push_back(ShapedType::isDynamic(size) ? options.dynamicSize : size);
  Tensor result(element, shape);
  Generator generator{Generator{options.seed * 0x10001 + salt}.next()};
  for (double &x : result.floats)
    x = roundToType(element, options.low + (options.high - options.low) * generator.uniform());
  int64_t range = std::max<int64_t>(element.isInteger(1) ? 2 : options.integers, 1);
  for (int64_t &x : result.ints)
    x = wrapToType(element, static_cast<int64_t>(generator.next() % range));
  return result;
}

FailureOr<Tensor> mlir::trace::parseInput(Location loc, Type type, StringRef text, const InputOptions &options,
                                          uint64_t salt) {
  Type element = getElementTypeOrSelf(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (text.ends_with(".npy")) {
    FailureOr<Tensor> value = readNpy(loc, text, element);
    if (failed(value))
      return failure();
    if (tensor ? failed(verifyCompatibleShape(tensor.getShape(), value->getShape())) : value->getRank() != 0)
      return emitError(loc) << text << " holds a " << value->getType() << ", not a " << type;
    return value;
  }
  if (text.consume_front("uniform(") && text.consume_back(")")) {
    InputOptions range = options;
    auto [low, high] = text.split(',');
    if (low.trim().getAsDouble(range.low) || high.trim().getAsDouble(range.high))
      return emitError(loc) << "expected uniform(low,high), not uniform(" << text << ")";
    range.integers = static_cast<int64_t>(range.high);
    return randomTensor(loc, type, range, salt);
  }
  FailureOr<Tensor> value = randomTensor(loc, type, options, salt);
  if (failed(value))
    return failure();
  // One number for all elements, or a comma-separated list of as many.
  SmallVector<StringRef> numbers;
  text.split(numbers, ',');
  int64_t count = value->getNumElements();
  if (numbers.size() != 1 && static_cast<int64_t>(numbers.size()) != count)
    return emitError(loc) << "expected one number or " << count << ", not " << numbers.size();
  for (int64_t i = 0; i < count; ++i) {
    StringRef number = numbers[numbers.size() == 1 ? 0 : i].trim();
    double x = 0;
    int64_t integer = 0;
    if (number == "true" || number == "false")
      integer = number == "true", x = integer;
    else if (value->isFloat() ? number.getAsDouble(x) : number.getAsInteger(0, integer))
      return emitError(loc) << "'" << number << "' is no value of " << element << ", nor a .npy file";
    if (value->isFloat())
      value->floats[i] = roundToType(element, x);
    else
      value->ints[i] = wrapToType(element, integer);
  }
  return value;
}
