// RUN: trace-opt %s --trace-verify-scheduled | FileCheck %s

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  %g1 = trace.get_grad %y output 1 : tensor<4xf32>
  %x1 = trace.recompute_barrier %x after %g0 : tensor<4xf32>, tensor<4xf32>
  %d = trace.fusion(%g0, %g1, %x1) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %s = trace.add %a, %b : tensor<4xf32>
    %cos = trace.cos %c : tensor<4xf32>
    %m = trace.mul %s, %cos : tensor<4xf32>
    trace.yield %m : tensor<4xf32>
  }
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}
