// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// reduce_max, reduce_min: shared equally among ties.

func.func @reduce_max(%x: tensor<3x4xf32> {trace.requires_grad}) -> tensor<3xf32> {
  %y = trace.reduce_max %x [1] : tensor<3x4xf32>
  trace.return outputs(%y : tensor<3xf32>)
}
// CHECK-LABEL: func.func @reduce_max(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REDUCEMAX:.*]] = trace.reduce_max %[[ARG0]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[REDUCEMAX]] output 0 : tensor<3xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[REDUCEMAX]] [0] : tensor<3xf32> to tensor<3x4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[B]] : tensor<3x4xf32>
// CHECK-NEXT: %[[CONVERT:.*]] = trace.convert %[[EQ]] : tensor<3x4xi1> to tensor<3x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[CONVERT]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[SUM]] : tensor<3xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[DIV]] [0] : tensor<3xf32> to tensor<3x4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[B1]], %[[CONVERT]] : tensor<3x4xf32>
// CHECK-NEXT: trace.return outputs(%[[REDUCEMAX]] : tensor<3xf32>) gradients(%[[MUL]] : tensor<3x4xf32>) of [0]

func.func @reduce_min(%x: tensor<3x4xf32> {trace.requires_grad}) -> tensor<f32> {
  %y = trace.reduce_min %x [0, 1] : tensor<3x4xf32>
  trace.return outputs(%y : tensor<f32>)
}
// CHECK-LABEL: func.func @reduce_min(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REDUCEMIN:.*]] = trace.reduce_min %[[ARG0]] [0, 1] : tensor<3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[REDUCEMIN]] output 0 : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[REDUCEMIN]] [] : tensor<f32> to tensor<3x4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[B]] : tensor<3x4xf32>
// CHECK-NEXT: %[[CONVERT:.*]] = trace.convert %[[EQ]] : tensor<3x4xi1> to tensor<3x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[CONVERT]] [0, 1] : tensor<3x4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[SUM]] : tensor<f32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[DIV]] [] : tensor<f32> to tensor<3x4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[B1]], %[[CONVERT]] : tensor<3x4xf32>
// CHECK-NEXT: trace.return outputs(%[[REDUCEMIN]] : tensor<f32>) gradients(%[[MUL]] : tensor<3x4xf32>) of [0]
