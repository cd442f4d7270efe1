// f(x) = (sin(x), sin(x)) from the captured function on: one sine and one cosine, two cotangents, the gradient is
// (g0 + g1) * cos(x) with each cotangent at its place.
//
// RUN: trace-opt %s --cse --trace-autodiff --trace-simplify | FileCheck %s
// RUN: trace-opt %s --cse --trace-autodiff --cse --canonicalize | FileCheck %s
// RUN: trace-opt %s --cse --trace-autodiff --trace-simplify -o %t
// RUN: trace-run %t --interpret --arg 0=0 --cotangent 0=1 --cotangent 1=10 | FileCheck %s --check-prefix=SUM
// RUN: trace-run %t --interpret --arg 0=0 --cotangent 0=10 --cotangent 1=1 | FileCheck %s --check-prefix=SUM
// RUN: trace-run %t --check-gradients
// RUN: trace-opt %s --trace-autodiff -o %t.two-sines
// RUN: trace-run %t --interpret --no-print --compare %t.two-sines

// CHECK: %[[Y:.*]] = trace.sin %[[X:.*]] :
// CHECK-NOT: trace.sin
// CHECK: %[[G0:.*]] = trace.get_grad %[[Y]] output 0
// CHECK: %[[G1:.*]] = trace.get_grad %[[Y]] output 1
// CHECK: %[[G:.*]] = trace.add %[[G0]], %[[G1]]
// CHECK: %[[C:.*]] = trace.cos %[[X]]
// CHECK: %[[D:.*]] = trace.mul %[[G]], %[[C]]
// CHECK: outputs(%[[Y]], %[[Y]] : {{.*}}) gradients(%[[D]]

// SUM: result 2: tensor<4xf32> = 11 11 11 11
func.func @f(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = trace.sin %x : tensor<4xf32>
  %1 = trace.sin %x : tensor<4xf32>
  trace.return outputs(%0, %1 : tensor<4xf32>, tensor<4xf32>)
}
