// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// where: selections, so that a NaN or infinite cotangent of one side does not reach the other.

func.func @where(%c: tensor<4xi1>, %a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad})
    -> tensor<4xf32> {
  %y = trace.where %c, %a, %b : tensor<4xi1>, tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @where(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[WHERE:.*]] = trace.where %[[ARG0]], %[[ARG1]], %[[ARG2]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[WHERE]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[ARG0]], %[[G]], %[[C]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE2:.*]] = trace.where %[[ARG0]], %[[C1]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[WHERE]] : tensor<4xf32>) gradients(%[[WHERE1]], %[[WHERE2]] : tensor<4xf32>, tensor<4xf32>) of [1, 2]

func.func @masked_fill(%c: tensor<4xi1>, %a: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %b = trace.constant dense<-1.0> : tensor<4xf32>
  %y = trace.where %c, %b, %a : tensor<4xi1>, tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @masked_fill(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<-1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[ARG0]], %[[C]], %[[ARG1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[WHERE]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[ARG0]], %[[C1]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[WHERE]] : tensor<4xf32>) gradients(%[[WHERE1]] : tensor<4xf32>) of [1]
