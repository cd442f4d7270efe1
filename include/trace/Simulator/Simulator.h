//===- Simulator.h - CUDA kernels on the host -------------------------------===//
//
// Runs the LLVM IR that goes to the NVPTX code generator on the host: one fiber per thread of a block, block after
// block. The IR is changed only where the host has no such thing (special registers, barriers, shuffles, approximate
// arithmetic), so that what is tested is the code that a device would be given. With checks, every access to memory is
// looked at first: bounds, alignment, bytes never written, and pairs of accesses that nothing orders.
//
// Launches are synchronous and one at a time; all functions may be called from any thread. The library needs LLVM only.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_SIMULATOR_SIMULATOR_H
#define TRACE_SIMULATOR_SIMULATOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::trace::simulator {

using Dim3 = std::array<uint32_t, 3>;

/// Widest block, and the static shared memory that a kernel may have, as on every current device.
constexpr uint32_t maxThreadsPerBlock = 1024;
constexpr uint32_t maxStaticSharedBytes = 48 * 1024;
/// Static and dynamic shared memory together (compute capability 9.0).
constexpr uint32_t maxSharedBytes = 227 * 1024;

/// One parameter of a kernel.
struct Parameter {
  uint64_t size = 0;
  bool isPointer = false;
  /// The alignment that the compiler was promised for what a pointer points to; 1: none.
  uint64_t pointeeAlign = 1;
};

/// A kernel of a program; lives as long as the program.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  /// Bytes of static shared memory that the kernel and the functions it calls use.
  uint64_t sharedBytes = 0;
  bool usesDynamicShared = false;
  /// Where these lie in the simulator's memory for all kernels of a program; dynamic ones begin at the end.
  uint64_t arenaStart = 0, arenaEnd = 0;
  /// The block that the kernel was compiled for; zeros: any.
  Dim3 requiredBlock = {0, 0, 0};
  /// The most threads of a block; 0: no limit of its own.
  uint32_t maxThreads = 0;
  class Program *program = nullptr;
  /// Machine code; takes an array of pointers to the parameters.
  void (*entry)(void **) = nullptr;
};

struct Global {
  std::string name;
  void *address = nullptr;
  uint64_t size = 0;
  bool constant = false;
};

struct Options {
  /// Check accesses to memory. Barriers and shuffles are always checked.
  bool checks = true;
  /// Where not null, the IR as it is compiled for the host is written here.
  std::string *hostIR = nullptr;
};

/// A module of device code, compiled for the host.
class Program {
public:
  /// From LLVM bitcode of an NVPTX module. Fails for another target, for inline assembly, for functions that the image
  /// does not define and for intrinsics without a meaning on the host, naming each.
  static llvm::Expected<std::shared_ptr<Program>> load(llvm::StringRef bitcode, const Options &options = {});
  /// The same from textual LLVM IR or bitcode.
  static llvm::Expected<std::shared_ptr<Program>> parse(llvm::StringRef text, const Options &options = {});
  ~Program();

  const Kernel *lookupKernel(llvm::StringRef name) const;
  const Global *lookupGlobal(llvm::StringRef name) const;
  const std::vector<std::unique_ptr<Kernel>> &getKernels() const { return kernels; }
  bool isChecked() const { return checked; }
  /// Whether kernels can change something that the program holds.
  bool hasVariables() const;

  struct Implementation;
  Implementation &getImplementation() { return *implementation; }

private:
  Program();
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<Global> globals;
  std::unique_ptr<Implementation> implementation;
  bool checked = true;
  friend struct Compiler;
};

struct LaunchShape {
  Dim3 grid = {1, 1, 1};
  Dim3 block = {1, 1, 1};
  uint64_t dynamicShared = 0;
  /// Order of blocks and threads: 0 as numbered, otherwise permuted by this seed.
  uint64_t seed = 0;
};

/// Whether a device would accept the launch at all.
llvm::Error checkLaunch(const Kernel &kernel, const LaunchShape &shape);

/// Runs a kernel to its end. `parameters[i]` points to the value of parameter i. An error is what the kernel did wrong,
/// naming the kernel, the block and the thread; memory then holds what was written so far.
llvm::Error launch(const Kernel &kernel, const LaunchShape &shape, void **parameters);

//===----------------------------------------------------------------------===//
// Memory. Device pointers are host pointers. An access through a pointer that no range holds is not checked.
//===----------------------------------------------------------------------===//

/// Device memory, its bytes uninitialised (and all ones, which is NaN in every floating-point type). Null: too much.
void *allocate(uint64_t bytes);
/// False: `pointer` is not the start of an allocation.
bool release(void *pointer);
/// The allocation or registered range that holds `pointer`; false: none.
bool findRange(const void *pointer, void **start, uint64_t *bytes);
/// Memory of somebody else's that kernels may use. Replaces ranges that it overlaps (which were freed, then).
void registerRange(void *pointer, uint64_t bytes);
void forgetRange(void *pointer);
void forgetAllRanges();
/// Bytes whose values are not to be read before a kernel or a copy has written them. Registers a range if none holds
/// the pointer.
void markUninitialised(void *pointer, uint64_t bytes);
void markInitialised(void *pointer, uint64_t bytes);
/// A copy between device memory; takes over which bytes are initialised.
void copy(void *destination, const void *source, uint64_t bytes);

} // namespace mlir::trace::simulator

#endif
