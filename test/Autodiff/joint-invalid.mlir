// RUN: trace-opt %s --split-input-file --verify-diagnostics
// What a joint must not be.

func.func @not_an_output(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  // expected-error @below {{'trace.get_grad' op operand is not output 0 of the function}}
  %g = trace.get_grad %x output 0 : tensor<4xf32>
  // expected-note @below {{outputs are returned here}}
  trace.return outputs(%y : tensor<4xf32>) gradients(%g : tensor<4xf32>) of [0]
}

// -----

func.func @no_such_output(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  // expected-error @below {{'trace.get_grad' op asks for output 1 of 1}}
  %g = trace.get_grad %x output 1 : tensor<4xf32>
  // expected-note @below {{outputs are returned here}}
  trace.return outputs(%x : tensor<4xf32>) gradients(%g : tensor<4xf32>) of [0]
}

// -----

func.func @integer_cotangent(%x: tensor<4xi64>) -> tensor<4xi64> attributes {trace.joint} {
  // expected-error @below {{only floating-point outputs have a cotangent}}
  %g = trace.get_grad %x output 0 : tensor<4xi64>
  trace.return outputs(%x : tensor<4xi64>)
}

// -----

func.func @wrong_gradient_type(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<2xf32>, tensor<2xf32>) attributes {trace.joint} {
  %y = trace.slice %x [0] to [2] by [1] : tensor<4xf32>
  %g = trace.get_grad %y output 0 : tensor<2xf32>
  // expected-error @below {{gradient of argument 0 is 'tensor<2xf32>', but the argument is 'tensor<4xf32>'}}
  trace.return outputs(%y : tensor<2xf32>) gradients(%g : tensor<2xf32>) of [0]
}

// -----

func.func @missing_operands(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @below {{has 1 operands, but the function has 2 results}}
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @outside_a_joint(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{must stand at the top level of a joint function}}
  %g = trace.get_grad %x output 0 : tensor<4xf32>
  trace.return outputs(%g : tensor<4xf32>)
}
