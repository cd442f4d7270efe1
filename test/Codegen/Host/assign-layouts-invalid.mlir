// RUN: trace-opt %s --split-input-file --trace-assign-layouts --verify-diagnostics

// expected-error @+1 {{has a value of type 'tensor<?xf32>': layouts need tensors of static shape}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  trace.return outputs(%x : tensor<?xf32>)
}

// -----

func.func @not_lowered(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no place in a host function here; run trace-lower-to-library}}
  %0 = trace.erfinv %x : tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

func.func @wrong_strides(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{result_strides entry 0 does not fit 'tensor<4xf32>'}}
  %0 = trace.call_library "aten.exp.default"(%x) {result_strides = [array<i64: 1, 1>]} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}
