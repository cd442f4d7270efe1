// RUN: trace-opt %s --trace-verify-joint --verify-diagnostics --split-input-file

func.func @same_position(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  // expected-note@+1 {{the first stands here}}
  %g0 = trace.get_grad %x output 0 : tensor<4xf32>
  // expected-error@+1 {{is the second of output 0}}
  %g1 = trace.get_grad %x output 0 : tensor<4xf32>
  %s = trace.add %g0, %g1 : tensor<4xf32>
  trace.return outputs(%x : tensor<4xf32>) gradients(%s : tensor<4xf32>) of [0]
}

// -----

// expected-note@+1 {{the output is marked 'trace.non_differentiable'}}
func.func @non_differentiable(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32> {trace.non_differentiable}, tensor<4xf32>)
    attributes {trace.joint} {
  // expected-error@+1 {{asks for the cotangent of output 0, which has none}}
  %g0 = trace.get_grad %x output 0 : tensor<4xf32>
  trace.return outputs(%x : tensor<4xf32>) gradients(%g0 : tensor<4xf32>) of [0]
}

// -----

func.func @output_from_cotangent(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %g0 = trace.get_grad %x output 0 : tensor<4xf32>
  // expected-note@+1 {{it is computed here}}
  %d = trace.neg %g0 : tensor<4xf32>
  // expected-error@+1 {{output 1 depends on a cotangent}}
  trace.return outputs(%x, %d : tensor<4xf32>, tensor<4xf32>) gradients(%g0 : tensor<4xf32>) of [0]
}

// -----

func.func @two_gradients(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %g0 = trace.get_grad %x output 0 : tensor<4xf32>
  // expected-error@+1 {{gives two gradients of argument 0}}
  trace.return outputs(%x : tensor<4xf32>) gradients(%g0, %g0 : tensor<4xf32>, tensor<4xf32>) of [0, 0]
}

// -----

// expected-note@+1 {{the argument}}
func.func @unwanted_gradient(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  %g0 = trace.get_grad %x output 0 : tensor<4xf32>
  // expected-error@+1 {{gives a gradient of argument 0, which wants none}}
  trace.return outputs(%x : tensor<4xf32>) gradients(%g0 : tensor<4xf32>) of [0]
}

// -----

// Every gradient has its argument's type (checked by trace.return itself).
func.func @gradient_type(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<2xf32>) attributes {trace.joint} {
  %g0 = trace.get_grad %x output 0 : tensor<4xf32>
  %s = trace.slice %g0 [0] to [2] by [1] : tensor<4xf32>
  // expected-error@+1 {{gradient of argument 0 is 'tensor<2xf32>', but the argument is 'tensor<4xf32>'}}
  trace.return outputs(%x : tensor<4xf32>) gradients(%s : tensor<2xf32>) of [0]
}

// -----

func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is a composite: trace-claim and trace-autodiff leave none in a joint}}
  %0 = trace.bsym "f"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    trace.yield %a : tensor<4xf32>
  }
  trace.return outputs(%0 : tensor<4xf32>)
}
