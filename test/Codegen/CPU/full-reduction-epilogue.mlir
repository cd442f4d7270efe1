// RUN: trace-opt %s --trace-lower-fusions-to-cpu | FileCheck %s

// What follows a sum of everything depends on no loop, but stands behind the loop that sums.

// CHECK-LABEL: func.func private @mean__kernel0
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.extract
// CHECK: arith.divf
// CHECK: memref.store
func.func private @mean(%a: tensor<8xf32>) -> tensor<f32> attributes {trace.fusion} {
  %s = trace.reduce_sum %a [0] : tensor<8xf32>
  %c = trace.constant dense<8.0> : tensor<f32>
  %r = trace.div %s, %c : tensor<f32>
  trace.return outputs(%r : tensor<f32>)
}
