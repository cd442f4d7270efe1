// RUN: trace-opt %s --trace-split --split-input-file | FileCheck %s --enable-var-scope

// Splitting removes from the backward all that it does not need, and from the forward all that only the backward
// needed. Values that are inputs or outputs are not saved again.
// CHECK-LABEL: func.func @halves_forward(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32> {trace.requires_grad, trace.role = #trace.role<input 0>}
// CHECK-SAME: -> (tensor<4x4xf32> {trace.role = #trace.role<output 0>}, tensor<4x8xf32> {trace.role = #trace.role<output 1>},
// CHECK-SAME: tensor<4x8xf32> {trace.role = #trace.role<saved 0>})
// CHECK-SAME: trace.side = "forward"
// CHECK-NEXT: %[[S:.*]] = trace.exp %[[X]]
// CHECK-NEXT: %[[T:.*]] = trace.transpose %{{.*}}
// CHECK-NEXT: %[[M:.*]] = trace.matmul %[[S]], %[[T]]
// CHECK-NEXT: %[[E:.*]] = trace.tanh %[[X]]
// CHECK-NEXT: trace.return outputs(%[[M]], %[[E]], %[[S]] :
// CHECK-LABEL: func.func @halves_backward(
// CHECK-SAME: %[[S:.*]]: tensor<4x8xf32> {trace.role = #trace.role<saved 0>},
// CHECK-SAME: %[[W:.*]]: tensor<4x8xf32> {trace.forward_argument = 1 : i64, trace.role = #trace.role<parameter "w">},
// CHECK-SAME: %[[E:.*]]: tensor<4x8xf32> {trace.forward_output = 1 : i64, trace.role = #trace.role<output 1>},
// CHECK-SAME: %[[G0:.*]]: tensor<4x4xf32> {trace.role = #trace.role<cotangent 0>},
// CHECK-SAME: %[[G1:.*]]: tensor<4x8xf32> {trace.role = #trace.role<cotangent 1>})
// CHECK-SAME: -> (tensor<4x8xf32> {trace.role = #trace.role<gradient 0>})
// CHECK-SAME: trace.forward_symbol = @halves_forward, trace.side = "backward"
// CHECK-NEXT: trace.matmul %[[G0]], %[[W]]
// CHECK-NEXT: trace.mul %{{.*}}, %[[S]]
// CHECK-NEXT: trace.mul %[[G1]], %[[E]]
// CHECK-NEXT: trace.add
// CHECK-NEXT: trace.return outputs() gradients({{.*}}) of [0]
func.func @halves(%x: tensor<4x8xf32> {trace.role = #trace.role<input 0>, trace.requires_grad},
                  %w: tensor<4x8xf32> {trace.role = #trace.role<parameter "w">})
    -> (tensor<4x4xf32> {trace.role = #trace.role<output 0>}, tensor<4x8xf32> {trace.role = #trace.role<output 1>},
        tensor<4x8xf32>) attributes {trace.joint} {
  %s = trace.exp %x : tensor<4x8xf32>
  %t = trace.transpose %w [1, 0] : tensor<4x8xf32>
  %m = trace.matmul %s, %t : tensor<4x8xf32>, tensor<8x4xf32>
  %only_backward = trace.sinh %x : tensor<4x8xf32>
  %e = trace.tanh %x : tensor<4x8xf32>
  %g0 = trace.get_grad %m output 0 : tensor<4x4xf32>
  %g1 = trace.get_grad %e output 1 : tensor<4x8xf32>
  %unused = trace.cos %only_backward : tensor<4x8xf32>
  %d0 = trace.matmul %g0, %w : tensor<4x4xf32>, tensor<4x8xf32>
  %d1 = trace.mul %d0, %s : tensor<4x8xf32>
  %d2 = trace.mul %g1, %e : tensor<4x8xf32>
  %d = trace.add %d1, %d2 : tensor<4x8xf32>
  trace.return outputs(%m, %e : tensor<4x4xf32>, tensor<4x8xf32>) gradients(%d : tensor<4x8xf32>) of [0]
}

// -----

// A saved value is not kept twice, nor as two views of one buffer; a constant is made anew.
// CHECK-LABEL: func.func @views_forward(
// CHECK-SAME: -> (tensor<4x4xf32>, tensor<4x8xf32> {trace.role = #trace.role<saved 0>})
// CHECK-LABEL: func.func @views_backward(
// CHECK-SAME: %[[S:.*]]: tensor<4x8xf32> {trace.role = #trace.role<saved 0>}, %[[G:.*]]: tensor<4x4xf32> {trace.role = #trace.role<cotangent 0>})
// CHECK-NEXT: trace.constant
// CHECK-NEXT: trace.reshape %[[S]]
// CHECK-NEXT: trace.transpose %[[S]]
func.func @views(%x: tensor<4x8xf32> {trace.requires_grad}) -> (tensor<4x4xf32>, tensor<4x8xf32>) attributes {trace.joint} {
  %one = trace.constant dense<1.0> : tensor<32xf32>
  %s = trace.exp %x : tensor<4x8xf32>
  %flat = trace.reshape %s : tensor<4x8xf32> to tensor<32xf32>
  %t = trace.transpose %s [1, 0] : tensor<4x8xf32>
  %m = trace.matmul %s, %t : tensor<4x8xf32>, tensor<8x4xf32>
  %g = trace.get_grad %m output 0 : tensor<4x4xf32>
  %dt = trace.matmul %t, %g : tensor<8x4xf32>, tensor<4x4xf32>
  %b = trace.transpose %dt [1, 0] : tensor<8x4xf32>
  %f = trace.add %flat, %one : tensor<32xf32>
  %u = trace.reshape %f : tensor<32xf32> to tensor<4x8xf32>
  %d = trace.mul %b, %u : tensor<4x8xf32>
  trace.return outputs(%m : tensor<4x4xf32>) gradients(%d : tensor<4x8xf32>) of [0]
}

// -----

// recompute_barriers go; what they protect reads the saved value; `after` alone does not keep a cotangent.
// CHECK-LABEL: func.func @recomputed_forward(
// CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-LABEL: func.func @recomputed_backward(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {trace.forward_argument = 0 : i64}, %[[G:.*]]: tensor<4xf32> {trace.role = #trace.role<cotangent 1>})
// CHECK-NEXT: %[[Y:.*]] = trace.sin %[[X]]
// CHECK-NEXT: trace.mul %[[Y]], %[[G]]
func.func @recomputed(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %z = trace.exp %y : tensor<4xf32>
  %g0 = trace.get_grad %z output 0 : tensor<4xf32>
  %g1 = trace.get_grad %z output 1 : tensor<4xf32>
  %x1 = trace.recompute_barrier %x after %g0 : tensor<4xf32>, tensor<4xf32>
  %y1 = trace.sin %x1 : tensor<4xf32>
  %d = trace.mul %y1, %g1 : tensor<4xf32>
  trace.return outputs(%z, %z : tensor<4xf32>, tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}

// -----

// A function none of whose outputs depends on a differentiable input: a forward function only. A rule that nothing
// names any more goes.
// CHECK-NOT: @rule
// CHECK-LABEL: func.func @plain_forward(
// CHECK-NOT: _backward
// CHECK-NOT: vjp_forward
func.func private @rule_forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
func.func private @rule_backward(%g: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%g : tensor<4xf32>)
}
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.bsym "user.op"(%x) {arguments = [#trace.operand<0>], vjp_forward = @rule_forward, vjp_backward = @rule_backward}
       : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}

// -----

// An argument returned as output is read as an argument, and a gradient may be a cotangent itself.
// CHECK-LABEL: func.func @identity_forward(
// CHECK-NEXT: trace.return outputs(%arg0 : tensor<4xf32>)
// CHECK-LABEL: func.func @identity_backward(
// CHECK-SAME: %[[G:.*]]: tensor<4xf32> {trace.role = #trace.role<cotangent 0>})
// CHECK-NEXT: trace.return outputs() gradients(%[[G]] : tensor<4xf32>) of [0]
func.func @identity(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  %g = trace.get_grad %x output 0 : tensor<4xf32>
  trace.return outputs(%x : tensor<4xf32>) gradients(%g : tensor<4xf32>) of [0]
}

// -----

// Impure symbols stay on their side, each once, though nothing reads what they give.
// CHECK-LABEL: func.func @impure_forward(
// CHECK-NEXT: %[[D:.*]] = trace.bsym "aten.bernoulli.default"
// CHECK-NEXT: trace.bsym "aten._assert_async.msg"
// CHECK-NEXT: %[[Y:.*]] = trace.sin
// CHECK-NEXT: trace.return outputs(%[[Y]], %[[D]] :
// CHECK-LABEL: func.func @impure_backward(
// CHECK-SAME: %[[D:.*]]: tensor<4xf32> {trace.role = #trace.role<saved 0>},
// CHECK-SAME: %[[G:.*]]: tensor<4xf32> {trace.role = #trace.role<cotangent 0>})
// CHECK-DAG: trace.bsym "aten.bernoulli.default"(%[[G]])
// CHECK-DAG: trace.mul %[[G]], %[[D]]
// CHECK: trace.return
func.func @impure(%x: tensor<4xf32> {trace.role = #trace.role<input 0>, trace.requires_grad}, %c: tensor<i1> {trace.role = #trace.role<input 1>})
    -> (tensor<4xf32> {trace.role = #trace.role<output 0>}, tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.joint} {
  %d = trace.bsym "aten.bernoulli.default"(%x) {arguments = [#trace.operand<0>, unit], impure} : (tensor<4xf32>) -> tensor<4xf32>
  trace.bsym "aten._assert_async.msg"(%c) {arguments = [#trace.operand<0>, "no"], impure} : (tensor<i1>) -> ()
  %y = trace.sin %x : tensor<4xf32>
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  %e = trace.bsym "aten.bernoulli.default"(%g) {arguments = [#trace.operand<0>, unit], impure} : (tensor<4xf32>) -> tensor<4xf32>
  %m = trace.mul %g, %d : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>) gradients(%m : tensor<4xf32>) of [0]
}
