// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// atan2, hypot, copysign (no gradient towards the sign: zeros).

func.func @atan2(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.atan2 %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @atan2(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ATAN2:.*]] = trace.atan2 %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ATAN2]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ARG1]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL]], %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ADD]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[ARG1]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[C1]], %[[DIV]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[WHERE]] : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[ARG1]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[MUL3]], %[[MUL4]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[EQ1:.*]] = trace.eq %[[ADD1]], %[[C2]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[NEG]], %[[ADD1]] : tensor<4xf32>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[EQ1]], %[[C3]], %[[DIV1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[MUL5:.*]] = trace.mul %[[G]], %[[WHERE1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ATAN2]] : tensor<4xf32>) gradients(%[[MUL2]], %[[MUL5]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @hypot(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.hypot %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @hypot(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[HYPOT:.*]] = trace.hypot %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[HYPOT]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[ARG0]], %[[HYPOT]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[DIV]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[ARG1]], %[[HYPOT]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[DIV1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[HYPOT]] : tensor<4xf32>) gradients(%[[MUL]], %[[MUL1]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @copysign(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.copysign %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @copysign(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[COPYSIGN:.*]] = trace.copysign %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[COPYSIGN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[COPYSIGN]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[C1]], %[[DIV]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[WHERE]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[COPYSIGN]] : tensor<4xf32>) gradients(%[[MUL]], %[[C2]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]
