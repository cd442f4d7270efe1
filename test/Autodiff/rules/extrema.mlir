// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// maximum, minimum: half each at ties. fmax, fmin: all to the first at ties, a NaN loses.

func.func @maximum(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.maximum %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @maximum(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MAXIMUM:.*]] = trace.maximum %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MAXIMUM]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[LT:.*]] = trace.lt %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[MUL]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[LT]], %[[C1]], %[[WHERE]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[LT1:.*]] = trace.lt %[[ARG1]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[EQ1:.*]] = trace.eq %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[C2]] : tensor<4xf32>
// CHECK-NEXT: %[[WHERE2:.*]] = trace.where %[[EQ1]], %[[MUL1]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE3:.*]] = trace.where %[[LT1]], %[[C3]], %[[WHERE2]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MAXIMUM]] : tensor<4xf32>) gradients(%[[WHERE1]], %[[WHERE3]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @minimum(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.minimum %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @minimum(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MINIMUM:.*]] = trace.minimum %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MINIMUM]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[GT:.*]] = trace.gt %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[MUL]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[GT]], %[[C1]], %[[WHERE]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[GT1:.*]] = trace.gt %[[ARG1]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[EQ1:.*]] = trace.eq %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[C2]] : tensor<4xf32>
// CHECK-NEXT: %[[WHERE2:.*]] = trace.where %[[EQ1]], %[[MUL1]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE3:.*]] = trace.where %[[GT1]], %[[C3]], %[[WHERE2]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MINIMUM]] : tensor<4xf32>) gradients(%[[WHERE1]], %[[WHERE3]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @fmax(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.fmax %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @fmax(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[FMAX:.*]] = trace.fmax %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[FMAX]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[GE:.*]] = trace.ge %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[ISNAN:.*]] = trace.isnan %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEOR:.*]] = trace.bitwise_or %[[GE]], %[[ISNAN]] : tensor<4xi1>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[BITWISEOR]], %[[G]], %[[C]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[GE1:.*]] = trace.ge %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[ISNAN1:.*]] = trace.isnan %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEOR1:.*]] = trace.bitwise_or %[[GE1]], %[[ISNAN1]] : tensor<4xi1>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[BITWISEOR1]], %[[C1]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[FMAX]] : tensor<4xf32>) gradients(%[[WHERE]], %[[WHERE1]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @fmin(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.fmin %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @fmin(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[FMIN:.*]] = trace.fmin %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[FMIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[LE:.*]] = trace.le %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[ISNAN:.*]] = trace.isnan %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEOR:.*]] = trace.bitwise_or %[[LE]], %[[ISNAN]] : tensor<4xi1>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[BITWISEOR]], %[[G]], %[[C]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[LE1:.*]] = trace.le %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[ISNAN1:.*]] = trace.isnan %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEOR1:.*]] = trace.bitwise_or %[[LE1]], %[[ISNAN1]] : tensor<4xi1>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[BITWISEOR1]], %[[C1]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[FMIN]] : tensor<4xf32>) gradients(%[[WHERE]], %[[WHERE1]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]
