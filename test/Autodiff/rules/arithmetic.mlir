// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// add, sub, mul, div.

func.func @add(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.add %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @add(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ADD:.*]] = trace.add %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ADD]] output 0 : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ADD]] : tensor<4xf32>) gradients(%[[G]], %[[G]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @sub(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.sub %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @sub(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SUB:.*]] = trace.sub %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SUB]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[G]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SUB]] : tensor<4xf32>) gradients(%[[G]], %[[NEG]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @mul(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.mul %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @mul(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL]] : tensor<4xf32>) gradients(%[[MUL1]], %[[MUL2]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @div(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.div %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @div(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[DIV:.*]] = trace.div %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIV]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[G]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[G]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV2:.*]] = trace.div %[[DIV]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[NEG]], %[[DIV2]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[DIV]] : tensor<4xf32>) gradients(%[[DIV1]], %[[MUL]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]
