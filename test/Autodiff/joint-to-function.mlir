// RUN: trace-opt %s --trace-autodiff --trace-joint-to-function | FileCheck %s
// RUN: trace-opt %s --trace-autodiff --trace-joint-to-function --trace-autodiff | FileCheck %s --check-prefix=SECOND

// Cotangents become arguments in the order of their outputs, gradients plain outputs.
func.func @first(%x: tensor<4xf32> {trace.requires_grad}, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = trace.exp %x : tensor<4xf32>
  %z = trace.mul %x, %c : tensor<4xf32>
  trace.return outputs(%y, %z : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @first(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: %[[ARG3:[^:]*]]:
// CHECK: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ARG3]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[ARG2]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL1]], %[[MUL2]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXP]], %[[MUL]], %[[ADD]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// The second derivative has get_grads of the outputs and of the first gradient.
// SECOND-LABEL: func.func @first
// SECOND-SAME: trace.joint
// SECOND: %[[Y:.*]] = trace.exp
// SECOND: %[[D:.*]] = trace.add
// SECOND-DAG: trace.get_grad %[[Y]] output 0
// SECOND-DAG: trace.get_grad %[[D]] output 2
// SECOND: trace.return {{.*}} of [0, 2, 3]

// Not a joint: untouched.
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.exp %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXP]] : tensor<4xf32>)
