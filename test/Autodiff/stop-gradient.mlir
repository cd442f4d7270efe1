// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-opt %s --trace-autodiff=differentiate-again | FileCheck %s --check-prefix=KEEP

// x * detach(x): the gradient is g * x, once.
func.func @detached_factor(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %d = trace.stop_gradient %x : tensor<4xf32>
  %y = trace.mul %x, %d : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @detached_factor(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]
// KEEP-LABEL: @detached_factor
// KEEP: trace.stop_gradient

// A detached output has no get_grad, its value is the input.
func.func @detached_output(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = trace.sin %x : tensor<4xf32>
  %d = trace.stop_gradient %y : tensor<4xf32>
  trace.return outputs(%y, %d : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @detached_output(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]], %[[SIN]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]
