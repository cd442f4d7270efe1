// RUN: trace-opt %s --trace-verify-captured | FileCheck %s

// An argument may be mutated and returned as an alias; a private function is a gradient rule and not looked at.
// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<4xf32> {trace.role = #trace.role<input 0>, trace.requires_grad},
             %b: tensor<4xf32> {trace.role = #trace.role<buffer "mean">})
    -> (tensor<4xf32> {trace.role = #trace.role<output 0>}, tensor<2x2xf32> {trace.role = #trace.role<alias 0>},
        tensor<4xf32> {trace.role = #trace.role<mutated 1>}) {
  %0 = trace.add %x, %b : tensor<4xf32>
  %1 = trace.reshape %x : tensor<4xf32> to tensor<2x2xf32>
  trace.return outputs(%0, %1, %0 : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>)
}
