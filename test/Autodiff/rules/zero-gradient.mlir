// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// sign, ceil, floor, round, trunc, div_floor, div_trunc: zeros, as in eager, not an absent gradient.

func.func @sign(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.sign %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @sign(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIGN:.*]] = trace.sign %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIGN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIGN]] : tensor<4xf32>) gradients(%[[C]] : tensor<4xf32>) of [0]

func.func @ceil(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.ceil %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @ceil(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CEIL:.*]] = trace.ceil %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CEIL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[CEIL]] : tensor<4xf32>) gradients(%[[C]] : tensor<4xf32>) of [0]

func.func @floor(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.floor %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @floor(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[FLOOR:.*]] = trace.floor %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[FLOOR]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[FLOOR]] : tensor<4xf32>) gradients(%[[C]] : tensor<4xf32>) of [0]

func.func @round(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.round %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @round(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ROUND:.*]] = trace.round %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ROUND]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ROUND]] : tensor<4xf32>) gradients(%[[C]] : tensor<4xf32>) of [0]

func.func @trunc(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.trunc %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @trunc(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TRUNC:.*]] = trace.trunc %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[TRUNC]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[TRUNC]] : tensor<4xf32>) gradients(%[[C]] : tensor<4xf32>) of [0]

func.func @div_floor(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.div_floor %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @div_floor(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[DIVFLOOR:.*]] = trace.div_floor %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIVFLOOR]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[DIVFLOOR]] : tensor<4xf32>) gradients(%[[C]], %[[C1]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]

func.func @div_trunc(%a: tensor<4xf32> {trace.requires_grad}, %b: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.div_trunc %a, %b : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @div_trunc(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[DIVTRUNC:.*]] = trace.div_trunc %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIVTRUNC]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[DIVTRUNC]] : tensor<4xf32>) gradients(%[[C]], %[[C1]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]
