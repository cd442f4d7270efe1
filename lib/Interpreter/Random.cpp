//===- Random.cpp - Philox4x32-10 -------------------------------------------===//
#include "Evaluate.h"
#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

using Words = std::array<uint32_t, 4>;

static Words philox(Words counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * counter[0], b = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

/// The four words of elements 4 * block .. 4 * block + 3.
static Words wordsOf(uint64_t seed, uint64_t stream, uint64_t block) {
  return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), static_cast<uint32_t>(stream), 0},
                static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
}

/// In [0, 1): the upper 24 bits.
static double uniform(uint32_t word) { return (word >> 8) * 0x1p-24; }

/// Box-Muller: the even word gives the radius, of a uniform in (0, 1], the odd one the angle; the even element of the
/// pair is the cosine, the odd one the sine.
static double normal(uint32_t even, uint32_t odd, bool sine) {
  double radius = std::sqrt(-2 * std::log(((even >> 8) + 1) * 0x1p-24));
  double angle = 2 * 3.141592653589793238462643383279502884 * uniform(odd);
  return radius * (sine ? std::sin(angle) : std::cos(angle));
}

std::optional<LogicalResult> interpreter::evaluateRandom(Evaluation &eval) {
  uint64_t stream;
  if (auto op = dyn_cast<RandomUniformOp>(eval.op))
    stream = op.getStream();
  else if (auto op = dyn_cast<RandomNormalOp>(eval.op))
    stream = op.getStream();
  else
    return std::nullopt;
  uint64_t seed = static_cast<uint64_t>(eval.operands[0]->ints[0]);
  Tensor result = eval.makeResult(cast<RankedTensorType>(eval.op->getResultTypes()[0]).getShape());
  Words words;
  for (int64_t e = 0, count = result.getNumElements(); e < count; ++e) {
    if (e % 4 == 0)
      words = wordsOf(seed, stream, e / 4);
    int64_t w = e % 4;
    double value = isa<RandomUniformOp>(eval.op) ? uniform(words[w]) : normal(words[w & 2], words[w | 1], w & 1);
    result.floats[e] = eval.round(result.getElementType(), value);
  }
  return eval.give(std::move(result));
}
