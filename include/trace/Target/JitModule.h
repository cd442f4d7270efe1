//===- JitModule.h - From LLVM dialect to functions in memory --------------===//
//
// The last stage on CPU. A JitModule owns the machine code of one module of the LLVM dialect. Everything is compiled
// when it is created, so that every error is seen there and `lookup` is only a table look-up. Modules are independent
// of each other: several may be created at the same time from different threads, as long as each thread's ModuleOp
// lives in a context of its own or the context is multi-threaded.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_TARGET_JITMODULE_H
#define TRACE_TARGET_JITMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class MemoryBufferRef;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace mlir::trace {

/// What code is generated for.
struct TargetSpec {
  /// Name of the CPU and its features, as LLVM writes them.
  std::string cpu;
  std::string features;
  /// Width of the widest useful vector register in bits (128, 256 or 512).
  unsigned vectorBits = 128;
  /// AVX-512 foundation instructions may be emitted (the CPU has them and vectorBits is 512).
  bool avx512 = false;
};

/// The machine this process runs on. `vectorBits` limits the vectors (0: what the machine has).
/// `cpu` replaces the host's CPU by a named one with that CPU's features ("x86-64-v3"); it must be one that the host
/// can run. Fails, with a diagnostic at `loc`, on an unknown CPU or a width that is not 128, 256 or 512.
FailureOr<TargetSpec> getHostTarget(Location loc, unsigned vectorBits = 0, StringRef cpu = "");

/// Machine code kept across processes. The key covers the LLVM IR, the target and the options.
class JitCache {
public:
  virtual ~JitCache();
  /// The object stored under `key`, or null.
  virtual std::unique_ptr<llvm::MemoryBuffer> load(StringRef key) = 0;
  virtual void store(StringRef key, llvm::MemoryBufferRef object) = 0;
};

/// A JitCache of one file per object in a directory, which is made at the first store. Files are written under
/// another name and renamed, so that processes may share the directory. A directory that cannot be written is
/// the same as an empty cache.
std::unique_ptr<JitCache> createDirectoryJitCache(StringRef directory);

struct JitOptions {
  /// 0: what the machine has.
  unsigned vectorBits = 0;
  /// Empty: the host's.
  std::string cpu;
  /// LLVM's level, 0 to 3.
  unsigned optLevel = 3;
  /// Keep the optimised LLVM IR and the assembly as text. The assembly costs a second code generation. With a cache,
  /// an object that was found is not used, because it has neither.
  bool keepIR = false;
  bool keepAssembly = false;
  /// Not owned; may be null.
  JitCache *cache = nullptr;
};

/// Makes `address` known to every module created afterwards, under the name that compiled code calls it by. An
/// address registered later for the same name replaces the earlier one. Thread safe.
void registerRuntimeSymbol(StringRef name, void *address);

class JitModule {
public:
  /// Compiles `lowered`, which holds only ops that translate to LLVM IR and is not changed. External functions are
  /// taken from registerRuntimeSymbol, then from libm, then from the process. Failure is a diagnostic at the module.
  static FailureOr<std::unique_ptr<JitModule>> create(ModuleOp lowered, const JitOptions &options = {});
  ~JitModule();

  /// The address of an externally visible function of the module, or null if there is none of this name.
  void *lookup(StringRef name) const { return addresses.lookup(name); }

  template <typename Function> Function *lookupAs(StringRef name) const {
    return reinterpret_cast<Function *>(lookup(name));
  }

  /// Text, where JitOptions asked for it.
  StringRef getIR() const { return ir; }
  StringRef getAssembly() const { return assembly; }
  /// Size of the object file.
  size_t getObjectSize() const { return objectSize; }
  /// The machine code came from the cache.
  bool isFromCache() const { return fromCache; }

private:
  JitModule();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<void *> addresses;
  std::string ir, assembly;
  size_t objectSize = 0;
  bool fromCache = false;
};

} // namespace mlir::trace

#endif
