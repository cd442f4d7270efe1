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

// A linear layer: the gradient of the weight is a product in the weight's own layout, without transposed results.
func.func @linear(%x: tensor<4x3xf32> {trace.requires_grad}, %w: tensor<2x3xf32> {trace.requires_grad}) -> tensor<4x2xf32> {
  %t = trace.transpose %w [1, 0] : tensor<2x3xf32>
  %y = trace.matmul %x, %t : tensor<4x3xf32>, tensor<3x2xf32>
  trace.return outputs(%y : tensor<4x2xf32>)
}
// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG1]] [1, 0] : tensor<2x3xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[TRANSPOSE]] : tensor<4x3xf32>, tensor<3x2xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MATMUL]] output 0 : tensor<4x2xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[G]], %[[ARG1]] : tensor<4x2xf32>, tensor<2x3xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[G]] [1, 0] : tensor<4x2xf32>
// CHECK-NEXT: %[[MATMUL2:.*]] = trace.matmul %[[TRANSPOSE1]], %[[ARG0]] : tensor<2x4xf32>, tensor<4x3xf32>
// CHECK-NEXT: %[[TRANSPOSE2:.*]] = trace.transpose %[[MATMUL2]] [1, 0] : tensor<2x3xf32>
// CHECK-NEXT: trace.return outputs(%[[MATMUL]] : tensor<4x2xf32>) gradients(%[[MATMUL1]], %[[MATMUL2]] : tensor<4x3xf32>, tensor<2x3xf32>) of [0, 1]

// The same on the left, with batches.
func.func @transposed_on_the_left(%a: tensor<5x3x2xf32> {trace.requires_grad}, %b: tensor<5x3x4xf32> {trace.requires_grad})
    -> tensor<5x2x4xf32> {
  %t = trace.transpose %a [0, 2, 1] : tensor<5x3x2xf32>
  %y = trace.matmul %t, %b : tensor<5x2x3xf32>, tensor<5x3x4xf32>
  trace.return outputs(%y : tensor<5x2x4xf32>)
}
// CHECK-LABEL: func.func @transposed_on_the_left(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG0]] [0, 2, 1] : tensor<5x3x2xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = trace.matmul %[[TRANSPOSE]], %[[ARG1]] : tensor<5x2x3xf32>, tensor<5x3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MATMUL]] output 0 : tensor<5x2x4xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[G]] [0, 2, 1] : tensor<5x2x4xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[ARG1]], %[[TRANSPOSE1]] : tensor<5x3x4xf32>, tensor<5x4x2xf32>
// CHECK-NEXT: %[[TRANSPOSE2:.*]] = trace.transpose %[[MATMUL1]] [0, 2, 1] : tensor<5x3x2xf32>
// CHECK-NEXT: %[[MATMUL2:.*]] = trace.matmul %[[ARG0]], %[[G]] : tensor<5x3x2xf32>, tensor<5x2x4xf32>
// CHECK-NEXT: trace.return outputs(%[[MATMUL]] : tensor<5x2x4xf32>) gradients(%[[MATMUL1]], %[[MATMUL2]] : tensor<5x3x2xf32>, tensor<5x3x4xf32>) of [0, 1]

// Attention's keys: the batch dimensions are merged behind the transposition.
func.func @keys(%q: tensor<6x5x4xf32> {trace.requires_grad}, %k: tensor<2x3x5x4xf32> {trace.requires_grad}) -> tensor<6x5x5xf32> {
  %t = trace.transpose %k [0, 1, 3, 2] : tensor<2x3x5x4xf32>
  %m = trace.reshape %t : tensor<2x3x4x5xf32> to tensor<6x4x5xf32>
  %y = trace.matmul %q, %m : tensor<6x5x4xf32>, tensor<6x4x5xf32>
  trace.return outputs(%y : tensor<6x5x5xf32>)
}
// CHECK-LABEL: func.func @keys(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG1]] [0, 1, 3, 2] : tensor<2x3x5x4xf32>
// CHECK-NEXT: %[[RESHAPE:.*]] = trace.reshape %[[TRANSPOSE]] : tensor<2x3x4x5xf32> to tensor<6x4x5xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[RESHAPE]] : tensor<6x5x4xf32>, tensor<6x4x5xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MATMUL]] output 0 : tensor<6x5x5xf32>
// CHECK-NEXT: %[[RESHAPE1:.*]] = trace.reshape %[[ARG1]] : tensor<2x3x5x4xf32> to tensor<6x5x4xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[G]], %[[RESHAPE1]] : tensor<6x5x5xf32>, tensor<6x5x4xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[G]] [0, 2, 1] : tensor<6x5x5xf32>
// CHECK-NEXT: %[[MATMUL2:.*]] = trace.matmul %[[TRANSPOSE1]], %[[ARG0]] : tensor<6x5x5xf32>, tensor<6x5x4xf32>
// CHECK-NEXT: %[[TRANSPOSE2:.*]] = trace.transpose %[[MATMUL2]] [0, 2, 1] : tensor<6x5x4xf32>
// CHECK-NEXT: %[[RESHAPE2:.*]] = trace.reshape %[[MATMUL2]] : tensor<6x5x4xf32> to tensor<2x3x5x4xf32>
// CHECK-NEXT: %[[TRANSPOSE3:.*]] = trace.transpose %[[RESHAPE2]] [0, 1, 3, 2] : tensor<2x3x5x4xf32>
// CHECK-NEXT: trace.return outputs(%[[MATMUL]] : tensor<6x5x5xf32>) gradients(%[[MATMUL1]], %[[RESHAPE2]] : tensor<6x5x4xf32>, tensor<2x3x5x4xf32>) of [0, 1]
