//===- Passes.td - Simplification ------------------------------------------===//
#ifndef TRACE_SIMPLIFY_PASSES_TD
#define TRACE_SIMPLIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def Simplify : Pass<"trace-simplify"> {
  let summary = "Canonicalises, merges equal values, removes unused ones, simplifies algebraically";
  let description = [{
    Legal between any two stages, on a module or on one function. Repeats, until nothing changes and at most
    `max-rounds` times: the dialect's folders and canonicalisations with the rewrites below, greedily; common
    subexpression elimination; dead code elimination. All rewrites are exact for every value of the element type: NaN,
    infinities and signed zeros come out as before, so that no rewrite needs permission.

    Two `trace.get_grad`s never become one, even of one value: their results carry an allocate effect. Values behind a
    `trace.recompute_barrier` never merge with those before it.

    * *One-hot sums*: the backward of cross entropy sums, over the classes, a tensor that is zero but for the target's
      class. The sum is the value at the target.

      Before:
      ```mlir
      %i = trace.iota 1 : tensor<4x10xi64>
      %t = trace.broadcast_in_dim %target [0] : tensor<4xi64> to tensor<4x10xi64>
      %c = trace.eq %i, %t : tensor<4x10xi64>
      %v = trace.broadcast_in_dim %x [0] : tensor<4xf32> to tensor<4x10xf32>
      %w = trace.where %c, %v, %zero : tensor<4x10xi1>, tensor<4x10xf32>
      %s = trace.reduce_sum %w [1] : tensor<4x10xf32>
      ```
      After:
      ```mlir
      %s = where(0 <= target < 10, x + 0.0, 0.0) : tensor<4xf32>
      ```
    * *Sums of repeated values*: `reduce_sum(broadcast(x))` over repeated dimensions is `x * n + 0.0`, for floats only
      where `n` is a power of two (each partial sum of an order may round otherwise), for integers always.
    * *Adding 0.0*: `x + 0.0` is `x` where `x` is never -0.0 (`exp`, `abs`, a sum, ...).

    Does not fail; the time is near-linear in the number of ops.
  }];
  let options = [
    Option<"maxRounds", "max-rounds", "unsigned", "4", "Rounds of rewriting, CSE and DCE">,
  ];
  let dependentDialects = ["::mlir::trace::TraceDialect"];
}

#endif
