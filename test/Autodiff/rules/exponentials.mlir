// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --range=0.1,2
// exp, exp2, expm1, log, log2, log10, log1p: exponentials use the result.

func.func @exp(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.exp %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @exp(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[EXP]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXP]] : tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @exp2(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.exp2 %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @exp2(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[EXP2:.*]] = trace.exp2 %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[EXP2]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.693147182> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[EXP2]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXP2]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

func.func @expm1(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.expm1 %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @expm1(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[EXPM1:.*]] = trace.expm1 %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[EXPM1]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[EXPM1]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXPM1]] : tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @log(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.log %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @log(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[LOG:.*]] = trace.log %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[LOG]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[LOG]] : tensor<4xf32>) gradients(%[[DIV]] : tensor<4xf32>) of [0]

func.func @log2(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.log2 %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @log2(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[LOG2:.*]] = trace.log2 %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[LOG2]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.693147182> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[LOG2]] : tensor<4xf32>) gradients(%[[DIV]] : tensor<4xf32>) of [0]

func.func @log10(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.log10 %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @log10(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[LOG10:.*]] = trace.log10 %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[LOG10]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<2.30258512> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[LOG10]] : tensor<4xf32>) gradients(%[[DIV]] : tensor<4xf32>) of [0]

func.func @log1p(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.log1p %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @log1p(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[LOG1P:.*]] = trace.log1p %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[LOG1P]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[G]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[LOG1P]] : tensor<4xf32>) gradients(%[[DIV]] : tensor<4xf32>) of [0]
