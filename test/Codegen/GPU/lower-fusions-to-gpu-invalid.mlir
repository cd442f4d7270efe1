// RUN: trace-opt %s --split-input-file --verify-diagnostics --trace-lower-fusions-to-gpu=chip=sm_90

func.func private @library(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {trace.fusion} {
  // expected-error @+1 {{cannot be in a GPU kernel: it has no code generator}}
  %r = trace.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
  trace.return outputs(%r : tensor<4x4xf32>)
}

// -----

// expected-error @+1 {{has an operand or result of type 'tensor<4xf8E5M2>', which cannot be accessed in a GPU kernel}}
func.func private @type(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> attributes {trace.fusion} {
  trace.return outputs(%x : tensor<4xf8E5M2>)
}
