//===- Globals.h - Constants of a host module -------------------------------===//
#ifndef TRACE_LIB_CODEGEN_HOST_GLOBALS_H
#define TRACE_LIB_CODEGEN_HOST_GLOBALS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::trace::host {

/// TraceElementType of an element type (include/trace/Runtime/Runtime.h); -1 for one that the runtime has not.
int32_t getRuntimeElementType(Type elementType);
/// Bytes of an element in memory; i1 takes one.
int64_t getElementBytes(Type elementType);
/// Bytes from the first to the last element.
int64_t getStorageBytes(RankedTensorType type, ArrayRef<int64_t> strides);

/// The module's constant data, as globals of the LLVM dialect: each thing once.
class Globals {
public:
  explicit Globals(ModuleOp module);

  LLVM::LLVMPointerType getPointerType() const { return pointer; }

  // Addresses; built at `b`.
  Value text(OpBuilder &b, Location loc, StringRef text);
  /// A TraceTensorDesc.
  Value desc(OpBuilder &b, Location loc, RankedTensorType type, ArrayRef<int64_t> strides, int64_t offset = 0);
  /// An array of pointers to TraceTensorDescs; null where the type is.
  struct DescKey {
    RankedTensorType type;
    SmallVector<int64_t> strides;
  };
  Value descArray(OpBuilder &b, Location loc, ArrayRef<DescKey> descs);

  /// The number of a library call, or of a literal, in the module's table.
  int64_t addCall(StringRef text);
  /// `data` has one element where the strides are all 0.
  int64_t addConstant(RankedTensorType type, ArrayRef<int64_t> strides, StringRef data);
  /// The numbers of the kernels of a fusion, after the entry of their module, which is made at the first call. Fails,
  /// with an error at the binary, where it does not say how they are launched.
  FailureOr<SmallVector<int64_t>> addKernels(gpu::BinaryOp binary);
  /// An array of i64.
  Value integers(OpBuilder &b, Location loc, ArrayRef<int64_t> values) {
    return addressOf(b, loc, makeIntegers(values));
  }
  /// Adds @trace_get_table. Fails, with an error at the module, where there is one.
  LogicalResult finish();

private:
  /// A TraceTableEntry.
  struct Entry {
    enum Kind : int64_t { Call = 0, Constant = 1, Module = 2, Kernel = 3 } kind;
    std::string text;
    LLVM::GlobalOp desc, data;
  };

  LLVM::GlobalOp make(StringRef kind, StringRef key, Type type, Attribute value,
                      function_ref<Value(OpBuilder &)> initializer = nullptr);
  LLVM::GlobalOp makeText(StringRef text);
  LLVM::GlobalOp makeDesc(RankedTensorType type, ArrayRef<int64_t> strides, int64_t offset);
  LLVM::GlobalOp makeBytes(StringRef kind, StringRef bytes);
  LLVM::GlobalOp makeImages(gpu::BinaryOp binary);
  LLVM::GlobalOp makeLaunch(int64_t module, DictionaryAttr kernel, ArrayRef<int64_t> slots);
  LLVM::GlobalOp makeIntegers(ArrayRef<int64_t> values);
  Value addressOf(OpBuilder &b, Location loc, LLVM::GlobalOp global);
  Value null(OpBuilder &b, Location loc);
  Value makeStruct(OpBuilder &b, Location loc, LLVM::LLVMStructType type, ValueRange fields);

  ModuleOp module;
  SymbolTable symbols;
  LLVM::LLVMPointerType pointer;
  llvm::StringMap<LLVM::GlobalOp> known;
  llvm::StringMap<int64_t> knownEntries;
  SmallVector<Entry> entries;
  llvm::MapVector<Operation *, SmallVector<int64_t>> kernels; // by binary
};

} // namespace mlir::trace::host

#endif
