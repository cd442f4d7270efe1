// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --range=0.1,2
// RUN: trace-run %s --check-gradients --second-order --function=square
// RUN: trace-run %s --check-gradients --second-order --function=cube
// RUN: trace-run %s --check-gradients --second-order --function=zeroth_power
// pow: none where the exponent is 0; 0^b does not depend on b for b >= 0. A constant exponent gives the short form.

func.func @pow(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.pow %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @pow(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[POW:.*]] = trace.pow %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[POW]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG1]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[ARG1]], %[[C1]] : tensor<4xf32>
// CHECK-NEXT: %[[POW1:.*]] = trace.pow %[[ARG0]], %[[SUB]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG1]], %[[POW1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[C2]], %[[MUL1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[EQ1:.*]] = trace.eq %[[ARG0]], %[[C3]] : tensor<4xf32>
// CHECK-NEXT: %[[C4:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[GE:.*]] = trace.ge %[[ARG1]], %[[C4]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEAND:.*]] = trace.bitwise_and %[[EQ1]], %[[GE]] : tensor<4xi1>
// CHECK-NEXT: %[[LOG:.*]] = trace.log %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[POW]], %[[LOG]] : tensor<4xf32>
// CHECK-NEXT: %[[C5:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[BITWISEAND]], %[[C5]], %[[MUL2]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[G]], %[[WHERE1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[POW]] : tensor<4xf32>) gradients(%[[WHERE]], %[[MUL3]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @square(%a: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %b = trace.constant dense<2.0> : tensor<4xf32>
  %y = trace.pow %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @square(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[POW:.*]] = trace.pow %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[POW]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[C1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[POW]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @cube(%a: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %b = trace.constant dense<3.0> : tensor<4xf32>
  %y = trace.pow %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @cube(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[POW:.*]] = trace.pow %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[POW]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[MUL]], %[[C1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[POW]] : tensor<4xf32>) gradients(%[[MUL2]] : tensor<4xf32>) of [0]

func.func @zeroth_power(%a: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %b = trace.constant dense<0.0> : tensor<4xf32>
  %y = trace.pow %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @zeroth_power(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[POW:.*]] = trace.pow %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[POW]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[POW]] : tensor<4xf32>) gradients(%[[C1]] : tensor<4xf32>) of [0]
