// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// transpose: the inverse permutation.

func.func @transpose(%x: tensor<2x3x4xf32> {trace.requires_grad}) -> tensor<4x2x3xf32> {
  %y = trace.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  trace.return outputs(%y : tensor<4x2x3xf32>)
}
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG0]] [2, 0, 1] : tensor<2x3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[TRANSPOSE]] output 0 : tensor<4x2x3xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[G]] [1, 2, 0] : tensor<4x2x3xf32>
// CHECK-NEXT: trace.return outputs(%[[TRANSPOSE]] : tensor<4x2x3xf32>) gradients(%[[TRANSPOSE1]] : tensor<2x3x4xf32>) of [0]
