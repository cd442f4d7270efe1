// RUN: trace-opt %s --trace-verify-split | FileCheck %s

// CHECK-LABEL: func.func @f_forward
func.func @f_forward(%x: tensor<4xf32> {trace.requires_grad})
    -> (tensor<4xf32> {trace.role = #trace.role<output 0>}, tensor<4xf32> {trace.role = #trace.role<saved 0>})
    attributes {trace.side = "forward"} {
  %s = trace.exp %x : tensor<4xf32>
  %y = trace.sin %s : tensor<4xf32>
  trace.return outputs(%y, %s : tensor<4xf32>, tensor<4xf32>)
}
func.func @f_backward(%s: tensor<4xf32> {trace.role = #trace.role<saved 0>},
                      %g: tensor<4xf32> {trace.role = #trace.role<cotangent 0>})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>})
    attributes {trace.side = "backward", trace.forward_symbol = @f_forward} {
  %c = trace.mul %s, %g : tensor<4xf32>
  trace.return outputs() gradients(%c : tensor<4xf32>) of [0]
}
