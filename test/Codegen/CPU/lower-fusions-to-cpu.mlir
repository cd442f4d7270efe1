// RUN: trace-opt %s --trace-lower-fusions-to-cpu=vector-bits=512 | FileCheck %s
// RUN: trace-opt %s --trace-lower-fusions-to-cpu=vector-bits=256 | FileCheck %s --check-prefix=AVX2
// RUN: trace-opt %s --trace-lower-fusions-to-cpu=vector-bits=512 --symbol-dce --trace-lower-to-llvm | FileCheck %s --check-prefix=LLVM

// Flat: one loop whatever the rank, whole vectors and one masked loop for the end. No scalar loads.

// CHECK-LABEL: func.func private @pointwise__kernel0
// CHECK-NOT: memref.load
// CHECK: vector.load {{.*}} memref<1001xf32>, vector<16xf32>
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK: vector.create_mask
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-LABEL: func.func @pointwise__entry(%arg0: !llvm.ptr)
// CHECK: call @trace_rt_parallel_for
// AVX2-LABEL: func.func private @pointwise__kernel0
// AVX2: vector.load {{.*}} vector<8xf32>
// LLVM-LABEL: llvm.func @pointwise__kernel0
// LLVM-NOT: trace.
func.func private @pointwise(%a: tensor<7x11x13xf32>, %b: tensor<7x11x13xf32>) -> tensor<7x11x13xf32> attributes {trace.fusion} {
  %r = trace.mul %a, %b : tensor<7x11x13xf32>
  trace.return outputs(%r : tensor<7x11x13xf32>)
}

// A row: four accumulators, combined by halves; then a second sweep of the same row. One kernel.

// CHECK-LABEL: func.func private @rows__kernel0
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: memref.load
// CHECK: vector.load
// CHECK: vector.extract_strided_slice {{.*}} vector<16xf32> to vector<8xf32>
// CHECK: vector.extract {{.*}} : f32 from vector<1xf32>
// CHECK: scf.for
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK: memref.store {{.*}} memref<8xf32>
// CHECK-NOT: @rows__kernel1
func.func private @rows(%x: tensor<8x256xf32>) -> (tensor<8x256xf32>, tensor<8xf32>) attributes {trace.fusion} {
  %s = trace.reduce_sum %x [1] : tensor<8x256xf32>
  %b = trace.broadcast_in_dim %s [0] : tensor<8xf32> to tensor<8x256xf32>
  %r = trace.mul %x, %b : tensor<8x256xf32>
  trace.return outputs(%r, %s : tensor<8x256xf32>, tensor<8xf32>)
}

// Columns: lanes over the columns, so that nothing is combined across lanes.

// CHECK-LABEL: func.func private @columns__kernel0
// CHECK: iter_args
// CHECK: vector.load
// CHECK-NOT: extract_strided_slice
// CHECK: vector.store
// CHECK: return
func.func private @columns(%x: tensor<100x256xf32>) -> tensor<256xf32> attributes {trace.fusion} {
  %s = trace.reduce_sum %x [0] : tensor<100x256xf32>
  trace.return outputs(%s : tensor<256xf32>)
}

// A full sum in chunks of a fixed size, and a second kernel that adds the chunks.

// CHECK-LABEL: func.func private @full__kernel0
// CHECK-LABEL: func.func private @full__kernel1
// CHECK-LABEL: func.func @full__entry
// CHECK: call @trace_rt_scratch(
// CHECK-COUNT-2: call @trace_rt_parallel_for
// CHECK: call @trace_rt_scratch_free
func.func private @full(%x: tensor<1000x1000xf32>) -> tensor<f32> attributes {trace.fusion} {
  %s = trace.reduce_sum %x [0, 1] : tensor<1000x1000xf32>
  trace.return outputs(%s : tensor<f32>)
}

// cat along the row: one loop for each part, and no select.

// CHECK-LABEL: func.func private @rotate__kernel0
// CHECK-NOT: arith.select
// CHECK: return
func.func private @rotate(%x: tensor<6x64xf32>) -> tensor<6x64xf32> attributes {trace.fusion} {
  %hi = trace.slice %x [0, 32] to [6, 64] by [1, 1] : tensor<6x64xf32>
  %lo = trace.slice %x [0, 0] to [6, 32] by [1, 1] : tensor<6x64xf32>
  %n = trace.neg %hi : tensor<6x32xf32>
  %r = trace.cat %n, %lo dim 1 : tensor<6x32xf32>, tensor<6x32xf32>
  trace.return outputs(%r : tensor<6x64xf32>)
}

// Nothing to compute: no kernel, but an entry.

// CHECK-NOT: @empty__kernel0
// CHECK-LABEL: func.func @empty__entry
func.func private @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> attributes {trace.fusion} {
  %r = trace.sin %x : tensor<0x3xf32>
  trace.return outputs(%r : tensor<0x3xf32>)
}
