// RUN: trace-opt %s --trace-split --verify-diagnostics --split-input-file

func.func @apart(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  // expected-error@+1 {{stands between two get_grads}}
  %c = trace.cos %x : tensor<4xf32>
  // expected-note@+1 {{the get_grad that comes later}}
  %g1 = trace.get_grad %y output 1 : tensor<4xf32>
  %s = trace.add %g0, %g1 : tensor<4xf32>
  %d = trace.mul %s, %c : tensor<4xf32>
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}

// -----

func.func @late_output(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  // expected-note@+1 {{it is computed here}}
  %z = trace.mul %g0, %x : tensor<4xf32>
  // expected-error@+1 {{output 1 is computed after the barrier}}
  trace.return outputs(%y, %z : tensor<4xf32>, tensor<4xf32>) gradients(%z : tensor<4xf32>) of [0]
}

// -----

func.func @mutated(%x: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> {trace.role = #trace.role<mutated 1>}, tensor<4xf32>) attributes {trace.joint} {
  %y = trace.mul %x, %b : tensor<4xf32>
  %n = trace.add %b, %b : tensor<4xf32>
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  // expected-error@+1 {{in the backward reads argument 1, which the function has mutated by then}}
  %d = trace.mul %g, %b : tensor<4xf32>
  // expected-note@+1 {{its new value is returned here}}
  trace.return outputs(%y, %n : tensor<4xf32>, tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}

// -----

// expected-note@+1 {{it is taken here}}
func.func private @f_backward(%x: tensor<4xf32>) -> tensor<4xf32>
// expected-error@+1 {{cannot be split: the name 'f_backward' is taken}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%x : tensor<4xf32>)
}
