//===- Binary.cpp - Binary ops, comparisons, where, clamp -------------------===//
#include "Evaluate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

namespace {
/// Marks a kind of element that an op does not have.
struct Undefined {};
} // namespace

/// `onFloat` takes two floats or two doubles: PyTorch computes f16, bf16 and f32 in f32. `onInt` gets the element type
/// last.
template <typename F, typename I> static LogicalResult binary(Evaluation &eval, F onFloat, I onInt) {
  const Tensor &a = *eval.operands[0], &b = *eval.operands[1];
  Type type = a.getElementType();
  Tensor result = eval.makeResult(a.getShape());
  int64_t count = a.getNumElements();
  if (a.isFloat()) {
    if constexpr (std::is_same_v<F, Undefined>) {
      return eval.op->emitOpError("is not defined for floating-point operands");
    } else {
      bool single = eval.computesInFloat(type);
      for (int64_t i = 0; i < count; ++i) {
        double y = single
                       ? static_cast<double>(onFloat(static_cast<float>(a.floats[i]), static_cast<float>(b.floats[i])))
                       : onFloat(a.floats[i], b.floats[i]);
        result.floats[i] = eval.round(type, y);
      }
    }
  } else {
    if constexpr (std::is_same_v<I, Undefined>) {
      return eval.op->emitOpError("is interpreted for floating-point operands only");
    } else {
      for (int64_t i = 0; i < count; ++i)
        result.ints[i] = wrapToType(type, onInt(a.ints[i], b.ints[i], type));
    }
  }
  return eval.give(std::move(result));
}

/// Integer division: an error where the divisor is 0, and INT_MIN / -1 wraps.
template <typename F, typename I> static LogicalResult division(Evaluation &eval, F onFloat, I onInt) {
  const Tensor &b = *eval.operands[1];
  if (!b.isFloat() && llvm::is_contained(b.ints, 0))
    return eval.op->emitError("ZeroDivisionError: integer division by zero");
  return binary(eval, onFloat, [&](int64_t x, int64_t y, Type) {
    if (y == -1) // also where the quotient does not fit
      return onInt(static_cast<int64_t>(0 - static_cast<uint64_t>(x)), int64_t(0), x, y);
    return onInt(x / y, x % y, x, y);
  });
}

template <typename T> static T floorDivide(T a, T b) {
  // PyTorch's div_floor_floating: the quotient from fmod, as Python has it.
  if (b == 0)
    return a / b;
  T mod = std::fmod(a, b);
  T div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0))
    div -= T(1);
  if (div == 0)
    return std::copysign(T(0), a / b);
  T floored = std::floor(div);
  return div - floored > T(0.5) ? floored + T(1) : floored;
}

template <typename T> static T floatRemainder(T a, T b) {
  T mod = std::fmod(a, b);
  if (mod != 0 && (b < 0) != (mod < 0))
    mod += b;
  return mod;
}

/// IEEE 754-2019 maximum and minimum: NaN wins, and -0.0 is less than 0.0 (so that the ops commute; PyTorch's own
/// choice between zeros differs between its vector body and its scalar tail).
template <typename T> static T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T> static T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

static int64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return static_cast<int64_t>(result);
}

static unsigned bitWidth(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

/// The next number of the element type, of which `nextafter` depends like no other op.
static LogicalResult nextAfter(Evaluation &eval) {
  const Tensor &a = *eval.operands[0], &b = *eval.operands[1];
  Type type = a.getElementType();
  if (!a.isFloat())
    return eval.op->emitOpError("is not defined for integers");
  Tensor result = eval.makeResult(a.getShape());
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i) {
    double x = a.floats[i], y = b.floats[i];
    if (std::isnan(x) || std::isnan(y) || eval.options.f64 || type.isF64()) {
      result.floats[i] = std::nextafter(x, y);
    } else if (x == y) {
      result.floats[i] = y;
    } else {
      APFloat value(x);
      bool losesInfo;
      value.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      value.next(/*nextDown=*/y < x);
      result.floats[i] = value.convertToDouble();
    }
  }
  return eval.give(std::move(result));
}

template <typename F> static LogicalResult compare(Evaluation &eval, F f) {
  const Tensor &a = *eval.operands[0], &b = *eval.operands[1];
  Tensor result = eval.makeResult(a.getShape());
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i)
    result.ints[i] = a.isFloat() ? f(a.floats[i], b.floats[i]) : f(a.ints[i], b.ints[i]);
  return eval.give(std::move(result));
}

static LogicalResult where(Evaluation &eval) {
  const Tensor &condition = *eval.operands[0], &a = *eval.operands[1], &b = *eval.operands[2];
  Tensor result = a;
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i) {
    if (condition.ints[i])
      continue;
    if (a.isFloat())
      result.floats[i] = b.floats[i];
    else
      result.ints[i] = b.ints[i];
  }
  return eval.give(std::move(result));
}

static LogicalResult clamp(Evaluation &eval) {
  const Tensor &x = *eval.operands[0], &low = *eval.operands[1], &high = *eval.operands[2];
  Tensor result = eval.makeResult(x.getShape());
  for (int64_t i = 0, e = x.getNumElements(); i < e; ++i) {
    if (!x.isFloat()) {
      result.ints[i] = std::min(std::max(x.ints[i], low.ints[i]), high.ints[i]);
      continue;
    }
    double value = x.floats[i], l = low.floats[i], h = high.floats[i];
    result.floats[i] = std::isnan(value) ? value
                       : std::isnan(l)   ? l
                       : std::isnan(h)   ? h
                                         : std::min(std::max(value, l), h);
  }
  return eval.give(std::move(result));
}

/// Wrapping arithmetic of two's complement.
template <typename F> static auto wrapping(F f) {
  return [f](int64_t x, int64_t y, Type) {
    return static_cast<int64_t>(f(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
  };
}

std::optional<LogicalResult> interpreter::evaluateBinary(Evaluation &eval) {
  Undefined undefined;
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(eval.op)
      .Case<AddOp>([&](auto) {
        return binary(
            eval, [](auto x, auto y) { return x + y; },
            [](int64_t x, int64_t y, Type type) {
              // Of booleans, PyTorch's + is or.
              return type.isInteger(1) ? x | y
                                       : static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
            });
      })
      .Case<SubOp>([&](auto) {
        return binary(
            eval, [](auto x, auto y) { return x - y; }, wrapping([](uint64_t x, uint64_t y) { return x - y; }));
      })
      .Case<MulOp>([&](auto) {
        return binary(
            eval, [](auto x, auto y) { return x * y; }, wrapping([](uint64_t x, uint64_t y) { return x * y; }));
      })
      .Case<DivOp>([&](auto) { return binary(eval, [](auto x, auto y) { return x / y; }, undefined); })
      .Case<DivFloorOp>([&](auto) {
        return division(
            eval, [](auto x, auto y) { return floorDivide(x, y); },
            [](int64_t quotient, int64_t remainder, int64_t, int64_t y) {
              return remainder != 0 && (remainder < 0) != (y < 0) ? quotient - 1 : quotient;
            });
      })
      .Case<DivTruncOp>([&](auto op) {
        // The quotient is rounded to the element type first, as eager does: of bf16, 9.98 is 10.
        Type type = getElementTypeOrSelf(op.getType());
        auto divide = [&](auto x, auto y) { return static_cast<decltype(x)>(std::trunc(eval.round(type, x / y))); };
        return division(eval, divide, [](int64_t quotient, int64_t, int64_t, int64_t) { return quotient; });
      })
      .Case<RemainderOp>([&](auto) {
        return division(
            eval, [](auto x, auto y) { return floatRemainder(x, y); },
            [](int64_t, int64_t remainder, int64_t, int64_t y) {
              return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
            });
      })
      .Case<FmodOp>([&](auto) {
        return division(
            eval, [](auto x, auto y) { return std::fmod(x, y); },
            [](int64_t, int64_t remainder, int64_t, int64_t) { return remainder; });
      })
      .Case<PowOp>([&](auto) {
        return binary(
            eval,
            [](auto x, auto y) {
              return static_cast<decltype(x)>(std::pow(static_cast<double>(x), static_cast<double>(y)));
            },
            [](int64_t x, int64_t y, Type) { return integerPower(x, y); });
      })
      .Case<Atan2Op>([&](auto) {
        return binary(
            eval,
            [](auto x, auto y) {
              return static_cast<decltype(x)>(std::atan2(static_cast<double>(x), static_cast<double>(y)));
            },
            undefined);
      })
      .Case<HypotOp>([&](auto) { return binary(eval, [](auto x, auto y) { return std::hypot(x, y); }, undefined); })
      .Case<CopysignOp>(
          [&](auto) { return binary(eval, [](auto x, auto y) { return std::copysign(x, y); }, undefined); })
      .Case<NextafterOp>([&](auto) { return nextAfter(eval); })
      .Case<MaximumOp>([&](auto) {
        return binary(
            eval, [](auto x, auto y) { return maximum(x, y); },
            [](int64_t x, int64_t y, Type) { return std::max(x, y); });
      })
      .Case<MinimumOp>([&](auto) {
        return binary(
            eval, [](auto x, auto y) { return minimum(x, y); },
            [](int64_t x, int64_t y, Type) { return std::min(x, y); });
      })
      .Case<FmaxOp>([&](auto) {
        return binary(
            eval, [](auto x, auto y) { return std::isnan(x)   ? y
                                              : std::isnan(y) ? x
                                                              : maximum(x, y); },
            [](int64_t x, int64_t y, Type) { return std::max(x, y); });
      })
      .Case<FminOp>([&](auto) {
        return binary(
            eval, [](auto x, auto y) { return std::isnan(x)   ? y
                                              : std::isnan(y) ? x
                                                              : minimum(x, y); },
            [](int64_t x, int64_t y, Type) { return std::min(x, y); });
      })
      .Case<BitwiseAndOp>(
          [&](auto) { return binary(eval, undefined, [](int64_t x, int64_t y, Type) { return x & y; }); })
      .Case<BitwiseOrOp>(
          [&](auto) { return binary(eval, undefined, [](int64_t x, int64_t y, Type) { return x | y; }); })
      .Case<BitwiseXorOp>(
          [&](auto) { return binary(eval, undefined, [](int64_t x, int64_t y, Type) { return x ^ y; }); })
      .Case<ShiftLeftOp>([&](auto) {
        return binary(eval, undefined, [](int64_t x, int64_t y, Type type) -> int64_t {
          return y < 0 || y >= bitWidth(type) ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x) << y);
        });
      })
      .Case<ShiftRightOp>([&](auto) {
        return binary(eval, undefined, [](int64_t x, int64_t y, Type type) -> int64_t {
          // Beyond the width only the sign is left.
          return x >> (y < 0 || y >= bitWidth(type) ? 63 : y);
        });
      })
      .Case<EqOp>([&](auto) { return compare(eval, [](auto x, auto y) { return x == y; }); })
      .Case<NeOp>([&](auto) { return compare(eval, [](auto x, auto y) { return x != y; }); })
      .Case<LtOp>([&](auto) { return compare(eval, [](auto x, auto y) { return x < y; }); })
      .Case<LeOp>([&](auto) { return compare(eval, [](auto x, auto y) { return x <= y; }); })
      .Case<GtOp>([&](auto) { return compare(eval, [](auto x, auto y) { return x > y; }); })
      .Case<GeOp>([&](auto) { return compare(eval, [](auto x, auto y) { return x >= y; }); })
      .Case<WhereOp>([&](auto) { return where(eval); })
      .Case<ClampOp>([&](auto) { return clamp(eval); })
      .Default([](Operation *) { return std::nullopt; });
}
