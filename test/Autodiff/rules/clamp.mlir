// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// clamp: all of it to x within the bounds (inclusive); a bound gets it where it is the result.

func.func @clamp(%x: tensor<4xf32> {trace.requires_grad}, %lo: tensor<4xf32> {trace.requires_grad},
                 %hi: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.clamp %x, %lo, %hi : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @clamp(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CLAMP:.*]] = trace.clamp %[[ARG0]], %[[ARG1]], %[[ARG2]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CLAMP]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[GE:.*]] = trace.ge %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[LE:.*]] = trace.le %[[ARG0]], %[[ARG2]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEAND:.*]] = trace.bitwise_and %[[GE]], %[[LE]] : tensor<4xi1>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[BITWISEAND]], %[[G]], %[[C]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[LT:.*]] = trace.lt %[[ARG1]], %[[ARG2]] : tensor<4xf32>
// CHECK-NEXT: %[[LT1:.*]] = trace.lt %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEAND1:.*]] = trace.bitwise_and %[[LT]], %[[LT1]] : tensor<4xi1>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[BITWISEAND1]], %[[G]], %[[C1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[GT:.*]] = trace.gt %[[ARG0]], %[[ARG2]] : tensor<4xf32>
// CHECK-NEXT: %[[LT2:.*]] = trace.lt %[[ARG2]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEOR:.*]] = trace.bitwise_or %[[GT]], %[[LT2]] : tensor<4xi1>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE2:.*]] = trace.where %[[BITWISEOR]], %[[G]], %[[C2]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[CLAMP]] : tensor<4xf32>) gradients(%[[WHERE]], %[[WHERE1]], %[[WHERE2]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) of [0, 1, 2]

// An infinite bound is not compared with.
func.func @clamp_min(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %lo = trace.constant dense<0.5> : tensor<4xf32>
  %hi = trace.constant dense<0x7F800000> : tensor<4xf32>
  %y = trace.clamp %x, %lo, %hi : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @clamp_min(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0x7F800000> : tensor<4xf32>
// CHECK-NEXT: %[[CLAMP:.*]] = trace.clamp %[[ARG0]], %[[C]], %[[C1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CLAMP]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[GE:.*]] = trace.ge %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[GE]], %[[G]], %[[C2]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[CLAMP]] : tensor<4xf32>) gradients(%[[WHERE]] : tensor<4xf32>) of [0]

func.func @clamp_max(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %lo = trace.constant dense<0xFF800000> : tensor<4xf32>
  %hi = trace.constant dense<0.5> : tensor<4xf32>
  %y = trace.clamp %x, %lo, %hi : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @clamp_max(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<0xFF800000> : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[CLAMP:.*]] = trace.clamp %[[ARG0]], %[[C]], %[[C1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CLAMP]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[LE:.*]] = trace.le %[[ARG0]], %[[C1]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[LE]], %[[G]], %[[C2]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[CLAMP]] : tensor<4xf32>) gradients(%[[WHERE]] : tensor<4xf32>) of [0]
