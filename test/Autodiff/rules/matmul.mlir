// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// matmul: products with the transposed other operand.

func.func @matmul(%a: tensor<2x3xf32> {trace.requires_grad}, %b: tensor<3x4xf32> {trace.requires_grad}) -> tensor<2x4xf32> {
  %y = trace.matmul %a, %b : tensor<2x3xf32>, tensor<3x4xf32>
  trace.return outputs(%y : tensor<2x4xf32>)
}
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[ARG1]] : tensor<2x3xf32>, tensor<3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MATMUL]] output 0 : tensor<2x4xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG1]] [1, 0] : tensor<3x4xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[G]], %[[TRANSPOSE]] : tensor<2x4xf32>, tensor<4x3xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[ARG0]] [1, 0] : tensor<2x3xf32>
// CHECK-NEXT: %[[MATMUL2:.*]] = trace.matmul %[[TRANSPOSE1]], %[[G]] : tensor<3x2xf32>, tensor<2x4xf32>
// CHECK-NEXT: trace.return outputs(%[[MATMUL]] : tensor<2x4xf32>) gradients(%[[MATMUL1]], %[[MATMUL2]] : tensor<2x3xf32>, tensor<3x4xf32>) of [0, 1]

func.func @batched(%a: tensor<5x2x3xf32> {trace.requires_grad}, %b: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %y = trace.matmul %a, %b : tensor<5x2x3xf32>, tensor<5x3x4xf32>
  trace.return outputs(%y : tensor<5x2x4xf32>)
}
// CHECK-LABEL: func.func @batched(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[ARG1]] : tensor<5x2x3xf32>, tensor<5x3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MATMUL]] output 0 : tensor<5x2x4xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG1]] [0, 2, 1] : tensor<5x3x4xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[G]], %[[TRANSPOSE]] : tensor<5x2x4xf32>, tensor<5x4x3xf32>
// CHECK-NEXT: trace.return outputs(%[[MATMUL]] : tensor<5x2x4xf32>) gradients(%[[MATMUL1]] : tensor<5x2x3xf32>) of [0]
