// RUN: trace-opt %s --trace-group-get-grads --verify-diagnostics --split-input-file

func.func @output_depends_on_cotangent(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  // expected-note@+1 {{the cotangent}}
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  %d = trace.mul %g, %x : tensor<4xf32>
  // expected-error@+1 {{output 1 depends on a cotangent, which exists only after the forward has returned}}
  trace.return outputs(%y, %d : tensor<4xf32>, tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}
