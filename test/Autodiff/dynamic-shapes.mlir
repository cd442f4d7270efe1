// RUN: trace-opt %s --trace-autodiff --cse | FileCheck %s
// Constants of the gradient take dynamic sizes from the values that they meet.

func.func @dynamic(%x: tensor<?x8xf32> {trace.requires_grad}, %w: tensor<8x?xf32> {trace.requires_grad}) -> tensor<?x?xf32> {
  %0 = trace.matmul %x, %w : tensor<?x8xf32>, tensor<8x?xf32>
  %1 = trace.tanh %0 : tensor<?x?xf32>
  trace.return outputs(%1 : tensor<?x?xf32>)
}
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[ARG1]] : tensor<?x8xf32>, tensor<8x?xf32>
// CHECK-NEXT: %[[TANH:.*]] = trace.tanh %[[MATMUL]] : tensor<?x?xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[TANH]] output 0 : tensor<?x?xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[TANH]], %[[TANH]] : tensor<?x?xf32>
// CHECK-NEXT: %[[C:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[MUL]], %[[C]] : tensor<?x?xf32>
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[DIM1:.*]] = tensor.dim %[[MUL]], %[[C1]] : tensor<?x?xf32>
// CHECK-NEXT: %[[FULL:.*]] = trace.full 1.000000e+00 : f32[%[[DIM]], %[[DIM1]]] : tensor<?x?xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[FULL]], %[[MUL]] : tensor<?x?xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[SUB]] : tensor<?x?xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG1]] [1, 0] : tensor<8x?xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[MUL1]], %[[TRANSPOSE]] : tensor<?x?xf32>, tensor<?x8xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[ARG0]] [1, 0] : tensor<?x8xf32>
// CHECK-NEXT: %[[MATMUL2:.*]] = trace.matmul %[[TRANSPOSE1]], %[[MUL1]] : tensor<8x?xf32>, tensor<?x?xf32>
// CHECK-NEXT: trace.return outputs(%[[TANH]] : tensor<?x?xf32>) gradients(%[[MATMUL1]], %[[MATMUL2]] : tensor<?x8xf32>, tensor<8x?xf32>) of [0, 1]

func.func @zeros(%x: tensor<?x8xf32> {trace.requires_grad}) -> tensor<?x8xf32> {
  %y = trace.floor %x : tensor<?x8xf32>
  trace.return outputs(%y : tensor<?x8xf32>)
}
// CHECK-LABEL: func.func @zeros(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[FLOOR:.*]] = trace.floor %[[ARG0]] : tensor<?x8xf32>
// CHECK-NEXT: %[[C:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[ARG0]], %[[C]] : tensor<?x8xf32>
// CHECK-NEXT: %[[FULL:.*]] = trace.full 0.000000e+00 : f32[%[[DIM]]] : tensor<?x8xf32>
// CHECK-NEXT: trace.return outputs(%[[FLOOR]] : tensor<?x8xf32>) gradients(%[[FULL]] : tensor<?x8xf32>) of [0]
