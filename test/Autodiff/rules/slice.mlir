// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// slice: zeros around and between.

func.func @slice(%x: tensor<4x8xf32> {trace.requires_grad}) -> tensor<2x3xf32> {
  %y = trace.slice %x [1, 2] to [3, 8] by [1, 2] : tensor<4x8xf32>
  trace.return outputs(%y : tensor<2x3xf32>)
}
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SLICE:.*]] = trace.slice %[[ARG0]] [1, 2] to [3, 8] by [1, 2] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SLICE]] output 0 : tensor<2x3xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[PAD:.*]] = trace.pad %[[G]], %[[C]] low [1, 2] high [1, 1] interior [0, 1] : tensor<2x3xf32>, tensor<f32>
// CHECK-NEXT: trace.return outputs(%[[SLICE]] : tensor<2x3xf32>) gradients(%[[PAD]] : tensor<4x8xf32>) of [0]

// Nothing taken: zeros without a sum.
func.func @empty(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<0xf32> {
  %y = trace.slice %x [1] to [1] by [1] : tensor<4xf32>
  trace.return outputs(%y : tensor<0xf32>)
}
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SLICE:.*]] = trace.slice %[[ARG0]] [1] to [1] by [1] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SLICE]] output 0 : tensor<0xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SLICE]] : tensor<0xf32>) gradients(%[[C]] : tensor<4xf32>) of [0]
