//===- StructureOps.td - Bound symbols, calls, fusions, return --------------===//
#ifndef TRACE_STRUCTURE_OPS_TD
#define TRACE_STRUCTURE_OPS_TD

include "trace/IR/TraceDialect.td"
include "trace/IR/TraceAttributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Trace_BsymOp : Trace_Op<"bsym", [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock, NoTerminator,
                                     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A bound symbol: a named composite with its decomposition";
  let description = [{
    The level at which executors claim. With a region, an op that nobody claims is replaced by the region, whose block
    arguments are the operands and whose `trace.yield` gives the results. Without one the symbol is opaque: it runs
    through LibTorch's dispatcher by its schema name (`aten.cumprod.default`), with `arguments` as the schema's
    argument list, in which `#trace.operand<i>` stands for operand i, `unit` for None, strings for dtypes, layouts,
    devices and memory formats (`"torch.float32"`, `"cpu"`).

    `vjp_forward` and `vjp_backward` name private functions that together are the gradient rule of an opaque symbol:
    the first takes the operands and returns the results followed by the values that the second wants; the second
    takes the results' cotangents followed by those values and returns a cotangent for each operand that
    `vjp_operands` lists.

    `impure` is for an opaque symbol that does more than give results: it raises (`aten._assert_async.msg`), or draws from
    LibTorch's generator (`aten.multinomial.default`). It is neither dropped nor merged nor computed again, and keeps its
    place among the others of its kind.

    ```mlir
    %0 = trace.bsym "torch.nn.functional.silu"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %s = trace.sigmoid %a : tensor<4xf32>
      %r = trace.mul %a, %s : tensor<4xf32>
      trace.yield %r : tensor<4xf32>
    }
    %1 = trace.bsym "aten.cumprod.default"(%x) {arguments = [#trace.operand<0>, 0]} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands_, OptionalAttr<ArrayAttr>:$arguments,
                       OptionalAttr<FlatSymbolRefAttr>:$vjp_forward, OptionalAttr<FlatSymbolRefAttr>:$vjp_backward,
                       OptionalAttr<DenseI64ArrayAttr>:$vjp_operands, OptionalAttr<ArrayAttr>:$result_strides,
                       UnitAttr:$impure);
  let results = (outs Variadic<AnyType>:$results_);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = "$name `(` $operands_ `)` attr-dict `:` functional-type($operands_, $results_) ($body^)?";
  let hasVerifier = 1;
}

def Trace_CallLibraryOp : Trace_Op<"call_library", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A call of a LibTorch operator through its schema";
  let description = [{
    What the `aten` executor makes of an opaque `trace.bsym` and of prims without a code generator. `arguments` as in
    `trace.bsym`. `result_strides`, one array per result, says which strides the operator gives (contiguous where
    absent). `pure` (the default of functional operators) lets an unused call go.

    ```mlir
    %0 = trace.call_library "aten.mm.default"(%a, %b) {arguments = [#trace.operand<0>, #trace.operand<1>]}
         : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands_, OptionalAttr<ArrayAttr>:$arguments,
                       OptionalAttr<ArrayAttr>:$result_strides, UnitAttr:$impure);
  let results = (outs Variadic<AnyType>:$results_);
  let assemblyFormat = "$name `(` $operands_ `)` attr-dict `:` functional-type($operands_, $results_)";
  let hasVerifier = 1;
}

def Trace_FusionOp : Trace_PureOp<"fusion", [IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "A region that becomes one kernel";
  let description = [{
    Block arguments are the operands, `trace.yield` gives the results. Holds elementwise ops, views, data movement,
    reductions, indexing and random numbers; never a `trace.get_grad`, a library op, or values of both sides of the
    barrier. `trace-fuse-outline` makes a private function with attribute `trace.fusion` and a `trace.call` of it.

    ```mlir
    %0 = trace.fusion(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %s = trace.sin %a : tensor<4xf32>
      %r = trace.mul %s, %b : tensor<4xf32>
      trace.yield %r : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands_);
  let results = (outs Variadic<AnyRankedTensor>:$results_);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $operands_ `)` attr-dict `:` functional-type($operands_, $results_) $body";
  let hasVerifier = 1;
}

def Trace_CallOp : Trace_PureOp<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A call of a fusion's outlined function";
  let description = [{
    ```mlir
    %0 = trace.call @fused_sin_mul(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$operands_);
  let results = (outs Variadic<AnyRankedTensor>:$results_);
  let assemblyFormat = "$callee `(` $operands_ `)` attr-dict `:` functional-type($operands_, $results_)";
}

def Trace_YieldOp : Trace_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["BsymOp", "FusionOp", "CheckpointOp", "CustomGradOp"]>]> {
  let summary = "Ends a region with its results";
  let arguments = (ins Variadic<AnyType>:$operands_);
  let assemblyFormat = "($operands_^ `:` type($operands_))? attr-dict";
}

def Trace_ReturnOp : Trace_Op<"return", [Pure, Terminator, ReturnLike, AttrSizedOperandSegments,
                                         HasParent<"::mlir::func::FuncOp">]> {
  let summary = "Ends a function with its outputs and, in a joint, its gradients";
  let description = [{
    The function's result types are the outputs' followed by the gradients'. `gradient_of[i]` is the argument of which
    gradient i is the gradient; an argument without one has a gradient that is a symbolic zero.

    ```mlir
    trace.return outputs(%y : tensor<4xf32>) gradients(%dx, %dw : tensor<4xf32>, tensor<4xf32>) of [0, 2]
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$outputs, Variadic<AnyType>:$gradients,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$gradient_of);
  let assemblyFormat = [{
    `outputs` `(` ($outputs^ `:` type($outputs))? `)` (`gradients` `(` $gradients^ `:` type($gradients) `)` `of` $gradient_of)?
    attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$outputs), [{
    build($_builder, $_state, outputs, ::mlir::ValueRange(), ::llvm::ArrayRef<int64_t>());
  }]>];
  let hasVerifier = 1;
}

def Trace_ReleaseOp : Trace_Op<"release", [MemoryEffects<[MemFree]>]> {
  let summary = "The values are not used after this point: their buffers go back to the pool";
  let arguments = (ins Variadic<AnyRankedTensor>:$operands_);
  let assemblyFormat = "$operands_ attr-dict `:` type($operands_)";
}

#endif
