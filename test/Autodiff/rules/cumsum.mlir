// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// cumsum: the running sum from the other end.

func.func @cumsum(%x: tensor<3x4xf32> {trace.requires_grad}) -> tensor<3x4xf32> {
  %y = trace.cumsum %x dim 1 : tensor<3x4xf32>
  trace.return outputs(%y : tensor<3x4xf32>)
}
// CHECK-LABEL: func.func @cumsum(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CUMSUM:.*]] = trace.cumsum %[[ARG0]] dim 1 : tensor<3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CUMSUM]] output 0 : tensor<3x4xf32>
// CHECK-NEXT: %[[REVERSE:.*]] = trace.reverse %[[G]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[CUMSUM1:.*]] = trace.cumsum %[[REVERSE]] dim 1 : tensor<3x4xf32>
// CHECK-NEXT: %[[REVERSE1:.*]] = trace.reverse %[[CUMSUM1]] [1] : tensor<3x4xf32>
// CHECK-NEXT: trace.return outputs(%[[CUMSUM]] : tensor<3x4xf32>) gradients(%[[REVERSE1]] : tensor<3x4xf32>) of [0]

func.func @scalar(%x: tensor<f32> {trace.requires_grad}) -> tensor<f32> {
  %y = trace.cumsum %x dim 0 : tensor<f32>
  trace.return outputs(%y : tensor<f32>)
}
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CUMSUM:.*]] = trace.cumsum %[[ARG0]] dim 0 : tensor<f32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CUMSUM]] output 0 : tensor<f32>
// CHECK-NEXT: trace.return outputs(%[[CUMSUM]] : tensor<f32>) gradients(%[[G]] : tensor<f32>) of [0]
