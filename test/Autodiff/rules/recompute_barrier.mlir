// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// recompute_barrier: the identity towards its operand, nothing towards `after`.

func.func @recompute_barrier(%x: tensor<4xf32> {trace.requires_grad}, %after: tensor<8xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.recompute_barrier %x after %after : tensor<4xf32>, tensor<8xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @recompute_barrier(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[RECOMPUTEBARRIER:.*]] = trace.recompute_barrier %[[ARG0]] after %[[ARG1]] : tensor<4xf32>, tensor<8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[RECOMPUTEBARRIER]] output 0 : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[RECOMPUTEBARRIER]] : tensor<4xf32>) gradients(%[[G]] : tensor<4xf32>) of [0]
