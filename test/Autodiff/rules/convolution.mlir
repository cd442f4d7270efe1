// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// convolution, convolution_input_grad, convolution_weight_grad: three contractions of one trilinear form, so that the
// gradients of each are the other two.

func.func @convolution(%x: tensor<2x4x7xf32> {trace.requires_grad}, %w: tensor<6x2x3xf32> {trace.requires_grad}) -> tensor<2x6x4xf32> {
  %y = trace.convolution %x, %w {stride = array<i64: 2>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = false, output_padding = array<i64: 0>, groups = 2 : i64} : (tensor<2x4x7xf32>, tensor<6x2x3xf32>) -> tensor<2x6x4xf32>
  trace.return outputs(%y : tensor<2x6x4xf32>)
}
// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CONVOLUTION:.*]] = trace.convolution %[[ARG0]], %[[ARG1]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x4x7xf32>, tensor<6x2x3xf32>) -> tensor<2x6x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CONVOLUTION]] output 0 : tensor<2x6x4xf32>
// CHECK-NEXT: %[[CONVOLUTIONINPUTGRAD:.*]] = trace.convolution_input_grad %[[G]], %[[ARG1]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x6x4xf32>, tensor<6x2x3xf32>) -> tensor<2x4x7xf32>
// CHECK-NEXT: %[[CONVOLUTIONWEIGHTGRAD:.*]] = trace.convolution_weight_grad %[[G]], %[[ARG0]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x6x4xf32>, tensor<2x4x7xf32>) -> tensor<6x2x3xf32>
// CHECK-NEXT: trace.return outputs(%[[CONVOLUTION]] : tensor<2x6x4xf32>) gradients(%[[CONVOLUTIONINPUTGRAD]], %[[CONVOLUTIONWEIGHTGRAD]] : tensor<2x4x7xf32>, tensor<6x2x3xf32>) of [0, 1]

func.func @transposed(%x: tensor<2x4x4xf32> {trace.requires_grad}, %w: tensor<4x3x3xf32> {trace.requires_grad}) -> tensor<2x6x8xf32> {
  %y = trace.convolution %x, %w {stride = array<i64: 2>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = true, output_padding = array<i64: 1>, groups = 2 : i64} : (tensor<2x4x4xf32>, tensor<4x3x3xf32>) -> tensor<2x6x8xf32>
  trace.return outputs(%y : tensor<2x6x8xf32>)
}
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CONVOLUTION:.*]] = trace.convolution %[[ARG0]], %[[ARG1]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 1>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = true} : (tensor<2x4x4xf32>, tensor<4x3x3xf32>) -> tensor<2x6x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CONVOLUTION]] output 0 : tensor<2x6x8xf32>
// CHECK-NEXT: %[[CONVOLUTIONINPUTGRAD:.*]] = trace.convolution_input_grad %[[G]], %[[ARG1]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 1>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = true} : (tensor<2x6x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x4xf32>
// CHECK-NEXT: %[[CONVOLUTIONWEIGHTGRAD:.*]] = trace.convolution_weight_grad %[[G]], %[[ARG0]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 1>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = true} : (tensor<2x6x8xf32>, tensor<2x4x4xf32>) -> tensor<4x3x3xf32>
// CHECK-NEXT: trace.return outputs(%[[CONVOLUTION]] : tensor<2x6x8xf32>) gradients(%[[CONVOLUTIONINPUTGRAD]], %[[CONVOLUTIONWEIGHTGRAD]] : tensor<2x4x4xf32>, tensor<4x3x3xf32>) of [0, 1]

func.func @input_grad(%g: tensor<2x6x4xf32> {trace.requires_grad}, %w: tensor<6x2x3xf32> {trace.requires_grad}) -> tensor<2x4x7xf32> {
  %y = trace.convolution_input_grad %g, %w {stride = array<i64: 2>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = false, output_padding = array<i64: 0>, groups = 2 : i64} : (tensor<2x6x4xf32>, tensor<6x2x3xf32>) -> tensor<2x4x7xf32>
  trace.return outputs(%y : tensor<2x4x7xf32>)
}
// CHECK-LABEL: func.func @input_grad(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CONVOLUTIONINPUTGRAD:.*]] = trace.convolution_input_grad %[[ARG0]], %[[ARG1]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x6x4xf32>, tensor<6x2x3xf32>) -> tensor<2x4x7xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CONVOLUTIONINPUTGRAD]] output 0 : tensor<2x4x7xf32>
// CHECK-NEXT: %[[CONVOLUTION:.*]] = trace.convolution %[[G]], %[[ARG1]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x4x7xf32>, tensor<6x2x3xf32>) -> tensor<2x6x4xf32>
// CHECK-NEXT: %[[CONVOLUTIONWEIGHTGRAD:.*]] = trace.convolution_weight_grad %[[ARG0]], %[[G]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x6x4xf32>, tensor<2x4x7xf32>) -> tensor<6x2x3xf32>
// CHECK-NEXT: trace.return outputs(%[[CONVOLUTIONINPUTGRAD]] : tensor<2x4x7xf32>) gradients(%[[CONVOLUTION]], %[[CONVOLUTIONWEIGHTGRAD]] : tensor<2x6x4xf32>, tensor<6x2x3xf32>) of [0, 1]

func.func @weight_grad(%g: tensor<2x6x4xf32> {trace.requires_grad}, %x: tensor<2x4x7xf32> {trace.requires_grad}) -> tensor<6x2x3xf32> {
  %y = trace.convolution_weight_grad %g, %x {stride = array<i64: 2>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = false, output_padding = array<i64: 0>, groups = 2 : i64} : (tensor<2x6x4xf32>, tensor<2x4x7xf32>) -> tensor<6x2x3xf32>
  trace.return outputs(%y : tensor<6x2x3xf32>)
}
// CHECK-LABEL: func.func @weight_grad(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CONVOLUTIONWEIGHTGRAD:.*]] = trace.convolution_weight_grad %[[ARG0]], %[[ARG1]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x6x4xf32>, tensor<2x4x7xf32>) -> tensor<6x2x3xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CONVOLUTIONWEIGHTGRAD]] output 0 : tensor<6x2x3xf32>
// CHECK-NEXT: %[[CONVOLUTION:.*]] = trace.convolution %[[ARG1]], %[[G]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x4x7xf32>, tensor<6x2x3xf32>) -> tensor<2x6x4xf32>
// CHECK-NEXT: %[[CONVOLUTIONINPUTGRAD:.*]] = trace.convolution_input_grad %[[ARG0]], %[[G]] {dilation = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 0>, padding = array<i64: 1>, stride = array<i64: 2>, transposed = false} : (tensor<2x6x4xf32>, tensor<6x2x3xf32>) -> tensor<2x4x7xf32>
// CHECK-NEXT: trace.return outputs(%[[CONVOLUTIONWEIGHTGRAD]] : tensor<6x2x3xf32>) gradients(%[[CONVOLUTION]], %[[CONVOLUTIONINPUTGRAD]] : tensor<2x6x4xf32>, tensor<2x4x7xf32>) of [0, 1]
