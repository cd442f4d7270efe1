//===- ExactChecks.cpp - Conversions, random numbers, integers ----------------===//
#include "Kernel.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "trace/Codegen/Common/VectorMath.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using check::Kernel;

namespace {

/// Collects the kernels of one suite, compiles them, and counts what disagrees.
class Checker {
public:
  Checker(MLIRContext &context, const trace::JitOptions &options, unsigned lanes, trace::MathTarget target)
      : context(context), options(options), lanes(lanes), target(target),
        module(ModuleOp::create(UnknownLoc::get(&context))) {}

  using Body = function_ref<Value(trace::VectorMath &, ValueRange)>;
  void add(StringRef name, ArrayRef<Type> inputs, Type output, Body body) {
    check::buildKernel(*module, name, inputs, output, lanes, [&](OpBuilder &b, ValueRange operands) {
      trace::VectorMath math(b, UnknownLoc::get(&context), target);
      return body(math, operands);
    });
  }

  /// The compiled kernels live as long as the checker.
  bool compile() {
    auto result = check::compile(*module, options);
    if (failed(result))
      return false;
    jit = std::move(*result);
    return true;
  }

  /// Runs `name` on the arguments and compares each result with `expected(i)`.
  template <typename Out, typename A, typename B>
  bool run(
      StringRef name, std::vector<A> a, std::vector<B> b, function_ref<Out(A, B)> expected,
      function_ref<bool(Out, Out)> same = [](Out x, Out y) { return memcmp(&x, &y, sizeof(Out)) == 0; }) {
    b.resize(a.size());
    while (a.size() % lanes != 0) {
      a.push_back(A(1));
      b.push_back(B(1));
    }
    std::vector<Out> out(a.size());
    jit->lookupAs<Kernel>(name)(a.data(), b.data(), out.data(), a.size());
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < a.size(); ++i)
      if (!same(out[i], expected(a[i], b[i])) && wrong++ == 0)
        first = i;
    llvm::outs() << name << ": " << a.size() << " results, " << wrong << " wrong";
    if (wrong != 0)
      llvm::outs() << ", first of " << +a[first] << ", " << +b[first] << ": " << +out[first] << " instead of "
                   << +expected(a[first], b[first]);
    llvm::outs() << "\n";
    return wrong == 0;
  }

  MLIRContext &context;
  trace::JitOptions options;
  unsigned lanes;
  trace::MathTarget target;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<trace::JitModule> jit;
};

//===----------------------------------------------------------------------===//
// Conversions, against APFloat
//===----------------------------------------------------------------------===//

llvm::APFloat convert(llvm::APFloat x, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  x.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return x;
}

llvm::APFloat fromBits(const llvm::fltSemantics &semantics, uint64_t bits) {
  return llvm::APFloat(semantics, llvm::APInt(llvm::APFloat::getSizeInBits(semantics), bits));
}

/// The same number; of NaN, any.
template <typename Bits> bool sameNumber(const llvm::fltSemantics &semantics, Bits x, Bits y) {
  llvm::APFloat a = fromBits(semantics, x), b = fromBits(semantics, y);
  return a.isNaN() ? b.isNaN() : a.bitwiseIsEqual(b);
}

/// All numbers of 16 bits, or each upper half of 32 bits with the lower halves where rounding turns.
std::vector<uint16_t> makeHalves() {
  std::vector<uint16_t> result;
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    result.push_back(bits);
  return result;
}
std::vector<uint32_t> makeSingles() {
  std::vector<uint32_t> result;
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : {0x0000, 0x0001, 0x0fff, 0x1000, 0x1001, 0x2000, 0x3000, 0x7fff, 0x8000, 0x8001, 0xffff})
      result.push_back(upper << 16 | lower);
  return result;
}
std::vector<uint64_t> makeDoubles() {
  std::vector<uint64_t> result;
  std::mt19937_64 random(7);
  for (uint32_t single : makeSingles()) {
    double x = fromBits(llvm::APFloat::IEEEsingle(), single).convertToDouble();
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    if (single % 3 != 0)
      bits ^= random() & 0x3fffffff;
    result.push_back(bits);
  }
  return result;
}

bool checkConversions(MLIRContext &context, const trace::JitOptions &options, unsigned lanes,
                      trace::MathTarget target) {
  Checker checker(context, options, lanes, target);
  Type bf16 = BFloat16Type::get(&context), f16 = Float16Type::get(&context), f32 = Float32Type::get(&context),
       f64 = Float64Type::get(&context);
  auto add = [&](StringRef name, Type from, Type to) {
    checker.add(name, from, to, [to](trace::VectorMath &math, ValueRange v) { return math.convertFloat(v[0], to); });
  };
  add("bf16_to_f32", bf16, f32);
  add("f16_to_f32", f16, f32);
  add("f16_to_bf16", f16, bf16);
  add("bf16_to_f16", bf16, f16);
  add("f32_to_bf16", f32, bf16);
  add("f32_to_f16", f32, f16);
  add("f64_to_bf16", f64, bf16);
  add("f64_to_f16", f64, f16);
  for (auto [name, narrow] : {std::pair("f32_through_bf16", bf16), std::pair("f32_through_f16", f16)})
    checker.add(name, f32, f32,
                [narrow = narrow](trace::VectorMath &math, ValueRange v) { return math.roundThrough(v[0], narrow); });
  if (!checker.compile())
    return false;

  const llvm::fltSemantics &half = llvm::APFloat::IEEEhalf(), &brain = llvm::APFloat::BFloat(),
                           &single = llvm::APFloat::IEEEsingle(), &wide = llvm::APFloat::IEEEdouble();
  // PyTorch narrows an f64 to 16 bits through f32.
  auto narrow = [&](auto name, auto arguments, const llvm::fltSemantics &from, const llvm::fltSemantics &to,
                    auto zero) {
    using In = typename decltype(arguments)::value_type;
    using Out = decltype(zero);
    return checker.run<Out, In, In>(
        name, arguments, {},
        [&](In bits, In) -> Out {
          llvm::APFloat x = fromBits(from, bits);
          if (&from == &wide)
            x = convert(x, single);
          return static_cast<Out>(convert(x, to).bitcastToAPInt().getZExtValue());
        },
        [&](Out x, Out y) { return sameNumber(to, x, y); });
  };
  bool good = narrow("bf16_to_f32", makeHalves(), brain, single, uint32_t());
  good &= narrow("f16_to_f32", makeHalves(), half, single, uint32_t());
  good &= narrow("f16_to_bf16", makeHalves(), half, brain, uint16_t());
  good &= narrow("bf16_to_f16", makeHalves(), brain, half, uint16_t());
  good &= narrow("f32_to_bf16", makeSingles(), single, brain, uint16_t());
  good &= narrow("f32_to_f16", makeSingles(), single, half, uint16_t());
  good &= narrow("f64_to_bf16", makeDoubles(), wide, brain, uint16_t());
  good &= narrow("f64_to_f16", makeDoubles(), wide, half, uint16_t());
  for (auto [name, through] : {std::pair("f32_through_bf16", &brain), std::pair("f32_through_f16", &half)})
    good &= checker.run<uint32_t, uint32_t, uint32_t>(
        name, makeSingles(), {},
        [&, through = through](uint32_t bits, uint32_t) {
          return static_cast<uint32_t>(
              convert(convert(fromBits(single, bits), *through), single).bitcastToAPInt().getZExtValue());
        },
        [&](uint32_t x, uint32_t y) { return sameNumber(single, x, y); });
  return good;
}

//===----------------------------------------------------------------------===//
// Random numbers, against Philox4x32-10 as published
//===----------------------------------------------------------------------===//

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xd2511f53) * counter[0], p1 = uint64_t(0xcd9e8d57) * counter[2];
    counter = {uint32_t(p1 >> 32) ^ counter[1] ^ key[0], uint32_t(p1), uint32_t(p0 >> 32) ^ counter[3] ^ key[1],
               uint32_t(p0)};
    key = {key[0] + 0x9e3779b9, key[1] + 0xbb67ae85};
  }
  return counter;
}

constexpr int64_t stream = 3;

uint32_t wordOf(uint64_t seed, uint64_t element) {
  uint64_t block = element / 4;
  return philox({uint32_t(block), uint32_t(block >> 32), uint32_t(stream), 0},
                {uint32_t(seed), uint32_t(seed >> 32)})[element % 4];
}

double normalOf(uint64_t seed, uint64_t element) {
  uint32_t a = wordOf(seed, element & ~uint64_t(1)), b = wordOf(seed, element | 1);
  double u = ((a >> 8) + 1) * 0x1p-24, v = (b >> 8) * 0x1p-24;
  double radius = std::sqrt(-2 * std::log(u)), angle = 2 * M_PI * v;
  return element % 2 == 0 ? radius * std::cos(angle) : radius * std::sin(angle);
}

/// The random functions take a scalar seed and first element, so these kernels run the seed and element of lane 0.
bool checkRandom(MLIRContext &context, const trace::JitOptions &options, unsigned lanes, trace::MathTarget target) {
  // The published answer for counter and key 0.
  if (philox({0, 0, 0, 0}, {0, 0}) != std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}) {
    llvm::outs() << "the reference of Philox is wrong\n";
    return false;
  }
  if (lanes % 4 != 0) {
    llvm::outs() << "random numbers: only for whole blocks of 4 lanes\n";
    return true;
  }
  Checker checker(context, options, lanes, target);
  Builder b(&context);
  Type i64 = b.getI64Type(), i32 = b.getI32Type(), f32 = b.getF32Type(), f64 = b.getF64Type();
  auto at = [&](StringRef name, Type type, auto body) { checker.add(name, {i64, i64}, type, body); };
  auto first = [&](ValueRange v, unsigned i) -> Value {
    OpBuilder builder(&context);
    builder.setInsertionPointAfterValue(v[1]);
    return vector::ExtractOp::create(builder, builder.getUnknownLoc(), v[i], 0);
  };
  at("philox_run", i32,
     [&](trace::VectorMath &math, ValueRange v) { return math.philoxRun(first(v, 0), stream, first(v, 1), lanes); });
  at("philox_at", i32, [&](trace::VectorMath &math, ValueRange v) { return math.philoxAt(first(v, 0), stream, v[1]); });
  at("uniform_f32", f32, [&](trace::VectorMath &math, ValueRange v) {
    return math.uniformFromWords(math.philoxRun(first(v, 0), stream, first(v, 1), lanes), f32);
  });
  at("uniform_f64", f64, [&](trace::VectorMath &math, ValueRange v) {
    return math.uniformFromWords(math.philoxRun(first(v, 0), stream, first(v, 1), lanes), f64);
  });
  at("normal_f32", f32, [&](trace::VectorMath &math, ValueRange v) {
    return math.normalFromWords(math.philoxRun(first(v, 0), stream, first(v, 1), lanes), f32);
  });
  at("normal_f64", f64, [&](trace::VectorMath &math, ValueRange v) {
    return math.normalFromWords(math.philoxRun(first(v, 0), stream, first(v, 1), lanes), f64);
  });
  at("normal_at_f32", f32,
     [&](trace::VectorMath &math, ValueRange v) { return math.normalAt(first(v, 0), stream, v[1], f32); });
  if (!checker.compile())
    return false;

  std::vector<uint64_t> seeds, elements;
  for (uint64_t seed : {uint64_t(0), uint64_t(42), uint64_t(0xfedcba9876543210), ~uint64_t(0)})
    for (uint64_t start : {uint64_t(0), uint64_t(1) << 34, (uint64_t(1) << 34) - 1024 * lanes})
      for (unsigned i = 0; i < 2048 * lanes; ++i) {
        seeds.push_back(seed);
        elements.push_back(start + i);
      }
  using U = uint64_t;
  auto near = [](double tolerance) {
    return [tolerance](auto x, auto y) { return std::fabs(double(x) - double(y)) <= tolerance; };
  };
  bool good = checker.run<uint32_t, U, U>("philox_run", seeds, elements, wordOf);
  good &= checker.run<uint32_t, U, U>("philox_at", seeds, elements, wordOf);
  good &= checker.run<float, U, U>("uniform_f32", seeds, elements,
                                   [](U seed, U element) { return (wordOf(seed, element) >> 8) * 0x1p-24f; });
  good &= checker.run<double, U, U>("uniform_f64", seeds, elements,
                                    [](U seed, U element) { return (wordOf(seed, element) >> 8) * 0x1p-24; });
  good &= checker.run<float, U, U>(
      "normal_f32", seeds, elements, [](U s, U e) { return float(normalOf(s, e)); }, near(1e-6));
  good &= checker.run<float, U, U>(
      "normal_at_f32", seeds, elements, [](U s, U e) { return float(normalOf(s, e)); }, near(1e-6));
  good &= checker.run<double, U, U>("normal_f64", seeds, elements, normalOf, near(1e-14));
  return good;
}

//===----------------------------------------------------------------------===//
// Integers, against the definitions
//===----------------------------------------------------------------------===//

template <typename T> T divide(T a, T b, bool floor) {
  if (b == 0)
    return 0;
  if (std::is_signed_v<T> && b == T(-1))
    return T(-std::make_unsigned_t<T>(a));
  T quotient = a / b;
  return floor && a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <typename T> T power(T a, T b) {
  if (b < 0)
    return a == 1 ? T(1) : a == T(-1) ? (b % 2 == 0 ? T(1) : T(-1)) : T(0);
  uint64_t result = 1;
  for (uint64_t square = a, rest = b; rest != 0; rest >>= 1, square *= square)
    if (rest & 1)
      result *= square;
  return T(result);
}

template <typename T>
bool checkIntegers(MLIRContext &context, const trace::JitOptions &options, unsigned lanes, trace::MathTarget target) {
  constexpr unsigned bits = sizeof(T) * 8;
  constexpr bool isSigned = std::is_signed_v<T>;
  using Unsigned = std::make_unsigned_t<T>;
  Checker checker(context, options, lanes, target);
  Type type = IntegerType::get(&context, bits), i1 = IntegerType::get(&context, 1);
  std::string suffix = (isSigned ? "_i" : "_ui") + std::to_string(bits);

  using Function = T (*)(T, T);
  static const std::pair<const char *, Function> operations[] = {
      {"div_floor", [](T a, T b) { return divide(a, b, true); }},
      {"div_trunc", [](T a, T b) { return divide(a, b, false); }},
      {"remainder", [](T a, T b) { return T(uint64_t(a) - uint64_t(divide(a, b, true)) * uint64_t(b)); }},
      {"fmod", [](T a, T b) { return T(uint64_t(a) - uint64_t(divide(a, b, false)) * uint64_t(b)); }},
      {"pow", power<T>},
      {"maximum", [](T a, T b) { return std::max(a, b); }},
      {"minimum", [](T a, T b) { return std::min(a, b); }},
      {"add", [](T a, T b) { return T(Unsigned(a) + Unsigned(b)); }},
      {"sub", [](T a, T b) { return T(Unsigned(a) - Unsigned(b)); }},
      {"mul", [](T a, T b) { return T(uint64_t(a) * uint64_t(b)); }},
      {"bitwise_xor", [](T a, T b) { return T(a ^ b); }},
      {"shift_left", [](T a, T b) { return Unsigned(b) >= bits ? T(0) : T(Unsigned(a) << b); }},
      {"shift_right", [](T a, T b) { return Unsigned(b) >= bits ? T(a < 0 ? -1 : 0) : T(a >> b); }},
      {"lt", [](T a, T b) { return T(a < b); }},
      {"ge", [](T a, T b) { return T(a >= b); }},
  };
  auto isComparison = [](StringRef name) { return name == "lt" || name == "ge"; };
  for (auto [name, function] : operations)
    checker.add(name + suffix, {type, type}, isComparison(name) ? i1 : type,
                [&, name = name](trace::VectorMath &math, ValueRange v) { return math.emit(name, v, isSigned); });
  if (!checker.compile())
    return false;

  std::vector<T> a, b;
  if (bits == 8) {
    for (int x = 0; x < 256; ++x)
      for (int y = 0; y < 256; ++y) {
        a.push_back(T(x));
        b.push_back(T(y));
      }
  } else {
    std::mt19937_64 random(11);
    std::vector<T> special = {
        0,       1,          2, 3, 7, T(-1), T(-2), T(-7), std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
        T(bits), T(bits - 1)};
    for (T x : special)
      for (T y : special) {
        a.push_back(x);
        b.push_back(y);
      }
    for (int i = 0; i < 20000; ++i) {
      a.push_back(T(random() >> (random() % 64)));
      b.push_back(T(random() >> (random() % 64)));
    }
  }
  bool good = true;
  for (auto [name, function] : operations) {
    if (isComparison(name))
      good &= checker.run<uint8_t, T, T>(name + suffix, a, b,
                                         [&, function = function](T x, T y) { return uint8_t(function(x, y)); });
    else
      good &= checker.run<T, T, T>(name + suffix, a, b, function);
  }
  return good;
}

} // namespace

bool check::runExactChecks(MLIRContext &context, const trace::JitOptions &options, unsigned lanes,
                           trace::MathTarget target) {
  // On a GPU a conversion is an instruction of its own, which the host's, flushing subnormals or a library call, says
  // nothing of.
  bool good = target.gpu || checkConversions(context, options, lanes, target);
  good &= checkRandom(context, options, lanes, target);
  good &= checkIntegers<int8_t>(context, options, lanes, target);
  good &= checkIntegers<uint8_t>(context, options, lanes, target);
  good &= checkIntegers<int16_t>(context, options, lanes, target);
  good &= checkIntegers<int32_t>(context, options, lanes, target);
  good &= checkIntegers<int64_t>(context, options, lanes, target);
  return good;
}
