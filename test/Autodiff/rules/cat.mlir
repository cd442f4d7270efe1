// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// cat: each operand gets its piece; an operand that needs none costs nothing.

func.func @cat(%a: tensor<2x2xf32> {trace.requires_grad}, %b: tensor<2x1xf32>, %c: tensor<2x3xf32> {trace.requires_grad})
    -> tensor<2x6xf32> {
  %y = trace.cat %a, %b, %c dim 1 : tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x3xf32>
  trace.return outputs(%y : tensor<2x6xf32>)
}
// CHECK-LABEL: func.func @cat(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CAT:.*]] = trace.cat %[[ARG0]], %[[ARG1]], %[[ARG2]] dim 1 : tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x3xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CAT]] output 0 : tensor<2x6xf32>
// CHECK-NEXT: %[[SLICE:.*]] = trace.slice %[[G]] [0, 0] to [2, 2] by [1, 1] : tensor<2x6xf32>
// CHECK-NEXT: %[[SLICE1:.*]] = trace.slice %[[G]] [0, 3] to [2, 6] by [1, 1] : tensor<2x6xf32>
// CHECK-NEXT: trace.return outputs(%[[CAT]] : tensor<2x6xf32>) gradients(%[[SLICE]], %[[SLICE1]] : tensor<2x2xf32>, tensor<2x3xf32>) of [0, 2]
