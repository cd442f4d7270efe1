// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order --int-range=5
// gather: a comparison with the position where there is one index per row (it fuses), else a scatter_add.

func.func @one_per_row(%x: tensor<3x5xf32> {trace.requires_grad}, %i: tensor<3x1xi64>) -> tensor<3x1xf32> {
  %y = trace.gather %x, %i dim 1 : tensor<3x5xf32>, tensor<3x1xi64>
  trace.return outputs(%y : tensor<3x1xf32>)
}
// CHECK-LABEL: func.func @one_per_row(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[GATHER:.*]] = trace.gather %[[ARG0]], %[[ARG1]] dim 1 : tensor<3x5xf32>, tensor<3x1xi64>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[GATHER]] output 0 : tensor<3x1xf32>
// CHECK-NEXT: %[[IOTA:.*]] = trace.iota 1 : tensor<3x5xi64>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[ARG1]] [0, 1] : tensor<3x1xi64> to tensor<3x5xi64>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[IOTA]], %[[B]] : tensor<3x5xi64>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[G]] [0, 1] : tensor<3x1xf32> to tensor<3x5xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<3x5xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[B1]], %[[C]] : tensor<3x5xi1>, tensor<3x5xf32>
// CHECK-NEXT: trace.return outputs(%[[GATHER]] : tensor<3x1xf32>) gradients(%[[WHERE]] : tensor<3x5xf32>) of [0]

func.func @several(%x: tensor<3x5xf32> {trace.requires_grad}, %i: tensor<3x2xi64>) -> tensor<3x2xf32> {
  %y = trace.gather %x, %i dim 1 : tensor<3x5xf32>, tensor<3x2xi64>
  trace.return outputs(%y : tensor<3x2xf32>)
}
// CHECK-LABEL: func.func @several(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[GATHER:.*]] = trace.gather %[[ARG0]], %[[ARG1]] dim 1 : tensor<3x5xf32>, tensor<3x2xi64>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[GATHER]] output 0 : tensor<3x2xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<3x5xf32>
// CHECK-NEXT: %[[SCATTERADD:.*]] = trace.scatter_add %[[C]], %[[ARG1]], %[[G]] dim 1 : tensor<3x5xf32>, tensor<3x2xi64>, tensor<3x2xf32>
// CHECK-NEXT: trace.return outputs(%[[GATHER]] : tensor<3x2xf32>) gradients(%[[SCATTERADD]] : tensor<3x5xf32>) of [0]

// Fewer rows than the operand: no comparison.
func.func @some_rows(%x: tensor<3x5xf32> {trace.requires_grad}, %i: tensor<2x1xi64>) -> tensor<2x1xf32> {
  %y = trace.gather %x, %i dim 1 : tensor<3x5xf32>, tensor<2x1xi64>
  trace.return outputs(%y : tensor<2x1xf32>)
}
// CHECK-LABEL: func.func @some_rows(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[GATHER:.*]] = trace.gather %[[ARG0]], %[[ARG1]] dim 1 : tensor<3x5xf32>, tensor<2x1xi64>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[GATHER]] output 0 : tensor<2x1xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<3x5xf32>
// CHECK-NEXT: %[[SCATTERADD:.*]] = trace.scatter_add %[[C]], %[[ARG1]], %[[G]] dim 1 : tensor<3x5xf32>, tensor<2x1xi64>, tensor<2x1xf32>
// CHECK-NEXT: trace.return outputs(%[[GATHER]] : tensor<2x1xf32>) gradients(%[[SCATTERADD]] : tensor<3x5xf32>) of [0]
