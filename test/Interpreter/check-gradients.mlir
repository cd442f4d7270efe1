// RUN: trace-run %s --check-gradients --second-order --function f | FileCheck %s
// RUN: not trace-run %s --check-gradients --function wrong 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: @f: gradients of 18 elements agree with finite differences
// CHECK-NEXT: @f: second derivatives of 33 elements agree with finite differences
func.func @f(%x: tensor<2x3xf32> {trace.requires_grad}, %w: tensor<3x4xf32> {trace.requires_grad})
    -> (tensor<2x4xf32>, tensor<2x3xf32>, tensor<f32>) {
  %0 = trace.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32>
  %1 = trace.sin %0 : tensor<2x4xf32>
  %2 = trace.exp %x : tensor<2x3xf32>
  %3 = trace.stop_gradient %2 : tensor<2x3xf32>
  %4 = trace.mul %2, %3 : tensor<2x3xf32>
  %5 = trace.reduce_sum %4 [0, 1] : tensor<2x3xf32>
  trace.return outputs(%1, %4, %5 : tensor<2x4xf32>, tensor<2x3xf32>, tensor<f32>)
}

// WRONG: error: @wrong: gradient of argument 0 (tensor<4xf32>) is wrong in 4 of 4 elements; first at [0]: gradient {{.*}}, finite difference
func.func @wrong(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  %d = trace.mul %g, %y : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}
