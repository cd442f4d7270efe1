// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// The whole of it on small functions; the parts are in the other files of this folder.

func.func @sin(%x: tensor<4xf32> {trace.role = #trace.role<input 0>, trace.requires_grad})
    -> (tensor<4xf32> {trace.role = #trace.role<output 0>}) {
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

// Forward, then the get_grads in the order of the outputs, then the backward from the last op to the first. Cotangents
// of a value with several uses are summed as they come.
func.func @mlp(%x: tensor<4x8xf32>, %w: tensor<8x16xf32> {trace.requires_grad}, %b: tensor<16xf32> {trace.requires_grad},
               %frozen: tensor<16x2xf32>) -> (tensor<4x2xf32>, tensor<4x16xf32>) {
  %h = trace.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  %bb = trace.broadcast_in_dim %b [1] : tensor<16xf32> to tensor<4x16xf32>
  %z = trace.add %h, %bb : tensor<4x16xf32>
  %a = trace.tanh %z : tensor<4x16xf32>
  %y = trace.matmul %a, %frozen : tensor<4x16xf32>, tensor<16x2xf32>
  trace.return outputs(%y, %a : tensor<4x2xf32>, tensor<4x16xf32>)
}
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: %[[ARG3:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[ARG1]] : tensor<4x8xf32>, tensor<8x16xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[ARG2]] [1] : tensor<16xf32> to tensor<4x16xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MATMUL]], %[[B]] : tensor<4x16xf32>
// CHECK-NEXT: %[[TANH:.*]] = trace.tanh %[[ADD]] : tensor<4x16xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[TANH]], %[[ARG3]] : tensor<4x16xf32>, tensor<16x2xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MATMUL1]] output 0 : tensor<4x2xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[TANH]] output 1 : tensor<4x16xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG3]] [1, 0] : tensor<16x2xf32>
// CHECK-NEXT: %[[MATMUL2:.*]] = trace.matmul %[[G]], %[[TRANSPOSE]] : tensor<4x2xf32>, tensor<2x16xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[G1]], %[[MATMUL2]] : tensor<4x16xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[TANH]], %[[TANH]] : tensor<4x16xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4x16xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[MUL]] : tensor<4x16xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ADD1]], %[[SUB]] : tensor<4x16xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[MUL1]] [0] : tensor<4x16xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[ARG0]] [1, 0] : tensor<4x8xf32>
// CHECK-NEXT: %[[MATMUL3:.*]] = trace.matmul %[[TRANSPOSE1]], %[[MUL1]] : tensor<8x4xf32>, tensor<4x16xf32>
// CHECK-NEXT: trace.return outputs(%[[MATMUL1]], %[[TANH]] : tensor<4x2xf32>, tensor<4x16xf32>) gradients(%[[MATMUL3]], %[[SUM]] : tensor<8x16xf32>, tensor<16xf32>) of [1, 2]

// A parameter used twice (tied weights): one gradient.
func.func @tied(%x: tensor<4x4xf32>, %w: tensor<4x4xf32> {trace.requires_grad}) -> tensor<4x4xf32> {
  %0 = trace.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = trace.matmul %0, %w : tensor<4x4xf32>, tensor<4x4xf32>
  trace.return outputs(%1 : tensor<4x4xf32>)
}
// CHECK-LABEL: func.func @tied(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[ARG1]] : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[MATMUL]], %[[ARG1]] : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MATMUL1]] output 0 : tensor<4x4xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG1]] [1, 0] : tensor<4x4xf32>
// CHECK-NEXT: %[[MATMUL2:.*]] = trace.matmul %[[G]], %[[TRANSPOSE]] : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[MATMUL]] [1, 0] : tensor<4x4xf32>
// CHECK-NEXT: %[[MATMUL3:.*]] = trace.matmul %[[TRANSPOSE1]], %[[G]] : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: %[[TRANSPOSE2:.*]] = trace.transpose %[[ARG0]] [1, 0] : tensor<4x4xf32>
// CHECK-NEXT: %[[MATMUL4:.*]] = trace.matmul %[[TRANSPOSE2]], %[[MATMUL2]] : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MATMUL3]], %[[MATMUL4]] : tensor<4x4xf32>
// CHECK-NEXT: trace.return outputs(%[[MATMUL1]] : tensor<4x4xf32>) gradients(%[[ADD]] : tensor<4x4xf32>) of [1]
