//===- Passes.td - Claims --------------------------------------------------===//
#ifndef TRACE_EXECUTORS_PASSES_TD
#define TRACE_EXECUTORS_PASSES_TD

include "mlir/Pass/PassBase.td"

def Claim : Pass<"trace-claim", "::mlir::ModuleOp"> {
  let summary = "Executors claim bound symbols; the others are replaced by their decompositions";
  let description = [{
    The executors of the registry (trace/Executors/Registry.h) are asked in order of their priority. The first that
    takes a `trace.bsym` owns it: the op stays, with `trace.executor` naming the executor. An op that nobody takes is
    replaced by its region, whose bound symbols are then offered in their turn. Inlined ops keep their locations; an
    unknown one becomes the bound symbol's location under its name. Regions of `trace.custom_grad` and
    `trace.checkpoint`, and gradient-rule functions, are gone through too.

    Built in: `fusion`, which takes nothing whole (the code generator works on prims), and `aten`, which takes opaque
    symbols with `arguments` and a schema name `namespace.operator.overload`.

    Each claim and each inlining is a remark of category `trace-claim` (`--remarks-filter=trace-claim`).

    Before:
    ```mlir
    %0 = trace.bsym "torch.nn.functional.silu"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %s = trace.sigmoid %a : tensor<4xf32>
      %r = trace.mul %a, %s : tensor<4xf32>
      trace.yield %r : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    %s = trace.sigmoid %x : tensor<4xf32>
    %r = trace.mul %x, %s : tensor<4xf32>
    ```

    Fails with an error at an opaque bound symbol that nobody takes, and where `executors` names an unknown executor.
  }];
  let options = [
    ListOption<"executors", "executors", "std::string",
               "Executors to ask, in this order (default: all registered, by priority)">,
  ];
  let dependentDialects = ["::mlir::trace::TraceDialect"];
}

#endif
