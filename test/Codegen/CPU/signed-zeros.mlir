// REQUIRES: runtime
// RUN: trace-run %s --arg 0=-0.0 --arg 1=0.0 | FileCheck %s
// RUN: trace-run %s --arg 0=0.0 --arg 1=-0.0 | FileCheck %s

// -0.0 is less than 0.0, on either side.
// CHECK: true
// CHECK: false
func.func @zeros(%a: tensor<1xf32>, %b: tensor<1xf32>) -> (tensor<1xi1>, tensor<1xi1>) {
  %min = trace.minimum %a, %b : tensor<1xf32>
  %max = trace.maximum %a, %b : tensor<1xf32>
  %0 = trace.signbit %min : tensor<1xf32>
  %1 = trace.signbit %max : tensor<1xf32>
  trace.return outputs(%0, %1 : tensor<1xi1>, tensor<1xi1>)
}
