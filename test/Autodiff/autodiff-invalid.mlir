// RUN: trace-opt %s --trace-autodiff --split-input-file --verify-diagnostics
// RUN: not trace-opt %s --trace-autodiff --split-input-file -o /dev/null
// Each error stands at the op, with a note at its cause.

func.func @no_rule(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  // expected-error @below {{'trace.bsym' op 'lib.secret.default' has no gradient rule}}
  %y = trace.bsym "lib.secret.default"(%x) {arguments = [#trace.operand<0>]} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{its gradient is asked for through this use}}
  %z = trace.sin %y : tensor<4xf32>
  trace.return outputs(%z : tensor<4xf32>)
}

// -----

func.func @no_rule_of_a_prim(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  // expected-error @below {{'trace.nextafter' op has no gradient rule}}
  %y = trace.nextafter %x, %x : tensor<4xf32>
  // expected-note @below {{its gradient is asked for through this use}}
  trace.return outputs(%y : tensor<4xf32>)
}

// -----

// No gradient asked for: no rule needed.
func.func @no_rule_needed(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.nextafter %x, %x : tensor<4xf32>
  %d = trace.stop_gradient %y : tensor<4xf32>
  %z = trace.add %x, %d : tensor<4xf32>
  trace.return outputs(%z : tensor<4xf32>)
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>> {trace.requires_grad}) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{'trace.mul' op has no gradient rule for complex numbers}}
  %y = trace.mul %x, %x : tensor<4xcomplex<f32>>
  trace.return outputs(%y : tensor<4xcomplex<f32>>)
}

// -----

// expected-error @below {{is a joint already; trace-joint-to-function makes a function of it that can be differentiated again}}
func.func @joint(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  %g = trace.get_grad %x output 0 : tensor<4xf32>
  trace.return outputs(%x : tensor<4xf32>) gradients(%g : tensor<4xf32>) of [0]
}

// -----

// expected-error @below {{with a 'trace.requires_grad' argument must have one block that ends in trace.return}}
func.func @wrong_terminator(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-note @below {{the rule stands here}}
func.func private @fwd(%x: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%x : tensor<4xf32>)
}
func.func private @bwd(%g: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%g : tensor<4xf32>)
}
func.func @rule_of_another_type(%x: tensor<8xf32> {trace.requires_grad}) -> tensor<8xf32> {
  // expected-error @below {{'lib.f.default' has a gradient rule that does not fit: @fwd must take the operands}}
  %y = trace.bsym "lib.f.default"(%x) {arguments = [#trace.operand<0>], vjp_forward = @fwd, vjp_backward = @bwd, vjp_operands = array<i64: 0>}
      : (tensor<8xf32>) -> tensor<8xf32>
  trace.return outputs(%y : tensor<8xf32>)
}

// -----

func.func private @fwd(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %s = trace.slice %x [0] to [2] by [1] : tensor<4xf32>
  trace.return outputs(%x, %s : tensor<4xf32>, tensor<2xf32>)
}
// expected-note @below {{the rule stands here}}
func.func private @bwd(%g: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%g : tensor<4xf32>)
}
func.func @backward_takes_something_else(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  // expected-error @below {{@bwd must take the cotangents of the results, then what @fwd returns for it}}
  %y = trace.bsym "lib.f.default"(%x) {arguments = [#trace.operand<0>], vjp_forward = @fwd, vjp_backward = @bwd, vjp_operands = array<i64: 0>}
      : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}

// -----

func.func private @fwd(%x: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%x : tensor<4xf32>)
}
// expected-note @below {{the rule stands here}}
func.func private @bwd(%g: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%g : tensor<4xf32>)
}
func.func @operand_that_is_not_there(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  // expected-error @below {{vjp_operands names operand 1, which is not there}}
  %y = trace.bsym "lib.f.default"(%x) {arguments = [#trace.operand<0>], vjp_forward = @fwd, vjp_backward = @bwd, vjp_operands = array<i64: 0, 1>}
      : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}

// -----

func.func private @fwd(%p: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.bsym "lib.draw.default"(%p) {arguments = [#trace.operand<0>], impure} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
func.func private @bwd(%g: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%g : tensor<4xf32>)
}
func.func @impure_rule_in_a_checkpoint(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  // expected-note @below {{it stands in this checkpoint, and its gradient rule computes it}}
  %y = trace.checkpoint(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'trace.bsym' op is impure and would be computed again in the backward}}
    %r = trace.bsym "lib.draw.default"(%a) {arguments = [#trace.operand<0>], impure, vjp_forward = @fwd, vjp_backward = @bwd,
         vjp_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
    trace.yield %r : tensor<4xf32>
  }
  trace.return outputs(%y : tensor<4xf32>)
}

// -----

func.func @impure_in_a_checkpoint(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.checkpoint(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'trace.bsym' op 'lib.draw.default' has no gradient rule}}
    %r = trace.bsym "lib.draw.default"(%a) {arguments = [#trace.operand<0>], impure} : (tensor<4xf32>) -> tensor<4xf32>
    trace.yield %r : tensor<4xf32>
  }
  trace.return outputs(%y : tensor<4xf32>)
}
