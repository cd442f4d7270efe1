// RUN: trace-opt %s --trace-verify-joint | FileCheck %s

// `return y, y`: two positions, two get_grads.
// CHECK-LABEL: func.func @twice
func.func @twice(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  %g1 = trace.get_grad %y output 1 : tensor<4xf32>
  %s = trace.add %g0, %g1 : tensor<4xf32>
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>) gradients(%s : tensor<4xf32>) of [0]
}
