// RUN: trace-opt %s --trace-insert-releases | FileCheck %s
// RUN: trace-opt %s --trace-insert-releases --trace-insert-releases | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT: %[[A:.*]] = trace.call @fused_sin_0(%arg0)
// CHECK-NEXT: %[[T:.*]] = trace.transpose %[[A]]
// CHECK-NEXT: %[[B:.*]] = trace.matmul %[[T]], %arg0
// CHECK-NEXT: trace.release %[[A]], %[[T]] : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: %[[V:.*]], %[[I:.*]] = trace.sort %[[B]]
// CHECK-NEXT: trace.release %[[B]], %[[I]]
// CHECK-NEXT: %[[R:.*]] = trace.reshape %[[V]]
// CHECK-NEXT: trace.return outputs(%[[R]]
func.func @f(%x: tensor<4x4xf32>) -> tensor<16xf32> {
  %a = trace.call @fused_sin_0(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = trace.transpose %a [1, 0] : tensor<4x4xf32>
  %b = trace.matmul %t, %x : tensor<4x4xf32>, tensor<4x4xf32>
  %v, %i = trace.sort %b dim 1 descending false stable true : tensor<4x4xf32>
  %r = trace.reshape %v : tensor<4x4xf32> to tensor<16xf32>
  trace.return outputs(%r : tensor<16xf32>)
}

// A fusion's inside is the code generator's.
// CHECK-LABEL: func.func private @fused_sin_0
// CHECK-NOT: trace.release
func.func private @fused_sin_0(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {trace.fusion} {
  %c = trace.cos %x : tensor<4x4xf32>
  %s = trace.sin %x : tensor<4x4xf32>
  trace.return outputs(%s : tensor<4x4xf32>)
}
