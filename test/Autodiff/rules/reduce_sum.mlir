// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// reduce_sum: the cotangent is spread over what was summed.

func.func @reduce_sum(%x: tensor<2x3x4xf32> {trace.requires_grad}) -> tensor<3xf32> {
  %y = trace.reduce_sum %x [0, 2] : tensor<2x3x4xf32>
  trace.return outputs(%y : tensor<3xf32>)
}
// CHECK-LABEL: func.func @reduce_sum(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SUM:.*]] = trace.reduce_sum %[[ARG0]] [0, 2] : tensor<2x3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SUM]] output 0 : tensor<3xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[G]] [1] : tensor<3xf32> to tensor<2x3x4xf32>
// CHECK-NEXT: trace.return outputs(%[[SUM]] : tensor<3xf32>) gradients(%[[B]] : tensor<2x3x4xf32>) of [0]
