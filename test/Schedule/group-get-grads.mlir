// RUN: trace-opt %s --trace-group-get-grads | FileCheck %s

// What only the backward needs moves behind the barrier, what an output needs in front of it.
// CHECK-LABEL: func.func @interleaved
func.func @interleaved(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  // CHECK-NEXT: %[[Y:.*]] = trace.sin
  // CHECK-NEXT: %[[Z:.*]] = trace.exp
  // CHECK-NEXT: trace.get_grad %[[Y]] output 0
  // CHECK-NEXT: trace.get_grad %[[Z]] output 1
  // CHECK-NEXT: trace.cos
  // CHECK-NEXT: trace.mul
  // CHECK-NEXT: trace.mul
  // CHECK-NEXT: trace.add
  // CHECK-NEXT: trace.return
  %y = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  %c = trace.cos %x : tensor<4xf32>
  %d = trace.mul %g0, %c : tensor<4xf32>
  %z = trace.exp %x : tensor<4xf32>
  %g1 = trace.get_grad %z output 1 : tensor<4xf32>
  %e = trace.mul %g1, %z : tensor<4xf32>
  %s = trace.add %d, %e : tensor<4xf32>
  trace.return outputs(%y, %z : tensor<4xf32>, tensor<4xf32>) gradients(%s : tensor<4xf32>) of [0]
}

// A check raises in the forward, where the user wrote it, even if only the backward reads the indices.
// CHECK-LABEL: func.func @effects
func.func @effects(%x: tensor<4xf32> {trace.requires_grad}, %i: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  // CHECK-NEXT: trace.sin
  // CHECK-NEXT: trace.check_index
  // CHECK-NEXT: trace.get_grad
  // CHECK-NEXT: trace.gather
  %y = trace.sin %x : tensor<4xf32>
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  %c = trace.check_index %i size 4 wrap false : tensor<4xi64>
  %d = trace.gather %g, %c dim 0 : tensor<4xf32>, tensor<4xi64>
  trace.return outputs(%y : tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}

// `return x, x`: an argument has a get_grad for each position.
// CHECK-LABEL: func.func @argument_returned
func.func @argument_returned(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  // CHECK-NEXT: trace.get_grad %arg0 output 1
  // CHECK-NEXT: trace.get_grad %arg0 output 0
  // CHECK-NEXT: trace.add
  %g1 = trace.get_grad %x output 1 : tensor<4xf32>
  %g0 = trace.get_grad %x output 0 : tensor<4xf32>
  %s = trace.add %g0, %g1 : tensor<4xf32>
  trace.return outputs(%x, %x : tensor<4xf32>, tensor<4xf32>) gradients(%s : tensor<4xf32>) of [0]
}

// CHECK-LABEL: func.func @no_gradient
func.func @no_gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: trace.sin
  // CHECK-NEXT: trace.return
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}

// What an impure symbol does happens in the forward, in its order, even if only the backward reads what it gives; one
// that reads a cotangent stays in the backward, read or not.
// CHECK-LABEL: func.func @impure
func.func @impure(%x: tensor<4xf32> {trace.requires_grad}, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  // CHECK-NEXT: %[[Y:.*]] = trace.sin
  // CHECK-NEXT: %[[D:.*]] = trace.bsym "aten.bernoulli.default"
  // CHECK-NEXT: trace.bsym "aten._assert_async.msg"
  // CHECK-NEXT: %[[G:.*]] = trace.get_grad
  // CHECK-NEXT: trace.mul %[[G]], %[[D]]
  // CHECK-NEXT: trace.bsym "aten.bernoulli.default"(%[[G]])
  // CHECK-NEXT: trace.return
  %y = trace.sin %x : tensor<4xf32>
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  %d = trace.bsym "aten.bernoulli.default"(%x) {arguments = [#trace.operand<0>, unit], impure} : (tensor<4xf32>) -> tensor<4xf32>
  %m = trace.mul %g, %d : tensor<4xf32>
  trace.bsym "aten._assert_async.msg"(%c) {arguments = [#trace.operand<0>, "no"], impure} : (tensor<i1>) -> ()
  %e = trace.bsym "aten.bernoulli.default"(%g) {arguments = [#trace.operand<0>, unit], impure} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>) gradients(%m : tensor<4xf32>) of [0]
}
