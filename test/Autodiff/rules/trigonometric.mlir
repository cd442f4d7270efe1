// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// sin, cos, tan, asin, acos, atan.

func.func @sin(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @sin(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]] : tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @cos(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.cos %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @cos(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[COS:.*]] = trace.cos %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[COS]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[SIN]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[NEG]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[COS]] : tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @tan(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.tan %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @tan(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TAN:.*]] = trace.tan %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[TAN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[TAN]], %[[TAN]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[TAN]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @asin(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.asin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @asin(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ASIN:.*]] = trace.asin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ASIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[RSQRT:.*]] = trace.rsqrt %[[SUB]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ASIN]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @acos(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.acos %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @acos(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ACOS:.*]] = trace.acos %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ACOS]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[RSQRT:.*]] = trace.rsqrt %[[SUB]] : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[NEG]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ACOS]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @atan(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.atan %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @atan(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ATAN:.*]] = trace.atan %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ATAN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ATAN]] : tensor<4xf32>) gradients(%[[DIV]] : tensor<4xf32>) of [0]
