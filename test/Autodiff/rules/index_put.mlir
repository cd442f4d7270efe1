// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --int-range=4
// index_put: what was overwritten gets zeros; where it accumulates, the cotangent itself.

func.func @overwrite(%x: tensor<4x2xf32> {trace.requires_grad}, %s: tensor<1x2xf32> {trace.requires_grad}, %i: tensor<1xi64>)
    -> tensor<4x2xf32> {
  %y = trace.index_put %x, %s[%i] dims [0] accumulate false : tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xi64>
  trace.return outputs(%y : tensor<4x2xf32>)
}
// CHECK-LABEL: func.func @overwrite(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[INDEXPUT:.*]] = trace.index_put %[[ARG0]], %[[ARG1]][%[[ARG2]]] dims [0] accumulate false : tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xi64>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[INDEXPUT]] output 0 : tensor<4x2xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<1x2xf32>
// CHECK-NEXT: %[[INDEXPUT1:.*]] = trace.index_put %[[G]], %[[C]][%[[ARG2]]] dims [0] accumulate false : tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xi64>
// CHECK-NEXT: %[[INDEX:.*]] = trace.index %[[G]][%[[ARG2]]] dims [0] : tensor<4x2xf32>, tensor<1xi64> to tensor<1x2xf32>
// CHECK-NEXT: trace.return outputs(%[[INDEXPUT]] : tensor<4x2xf32>) gradients(%[[INDEXPUT1]], %[[INDEX]] : tensor<4x2xf32>, tensor<1x2xf32>) of [0, 1]

func.func @accumulate(%x: tensor<4x2xf32> {trace.requires_grad}, %s: tensor<3x2xf32> {trace.requires_grad}, %i: tensor<3xi64>)
    -> tensor<4x2xf32> {
  %y = trace.index_put %x, %s[%i] dims [0] accumulate true : tensor<4x2xf32>, tensor<3x2xf32>, tensor<3xi64>
  trace.return outputs(%y : tensor<4x2xf32>)
}
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[INDEXPUT:.*]] = trace.index_put %[[ARG0]], %[[ARG1]][%[[ARG2]]] dims [0] accumulate true : tensor<4x2xf32>, tensor<3x2xf32>, tensor<3xi64>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[INDEXPUT]] output 0 : tensor<4x2xf32>
// CHECK-NEXT: %[[INDEX:.*]] = trace.index %[[G]][%[[ARG2]]] dims [0] : tensor<4x2xf32>, tensor<3xi64> to tensor<3x2xf32>
// CHECK-NEXT: trace.return outputs(%[[INDEXPUT]] : tensor<4x2xf32>) gradients(%[[G]], %[[INDEX]] : tensor<4x2xf32>, tensor<3x2xf32>) of [0, 1]
