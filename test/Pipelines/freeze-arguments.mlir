// RUN: trace-opt %s --trace-freeze-arguments | FileCheck %s

// CHECK: func.func @f(%arg0: tensor<4xf32> {trace.role = #trace.role<input 0>}, %arg1: tensor<4xf32>) -> tensor<4xf32> {
func.func @f(%x: tensor<4xf32> {trace.role = #trace.role<input 0>, trace.requires_grad}, %y: tensor<4xf32> {trace.requires_grad})
    -> tensor<4xf32> {
  %0 = trace.add %x, %y : tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}
