// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-opt %s --trace-autodiff | FileCheck %s --check-prefix=INACTIVE
// RUN: trace-run %s --check-gradients
// A bound symbol with a decomposition and no gradient rule is differentiated through its decomposition.

func.func @silu(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.bsym "torch.nn.functional.silu"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.sigmoid %a : tensor<4xf32>
    %r = trace.mul %a, %s : tensor<4xf32>
    trace.yield %r : tensor<4xf32>
  }
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @silu(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[SIGMOID:.*]] = trace.sigmoid %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[SIGMOID]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[SIGMOID]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[SIGMOID]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[SUB]], %[[SIGMOID]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[MUL2]], %[[MUL3]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL1]], %[[MUL4]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL]] : tensor<4xf32>) gradients(%[[ADD]] : tensor<4xf32>) of [0]

// In a checkpoint; one result is an operand, and one is returned twice.
func.func @in_a_checkpoint(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = trace.checkpoint(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0:3 = trace.bsym "three"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    ^bb1(%b: tensor<4xf32>):
      %e = trace.exp %b : tensor<4xf32>
      trace.yield %b, %e, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %1 = trace.mul %0#0, %0#1 : tensor<4xf32>
    trace.yield %1, %0#2 : tensor<4xf32>, tensor<4xf32>
  }
  trace.return outputs(%y#0, %y#1 : tensor<4xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @in_a_checkpoint(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[EXP:.*]] = trace.exp %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[EXP]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[EXP]] output 1 : tensor<4xf32>
// CHECK-NEXT: %[[RECOMPUTEBARRIER:.*]] = trace.recompute_barrier %[[ARG0]] after %[[G]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %[[EXP1:.*]] = trace.exp %[[RECOMPUTEBARRIER]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[RECOMPUTEBARRIER]], %[[EXP1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[EXP1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[G]], %[[RECOMPUTEBARRIER]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL3]], %[[G1]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[ADD]], %[[EXP1]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[MUL2]], %[[MUL4]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL]], %[[EXP]] : tensor<4xf32>, tensor<4xf32>) gradients(%[[ADD1]] : tensor<4xf32>) of [0]

// Not active, and an executor has claimed it whole: it stays.
func.func @inactive(%x: tensor<4xf32> {trace.requires_grad}, %c: tensor<4xf32>) -> tensor<4xf32> {
  %s = trace.bsym "torch.sin"(%c) {trace.executor = "mine"} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %r = trace.sin %a : tensor<4xf32>
    trace.yield %r : tensor<4xf32>
  }
  %y = trace.mul %x, %s : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// INACTIVE-LABEL: func.func @inactive(
// INACTIVE: %[[S:.*]] = trace.bsym "torch.sin"
// INACTIVE: %[[Y:.*]] = trace.mul %{{.*}}, %[[S]]
// INACTIVE-NEXT: %[[G:.*]] = trace.get_grad %[[Y]] output 0
// INACTIVE-NEXT: %[[D:.*]] = trace.mul %[[G]], %[[S]]
