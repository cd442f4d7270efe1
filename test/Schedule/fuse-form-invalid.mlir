// RUN: trace-opt %s --trace-fuse-form --verify-diagnostics

func.func @apart(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  // expected-error@+1 {{stands between two get_grads; trace-group-get-grads puts them together}}
  %c = trace.cos %x : tensor<4xf32>
  // expected-note@+1 {{the get_grad that comes later}}
  %g1 = trace.get_grad %y output 1 : tensor<4xf32>
  %s = trace.add %g0, %g1 : tensor<4xf32>
  %d = trace.mul %s, %c : tensor<4xf32>
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}
