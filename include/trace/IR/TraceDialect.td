//===- TraceDialect.td - The trace dialect ---------------------------------===//
#ifndef TRACE_DIALECT_TD
#define TRACE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Trace_Dialect : Dialect {
  let name = "trace";
  let cppNamespace = "::mlir::trace";
  let summary = "Training programs of PyTorch as one joint function";
  let description = [{
    Tensors are builtin ranked tensors, functions are `func.func`, every operation keeps the user's file and line
    as its location. A *captured* function holds bound symbols (`trace.bsym`) and prims; differentiating it gives a
    *joint* function, in which `trace.get_grad` stands for the cotangents that the caller will supply; a late split
    makes a forward and a backward function of it. `docs/dialect.md` has the rationale.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

// What a pass may ask of any op without naming it (include/trace/IR/TraceTraits.h).
// One result element depends on the operand elements at the same index only.
def Trace_Elementwise : NativeOpTrait<"Elementwise"> { let cppNamespace = "::mlir::trace::OpTrait"; }
// The result can be a view of operand 0: no arithmetic, an index map only.
def Trace_ViewLike : NativeOpTrait<"ViewLike"> { let cppNamespace = "::mlir::trace::OpTrait"; }
// Data movement that a fusion can absorb as an index map with a condition, but that is not a view (cat, pad, ...).
def Trace_DataMovement : NativeOpTrait<"DataMovement"> { let cppNamespace = "::mlir::trace::OpTrait"; }
// Reduces some dimensions of operand 0.
def Trace_Reduction : NativeOpTrait<"Reduction"> { let cppNamespace = "::mlir::trace::OpTrait"; }
// No code generator of ours: runs through LibTorch.
def Trace_Library : NativeOpTrait<"Library"> { let cppNamespace = "::mlir::trace::OpTrait"; }

class Trace_Op<string mnemonic, list<Trait> traits = []> : Op<Trace_Dialect, mnemonic, traits>;
class Trace_PureOp<string mnemonic, list<Trait> traits = []> : Trace_Op<mnemonic, !listconcat([Pure], traits)>;

#endif
