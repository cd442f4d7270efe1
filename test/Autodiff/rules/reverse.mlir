// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// reverse: reversed again.

func.func @reverse(%x: tensor<4x3xf32> {trace.requires_grad}) -> tensor<4x3xf32> {
  %y = trace.reverse %x [0, 1] : tensor<4x3xf32>
  trace.return outputs(%y : tensor<4x3xf32>)
}
// CHECK-LABEL: func.func @reverse(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REVERSE:.*]] = trace.reverse %[[ARG0]] [0, 1] : tensor<4x3xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[REVERSE]] output 0 : tensor<4x3xf32>
// CHECK-NEXT: %[[REVERSE1:.*]] = trace.reverse %[[G]] [0, 1] : tensor<4x3xf32>
// CHECK-NEXT: trace.return outputs(%[[REVERSE]] : tensor<4x3xf32>) gradients(%[[REVERSE1]] : tensor<4x3xf32>) of [0]
