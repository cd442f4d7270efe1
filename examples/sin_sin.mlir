// f(x) = (sin(x), sin(x)): one value, two outputs, hence two cotangents.
func.func @f(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = trace.sin %x : tensor<4xf32>
  %b = trace.sin %x : tensor<4xf32>
  trace.return outputs(%a, %b : tensor<4xf32>, tensor<4xf32>)
}
