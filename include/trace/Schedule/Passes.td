//===- Passes.td - Grouping, rematerialisation, fusion, releases ------------===//
#ifndef TRACE_SCHEDULE_PASSES_TD
#define TRACE_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def GroupGetGrads : Pass<"trace-group-get-grads", "::mlir::func::FuncOp"> {
  let summary = "Move all get_grads to one barrier between forward and backward";
  let description = [{
    Orders the body of a joint function as `[forward][get_grads][backward]`. *Forward* is what an output needs and every
    op with side effects that does not depend on a cotangent; everything else stands after the barrier, so that what
    only the backward needs is computed in the backward. Within each part the order stays as it was. Values do not
    change.

    ```mlir
    %y = trace.sin %x                         %y = trace.sin %x
    %g0 = trace.get_grad %y output 0          %z = trace.exp %x
    %c = trace.cos %x                         %g0 = trace.get_grad %y output 0     // the barrier
    %d = trace.mul %g0, %c             ->     %g1 = trace.get_grad %z output 1
    %z = trace.exp %x                         %c = trace.cos %x
    %g1 = trace.get_grad %z output 1          %d = trace.mul %g0, %c
    ```

    Precondition: none; a function without get_grads stays as it is. Fails, with one error at the `trace.return` and a
    note at the get_grad, where an output depends on a cotangent: no such function can be split.
  }];
}

def Rematerialize : Pass<"trace-rematerialize", "::mlir::func::FuncOp"> {
  let summary = "Choose what the backward keeps and what it computes again";
  let description = [{
    A minimum cut over the barrier. Each op that no cotangent reaches is computed in the forward only, or (also) in the
    backward; a value that is computed in the forward only and read in the backward is kept. The cut minimises, in
    bytes of memory traffic,

    * for each value kept: its bytes, times `memory-weight` (for being occupied) plus one (read again) plus one if the
      forward would not have written it otherwise;
    * for each op computed again: its arithmetic, and its result's bytes twice if a library op of the backward reads it.

    Arguments and outputs are there anyway. Views and constants are never kept: their base is. Library ops and ops with
    effects that an output needs are never computed again; reductions cost a pass over their operand, so that row
    statistics are kept. Random numbers come from their seed again. An op that only the backward needs is not computed
    twice wherever it stands; it moves in front of the barrier where its result is smaller than what it reads.

    Copies read the forward's values through `trace.recompute_barrier`, so that no CSE merges them with the originals, and
    stand in front of their first reader, so that they fuse with it. Values do not change. What a checkpoint has
    recomputed already depends on a cotangent and stays as it is.

    ```mlir
    %t = trace.tanh %x                                %t = trace.tanh %x
    %y = trace.mul %t, %x                             %y = trace.mul %t, %x
    %g = trace.get_grad %y output 0                   %g = trace.get_grad %y output 0
                                             ->       %x1 = trace.recompute_barrier %x after %g
                                                      %t1 = trace.tanh %x1
    %d = trace.mul %g, %t      // keeps %t            %d = trace.mul %g, %t1    // keeps %x, an argument
    ```

    Remarks (`--remarks-filter=trace-rematerialize`): each value that is kept or computed again and why, and the bytes
    before and after. Precondition: get_grads stand together; fails with one error at the first op between two of them.
  }];
  let options = [
    Option<"memoryWeight", "memory-weight", "double", "1.0",
           "What a byte kept from forward to backward costs, in bytes of memory traffic; more saves memory, less time">];
  let dependentDialects = ["::mlir::trace::TraceDialect"];
}

def FuseForm : Pass<"trace-fuse-form", "::mlir::func::FuncOp"> {
  let summary = "Gather fusible ops into trace.fusion regions, one per kernel";
  let description = [{
    Every fusible op but views ends in exactly one region; a region becomes one kernel. Three steps stand apart:
    *legality* (which sets of ops one kernel can compute: FusionAnalysis.h), *decision* (which legal sets are formed:
    producers into consumers first, then siblings that read the same values: FusionPlan.h) and *rewrite*.

    A region has one iteration space of *rows* times *columns*. Its values are computed per element, or once per row
    (reductions over the columns, which may be used again in the same region, as in softmax and the norms), or are
    results only (reductions over the rows). Slices, pads, cats, transposes, reversals, broadcasts, gathers and iotas
    of values of the region become index maps. Views whose result leaves the region stay outside; views and constants
    used inside are copied in; so are cheap producers where a copy in each consumer costs less than memory traffic.

    ```mlir
    %s = trace.sin %x                 %r = trace.fusion(%x, %y) {
    %r = trace.mul %s, %y      ->     ^bb0(%a, %b):
                                        %s = trace.sin %a
                                        %r = trace.mul %s, %b
                                        trace.yield %r }
    ```

    Never across the barrier, never with a get_grad or a library op. Private functions (gradient rules) and outlined
    fusions are left alone. Remarks (`--remarks-filter=trace-fuse`) say for each producer that stays outside its
    consumer's region why. Precondition: get_grads stand together (`trace-group-get-grads`); fails with one error
    at the first op between two get_grads otherwise.
  }];
  let options = [
    Option<"fuseLimit", "fuse-limit", "int64_t", "-1",
           "Form at most this many regions of more than one op; the rest of the ops get a region each (for bisection; "
           "-1: no limit)">];
  let dependentDialects = ["::mlir::trace::TraceDialect"];
}

def FuseOutline : Pass<"trace-fuse-outline", "::mlir::ModuleOp"> {
  let summary = "Turn trace.fusion regions into private functions, equal ones into one";
  let description = [{
    Each region becomes `func.func private @fused_<ops>_<n> attributes {trace.fusion}` and a `trace.call` of it. Regions
    that are equal but for locations share one function. The name holds the ops that compute (at most four), the
    number counts equal names.

    ```mlir
    %r = trace.fusion(%x, %y) {..}  ->  %r = trace.call @fused_sin_mul_0(%x, %y)
    ```

    No preconditions; does not fail.
  }];
  let dependentDialects = ["::mlir::trace::TraceDialect", "::mlir::func::FuncDialect"];
}

def DropCotangents : Pass<"trace-drop-cotangents", "::mlir::ModuleOp"> {
  let summary = "Specialise backward functions to cotangents that are absent";
  let description = [{
    An absent cotangent is a symbolic zero: the backward is linear in its cotangents, so that what is only a multiple of
    an absent one is zero and not computed, and a sum loses that term. The arguments of role `cotangent k`, k in `absent`,
    go. So do gradients whose `trace.reached_by` lists absent outputs only: eager's are None. A gradient that is zero for
    another reason is given, as zeros. The other arguments stay, used or not. `trace.absent_cotangents` on the function
    says what was dropped.

    Zeros go through everything that is linear in the operand in question: sums and differences, products, quotients,
    views, `pad` and `cat`, `where`, sums over dimensions, matrix products, convolutions, gathers and scatters. Where
    another op reads one (an opaque operator, a `where` with a value in its other branch), zeros are made for it.

    Calls of fusions and regions are inlined first; run `trace-fuse-form` and `trace-fuse-outline` afterwards.

    ```mlir
    // absent=1
    func.func @f_backward(%c: .., %g0: .. cotangent 0, %g1: .. cotangent 1)    func.func @f_backward(%c: .., %g0: .. cotangent 0)
      %s = trace.add %g0, %g1                                             ->
      %d = trace.mul %s, %c                                                      %d = trace.mul %g0, %c
    ```

    Only functions with `trace.side = "backward"` change. Fails, with an error at the op, where zeros of a size that is
    not known would have to be made.
  }];
  let options = [ListOption<"absent", "absent", "int64_t", "The outputs whose cotangents are absent">];
  let dependentDialects = ["::mlir::trace::TraceDialect"];
}

def InsertReleases : Pass<"trace-insert-releases", "::mlir::func::FuncOp"> {
  let summary = "Give buffers back to the pool after their last use";
  let description = [{
    In host functions, a `trace.release` behind the last op that reads a value or a view of it. Arguments are the
    caller's and what is returned, itself or as a view, is the caller's too: neither is released. A result that nothing
    reads is released at once. Does not fail.

    ```mlir
    %a = trace.call @fused_sin_0(%x)            %a = trace.call @fused_sin_0(%x)
    %y = trace.matmul %a, %a            ->      %y = trace.matmul %a, %a
    trace.return outputs(%y)                    trace.release %a
                                                trace.return outputs(%y)
    ```
  }];
}

#endif
