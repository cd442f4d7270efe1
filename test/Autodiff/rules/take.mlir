// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --int-range=7
// take: index_add into zeros.

func.func @embedding(%w: tensor<7x3xf32> {trace.requires_grad}, %i: tensor<2x4xi64>) -> tensor<2x4x3xf32> {
  %y = trace.take %w, %i dim 0 : tensor<7x3xf32>, tensor<2x4xi64>
  trace.return outputs(%y : tensor<2x4x3xf32>)
}
// CHECK-LABEL: func.func @embedding(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TAKE:.*]] = trace.take %[[ARG0]], %[[ARG1]] dim 0 : tensor<7x3xf32>, tensor<2x4xi64>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[TAKE]] output 0 : tensor<2x4x3xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<7x3xf32>
// CHECK-NEXT: %[[INDEXADD:.*]] = trace.index_add %[[C]], %[[ARG1]], %[[G]] dim 0 : tensor<7x3xf32>, tensor<2x4xi64>, tensor<2x4x3xf32>
// CHECK-NEXT: trace.return outputs(%[[TAKE]] : tensor<2x4x3xf32>) gradients(%[[INDEXADD]] : tensor<7x3xf32>) of [0]
