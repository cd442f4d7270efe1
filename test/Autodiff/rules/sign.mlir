// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// abs, neg.

func.func @abs(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.abs %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @abs(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ABS:.*]] = trace.abs %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ABS]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[SIGN:.*]] = trace.sign %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[SIGN]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ABS]] : tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @neg(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.neg %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @neg(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[NEG:.*]] = trace.neg %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[NEG]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[NEG1:.*]] = trace.neg %[[G]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[NEG]] : tensor<4xf32>) gradients(%[[NEG1]] : tensor<4xf32>) of [0]
