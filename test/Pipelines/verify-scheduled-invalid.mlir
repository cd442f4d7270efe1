// RUN: trace-opt %s --trace-verify-scheduled --verify-diagnostics --split-input-file

// A region between two get_grads reads a value of the other side: it stands on neither.
func.func @region_across(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  // expected-error@+1 {{'trace.fusion' op stands between two get_grads}}
  %d = trace.fusion(%g0) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.neg %a : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  // expected-note@+1 {{the get_grad that comes later}}
  %g1 = trace.get_grad %y output 1 : tensor<4xf32>
  %e = trace.add %d, %g1 : tensor<4xf32>
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>) gradients(%e : tensor<4xf32>) of [0]
}

// -----

func.func @region_reads_outside(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  // expected-note@+1 {{required by region isolation constraints}}
  %d = trace.fusion(%y) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error@+1 {{using value defined outside the region}}
    %s = trace.neg %y : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>) gradients(%g0 : tensor<4xf32>) of [0]
}

// -----

// A fusion that holds a get_grad.
func.func @region_captures(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  // expected-error@+1 {{cannot hold 'trace.get_grad'}}
  %d = trace.fusion(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note@+1 {{the op stands here}}
    %g = trace.get_grad %a output 0 : tensor<4xf32>
    trace.yield %g : tensor<4xf32>
  }
  trace.return outputs(%x : tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}

// -----

func.func @recomputed_in_forward(%x: tensor<4xf32> {trace.requires_grad}, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  // expected-error@+1 {{stands before the barrier: nothing is recomputed in the forward}}
  %x1 = trace.recompute_barrier %x after %y : tensor<4xf32>, tensor<4xf32>
  // expected-note@+1 {{the barrier}}
  %g0 = trace.get_grad %x1 output 0 : tensor<4xf32>
  trace.return outputs(%x1 : tensor<4xf32>) gradients(%g0 : tensor<4xf32>) of [0]
}
