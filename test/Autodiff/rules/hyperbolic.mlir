// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --function=sinh
// RUN: trace-run %s --check-gradients --second-order --function=cosh
// RUN: trace-run %s --check-gradients --second-order --function=tanh
// RUN: trace-run %s --check-gradients --second-order --function=asinh
// RUN: trace-run %s --check-gradients --second-order --function=acosh --range=1.1,3
// RUN: trace-run %s --check-gradients --second-order --function=atanh
// sinh, cosh, tanh, asinh, acosh, atanh.

func.func @sinh(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.sinh %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @sinh(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SINH:.*]] = trace.sinh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SINH]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[COSH:.*]] = trace.cosh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[COSH]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SINH]] : tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @cosh(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.cosh %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @cosh(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[COSH:.*]] = trace.cosh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[COSH]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[SINH:.*]] = trace.sinh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[SINH]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[COSH]] : tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @tanh(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.tanh %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @tanh(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TANH:.*]] = trace.tanh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[TANH]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[TANH]], %[[TANH]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[SUB]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[TANH]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @asinh(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.asinh %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @asinh(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ASINH:.*]] = trace.asinh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ASINH]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[RSQRT:.*]] = trace.rsqrt %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ASINH]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @acosh(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.acosh %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @acosh(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ACOSH:.*]] = trace.acosh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ACOSH]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[MUL]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[RSQRT:.*]] = trace.rsqrt %[[SUB]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ACOSH]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @atanh(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.atanh %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @atanh(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ATANH:.*]] = trace.atanh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ATANH]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[SUB]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ATANH]] : tensor<4xf32>) gradients(%[[DIV]] : tensor<4xf32>) of [0]
