// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// RUN: trace-run %s --check-gradients --second-order --arg 0=1,0,2,3,4,5,6,7,8,9,10,0
// cumprod: right with zeros: the first zero of a row gets the products with this zero left out.

func.func @cumprod(%x: tensor<3x4xf32> {trace.requires_grad}) -> tensor<3x4xf32> {
  %y = trace.cumprod %x dim 1 : tensor<3x4xf32>
  trace.return outputs(%y : tensor<3x4xf32>)
}
// CHECK-LABEL: func.func @cumprod(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CUMPROD:.*]] = trace.cumprod %[[ARG0]] dim 1 : tensor<3x4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CUMPROD]] output 0 : tensor<3x4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[C]] : tensor<3x4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<1.000000e+00> : tensor<3x4xf32>
// CHECK-NEXT: %[[CONVERT:.*]] = trace.convert %[[EQ]] : tensor<3x4xi1> to tensor<3x4xi64>
// CHECK-NEXT: %[[CUMSUM:.*]] = trace.cumsum %[[CONVERT]] dim 1 : tensor<3x4xi64>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<1> : tensor<3x4xi64>
// CHECK-NEXT: %[[EQ1:.*]] = trace.eq %[[CUMSUM]], %[[C2]] : tensor<3x4xi64>
// CHECK-NEXT: %[[BITWISEAND:.*]] = trace.bitwise_and %[[EQ]], %[[EQ1]] : tensor<3x4xi1>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[CUMPROD]] : tensor<3x4xf32>
// CHECK-NEXT: %[[REVERSE:.*]] = trace.reverse %[[MUL]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[CUMSUM1:.*]] = trace.cumsum %[[REVERSE]] dim 1 : tensor<3x4xf32>
// CHECK-NEXT: %[[REVERSE1:.*]] = trace.reverse %[[CUMSUM1]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[C1]], %[[ARG0]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[REVERSE1]], %[[WHERE]] : tensor<3x4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[BITWISEAND]], %[[C1]], %[[ARG0]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: %[[CUMPROD1:.*]] = trace.cumprod %[[WHERE1]] dim 1 : tensor<3x4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[G]], %[[CUMPROD1]] : tensor<3x4xf32>
// CHECK-NEXT: %[[REVERSE2:.*]] = trace.reverse %[[MUL1]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[CUMSUM2:.*]] = trace.cumsum %[[REVERSE2]] dim 1 : tensor<3x4xf32>
// CHECK-NEXT: %[[REVERSE3:.*]] = trace.reverse %[[CUMSUM2]] [1] : tensor<3x4xf32>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-NEXT: %[[WHERE2:.*]] = trace.where %[[BITWISEAND]], %[[REVERSE3]], %[[C3]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: %[[WHERE3:.*]] = trace.where %[[EQ]], %[[WHERE2]], %[[DIV]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: trace.return outputs(%[[CUMPROD]] : tensor<3x4xf32>) gradients(%[[WHERE3]] : tensor<3x4xf32>) of [0]
