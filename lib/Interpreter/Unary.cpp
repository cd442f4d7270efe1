//===- Unary.cpp - Unary ops and predicates ---------------------------------===//
#include "Evaluate.h"
#include "SpecialFunctions.h"
#include <cmath>

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::interpreter;

using DoubleFunction = double (*)(double);

/// A function of doubles, rounded once: the true value as near as the element type has it.
static LogicalResult mapDouble(Evaluation &eval, DoubleFunction f) {
  const Tensor &x = *eval.operands[0];
  if (!x.isFloat())
    return eval.op->emitOpError("is interpreted for floating-point operands only");
  Tensor result = eval.makeResult(x.getShape());
  for (int64_t i = 0, e = x.getNumElements(); i < e; ++i)
    result.floats[i] = eval.round(x.getElementType(), f(x.floats[i]));
  return eval.give(std::move(result));
}

/// A formula of several operations, each in the type that PyTorch computes in.
template <typename F> static LogicalResult mapFormula(Evaluation &eval, F f) {
  const Tensor &x = *eval.operands[0];
  if (!x.isFloat())
    return eval.op->emitOpError("is interpreted for floating-point operands only");
  Tensor result = eval.makeResult(x.getShape());
  bool single = eval.computesInFloat(x.getElementType());
  for (int64_t i = 0, e = x.getNumElements(); i < e; ++i) {
    double y = single ? static_cast<double>(f(static_cast<float>(x.floats[i]))) : f(x.floats[i]);
    result.floats[i] = eval.round(x.getElementType(), y);
  }
  return eval.give(std::move(result));
}

/// Exact on both kinds of element.
template <typename F, typename I> static LogicalResult mapExact(Evaluation &eval, F onFloat, I onInt) {
  const Tensor &x = *eval.operands[0];
  Tensor result = eval.makeResult(x.getShape());
  for (int64_t i = 0, e = x.getNumElements(); i < e; ++i) {
    if (x.isFloat())
      result.floats[i] = onFloat(x.floats[i]);
    else
      result.ints[i] = wrapToType(x.getElementType(), onInt(x.ints[i]));
  }
  return eval.give(std::move(result));
}

template <typename F, typename I> static LogicalResult predicate(Evaluation &eval, F onFloat, I onInt) {
  const Tensor &x = *eval.operands[0];
  Tensor result = eval.makeResult(x.getShape());
  for (int64_t i = 0, e = x.getNumElements(); i < e; ++i)
    result.ints[i] = x.isFloat() ? onFloat(x.floats[i]) : onInt(x.ints[i]);
  return eval.give(std::move(result));
}

static int64_t negate(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }

/// The functions that are one function of a double.
static DoubleFunction doubleFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, DoubleFunction>(op)
      .Case<ExpOp>([](auto) { return [](double x) { return std::exp(x); }; })
      .Case<Exp2Op>([](auto) { return [](double x) { return std::exp2(x); }; })
      .Case<Expm1Op>([](auto) { return [](double x) { return std::expm1(x); }; })
      .Case<LogOp>([](auto) { return [](double x) { return std::log(x); }; })
      .Case<Log2Op>([](auto) { return [](double x) { return std::log2(x); }; })
      .Case<Log10Op>([](auto) { return [](double x) { return std::log10(x); }; })
      .Case<Log1pOp>([](auto) { return [](double x) { return std::log1p(x); }; })
      .Case<SqrtOp>([](auto) { return [](double x) { return std::sqrt(x); }; })
      .Case<SinOp>([](auto) { return [](double x) { return std::sin(x); }; })
      .Case<CosOp>([](auto) { return [](double x) { return std::cos(x); }; })
      .Case<TanOp>([](auto) { return [](double x) { return std::tan(x); }; })
      .Case<AsinOp>([](auto) { return [](double x) { return std::asin(x); }; })
      .Case<AcosOp>([](auto) { return [](double x) { return std::acos(x); }; })
      .Case<AtanOp>([](auto) { return [](double x) { return std::atan(x); }; })
      .Case<SinhOp>([](auto) { return [](double x) { return std::sinh(x); }; })
      .Case<CoshOp>([](auto) { return [](double x) { return std::cosh(x); }; })
      .Case<TanhOp>([](auto) { return [](double x) { return std::tanh(x); }; })
      .Case<AsinhOp>([](auto) { return [](double x) { return std::asinh(x); }; })
      .Case<AcoshOp>([](auto) { return [](double x) { return std::acosh(x); }; })
      .Case<AtanhOp>([](auto) { return [](double x) { return std::atanh(x); }; })
      .Case<ErfOp>([](auto) { return [](double x) { return std::erf(x); }; })
      .Case<ErfcOp>([](auto) { return [](double x) { return std::erfc(x); }; })
      .Case<ErfinvOp>([](auto) { return inverseErrorFunction; })
      .Case<LgammaOp>([](auto) { return logGamma; })
      .Case<DigammaOp>([](auto) { return digamma; })
      .Default([](Operation *) { return nullptr; });
}

std::optional<LogicalResult> interpreter::evaluateUnary(Evaluation &eval) {
  if (DoubleFunction f = doubleFunction(eval.op))
    return mapDouble(eval, f);
  auto same = [](int64_t x) { return x; };
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(eval.op)
      .Case<AbsOp>([&](auto) {
        return mapExact(eval, [](double x) { return std::abs(x); }, [](int64_t x) { return x < 0 ? negate(x) : x; });
      })
      .Case<NegOp>([&](auto) { return mapExact(eval, [](double x) { return -x; }, negate); })
      .Case<SignOp>([&](auto) {
        // As PyTorch, sign(NaN) is 0.
        return mapExact(
            eval, [](double x) -> double { return (x > 0) - (x < 0); },
            [](int64_t x) -> int64_t { return (x > 0) - (x < 0); });
      })
      .Case<ReluOp>([&](auto) {
        // NaN and -0.0 stay.
        return mapExact(eval, [](double x) { return x < 0 ? 0.0 : x; }, [](int64_t x) { return x < 0 ? 0 : x; });
      })
      .Case<CeilOp>([&](auto) { return mapExact(eval, [](double x) { return std::ceil(x); }, same); })
      .Case<FloorOp>([&](auto) { return mapExact(eval, [](double x) { return std::floor(x); }, same); })
      .Case<RoundOp>([&](auto) { return mapExact(eval, [](double x) { return std::nearbyint(x); }, same); })
      .Case<TruncOp>([&](auto) { return mapExact(eval, [](double x) { return std::trunc(x); }, same); })
      .Case<StopGradientOp>([&](auto) { return mapExact(eval, [](double x) { return x; }, same); })
      .Case<BitwiseNotOp>([&](auto op) -> std::optional<LogicalResult> {
        if (eval.operands[0]->isFloat())
          return op.emitOpError("is not defined for floating-point operands");
        return mapExact(eval, [](double x) { return x; }, [](int64_t x) { return ~x; });
      })
      .Case<RsqrtOp>([&](auto) { return mapFormula(eval, [](auto x) { return decltype(x)(1) / std::sqrt(x); }); })
      .Case<ReciprocalOp>([&](auto) { return mapFormula(eval, [](auto x) { return decltype(x)(1) / x; }); })
      .Case<SigmoidOp>([&](auto) {
        return mapFormula(eval, [](auto x) { return decltype(x)(1) / (decltype(x)(1) + std::exp(-x)); });
      })
      .Case<IsnanOp>(
          [&](auto) { return predicate(eval, [](double x) { return std::isnan(x); }, [](int64_t) { return false; }); })
      .Case<IsinfOp>(
          [&](auto) { return predicate(eval, [](double x) { return std::isinf(x); }, [](int64_t) { return false; }); })
      .Case<IsfiniteOp>([&](auto) {
        return predicate(eval, [](double x) { return std::isfinite(x); }, [](int64_t) { return true; });
      })
      .Case<SignbitOp>([&](auto) {
        return predicate(eval, [](double x) { return std::signbit(x); }, [](int64_t x) { return x < 0; });
      })
      .Case<LogicalNotOp>(
          [&](auto) { return predicate(eval, [](double x) { return x == 0; }, [](int64_t x) { return x == 0; }); })
      .Default([](Operation *) { return std::nullopt; });
}
