// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// reshape: back to the operand's shape.

func.func @reshape(%x: tensor<4x6xf32> {trace.requires_grad}) -> tensor<2x12xf32> {
  %y = trace.reshape %x : tensor<4x6xf32> to tensor<2x12xf32>
  trace.return outputs(%y : tensor<2x12xf32>)
}
// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[RESHAPE:.*]] = trace.reshape %[[ARG0]] : tensor<4x6xf32> to tensor<2x12xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[RESHAPE]] output 0 : tensor<2x12xf32>
// CHECK-NEXT: %[[RESHAPE1:.*]] = trace.reshape %[[G]] : tensor<2x12xf32> to tensor<4x6xf32>
// CHECK-NEXT: trace.return outputs(%[[RESHAPE]] : tensor<2x12xf32>) gradients(%[[RESHAPE1]] : tensor<4x6xf32>) of [0]
