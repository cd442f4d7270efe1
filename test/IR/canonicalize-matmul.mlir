// RUN: trace-opt %s -canonicalize | FileCheck %s

// One matrix for all batches is one product.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[A:.*]]: tensor<5x4x8xf32>, %[[W:.*]]: tensor<8x3xf32>)
// CHECK: %[[F:.*]] = trace.reshape %[[A]] : tensor<5x4x8xf32> to tensor<20x8xf32>
// CHECK: %[[M:.*]] = trace.matmul %[[F]], %[[W]] : tensor<20x8xf32>, tensor<8x3xf32>
// CHECK: trace.reshape %[[M]] : tensor<20x3xf32> to tensor<5x4x3xf32>
func.func @shared(%a: tensor<5x4x8xf32>, %w: tensor<8x3xf32>) -> tensor<5x4x3xf32> {
  %b = trace.broadcast_in_dim %w [1, 2] : tensor<8x3xf32> to tensor<5x8x3xf32>
  %m = trace.matmul %a, %b : tensor<5x4x8xf32>, tensor<5x8x3xf32>
  trace.return outputs(%m : tensor<5x4x3xf32>)
}

// A broadcast within the matrices is no such thing.
// CHECK-LABEL: func.func @column
// CHECK: trace.matmul %{{.*}} : tensor<5x4x8xf32>, tensor<5x8x3xf32>
func.func @column(%a: tensor<5x4x8xf32>, %w: tensor<8x1xf32>) -> tensor<5x4x3xf32> {
  %b = trace.broadcast_in_dim %w [1, 2] : tensor<8x1xf32> to tensor<5x8x3xf32>
  %m = trace.matmul %a, %b : tensor<5x4x8xf32>, tensor<5x8x3xf32>
  trace.return outputs(%m : tensor<5x4x3xf32>)
}
