// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// sort, topk: the values' cotangents go back to where they came from; the indices have none.

func.func @sort(%x: tensor<3x5xf32> {trace.requires_grad}) -> (tensor<3x5xf32>, tensor<3x5xi64>) {
  %v, %i = trace.sort %x dim 1 descending true stable true : tensor<3x5xf32>
  trace.return outputs(%v, %i : tensor<3x5xf32>, tensor<3x5xi64>)
}
// CHECK-LABEL: func.func @sort(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[VALUES:.*]], %[[INDICES:.*]] = trace.sort %[[ARG0]] dim 1 descending true stable true : tensor<3x5xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[VALUES]] output 0 : tensor<3x5xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<3x5xf32>
// CHECK-NEXT: %[[SCATTER:.*]] = trace.scatter %[[C]], %[[INDICES]], %[[G]] dim 1 : tensor<3x5xf32>, tensor<3x5xi64>, tensor<3x5xf32>
// CHECK-NEXT: trace.return outputs(%[[VALUES]], %[[INDICES]] : tensor<3x5xf32>, tensor<3x5xi64>) gradients(%[[SCATTER]] : tensor<3x5xf32>) of [0]

func.func @topk(%x: tensor<3x5xf32> {trace.requires_grad}) -> tensor<3x2xf32> {
  %v, %i = trace.topk %x dim 1 k 2 largest true sorted true : tensor<3x5xf32>
  trace.return outputs(%v : tensor<3x2xf32>)
}
// CHECK-LABEL: func.func @topk(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[VALUES:.*]], %[[INDICES:.*]] = trace.topk %[[ARG0]] dim 1 k 2 largest true sorted true : tensor<3x5xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[VALUES]] output 0 : tensor<3x2xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<3x5xf32>
// CHECK-NEXT: %[[SCATTER:.*]] = trace.scatter %[[C]], %[[INDICES]], %[[G]] dim 1 : tensor<3x5xf32>, tensor<3x2xi64>, tensor<3x2xf32>
// CHECK-NEXT: trace.return outputs(%[[VALUES]] : tensor<3x2xf32>) gradients(%[[SCATTER]] : tensor<3x5xf32>) of [0]

func.func @scalar(%x: tensor<f32> {trace.requires_grad}) -> tensor<f32> {
  %v, %i = trace.sort %x dim 0 descending false stable true : tensor<f32>
  trace.return outputs(%v : tensor<f32>)
}
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[VALUES:.*]], %[[INDICES:.*]] = trace.sort %[[ARG0]] dim 0 descending false stable true : tensor<f32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[VALUES]] output 0 : tensor<f32>
// CHECK-NEXT: trace.return outputs(%[[VALUES]] : tensor<f32>) gradients(%[[G]] : tensor<f32>) of [0]
