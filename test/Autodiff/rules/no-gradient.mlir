// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// Ops that give integers or i1, random numbers and constants: nothing depends on them, no rule is asked for.
// eq, ne, lt, le, gt, ge, isnan, isinf, isfinite, signbit, logical_not, argmax, argmin, iota, constant, full,
// random_uniform, random_normal, check_index; the bitwise ops, shifts, reduce_any and reduce_all take no floats.

func.func @predicates(%x: tensor<4xf32> {trace.requires_grad}, %seed: tensor<i64>) -> (tensor<4xf32>, tensor<4xi1>, tensor<i64>) {
  %zero = trace.constant dense<0.0> : tensor<4xf32>
  %0 = trace.gt %x, %zero : tensor<4xf32>
  %1 = trace.isnan %x : tensor<4xf32>
  %2 = trace.bitwise_or %0, %1 : tensor<4xi1>
  %a = trace.argmax %x dim 0 : tensor<4xf32>
  %u = trace.random_uniform %seed stream 0 : tensor<i64> to tensor<4xf32>
  %n = trace.random_normal %seed stream 1 : tensor<i64> to tensor<4xf32>
  %r = trace.where %2, %u, %n : tensor<4xi1>, tensor<4xf32>
  %y = trace.mul %x, %r : tensor<4xf32>
  trace.return outputs(%y, %2, %a : tensor<4xf32>, tensor<4xi1>, tensor<i64>)
}
// CHECK-LABEL: func.func @predicates(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[GT:.*]] = trace.gt %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[ISNAN:.*]] = trace.isnan %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[BITWISEOR:.*]] = trace.bitwise_or %[[GT]], %[[ISNAN]] : tensor<4xi1>
// CHECK-NEXT: %[[ARGMAX:.*]] = trace.argmax %[[ARG0]] dim 0 : tensor<4xf32>
// CHECK-NEXT: %[[RANDOMUNIFORM:.*]] = trace.random_uniform %[[ARG1]] stream 0 : tensor<i64> to tensor<4xf32>
// CHECK-NEXT: %[[RANDOMNORMAL:.*]] = trace.random_normal %[[ARG1]] stream 1 : tensor<i64> to tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[BITWISEOR]], %[[RANDOMUNIFORM]], %[[RANDOMNORMAL]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[WHERE]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[WHERE]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL]], %[[BITWISEOR]], %[[ARGMAX]] : tensor<4xf32>, tensor<4xi1>, tensor<i64>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]
