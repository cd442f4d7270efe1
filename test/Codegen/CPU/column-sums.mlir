// RUN: trace-opt %s --trace-lower-fusions-to-cpu=vector-bits=512 | FileCheck %s
// RUN: trace-opt %s --trace-lower-fusions-to-cpu=vector-bits=512 --remarks-filter=trace-lower-fusions-to-cpu --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A norm's backward: the gradient of a row needs a sum over the row, that of the weight sums over rows. One sweep of
// chunks of rows: each chunk adds its rows up in a row of scratch memory, and a small kernel adds the chunks.

// CHECK-LABEL: func.func private @backward__kernel0
// the chunk's row is made zero
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.maskedstore {{.*}} memref<16384xf32>
// its rows
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.load {{.*}} memref<16384xf32>, vector<16xf32>
// CHECK: arith.addf
// CHECK: vector.store {{.*}} memref<16384xf32>, vector<16xf32>
// CHECK: vector.store {{.*}} memref<262144xf32>, vector<16xf32>
// CHECK-LABEL: func.func private @backward__kernel1
// CHECK: vector.load {{.*}} memref<16384xf32>
// CHECK: vector.store {{.*}} memref<256xf32>
// CHECK-NOT: @backward__kernel2

// REMARK: kernel 0: outer [64, 16] (chunks x rows) lanes over rows, 16 lanes x 4, 64 units
// REMARK: kernel 1: outer [256] lanes over the last outer loop
func.func private @backward(%g: tensor<1024x256xf32>, %x: tensor<1024x256xf32>) -> (tensor<1024x256xf32>, tensor<256xf32>)
    attributes {trace.fusion} {
  %p = trace.mul %g, %x : tensor<1024x256xf32>
  %s = trace.reduce_sum %p [1] : tensor<1024x256xf32>
  %b = trace.broadcast_in_dim %s [0] : tensor<1024xf32> to tensor<1024x256xf32>
  %dx = trace.sub %g, %b : tensor<1024x256xf32>
  %dw = trace.reduce_sum %p [0] : tensor<1024x256xf32>
  trace.return outputs(%dx, %dw : tensor<1024x256xf32>, tensor<256xf32>)
}

// Alone, a sum of columns is better off by blocks of columns.

// REMARK: kernel 0: outer [64, 256] lanes over the last outer loop
// CHECK-LABEL: func.func private @alone__kernel0
// CHECK: iter_args
func.func private @alone(%x: tensor<4096x256xf32>) -> tensor<256xf32> attributes {trace.fusion} {
  %s = trace.reduce_sum %x [0] : tensor<4096x256xf32>
  trace.return outputs(%s : tensor<256xf32>)
}
