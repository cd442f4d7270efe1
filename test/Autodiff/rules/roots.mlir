// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --range=0.1,2
// sqrt, rsqrt, reciprocal use the result.

func.func @sqrt(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.sqrt %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @sqrt(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SQRT:.*]] = trace.sqrt %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SQRT]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[SQRT]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SQRT]] : tensor<4xf32>) gradients(%[[DIV]] : tensor<4xf32>) of [0]

func.func @rsqrt(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.rsqrt %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @rsqrt(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[RSQRT:.*]] = trace.rsqrt %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[RSQRT]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[RSQRT]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[MUL]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<-5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[MUL1]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[G]], %[[MUL2]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[RSQRT]] : tensor<4xf32>) gradients(%[[MUL3]] : tensor<4xf32>) of [0]

func.func @reciprocal(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.reciprocal %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @reciprocal(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[RECIPROCAL:.*]] = trace.reciprocal %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[RECIPROCAL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[RECIPROCAL]], %[[RECIPROCAL]] : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[NEG]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[RECIPROCAL]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]
