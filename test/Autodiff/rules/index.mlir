// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --int-range=4
// index: an accumulating index_put into zeros.

func.func @index(%x: tensor<4x5x2xf32> {trace.requires_grad}, %i: tensor<3xi64>, %j: tensor<3xi64>) -> tensor<3x2xf32> {
  %y = trace.index %x[%i, %j] dims [0, 1] : tensor<4x5x2xf32>, tensor<3xi64>, tensor<3xi64> to tensor<3x2xf32>
  trace.return outputs(%y : tensor<3x2xf32>)
}
// CHECK-LABEL: func.func @index(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[INDEX:.*]] = trace.index %[[ARG0]][%[[ARG1]], %[[ARG2]]] dims [0, 1] : tensor<4x5x2xf32>, tensor<3xi64>, tensor<3xi64> to tensor<3x2xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[INDEX]] output 0 : tensor<3x2xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4x5x2xf32>
// CHECK-NEXT: %[[INDEXPUT:.*]] = trace.index_put %[[C]], %[[G]][%[[ARG1]], %[[ARG2]]] dims [0, 1] accumulate true : tensor<4x5x2xf32>, tensor<3x2xf32>, tensor<3xi64>, tensor<3xi64>
// CHECK-NEXT: trace.return outputs(%[[INDEX]] : tensor<3x2xf32>) gradients(%[[INDEXPUT]] : tensor<4x5x2xf32>) of [0]
