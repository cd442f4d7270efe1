//===- Passes.td - Forward and backward from a joint function ---------------===//
#ifndef TRACE_SPLIT_PASSES_TD
#define TRACE_SPLIT_PASSES_TD

include "mlir/Pass/PassBase.td"

def Split : Pass<"trace-split", "::mlir::ModuleOp"> {
  let summary = "Split a joint function into a forward and a backward function";
  let description = [{
    Mechanical: what stands before the barrier is forward, what stands after it backward, what crosses is saved. Each
    half then holds only what it needs.

    * `@f_forward` (`trace.side = "forward"`) has the arguments of `@f`; its results are the outputs, followed by the
      saved values (`#trace.role<saved i>`).
    * `@f_backward` (`trace.side = "backward"`, `trace.forward_symbol = @f_forward`) gives the gradients
      (`#trace.role<gradient j>`, j the argument of `@f`). Its arguments are, in this order: the saved values; forward
      arguments that it reads again (their role, and `trace.forward_argument = j : i64`); forward outputs that it reads
      again (`#trace.role<output k>` and `trace.forward_output = k : i64`); the cotangents (`#trace.role<cotangent k>`)
      that are used.

    Nothing is kept twice: an argument or an output is not saved besides, of views only the base is saved, and constants
    are made anew. A function without gradients becomes `@f_forward` only. `trace.recompute_barrier`s have done
    their work and go. Gradient rules (private functions) that nothing names any more are dropped.

    ```mlir
    func.func @f(%x) attributes {trace.joint} {     func.func @f_forward(%x) -> (%y, %s saved 0)
      %s = trace.exp %x                               %s = trace.exp %x
      %y = trace.sin %s                               %y = trace.sin %s
      %g = trace.get_grad %y output 0          ->     trace.return outputs(%y, %s)
      %c = trace.cos %s                             func.func @f_backward(%s saved 0, %g cotangent 0) -> (%d gradient 0)
      ..                                              %c = trace.cos %s
      trace.return outputs(%y) gradients(%d) of [0]   ..
    ```

    Precondition: get_grads stand together (`trace-group-get-grads`). Fails, with one error and a note at the cause,
    where an output is computed after the barrier; where the backward reads an argument that the function mutates
    (eager refuses that too); where a name is taken. Remarks (`--remarks-filter=trace-split`) report each saved value
    and the bytes of all.
  }];
  let dependentDialects = ["::mlir::trace::TraceDialect", "::mlir::func::FuncDialect"];
}

#endif
