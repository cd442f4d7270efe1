// RUN: trace-opt %s --trace-lower-fusions-to-cpu -split-input-file -verify-diagnostics

func.func private @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> attributes {trace.fusion} {
  // expected-error @+1 {{cannot be in a CPU kernel: it has a dynamic shape}}
  %r = trace.sin %x : tensor<?xf32>
  trace.return outputs(%r : tensor<?xf32>)
}

// -----

func.func private @library(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {trace.fusion} {
  // expected-error @+1 {{cannot be in a CPU kernel: it has no code generator}}
  %r = trace.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
  trace.return outputs(%r : tensor<4x4xf32>)
}

// -----

func.func private @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> attributes {trace.fusion} {
  // expected-error @+1 {{cannot be in a CPU kernel: it has elements of complex<f32>}}
  %r = trace.neg %x : tensor<4xcomplex<f32>>
  trace.return outputs(%r : tensor<4xcomplex<f32>>)
}

// -----

// expected-error @+1 {{has an operand or result of type 'tensor<4xf8E5M2>', which cannot be accessed in a CPU kernel}}
func.func private @passed(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> attributes {trace.fusion} {
  trace.return outputs(%x : tensor<4xf8E5M2>)
}
