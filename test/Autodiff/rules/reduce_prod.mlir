// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// RUN: trace-run %s --check-gradients --second-order --arg 0=1,0,2,3,4,5,6,7,8,9,10,11
// RUN: trace-run %s --check-gradients --arg 0=1,0,2,3,0,5,0,7,8,9,10,11
// reduce_prod: right with zeros: the only zero of a row gets the product of the others.

func.func @reduce_prod(%x: tensor<3x4xf32> {trace.requires_grad}) -> tensor<3xf32> {
  %y = trace.reduce_prod %x [1] : tensor<3x4xf32>
  trace.return outputs(%y : tensor<3xf32>)
}
// CHECK-LABEL: func.func @reduce_prod(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REDUCEPROD:.*]] = trace.reduce_prod %[[ARG0]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[REDUCEPROD]] output 0 : tensor<3xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[C]] : tensor<3x4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<1.000000e+00> : tensor<3x4xf32>
// CHECK-NEXT: %[[CONVERT:.*]] = trace.convert %[[EQ]] : tensor<3x4xi1> to tensor<3x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[CONVERT]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[C1]], %[[ARG0]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: %[[REDUCEPROD1:.*]] = trace.reduce_prod %[[WHERE]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<1.000000e+00> : tensor<3xf32>
// CHECK-NEXT: %[[EQ1:.*]] = trace.eq %[[SUM]], %[[C2]] : tensor<3xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[REDUCEPROD1]] : tensor<3xf32>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[EQ1]], %[[MUL]], %[[C3]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[REDUCEPROD]] : tensor<3xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[MUL1]] [0] : tensor<3xf32> to tensor<3x4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[B]], %[[WHERE]] : tensor<3x4xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[WHERE1]] [0] : tensor<3xf32> to tensor<3x4xf32>
// CHECK-NEXT: %[[WHERE2:.*]] = trace.where %[[EQ]], %[[B1]], %[[DIV]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: trace.return outputs(%[[REDUCEPROD]] : tensor<3xf32>) gradients(%[[WHERE2]] : tensor<3x4xf32>) of [0]
