// RUN: trace-opt %s --trace-autodiff --cse | FileCheck %s
// RUN: trace-run %s --check-gradients --function checkpoint
// RUN: trace-run %s --check-gradients --function nested
// RUN: trace-run %s --check-gradients --function dropout
// The body stands forward, and again in the backward on operands behind a recompute_barrier, where CSE cannot merge it
// with the forward's. Only the second copy is differentiated.

func.func @checkpoint(%x: tensor<4xf32> {trace.requires_grad}, %c: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.checkpoint(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = trace.tanh %a : tensor<4xf32>
    %r = trace.mul %s, %b : tensor<4xf32>
    trace.yield %r : tensor<4xf32>
  }
  %z = trace.exp %y : tensor<4xf32>
  trace.return outputs(%z : tensor<4xf32>)
}
// CHECK-LABEL: func.func @checkpoint(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TANH:.*]] = trace.tanh %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[TANH]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[EXP]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[RECOMPUTEBARRIER:.*]] = trace.recompute_barrier %[[ARG0]] after %[[MUL1]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %[[RECOMPUTEBARRIER1:.*]] = trace.recompute_barrier %[[ARG1]] after %[[MUL1]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %[[TANH1:.*]] = trace.tanh %[[RECOMPUTEBARRIER]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[MUL1]], %[[RECOMPUTEBARRIER1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[TANH1]], %[[TANH1]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[MUL3]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[MUL2]], %[[SUB]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXP]] : tensor<4xf32>) gradients(%[[MUL4]] : tensor<4xf32>) of [0]

// A checkpoint in a checkpoint: the inner body is recomputed in the outer one's recomputation, and once more.
func.func @nested(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.checkpoint(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = trace.exp %a : tensor<4xf32>
    %i = trace.checkpoint(%e) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%b: tensor<4xf32>):
      %s = trace.sin %b : tensor<4xf32>
      trace.yield %s : tensor<4xf32>
    }
    trace.yield %i : tensor<4xf32>
  }
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[SIN:.*]] = trace.sin %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[SIN]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[RECOMPUTEBARRIER:.*]] = trace.recompute_barrier %[[ARG0]] after %[[G]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %[[EXP1:.*]] = trace.exp %[[RECOMPUTEBARRIER]] : tensor<4xf32>
// CHECK-NEXT: %[[RECOMPUTEBARRIER1:.*]] = trace.recompute_barrier %[[EXP1]] after %[[G]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %[[COS:.*]] = trace.cos %[[RECOMPUTEBARRIER1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[MUL]], %[[EXP1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]] : tensor<4xf32>) gradients(%[[MUL1]] : tensor<4xf32>) of [0]

// A result without a differentiable input, and random numbers that are drawn again with the same seed and stream.
func.func @dropout(%x: tensor<4xf32> {trace.requires_grad}, %seed: tensor<i64>) -> (tensor<4xf32>, tensor<4xi1>) {
  %y:2 = trace.checkpoint(%x, %seed) : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xi1>) {
  ^bb0(%a: tensor<4xf32>, %s: tensor<i64>):
    %half = trace.constant dense<0.5> : tensor<4xf32>
    %zero = trace.constant dense<0.0> : tensor<4xf32>
    %u = trace.random_uniform %s stream 3 : tensor<i64> to tensor<4xf32>
    %m = trace.lt %u, %half : tensor<4xf32>
    %r = trace.where %m, %a, %zero : tensor<4xi1>, tensor<4xf32>
    trace.yield %r, %m : tensor<4xf32>, tensor<4xi1>
  }
  trace.return outputs(%y#0, %y#1 : tensor<4xf32>, tensor<4xi1>)
}
// CHECK-LABEL: func.func @dropout(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[RANDOMUNIFORM:.*]] = trace.random_uniform %[[ARG1]] stream 3 : tensor<i64> to tensor<4xf32>
// CHECK-NEXT: %[[LT:.*]] = trace.lt %[[RANDOMUNIFORM]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[LT]], %[[ARG0]], %[[C1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[WHERE]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[RECOMPUTEBARRIER:.*]] = trace.recompute_barrier %[[ARG0]] after %[[G]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %[[RECOMPUTEBARRIER1:.*]] = trace.recompute_barrier %[[ARG1]] after %[[G]] : tensor<i64>, tensor<4xf32>
// CHECK-NEXT: %[[RANDOMUNIFORM1:.*]] = trace.random_uniform %[[RECOMPUTEBARRIER1]] stream 3 : tensor<i64> to tensor<4xf32>
// CHECK-NEXT: %[[LT1:.*]] = trace.lt %[[RANDOMUNIFORM1]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[LT1]], %[[G]], %[[C1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[WHERE]], %[[LT]] : tensor<4xf32>, tensor<4xi1>) gradients(%[[WHERE1]] : tensor<4xf32>) of [0]

// An impure symbol in a checkpoint, or in a checkpoint in it, runs once: the backward takes what it gave.
func.func @impure(%x: tensor<4xf32> {trace.requires_grad}, %p: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %y = trace.checkpoint(%x, %p, %c) : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<i1>):
    trace.bsym "aten._assert_async.msg"(%d) {arguments = [#trace.operand<0>, "no"], impure} : (tensor<i1>) -> ()
    %e = trace.exp %a : tensor<4xf32>
    %i = trace.checkpoint(%e, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%f: tensor<4xf32>, %g: tensor<4xf32>):
      %m = trace.bsym "aten.bernoulli.default"(%g) {arguments = [#trace.operand<0>, unit], impure} : (tensor<4xf32>) -> tensor<4xf32>
      %r = trace.mul %f, %m : tensor<4xf32>
      trace.yield %r : tensor<4xf32>
    }
    trace.yield %i : tensor<4xf32>
  }
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @impure(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK: trace.bsym "aten._assert_async.msg"
// CHECK-NEXT: %[[E:.*]] = trace.exp %[[ARG0]]
// CHECK-NEXT: %[[M:.*]] = trace.bsym "aten.bernoulli.default"(%[[ARG1]])
// CHECK-NEXT: %[[Y:.*]] = trace.mul %[[E]], %[[M]]
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[Y]] output 0 : tensor<4xf32>
// CHECK-NOT: trace.bsym
// CHECK: %[[X:.*]] = trace.recompute_barrier %[[ARG0]] after %[[G]]
// CHECK-NOT: trace.bsym
// CHECK: %[[E1:.*]] = trace.exp %[[X]]
// CHECK-NOT: trace.bsym
// CHECK: %[[D:.*]] = trace.mul %[[G]], %[[M]]
// CHECK: %[[D1:.*]] = trace.mul %[[D]], %[[E1]]
// CHECK-NEXT: trace.return
