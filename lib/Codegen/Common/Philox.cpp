//===- Philox.cpp - Counter-based random numbers -----------------------------===//
#include "Elementary.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <array>

using namespace mlir;
using namespace mlir::trace;

static constexpr int64_t lowHalf = 0xffffffff;

/// On a GPU, state of 32 bits: a product of two zero-extended numbers is one instruction (mul.wide.u32), and i64 takes
/// two registers. The words come in i64 all the same.
static std::array<Num, 4> philoxOfWords(Num block, Value seed, int64_t stream) {
  const Formula &in = *block.in;
  Num key(seed, in);
  auto spread = [&](Num scalar) {
    if (!isa<VectorType>(block.type()))
      return scalar;
    return Num(vector::BroadcastOp::create(in.b, in.loc, block.with(scalar.element()), scalar.value), in);
  };
  auto upper = [](Num x) { return truncateInt(shiftRightUnsigned(x, 32), 32); };
  Type i32 = in.b.getI32Type();
  Num key0 = truncateInt(key, 32), key1 = upper(key);
  std::array<Num, 4> counter = {truncateInt(block, 32), upper(block), splatInt(block, i32, stream & lowHalf),
                                splatInt(block, i32, 0)};
  for (int round = 0; round < 10; ++round) {
    Num product0 = extendUnsigned(counter[0], 64) * splatInt(block, 0xd2511f53);
    Num product1 = extendUnsigned(counter[2], 64) * splatInt(block, 0xcd9e8d57);
    counter = {upper(product1) ^ counter[1] ^ spread(key0), truncateInt(product1, 32),
               upper(product0) ^ counter[3] ^ spread(key1), truncateInt(product0, 32)};
    key0 = key0 + splatInt(key0, 0x9e3779b9);
    key1 = key1 + splatInt(key1, 0xbb67ae85);
  }
  for (Num &word : counter)
    word = extendUnsigned(word, 64);
  return counter;
}

/// The four words of each block, in the low halves of i64 (of scalars or vectors). State and products stand in 64 bits:
/// a multiplication of numbers known to be below 2^32 is one instruction, while a widening one of 32-bit lanes is many.
static std::array<Num, 4> philox(Num block, Value seed, int64_t stream) {
  if (block.in->target.gpu)
    return philoxOfWords(block, seed, stream);
  const Formula &in = *block.in;
  Num key(seed, in);
  auto spread = [&](Num scalar) {
    if (!isa<VectorType>(block.type()))
      return scalar;
    return Num(vector::BroadcastOp::create(in.b, in.loc, block.type(), scalar.value), in);
  };
  auto low = [](Num x) { return x & splatInt(x, lowHalf); };
  Num key0 = low(key), key1 = shiftRightUnsigned(key, 32);
  std::array<Num, 4> counter = {low(block), shiftRightUnsigned(block, 32), splatInt(block, stream & lowHalf),
                                splatInt(block, 0)};
  for (int round = 0; round < 10; ++round) {
    Num product0 = low(counter[0]) * splatInt(block, 0xd2511f53);
    Num product1 = low(counter[2]) * splatInt(block, 0xcd9e8d57);
    counter = {shiftRightUnsigned(product1, 32) ^ counter[1] ^ spread(key0), product1,
               shiftRightUnsigned(product0, 32) ^ counter[3] ^ spread(key1), product0};
    key0 = low(key0 + splatInt(key0, 0x9e3779b9));
    key1 = low(key1 + splatInt(key1, 0xbb67ae85));
  }
  for (Num &word : counter)
    word = low(word);
  return counter;
}

Value VectorMath::philoxRun(Value seed, int64_t stream, Value first, unsigned count) {
  assert(count % 4 == 0 && "whole blocks only");
  Formula in{b, loc, target};
  unsigned blocks = count / 4;
  auto type = VectorType::get(blocks, b.getI64Type());
  SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, blocks));
  Value lanes = arith::ConstantOp::create(b, loc, DenseIntElementsAttr::get(type, ArrayRef<int64_t>(steps)));
  Value firstBlock = vector::BroadcastOp::create(b, loc, type, shiftRightUnsigned(Num(first, in), 2).value);
  std::array<Num, 4> words = philox(Num(firstBlock, in) + Num(lanes, in), seed, stream);

  // Words 0 and 1, and words 2 and 3, of a block in one i64 each; then the blocks' pairs one after the other.
  Num left = words[0] | shiftLeft(words[1], 32), right = words[2] | shiftLeft(words[3], 32);
  SmallVector<int64_t> order;
  for (int64_t block : steps)
    order.append({block, block + blocks});
  Value pairs = vector::ShuffleOp::create(b, loc, left.value, right.value, order);
  return vector::BitCastOp::create(b, loc, VectorType::get(count, b.getI32Type()), pairs);
}

/// Of the blocks' words, those that `element` counts, or its pair.
Value VectorMath::philoxAt(Value seed, int64_t stream, Value elements) {
  Formula in{b, loc, target};
  Num element(elements, in);
  std::array<Num, 4> words = philox(shiftRightUnsigned(element, 2), seed, stream);
  Num zero = splatInt(element, 0);
  Num odd = differs(element & splatInt(element, 1), zero);
  Num upper = differs(element & splatInt(element, 2), zero);
  Num word = choose(upper, choose(odd, words[3], words[2]), choose(odd, words[1], words[0]));
  return truncateInt(word, 32);
}

/// The upper 24 bits of a word as a float, which is exact.
static Num upper24(Num words) { return signedToFloat(shiftRightUnsigned(words, 8), words.in->b.getF32Type()); }

Value VectorMath::uniformFromWords(Value words, Type elementType) {
  Formula in{b, loc, target};
  return convertFloat(upper24(Num(words, in)) * 0x1p-24, elementType);
}

namespace {
struct NormalPair {
  Num even, odd;
};
} // namespace

/// Box-Muller; in f64 where the result is f64.
static NormalPair boxMuller(Num a, Num b, bool isDouble) {
  Num u = (upper24(a) + 1.0) * 0x1p-24, v = upper24(b) * 0x1p-24;
  if (isDouble) {
    Num radius = squareRoot(libm("log", toDouble(u)) * -2.0);
    Num angle = toDouble(v) * 0x1.921fb54442d18p2;
    return {radius * libm("cos", angle), radius * libm("sin", angle)};
  }
  Num radius = squareRoot(log32(u) * -2.0);
  // Quarter turns are exact in v; the rest, at most an eighth of a turn, is the angle of the polynomials.
  Num quarters = roundToEven(v * 4.0);
  Num r = mulAdd(quarters, -0.25, v) * 0x1.921fb54442d18p2;
  Num sine = sinReduced32(r), cosine = cosReduced32(r);
  Num quadrant = toInt(quarters, 32);
  Num one = splatInt(quadrant, 1), two = splatInt(quadrant, 2), zero = splatInt(quadrant, 0);
  Num swap = differs(quadrant & one, zero);
  Num sineSign = shiftLeft(quadrant & two, 30), cosineSign = shiftLeft((quadrant + one) & two, 30);
  Num turnedSine = floatOf(bitsOf(choose(swap, cosine, sine)) ^ sineSign);
  Num turnedCosine = floatOf(bitsOf(choose(swap, sine, cosine)) ^ cosineSign);
  return {radius * turnedCosine, radius * turnedSine};
}

Value VectorMath::normalFromWords(Value words, Type elementType) {
  Formula in{b, loc, target};
  int64_t count = cast<VectorType>(words.getType()).getNumElements();
  assert(count % 2 == 0 && "whole pairs only");
  SmallVector<int64_t> evens, odds, order;
  for (int64_t i = 0; i < count / 2; ++i) {
    evens.push_back(2 * i);
    odds.push_back(2 * i + 1);
    order.append({i, i + count / 2});
  }
  Num even(vector::ShuffleOp::create(b, loc, words, words, evens), in);
  Num odd(vector::ShuffleOp::create(b, loc, words, words, odds), in);
  NormalPair pair = boxMuller(even, odd, elementType.isF64());
  Value numbers = vector::ShuffleOp::create(b, loc, pair.even.value, pair.odd.value, order);
  return convertFloat(numbers, elementType);
}

Value VectorMath::normalAt(Value seed, int64_t stream, Value elements, Type elementType) {
  Formula in{b, loc, target};
  Num element(elements, in);
  std::array<Num, 4> words = philox(shiftRightUnsigned(element, 2), seed, stream);
  Num zero = splatInt(element, 0);
  Num odd = differs(element & splatInt(element, 1), zero);
  Num upper = differs(element & splatInt(element, 2), zero);
  Num a = truncateInt(choose(upper, words[2], words[0]), 32);
  Num c = truncateInt(choose(upper, words[3], words[1]), 32);
  NormalPair pair = boxMuller(a, c, elementType.isF64());
  return convertFloat(choose(odd, pair.odd, pair.even), elementType);
}
