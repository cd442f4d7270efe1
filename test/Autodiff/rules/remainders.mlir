// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// remainder, fmod.

func.func @remainder(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.remainder %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @remainder(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REMAINDER:.*]] = trace.remainder %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[REMAINDER]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[G]] : tensor<4xf32>
// CHECK-NEXT: %[[DIVFLOOR:.*]] = trace.div_floor %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[NEG]], %[[DIVFLOOR]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[REMAINDER]] : tensor<4xf32>) gradients(%[[G]], %[[MUL]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @fmod(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.fmod %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @fmod(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[FMOD:.*]] = trace.fmod %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[FMOD]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[G]] : tensor<4xf32>
// CHECK-NEXT: %[[DIVTRUNC:.*]] = trace.div_trunc %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[NEG]], %[[DIVTRUNC]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[FMOD]] : tensor<4xf32>) gradients(%[[G]], %[[MUL]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]
