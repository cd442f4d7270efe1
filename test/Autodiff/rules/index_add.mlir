// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --int-range=7
// index_add: the cotangent itself, and what stands at the indices.

func.func @index_add(%x: tensor<7x3xf32> {trace.requires_grad}, %i: tensor<4xi64>, %s: tensor<4x3xf32> {trace.requires_grad})
    -> tensor<7x3xf32> {
  %y = trace.index_add %x, %i, %s dim 0 : tensor<7x3xf32>, tensor<4xi64>, tensor<4x3xf32>
  trace.return outputs(%y : tensor<7x3xf32>)
}
// CHECK-LABEL: func.func @index_add(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[INDEXADD:.*]] = trace.index_add %[[ARG0]], %[[ARG1]], %[[ARG2]] dim 0 : tensor<7x3xf32>, tensor<4xi64>, tensor<4x3xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[INDEXADD]] output 0 : tensor<7x3xf32>
// CHECK-NEXT: %[[TAKE:.*]] = trace.take %[[G]], %[[ARG1]] dim 0 : tensor<7x3xf32>, tensor<4xi64>
// CHECK-NEXT: trace.return outputs(%[[INDEXADD]] : tensor<7x3xf32>) gradients(%[[G]], %[[TAKE]] : tensor<7x3xf32>, tensor<4x3xf32>) of [0, 2]
