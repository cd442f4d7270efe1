// RUN: trace-opt %s --cse --trace-autodiff | FileCheck %s
// One get_grad per differentiable output position.

// CSE leaves one sin, but two get_grads: the gradient is (g0 + g1) * cos(x).
func.func @equal_outputs(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = trace.sin %x : tensor<4xf32>
  %1 = trace.sin %x : tensor<4xf32>
  trace.return outputs(%0, %1 : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @equal_outputs(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[SIN]] output 1 : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[G]], %[[G1]] : tensor<4xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ADD]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]], %[[SIN]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @same_value_twice(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = trace.exp %x : tensor<4xf32>
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @same_value_twice(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[EXP]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[EXP]] output 1 : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[G]], %[[G1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ADD]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXP]], %[[EXP]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @value_and_use(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = trace.exp %x : tensor<4xf32>
  %z = trace.mul %y, %y : tensor<4xf32>
  trace.return outputs(%y, %z : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @value_and_use(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[EXP]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[EXP]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[MUL]] output 1 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G1]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G1]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[G]], %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[ADD]], %[[MUL2]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[ADD1]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXP]], %[[MUL]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[MUL3]] : tensor<4xf32>) of [0]

// An input that is an output: its cotangent is part of its gradient.
func.func @input_as_output(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%x, %y : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @input_as_output(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ARG0]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[SIN]] output 1 : tensor<4xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G1]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ARG0]], %[[SIN]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[ADD]] : tensor<4xf32>) of [0]

// Outputs of bool and integers, outputs that depend on no differentiable input, an input without a gradient: no get_grad.
func.func @non_differentiable(%x: tensor<4xf32> {trace.requires_grad}, %c: tensor<4xf32>, %i: tensor<4xi64>)
    -> (tensor<4xi1>, tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) {
  %b = trace.gt %x, %c : tensor<4xf32>
  %a = trace.argmax %x dim 0 : tensor<4xf32>
  %d = trace.exp %c : tensor<4xf32>
  %y = trace.mul %x, %d : tensor<4xf32>
  trace.return outputs(%b, %a, %d, %y, %i, %c : tensor<4xi1>, tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @non_differentiable(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[GT:.*]] = trace.gt %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[ARGMAX:.*]] = trace.argmax %[[ARG0]] dim 0 : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 3 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[GT]], %[[ARGMAX]], %[[EXP]], %[[MUL]], %[[ARG2]], %[[ARG1]] : tensor<4xi1>, tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

// The role that an output has already stays.
func.func @roles(%x: tensor<4xf32> {trace.requires_grad}, %unused: tensor<2xf32> {trace.requires_grad}, %n: tensor<4xf32>)
    -> (tensor<4xf32> {trace.role = #trace.role<output 0>}, tensor<4xf32> {trace.role = #trace.role<mutated 2>}) {
  %y = trace.mul %x, %n : tensor<4xf32>
  %m = trace.exp %n : tensor<4xf32>
  trace.return outputs(%y, %m : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @roles(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG2]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[ARG2]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[ARG2]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL]], %[[EXP]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]
