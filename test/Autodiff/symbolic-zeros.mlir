// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients
// What nothing depends on costs nothing: no zeros, no products with them.

// A piece of a split that is not used: only the used piece is padded back.
func.func @split(%x: tensor<4x6xf32> {trace.requires_grad}) -> tensor<4x3xf32> {
  %a = trace.slice %x [0, 0] to [4, 3] by [1, 1] : tensor<4x6xf32>
  %b = trace.slice %x [0, 3] to [4, 6] by [1, 1] : tensor<4x6xf32>
  %c = trace.exp %b : tensor<4x3xf32>
  %y = trace.sin %a : tensor<4x3xf32>
  trace.return outputs(%y : tensor<4x3xf32>)
}
// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SLICE:.*]] = trace.slice %[[ARG0]] [0, 0] to [4, 3] by [1, 1] : tensor<4x6xf32>
// CHECK-NEXT: %[[SLICE1:.*]] = trace.slice %[[ARG0]] [0, 3] to [4, 6] by [1, 1] : tensor<4x6xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[SLICE1]] : tensor<4x3xf32>
// CHECK-NEXT: %[[SIN:.*]] = trace.sin %[[SLICE]] : tensor<4x3xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIN]] output 0 : tensor<4x3xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[SLICE]] : tensor<4x3xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[COS]] : tensor<4x3xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[PAD:.*]] = trace.pad %[[MUL]], %[[C]] low [0, 0] high [0, 3] interior [0, 0] : tensor<4x3xf32>, tensor<f32>
// CHECK-NEXT: trace.return outputs(%[[SIN]] : tensor<4x3xf32>) gradients(%[[PAD]] : tensor<4x6xf32>) of [0]

// The mean's half of var_mean: no cotangent, no op for it.
func.func @unused_half(%x: tensor<4x8xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %n = trace.constant dense<8.0> : tensor<4xf32>
  %s = trace.reduce_sum %x [1] : tensor<4x8xf32>
  %mean = trace.div %s, %n : tensor<4xf32>
  %m = trace.exp %mean : tensor<4xf32>
  %q = trace.mul %x, %x : tensor<4x8xf32>
  %r = trace.reduce_sum %q [1] : tensor<4x8xf32>
  trace.return outputs(%r : tensor<4xf32>)
}
// CHECK-LABEL: func.func @unused_half(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<8.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[ARG0]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[SUM]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[DIV]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM1:.*]] = trace.reduce_sum %[[MUL]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SUM1]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[G]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[B]], %[[ARG0]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[B]], %[[ARG0]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL1]], %[[MUL2]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[SUM1]] : tensor<4xf32>) gradients(%[[ADD]] : tensor<4x8xf32>) of [0]

// Only the operand that needs a gradient gets one.
func.func @one_operand(%x: tensor<4x8xf32> {trace.requires_grad}, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %y = trace.matmul %x, %w : tensor<4x8xf32>, tensor<8x2xf32>
  trace.return outputs(%y : tensor<4x2xf32>)
}
// CHECK-LABEL: func.func @one_operand(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[ARG1]] : tensor<4x8xf32>, tensor<8x2xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MATMUL]] output 0 : tensor<4x2xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG1]] [1, 0] : tensor<8x2xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[G]], %[[TRANSPOSE]] : tensor<4x2xf32>, tensor<2x8xf32>
// CHECK-NEXT: trace.return outputs(%[[MATMUL]] : tensor<4x2xf32>) gradients(%[[MATMUL1]] : tensor<4x8xf32>) of [0]

// floor has a gradient of zero: what stands before it gets no ops, and its argument zeros, as in eager.
func.func @through_floor(%x: tensor<4xf32> {trace.requires_grad}, %w: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %e = trace.exp %x : tensor<4xf32>
  %f = trace.floor %e : tensor<4xf32>
  %y = trace.mul %f, %w : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @through_floor(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[FLOOR:.*]] = trace.floor %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[FLOOR]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[FLOOR]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL]] : tensor<4xf32>) gradients(%[[C]], %[[MUL2]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

// Results of a custom backward: zeros for the result that has no cotangent, because the other one has.
func.func @two_results(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y:2 = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) primal {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.sin %a : tensor<4xf32>
    %c = trace.cos %a : tensor<4xf32>
    trace.yield %s, %c, %s, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>, %h: tensor<4xf32>, %s: tensor<4xf32>, %c: tensor<4xf32>):
    %p = trace.mul %g, %c : tensor<4xf32>
    %q = trace.mul %h, %s : tensor<4xf32>
    %d = trace.sub %p, %q : tensor<4xf32>
    trace.yield %d : tensor<4xf32>
  }
  trace.return outputs(%y#0 : tensor<4xf32>)
}
// CHECK-LABEL: func.func @two_results(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[C]], %[[SIN]] : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[MUL]], %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]] : tensor<4xf32>) gradients(%[[SUB]] : tensor<4xf32>) of [0]
