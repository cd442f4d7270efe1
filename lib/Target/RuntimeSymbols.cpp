//===- RuntimeSymbols.cpp - Addresses that compiled code may call -----------===//
#include "RuntimeSymbols.h"
#include "trace/Target/JitModule.h"
#include <cmath>
#include <cstring>
#include <mutex>

using namespace mlir;

namespace {

struct RuntimeSymbols {
  std::mutex mutex;
  llvm::StringMap<void *> addresses;

  RuntimeSymbols() {
    addMemory();
    addLibm();
  }

  void addMemory() {
    void *(*copy)(void *, const void *, size_t) = ::memcpy;
    void *(*move)(void *, const void *, size_t) = ::memmove;
    void *(*set)(void *, int, size_t) = ::memset;
    addresses["memcpy"] = reinterpret_cast<void *>(copy);
    addresses["memmove"] = reinterpret_cast<void *>(move);
    addresses["memset"] = reinterpret_cast<void *>(set);
  }

  // Each name with its f32 form: what VectorMath calls, and what LLVM may make of an intrinsic.
  void addLibm() {
#define UNARY(name)                                                                                                    \
  addresses[#name] = reinterpret_cast<void *>(static_cast<double (*)(double)>(::name));                                \
  addresses[#name "f"] = reinterpret_cast<void *>(static_cast<float (*)(float)>(::name##f));
#define BINARY(name)                                                                                                   \
  addresses[#name] = reinterpret_cast<void *>(static_cast<double (*)(double, double)>(::name));                        \
  addresses[#name "f"] = reinterpret_cast<void *>(static_cast<float (*)(float, float)>(::name##f));
    UNARY(acos)
    UNARY(acosh)
    UNARY(asin)
    UNARY(asinh)
    UNARY(atan)
    UNARY(atanh)
    UNARY(cbrt)
    UNARY(ceil)
    UNARY(cos)
    UNARY(cosh)
    UNARY(erf)
    UNARY(erfc)
    UNARY(exp)
    UNARY(exp2)
    UNARY(expm1)
    UNARY(floor)
    UNARY(lgamma)
    UNARY(log)
    UNARY(log10)
    UNARY(log1p)
    UNARY(log2)
    UNARY(nearbyint)
    UNARY(rint)
    UNARY(round)
    UNARY(sin)
    UNARY(sinh)
    UNARY(sqrt)
    UNARY(tan)
    UNARY(tanh)
    UNARY(tgamma)
    UNARY(trunc)
    BINARY(atan2)
    BINARY(copysign)
    BINARY(fmod)
    BINARY(hypot)
    BINARY(nextafter)
    BINARY(pow)
#undef UNARY
#undef BINARY
    addresses["fma"] = reinterpret_cast<void *>(static_cast<double (*)(double, double, double)>(::fma));
    addresses["fmaf"] = reinterpret_cast<void *>(static_cast<float (*)(float, float, float)>(::fmaf));
    addresses["ldexp"] = reinterpret_cast<void *>(static_cast<double (*)(double, int)>(::ldexp));
    addresses["ldexpf"] = reinterpret_cast<void *>(static_cast<float (*)(float, int)>(::ldexpf));
    addresses["lgamma_r"] = reinterpret_cast<void *>(static_cast<double (*)(double, int *)>(::lgamma_r));
  }
};

RuntimeSymbols &getRuntimeSymbols() {
  static RuntimeSymbols table;
  return table;
}

} // namespace

void trace::registerRuntimeSymbol(StringRef name, void *address) {
  RuntimeSymbols &table = getRuntimeSymbols();
  std::lock_guard<std::mutex> lock(table.mutex);
  table.addresses[name] = address;
}

void *trace::lookupRuntimeSymbol(StringRef name) {
  RuntimeSymbols &table = getRuntimeSymbols();
  std::lock_guard<std::mutex> lock(table.mutex);
  return table.addresses.lookup(name);
}
