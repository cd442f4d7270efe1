//===- Passes.td - Differentiation -----------------------------------------===//
#ifndef TRACE_AUTODIFF_PASSES_TD
#define TRACE_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def Autodiff : Pass<"trace-autodiff", "::mlir::ModuleOp"> {
  let summary = "Makes captured functions joint: get_grads, the backward computation, gradients";
  let description = [{
    Reverse-mode differentiation of each function with a `trace.requires_grad` argument.

    1. *Activity*: a floating-point value is active if it depends on an argument with `trace.requires_grad` through
       floating-point values, not through `trace.stop_gradient`. Only active values get cotangents.
    2. Each output position with an active value gets a `trace.get_grad`, in order, after the last forward op; the
       others get `trace.non_differentiable`. The same value returned twice, or an input returned, is an output
       position like any other.
    3. The ops are walked backwards and their gradient rules (`DifferentiableOpInterface`) build the cotangents of
       their active operands. Cotangents of one value are summed in the order of the walk. A cotangent that nothing
       contributes to is a symbolic zero and is never materialised.
    4. `trace.return` gets the gradients, the function their types, with role `gradient` and the argument's number, and
       the attribute `trace.joint`. An argument that no output depends on has no gradient. One that outputs depend on
       only through operations with zero gradient (`floor`, `sign`) has zeros, as in eager.

    `trace.custom_grad`: the primal is inlined, its `backward` region is inlined on the cotangents. `trace.checkpoint`:
    the body is inlined, and once more in the backward on operands taken through `trace.recompute_barrier`, and only
    this second copy is differentiated. An opaque `trace.bsym` with `vjp_forward` and `vjp_backward` is replaced by the
    bodies of these functions. In each of these, zeros are materialised for absent cotangents of results of which another
    has one. What only matters for differentiation goes: `trace.stop_gradient` is replaced by its operand, remaining
    bound symbols lose their gradient rules, and private functions that were such rules are erased;
    `differentiate-again` keeps these.

    A function none of whose outputs depends on a differentiable argument gets no `trace.joint`: it is a forward only,
    in which these region ops are inlined.

    The maximum that softmax, log_softmax and logsumexp subtract for the range is taken as a constant: its gradient
    is zero in exact arithmetic.

    Run CSE before: a value computed twice is differentiated twice.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
      %y = trace.sin %x : tensor<4xf32>
      trace.return outputs(%y : tensor<4xf32>)
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4xf32> {trace.requires_grad})
        -> (tensor<4xf32>, tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.joint} {
      %y = trace.sin %x : tensor<4xf32>
      %g = trace.get_grad %y output 0 : tensor<4xf32>
      %c = trace.cos %x : tensor<4xf32>
      %d = trace.mul %g, %c : tensor<4xf32>
      trace.return outputs(%y : tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
    }
    ```

    Fails with an error at an op that has an active result with a cotangent but no gradient rule, and on a function
    that is a joint already.
  }];
  let options = [
    Option<"differentiateAgain", "differentiate-again", "bool", "false",
           "Keep trace.stop_gradient and the gradient rules of bound symbols, for differentiating the joint again">,
  ];
  let dependentDialects = ["::mlir::trace::TraceDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def JointToFunction : Pass<"trace-joint-to-function", "::mlir::func::FuncOp"> {
  let summary = "Makes a joint a plain function of inputs and cotangents";
  let description = [{
    Each `trace.get_grad` becomes a trailing argument, in order of its output, with role `cotangent` and
    `trace.requires_grad`; the gradients become outputs after the others. The result can be differentiated again (second
    derivatives), or run by the interpreter. Does nothing to a function that is no joint.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32> {trace.requires_grad})
        -> (tensor<4xf32>, tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.joint} {
      %y = trace.exp %x : tensor<4xf32>
      %g = trace.get_grad %y output 0 : tensor<4xf32>
      %d = trace.mul %g, %y : tensor<4xf32>
      trace.return outputs(%y : tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4xf32> {trace.requires_grad},
                 %g: tensor<4xf32> {trace.requires_grad, trace.role = #trace.role<cotangent 0>})
        -> (tensor<4xf32>, tensor<4xf32> {trace.role = #trace.role<output 1>}) {
      %y = trace.exp %x : tensor<4xf32>
      %d = trace.mul %g, %y : tensor<4xf32>
      trace.return outputs(%y, %d : tensor<4xf32>, tensor<4xf32>)
    }
    ```
  }];
}

#endif
