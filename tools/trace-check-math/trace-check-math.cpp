//===- trace-check-math.cpp - Measures the elementwise mathematics ------------===//
//
// Compiles each function of VectorMath into a loop over vectors, runs it over all magnitudes, special values and a
// dense interval of its own, and compares with extended precision: one line per function with the largest error in
// units in the last place, and exit code 1 if a bound is exceeded. With --time, nanoseconds per vector of 16 lanes.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "References.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "trace/Codegen/Common/VectorMath.h"
#include "trace/Target/Lowering.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

using namespace mlir;
using check::Kernel;
namespace cl = llvm::cl;

static cl::list<std::string> only("only", cl::desc("Functions to check (default: all)"), cl::CommaSeparated);
static cl::opt<std::string> typeName("type", cl::init("f32"), cl::desc("f32 or f64"));
static cl::opt<unsigned> vectorBits("vector-bits", cl::desc("Widest vector, 0: the host's"));
static cl::opt<std::string> cpu("cpu", cl::desc("Generate code for this CPU instead of the host's"));
static cl::opt<unsigned> lanes("lanes", cl::init(16), cl::desc("Lanes of a vector; 1 is a scalar"));
static cl::opt<unsigned> points("points", cl::init(400000), cl::desc("Random arguments of each function"));
static cl::opt<bool> exact("exact", cl::desc("Check conversions, random numbers and integers instead"));
static cl::opt<bool> timed("time", cl::desc("Measure speed instead of accuracy"));
static cl::opt<bool> forGpu("gpu", cl::desc("The code that is made for a GPU, run on the host"));
static cl::opt<std::string> ptxChip("print-ptx", cl::desc("Print the PTX of the functions for a chip (with --gpu)"));
static cl::opt<bool> verbose("worst", cl::desc("Print the argument of the largest error"));
static cl::opt<bool> printAssembly("print-asm", cl::desc("Print the assembly"));

/// All magnitudes with random mantissas, the numbers that functions treat apart, and a dense interval.
template <typename T> static std::vector<T> makeArguments(const Reference &reference, unsigned seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result;
  std::mt19937_64 random(seed);
  constexpr int mantissa = Limits::digits - 1, exponents = Limits::max_exponent * 2;
  for (unsigned i = 0; i < points / 2; ++i) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    Bits bits = (Bits(random()) & ((Bits(1) << mantissa) - 1)) | (Bits(i % (2 * exponents)) << mantissa);
    T x;
    memcpy(&x, &bits, sizeof(x));
    result.push_back(x);
  }
  std::uniform_real_distribution<T> dense(reference.low, reference.high);
  for (unsigned i = 0; i < points / 2; ++i)
    result.push_back(dense(random));
  std::vector<T> special = {0,
                            1,
                            2,
                            3,
                            0.5,
                            0.25,
                            1.5,
                            2.5,
                            10,
                            0.1,
                            100,
                            88,
                            88.7,
                            89,
                            103,
                            104,
                            200,
                            0.925,
                            0.7,
                            4,
                            5,
                            T(3.14159265358979323846),
                            T(1.57079632679489661923),
                            T(0x1p23),
                            T(0x1p24),
                            T(0x1p30),
                            T(0x1p31),
                            Limits::min(),
                            Limits::denorm_min(),
                            Limits::max(),
                            Limits::epsilon(),
                            Limits::infinity(),
                            Limits::quiet_NaN()};
  for (T x : special)
    for (T y : {x, std::nextafter(x, T(0)), std::nextafter(x, T(1000))}) {
      result.push_back(y);
      result.push_back(-y);
    }
  return result;
}

/// Pairs for binary functions: random ones, equal ones, small integers, and each special value with each.
template <typename T> static void makePairs(const Reference &reference, std::vector<T> &a, std::vector<T> &b) {
  b = makeArguments<T>(reference, 2);
  std::mt19937_64 random(3);
  size_t half = a.size() / 2;
  for (size_t i = 0; i < a.size(); ++i) {
    if (i < half / 2)
      std::swap(b[i], b[half + random() % half]); // an odd magnitude with an ordinary one
    else if (i % 16 == 0)
      b[i] = std::round(b[i]);
    else if (i % 16 == 1)
      b[i] = a[i];
  }
  using Limits = std::numeric_limits<T>;
  std::vector<T> special = {0,
                            1,
                            2,
                            3,
                            0.5,
                            1.5,
                            7,
                            4294967296.0,
                            Limits::min(),
                            Limits::denorm_min(),
                            Limits::max(),
                            Limits::infinity(),
                            Limits::quiet_NaN()};
  for (size_t i = 0, n = special.size(); i < n; ++i)
    special.push_back(-special[i]);
  for (T x : special)
    for (T y : special) {
      a.push_back(x);
      b.push_back(y);
    }
}

/// |got - exact| in units in the last place of T at `exact`.
template <typename T> static double computeUlps(T got, long double exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : INFINITY;
  T rounded = static_cast<T>(exact);
  if (std::isinf(rounded) || std::isinf(got)) {
    if (got == rounded)
      return 0;
    // One step from the largest number is one ulp.
    T largest = std::copysign(Limits::max(), got);
    bool near = std::isinf(got) ? std::fabs(exact) > Limits::max() * (1 - 4 * (long double)Limits::epsilon()) &&
                                      std::signbit(got) == std::signbit(exact)
                                : got == largest && std::signbit(got) == std::signbit(exact) &&
                                      std::fabs(exact) < 1.0001L * Limits::max();
    return near ? 1 : INFINITY;
  }
  if (got == 0 && exact == 0)
    return std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  int exponent = std::max(exact == 0 ? Limits::min_exponent : std::ilogb(exact) + 1, Limits::min_exponent);
  return static_cast<double>(std::fabs(got - exact) / ldexpl(1, exponent - Limits::digits));
}

template <typename T> static long double computeExact(const Reference &reference, T a, T b) {
  if (reference.unary)
    return reference.unary(a);
  if (reference.binary)
    return reference.binary(a, b);
  if constexpr (sizeof(T) == 4)
    return reference.exact32(a, b);
  else
    return reference.exact64(a, b);
}

template <typename T>
static bool checkFunction(const Reference &reference, Kernel *kernel, double bound, double absolute) {
  std::vector<T> a = makeArguments<T>(reference, 1), b;
  if (!reference.unary)
    makePairs(reference, a, b);
  while (a.size() % lanes != 0) {
    a.push_back(1);
    if (!reference.unary)
      b.push_back(1);
  }
  std::vector<T> out(a.size());
  kernel(a.data(), b.data(), out.data(), a.size());

  double worst = 0;
  size_t worstIndex = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    long double exact = computeExact<T>(reference, a[i], reference.unary ? 0 : b[i]);
    if (std::fabs(out[i] - exact) < absolute)
      continue;
    double ulps = computeUlps(out[i], exact);
    // Limits are reached: tanh(inf) is 1, not the number before it.
    if (std::isinf(a[i]) && std::isfinite(exact) && out[i] != static_cast<T>(exact))
      ulps = INFINITY;
    if (ulps > worst) {
      worst = ulps;
      worstIndex = i;
    }
  }
  bool good = worst <= bound;
  llvm::outs() << reference.name << " " << typeName << ": " << llvm::format("%.2f", worst) << " ulp, bound "
               << llvm::format("%g", bound) << (good ? "" : " EXCEEDED");
  if (verbose || !good) {
    long double exact = computeExact<T>(reference, a[worstIndex], reference.unary ? 0 : b[worstIndex]);
    llvm::outs() << llvm::format(" at %a", double(a[worstIndex]));
    if (!reference.unary)
      llvm::outs() << llvm::format(", %a", double(b[worstIndex]));
    llvm::outs() << llvm::format(": %.17g, exact %.17g", double(out[worstIndex]), double(exact));
  }
  llvm::outs() << "\n";
  return good;
}

template <typename T> static void timeFunction(const Reference &reference, Kernel *kernel) {
  constexpr size_t count = 4096;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<T> dense(std::max(reference.low, -20.0), std::min(reference.high, 20.0));
  std::vector<T> a(count), b(count), out(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = dense(random);
    b[i] = dense(random);
  }
  double best = INFINITY;
  for (int run = 0; run < 200; ++run) {
    auto start = std::chrono::steady_clock::now();
    kernel(a.data(), b.data(), out.data(), count);
    std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  llvm::outs() << reference.name << " " << typeName << ": " << llvm::format("%.1f", best * 16 / count)
               << " ns per 16\n";
}

template <typename T> static bool runAll(trace::JitModule &jit, ArrayRef<const Reference *> selected) {
  bool good = true;
  for (const Reference *reference : selected) {
    auto *kernel = jit.lookupAs<Kernel>(("check_" + StringRef(reference->name)).str());
    if (timed) {
      timeFunction<T>(*reference, kernel);
    } else if (sizeof(T) == 4) {
      Reference bounds = forGpu ? getGpuReference(*reference) : *reference;
      good &= checkFunction<T>(*reference, kernel, bounds.bound32, bounds.absolute32);
    } else {
      good &= checkFunction<T>(*reference, kernel, reference->bound64, reference->absolute64);
    }
  }
  return good;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "measures the elementwise mathematics\n");
  DialectRegistry registry;
  trace::registerTargetDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  Location loc = UnknownLoc::get(&context);
  FailureOr<trace::TargetSpec> spec = trace::getHostTarget(loc, vectorBits, cpu);
  if (failed(spec))
    return 1;

  trace::JitOptions options;
  options.vectorBits = vectorBits;
  options.cpu = cpu;
  options.keepAssembly = printAssembly;
  trace::MathTarget target;
  target.avx512 = spec->avx512 && !forGpu;
  target.gpu = forGpu;
  if (exact)
    return check::runExactChecks(context, options, lanes, target) ? 0 : 1;
  // What libdevice has for GPUs, the host has in libm.
  trace::registerRuntimeSymbol("__nv_hypot", reinterpret_cast<void *>(static_cast<double (*)(double, double)>(hypot)));
  trace::registerRuntimeSymbol("__nv_expm1", reinterpret_cast<void *>(static_cast<double (*)(double)>(expm1)));
  trace::registerRuntimeSymbol("__nv_lgamma", reinterpret_cast<void *>(static_cast<double (*)(double)>(lgamma)));

  FloatType type = typeName == "f64" ? FloatType(Float64Type::get(&context)) : Float32Type::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder top = OpBuilder::atBlockEnd(module->getBody());
  if (!ptxChip.empty())
    gpu::GPUModuleOp::create(top, loc, "check");
  SmallVector<const Reference *> selected;
  for (const Reference &reference : getReferences()) {
    if (!only.empty() && !llvm::is_contained(only, reference.name))
      continue;
    SmallVector<Type> inputs(reference.unary ? 1 : 2, type);
    check::buildKernel(*module, ("check_" + StringRef(reference.name)).str(), inputs, type, lanes,
                       [&](OpBuilder &b, ValueRange operands) {
                         return trace::VectorMath(b, loc, target).emit(reference.name, operands);
                       });
    selected.push_back(&reference);
  }
  if (selected.empty()) {
    llvm::errs() << "no such function\n";
    return 1;
  }
  if (!ptxChip.empty())
    return failed(check::printPtx(*module, ptxChip));
  FailureOr<std::unique_ptr<trace::JitModule>> jit = check::compile(*module, options);
  if (failed(jit))
    return 1;
  llvm::outs() << (*jit)->getAssembly();
  return (type.isF64() ? runAll<double>(**jit, selected) : runAll<float>(**jit, selected)) ? 0 : 1;
}
