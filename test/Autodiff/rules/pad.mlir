// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// pad: the operand's places are taken out again, zeros where padding cut them; the value gets the sum of the rest.

func.func @pad(%x: tensor<2x3xf32> {trace.requires_grad}, %v: tensor<f32> {trace.requires_grad}) -> tensor<3x9xf32> {
  %y = trace.pad %x, %v low [0, 2] high [1, 2] interior [0, 1] : tensor<2x3xf32>, tensor<f32>
  trace.return outputs(%y : tensor<3x9xf32>)
}
// CHECK-LABEL: func.func @pad(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[PAD:.*]] = trace.pad %[[ARG0]], %[[ARG1]] low [0, 2] high [1, 2] interior [0, 1] : tensor<2x3xf32>, tensor<f32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[PAD]] output 0 : tensor<3x9xf32>
// CHECK-NEXT: %[[SLICE:.*]] = trace.slice %[[G]] [0, 2] to [2, 7] by [1, 2] : tensor<3x9xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<false> : tensor<2x3xi1>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<true> : tensor<i1>
// CHECK-NEXT: %[[PAD1:.*]] = trace.pad %[[C]], %[[C1]] low [0, 2] high [1, 2] interior [0, 1] : tensor<2x3xi1>, tensor<i1>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<0.000000e+00> : tensor<3x9xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[PAD1]], %[[G]], %[[C2]] : tensor<3x9xi1>, tensor<3x9xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[WHERE]] [0, 1] : tensor<3x9xf32>
// CHECK-NEXT: trace.return outputs(%[[PAD]] : tensor<3x9xf32>) gradients(%[[SLICE]], %[[SUM]] : tensor<2x3xf32>, tensor<f32>) of [0, 1]

func.func @cut(%x: tensor<5xf32> {trace.requires_grad}, %v: tensor<f32> {trace.requires_grad}) -> tensor<5xf32> {
  %y = trace.pad %x, %v low [-1] high [1] interior [0] : tensor<5xf32>, tensor<f32>
  trace.return outputs(%y : tensor<5xf32>)
}
// CHECK-LABEL: func.func @cut(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[PAD:.*]] = trace.pad %[[ARG0]], %[[ARG1]] low [-1] high [1] interior [0] : tensor<5xf32>, tensor<f32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[PAD]] output 0 : tensor<5xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[PAD1:.*]] = trace.pad %[[G]], %[[C]] low [1] high [0] interior [0] : tensor<5xf32>, tensor<f32>
// CHECK-NEXT: %[[SLICE:.*]] = trace.slice %[[PAD1]] [0] to [5] by [1] : tensor<6xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<false> : tensor<5xi1>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<true> : tensor<i1>
// CHECK-NEXT: %[[PAD2:.*]] = trace.pad %[[C1]], %[[C2]] low [-1] high [1] interior [0] : tensor<5xi1>, tensor<i1>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<0.000000e+00> : tensor<5xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[PAD2]], %[[G]], %[[C3]] : tensor<5xi1>, tensor<5xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[WHERE]] [0] : tensor<5xf32>
// CHECK-NEXT: trace.return outputs(%[[PAD]] : tensor<5xf32>) gradients(%[[SLICE]], %[[SUM]] : tensor<5xf32>, tensor<f32>) of [0, 1]
