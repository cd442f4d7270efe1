// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// broadcast_in_dim: sums over what was added or stretched; a dimension of size 1 that stays is not summed.

func.func @row(%x: tensor<8xf32> {trace.requires_grad}) -> tensor<4x8xf32> {
  %y = trace.broadcast_in_dim %x [1] : tensor<8xf32> to tensor<4x8xf32>
  trace.return outputs(%y : tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @row(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[B:.*]] = trace.broadcast_in_dim %[[ARG0]] [1] : tensor<8xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[B]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[G]] [0] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[B]] : tensor<4x8xf32>) gradients(%[[SUM]] : tensor<8xf32>) of [0]

func.func @column(%x: tensor<4x1xf32> {trace.requires_grad}) -> tensor<4x8xf32> {
  %y = trace.broadcast_in_dim %x [0, 1] : tensor<4x1xf32> to tensor<4x8xf32>
  trace.return outputs(%y : tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @column(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[B:.*]] = trace.broadcast_in_dim %[[ARG0]] [0, 1] : tensor<4x1xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[B]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[G]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[RESHAPE:.*]] = trace.reshape %[[SUM]] : tensor<4xf32> to tensor<4x1xf32>
// CHECK-NEXT: trace.return outputs(%[[B]] : tensor<4x8xf32>) gradients(%[[RESHAPE]] : tensor<4x1xf32>) of [0]

func.func @added_and_stretched(%x: tensor<1x3xf32> {trace.requires_grad}) -> tensor<2x4x3xf32> {
  %y = trace.broadcast_in_dim %x [1, 2] : tensor<1x3xf32> to tensor<2x4x3xf32>
  trace.return outputs(%y : tensor<2x4x3xf32>)
}
// CHECK-LABEL: func.func @added_and_stretched(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[B:.*]] = trace.broadcast_in_dim %[[ARG0]] [1, 2] : tensor<1x3xf32> to tensor<2x4x3xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[B]] output 0 : tensor<2x4x3xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[G]] [0, 1] : tensor<2x4x3xf32>
// CHECK-NEXT: %[[RESHAPE:.*]] = trace.reshape %[[SUM]] : tensor<3xf32> to tensor<1x3xf32>
// CHECK-NEXT: trace.return outputs(%[[B]] : tensor<2x4x3xf32>) gradients(%[[RESHAPE]] : tensor<1x3xf32>) of [0]

func.func @scalar(%x: tensor<f32> {trace.requires_grad}) -> tensor<4x8xf32> {
  %y = trace.broadcast_in_dim %x [] : tensor<f32> to tensor<4x8xf32>
  trace.return outputs(%y : tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[B:.*]] = trace.broadcast_in_dim %[[ARG0]] [] : tensor<f32> to tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[B]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[G]] [0, 1] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[B]] : tensor<4x8xf32>) gradients(%[[SUM]] : tensor<f32>) of [0]
