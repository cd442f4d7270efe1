// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --int-range=5
// scatter_add: the cotangent itself, and what stands at the indices.

func.func @scatter_add(%x: tensor<3x5xf32> {trace.requires_grad}, %i: tensor<3x2xi64>, %s: tensor<3x2xf32> {trace.requires_grad})
    -> tensor<3x5xf32> {
  %y = trace.scatter_add %x, %i, %s dim 1 : tensor<3x5xf32>, tensor<3x2xi64>, tensor<3x2xf32>
  trace.return outputs(%y : tensor<3x5xf32>)
}
// CHECK-LABEL: func.func @scatter_add(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SCATTERADD:.*]] = trace.scatter_add %[[ARG0]], %[[ARG1]], %[[ARG2]] dim 1 : tensor<3x5xf32>, tensor<3x2xi64>, tensor<3x2xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SCATTERADD]] output 0 : tensor<3x5xf32>
// CHECK-NEXT: %[[GATHER:.*]] = trace.gather %[[G]], %[[ARG1]] dim 1 : tensor<3x5xf32>, tensor<3x2xi64>
// CHECK-NEXT: trace.return outputs(%[[SCATTERADD]] : tensor<3x5xf32>) gradients(%[[G]], %[[GATHER]] : tensor<3x5xf32>, tensor<3x2xf32>) of [0, 2]
