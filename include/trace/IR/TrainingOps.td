//===- TrainingOps.td - Cotangents, barriers, custom gradients --------------===//
#ifndef TRACE_TRAINING_OPS_TD
#define TRACE_TRAINING_OPS_TD

include "trace/IR/TraceDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Trace_GetGradOp : Trace_Op<"get_grad", [AllTypesMatch<["input", "result"]>]> {
  let summary = "The cotangent of the function's output number `output`";
  let description = [{
    Stands in a joint function for a value that the caller supplies after the forward has run. The operand is the value
    that `trace.return` gives as output `output`.

    Two get_grads are never one value, even of the same operand: the result carries an *allocate* effect, so that CSE
    (ours and MLIR's) cannot merge them, while an unused one is still dead. `return y, y` has two.

    ```mlir
    %g = trace.get_grad %y {output = 0} : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$output);
  let results = (outs Res<AnyRankedTensor, "a fresh cotangent", [MemAlloc]>:$result);
  let assemblyFormat = "$input `output` $output attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Trace_StopGradientOp : Trace_PureOp<"stop_gradient", [Trace_Elementwise, SameOperandsAndResultType]> {
  let summary = "The identity, through which no gradient flows (detach, no_grad)";
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Trace_CustomGradOp : Trace_Op<"custom_grad", [IsolatedFromAbove, RecursiveMemoryEffects, NoTerminator]> {
  let summary = "A computation with the user's own backward (torch.autograd.Function)";
  let description = [{
    `primal` takes the operands and yields the results followed by what the backward wants. `backward` takes the
    results' cotangents (zeros where absent) followed by those values and yields a cotangent for each operand that
    `grad_operands` lists; the others have none. Results listed in `non_differentiable` get no gradient.

    ```mlir
    %y = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
    ^bb0(%a: tensor<4xf32>):
      %r = trace.sin %a : tensor<4xf32>
      trace.yield %r, %a : tensor<4xf32>, tensor<4xf32>
    } backward {
    ^bb0(%g: tensor<4xf32>, %a: tensor<4xf32>):
      %d = trace.mul %g, %a : tensor<4xf32>
      trace.yield %d : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands_, DenseI64ArrayAttr:$grad_operands,
                       OptionalAttr<DenseI64ArrayAttr>:$non_differentiable);
  let results = (outs Variadic<AnyType>:$results_);
  let regions = (region SizedRegion<1>:$primal, SizedRegion<1>:$backward);
  let assemblyFormat = "`(` $operands_ `)` attr-dict `:` functional-type($operands_, $results_) `primal` $primal `backward` $backward";
  let hasVerifier = 1;
}

def Trace_CheckpointOp : Trace_Op<"checkpoint", [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock, NoTerminator]> {
  let summary = "A region that the backward recomputes instead of saving its inner values";
  let description = [{
    From torch.utils.checkpoint. The joint holds its body twice: once forward, and once in the backward, on operands
    that went through `trace.recompute_barrier`. An impure symbol in it (`trace.bsym`) runs once, forward; its results are
    saved.
  }];
  let arguments = (ins Variadic<AnyType>:$operands_);
  let results = (outs Variadic<AnyType>:$results_);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $operands_ `)` attr-dict `:` functional-type($operands_, $results_) $body";
  let hasVerifier = 1;
}

def Trace_RecomputeBarrierOp : Trace_PureOp<"recompute_barrier", [AllTypesMatch<["input", "result"]>]> {
  let summary = "The identity, as a value that exists only once `after` does";
  let description = [{
    Clones that the backward recomputes take their operands through it, so that no CSE merges them back with the
    forward's originals. Split erases it.

    ```mlir
    %x1 = trace.recompute_barrier %x after %g : tensor<4xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$after);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `after` $after attr-dict `:` type($input) `,` type($after)";
}

#endif
