// RUN: trace-opt %s --compile-to=split --verify-diagnostics --split-input-file
// RUN: not trace-opt %s --compile-to=split --split-input-file

// An unknown symbol without a decomposition that no executor claims.
func.func @unknown(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  // expected-note@+2 {{asked, in this order: fusion, aten}}
  // expected-error@+1 {{has no decomposition and no executor takes it}}
  %y = trace.bsym "no.such.operator"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
