// RUN: trace-opt %s --trace-autodiff | FileCheck %s

// The primal is inlined forward and not differentiated; the backward is inlined on the cotangent and what was saved.
func.func @custom(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    %r = trace.floor %a : tensor<4xf32>
    %e = trace.exp %a : tensor<4xf32>
    trace.yield %r, %e : tensor<4xf32>, tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>, %e: tensor<4xf32>):
    %d = trace.mul %g, %e : tensor<4xf32>
    trace.yield %d : tensor<4xf32>
  }
  %z = trace.sin %y : tensor<4xf32>
  trace.return outputs(%z : tensor<4xf32>)
}
// CHECK-LABEL: func.func @custom(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[FLOOR:.*]] = trace.floor %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[SIN:.*]] = trace.sin %[[FLOOR]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[FLOOR]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[MUL]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

// An identity with a backward of its own (gradient reversal), used beside its operand: the cotangents stay apart.
func.func @gradient_reversal(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    trace.yield %a : tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>):
    %d = trace.neg %g : tensor<4xf32>
    trace.yield %d : tensor<4xf32>
  }
  %z = trace.sin %y : tensor<4xf32>
  %w = trace.exp %x : tensor<4xf32>
  trace.return outputs(%z, %w : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @gradient_reversal(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[EXP]] output 1 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G1]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL]], %[[NEG]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]], %[[EXP]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[ADD]] : tensor<4xf32>) of [0]

// The second result is declared without a gradient; the second operand gets none
// (no zeros either, as in eager).
func.func @declared(%x: tensor<4xf32> {trace.requires_grad}, %w: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = trace.custom_grad(%x, %w) {grad_operands = array<i64: 0>, non_differentiable = array<i64: 1>}
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) primal {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %r = trace.mul %a, %b : tensor<4xf32>
    %s = trace.add %a, %b : tensor<4xf32>
    trace.yield %r, %s, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>, %h: tensor<4xf32>, %b: tensor<4xf32>):
    %d = trace.mul %g, %b : tensor<4xf32>
    trace.yield %d : tensor<4xf32>
  }
  trace.return outputs(%y#0, %y#1 : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @declared(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL]], %[[ADD]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]
