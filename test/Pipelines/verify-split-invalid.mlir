// RUN: trace-opt %s --trace-verify-split --verify-diagnostics --split-input-file

// expected-error@+1 {{saves its argument 0, which the backward can read as an argument}}
func.func @f_forward(%x: tensor<4xf32>) -> (tensor<4xf32> {trace.role = #trace.role<saved 0>}) attributes {trace.side = "forward"} {
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @f_forward(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {trace.role = #trace.role<saved 0>})
    attributes {trace.side = "forward"} {
  // expected-note@+1 {{the value}}
  %y = trace.sin %x : tensor<4xf32>
  // expected-error@+1 {{keeps a value twice, as results 0 and 1}}
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>)
}

// -----

// expected-error@+1 {{keeps values, but has no backward}}
func.func @f_forward(%x: tensor<4xf32>) -> (tensor<4xf32> {trace.role = #trace.role<saved 0>}) attributes {trace.side = "forward"} {
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}

// -----

// expected-note@+1 {{the forward keeps it}}
func.func @f_forward(%x: tensor<4xf32>) -> (tensor<4xf32> {trace.role = #trace.role<saved 0>}) attributes {trace.side = "forward"} {
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// expected-error@+1 {{does not use saved value 0}}
func.func @f_backward(%s: tensor<4xf32> {trace.role = #trace.role<saved 0>}, %x: tensor<4xf32> {trace.forward_argument = 0 : i64})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f_forward} {
  trace.return outputs() gradients(%x : tensor<4xf32>) of [0]
}

// -----

// expected-error@+1 {{keeps saved value 0 for nothing}}
func.func @f_forward(%x: tensor<4xf32>) -> (tensor<4xf32> {trace.role = #trace.role<saved 0>}) attributes {trace.side = "forward"} {
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// expected-note@+1 {{the backward does not take it}}
func.func @f_backward(%x: tensor<4xf32> {trace.forward_argument = 0 : i64})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f_forward} {
  trace.return outputs() gradients(%x : tensor<4xf32>) of [0]
}

// -----

// expected-note@+1 {{the forward}}
func.func @f_forward(%x: tensor<4xf32>) -> (tensor<4xf32> {trace.role = #trace.role<output 0>}) attributes {trace.side = "forward"} {
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// expected-error@+1 {{argument 0 does not have the type of the forward's output 0}}
func.func @f_backward(%g: tensor<8xf32> {trace.role = #trace.role<cotangent 0>})
    -> (tensor<8xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f_forward} {
  trace.return outputs() gradients(%g : tensor<8xf32>) of [0]
}

// -----

// expected-note@+1 {{the forward}}
func.func @f_forward(%x: tensor<4xf32>) -> (tensor<8xf32> {trace.role = #trace.role<output 0>}) attributes {trace.side = "forward"} {
  %y = trace.cat %x, %x dim 0 : tensor<4xf32>, tensor<4xf32>
  trace.return outputs(%y : tensor<8xf32>)
}
// expected-error@+1 {{result 0 does not have the type of the forward's argument 0, of which it is the gradient}}
func.func @f_backward(%g: tensor<8xf32> {trace.role = #trace.role<cotangent 0>})
    -> (tensor<8xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f_forward} {
  trace.return outputs() gradients(%g : tensor<8xf32>) of [0]
}

// -----

func.func @f_forward(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.side = "forward"} {
  trace.return outputs(%x : tensor<4xf32>)
}
// expected-error@+1 {{argument 0 does not say where its value comes from}}
func.func @f_backward(%g: tensor<4xf32>)
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f_forward} {
  trace.return outputs() gradients(%g : tensor<4xf32>) of [0]
}

// -----

// expected-error@+1 {{'trace.side' must be "forward" or "backward"}}
func.func @sideways(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.side = "sideways"} {
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

// expected-error@+1 {{names a forward @nobody that is not there}}
func.func @f_backward(%g: tensor<4xf32> {trace.role = #trace.role<cotangent 0>})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @nobody} {
  trace.return outputs() gradients(%g : tensor<4xf32>) of [0]
}
