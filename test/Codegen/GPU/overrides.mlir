// RUN: trace-opt %s --trace-lower-fusions-to-gpu="chip=sm_80 lanes=2 unroll=2 threads=128" --remarks-filter=trace-lower-fusions-to-gpu 2>&1 >/dev/null | FileCheck %s

// The heuristic's choices can be replaced; what a shape does not allow comes as near as it does.
// CHECK: points: 32768 blocks of 128 x 1 threads, 2 lanes x 2
// CHECK: points: 4 blocks of 128 x 1 threads, 1 lanes x 2
func.func private @points(%a: tensor<16777216xf32>) -> tensor<16777216xf32> attributes {trace.fusion} {
  %r = trace.mul %a, %a : tensor<16777216xf32>
  trace.return outputs(%r : tensor<16777216xf32>)
}
func.func private @odd(%a: tensor<1001xf32>) -> tensor<1001xf32> attributes {trace.fusion} {
  %r = trace.mul %a, %a : tensor<1001xf32>
  trace.return outputs(%r : tensor<1001xf32>)
}
