// RUN: trace-opt %s --trace-autodiff --trace-simplify | FileCheck %s --check-prefix=JOINT
// RUN: trace-opt %s --trace-autodiff --trace-simplify --trace-group-get-grads --trace-split | FileCheck %s
// RUN: trace-opt %s --compile-to=split | FileCheck %s --check-prefix=WHOLE

// Where simplification shows that a cotangent is not needed, its get_grad goes, and the backward does not take it: a
// step function's (output 1), that of a value which is never chosen (output 2), and that of a slice of zeros' padding
// (output 3). What they reach gets its gradient all the same.
// JOINT-LABEL: func.func @f
// JOINT: trace.get_grad %{{.*}} output 0
// JOINT-NOT: trace.get_grad
// JOINT: trace.return
// CHECK-LABEL: func.func @f_backward(
// CHECK-NOT: cotangent 1
// CHECK-NOT: cotangent 2
// CHECK-NOT: cotangent 3
// CHECK: trace.role<gradient 1>
// WHOLE-LABEL: func.func @f_backward(
// WHOLE-NOT: cotangent {{[1-3]}}
// WHOLE: trace.role<gradient 1>
func.func @f(%x: tensor<4xf32> {trace.role = #trace.role<input 0>, trace.requires_grad},
             %w: tensor<4xf32> {trace.role = #trace.role<input 1>, trace.requires_grad})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %y = trace.mul %x, %w : tensor<4xf32>
  %step = trace.floor %w : tensor<4xf32>
  %never = trace.constant dense<false> : tensor<4xi1>
  %one = trace.constant dense<1.0> : tensor<4xf32>
  %chosen = trace.where %never, %w, %one : tensor<4xi1>, tensor<4xf32>
  %zero = trace.constant dense<0.0> : tensor<f32>
  %padded = trace.pad %w, %zero low [2] high [0] interior [0] : tensor<4xf32>, tensor<f32>
  %padding = trace.slice %padded [0] to [2] by [1] : tensor<6xf32>
  trace.return outputs(%y, %step, %chosen, %padding : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>)
}
