//===- Passes.td - The contracts of the stages ------------------------------===//
#ifndef TRACE_PIPELINES_PASSES_TD
#define TRACE_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

// The verifier passes change nothing. Each stage ends in its own (design of the stages: include/trace/Pipelines/Stages.h);
// `--verify-stages` runs it after every pass.

def FreezeArguments : Pass<"trace-freeze-arguments", "::mlir::func::FuncOp"> {
  let summary = "Ask for no gradients";
  let description = [{
    Takes `trace.requires_grad` from all arguments of public functions, so that `trace-autodiff` makes a forward only
    (torch.no_grad, torch.inference_mode). Does not fail.

    ```mlir
    func.func @f(%x: tensor<4xf32> {trace.requires_grad})   ->   func.func @f(%x: tensor<4xf32>)
    ```
  }];
}

def VerifyCaptured : Pass<"trace-verify-captured", "::mlir::func::FuncOp"> {
  let summary = "Check the contract of the captured stage";
  let description = [{
    Of each public function that ends in `trace.return`:

    * it gives outputs only, and has neither `trace.joint` nor `trace.side`;
    * it holds nothing that a later stage makes: no `trace.get_grad`, `trace.recompute_barrier`, `trace.fusion`,
      `trace.call`, `trace.call_library`, `trace.release`;
    * roles are sound: positions of inputs and of outputs are all different; `mutated` and `alias` name an argument that
      is there, and a mutated value has its argument's type.

    ```mlir
    func.func @f(%x: tensor<4xf32> {trace.role = #trace.role<input 0>})
        -> (tensor<4xf32> {trace.role = #trace.role<mutated 3>})   // error: no argument 3
    ```
  }];
}

def VerifyJoint : Pass<"trace-verify-joint", "::mlir::func::FuncOp"> {
  let summary = "Check the contract of the joint stage";
  let description = [{
    Of each joint function:

    * there is at most one get_grad for an output position, and none for an output with `trace.non_differentiable`;
    * each argument has at most one gradient, and it has its argument's type;
    * no output depends on a cotangent;
    * composites are gone: no `trace.bsym` with a region, no `trace.custom_grad`, no `trace.checkpoint`.

    Of a public function that is no joint: no get_grads, no gradients.
  }];
}

def VerifyScheduled : Pass<"trace-verify-scheduled", "::mlir::func::FuncOp"> {
  let summary = "Check the contract of the scheduled stage";
  let description = [{
    The contract of the joint stage, and

    * get_grads stand together, without another op between them;
    * no op before them depends on one (that also makes each fusion region stand on one side);
    * recompute_barriers stand behind them.
  }];
}

def VerifySplit : Pass<"trace-verify-split", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the split stage";
  let description = [{
    Of each function with `trace.side`, and of each pair that `trace.forward_symbol` makes:

    * no get_grads, recompute_barriers or `trace.joint` are left;
    * a saved value is computed in the forward (neither an argument nor an output), and returned once; saved values
      are numbered from 0, behind the outputs;
    * each saved value is an argument of the backward, of the same type, and used there;
    * arguments that stand for a forward argument or a forward output have its type; a cotangent has the type of its
      output;
    * each gradient has the type of the forward's argument of which it is the gradient.
  }];
}

#endif
