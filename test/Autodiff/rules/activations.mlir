// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// sigmoid, relu: the result is enough; relu gives 0 at 0 and lets the cotangent through at NaN.

func.func @sigmoid(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.sigmoid %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @sigmoid(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIGMOID:.*]] = trace.sigmoid %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIGMOID]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[SIGMOID]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[SUB]], %[[SIGMOID]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIGMOID]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @relu(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.relu %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @relu(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[RELU:.*]] = trace.relu %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[RELU]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[LE:.*]] = trace.le %[[RELU]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[LE]], %[[C1]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[RELU]] : tensor<4xf32>) gradients(%[[WHERE]] : tensor<4xf32>) of [0]
