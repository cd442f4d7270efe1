// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --int-range=5
// scatter: what was overwritten gets zeros.

func.func @scatter(%x: tensor<3x5xf32> {trace.requires_grad}, %i: tensor<3x1xi64>, %s: tensor<3x1xf32> {trace.requires_grad})
    -> tensor<3x5xf32> {
  %y = trace.scatter %x, %i, %s dim 1 : tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>
  trace.return outputs(%y : tensor<3x5xf32>)
}
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SCATTER:.*]] = trace.scatter %[[ARG0]], %[[ARG1]], %[[ARG2]] dim 1 : tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SCATTER]] output 0 : tensor<3x5xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<3x1xf32>
// CHECK-NEXT: %[[SCATTER1:.*]] = trace.scatter %[[G]], %[[ARG1]], %[[C]] dim 1 : tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>
// CHECK-NEXT: %[[GATHER:.*]] = trace.gather %[[G]], %[[ARG1]] dim 1 : tensor<3x5xf32>, tensor<3x1xi64>
// CHECK-NEXT: trace.return outputs(%[[SCATTER]] : tensor<3x5xf32>) gradients(%[[SCATTER1]], %[[GATHER]] : tensor<3x5xf32>, tensor<3x1xf32>) of [0, 2]
