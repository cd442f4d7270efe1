// RUN: trace-opt %s --split-input-file --trace-lower-fusions-to-gpu=chip=sm_90 | FileCheck %s
// RUN: trace-opt %s --split-input-file --trace-lower-fusions-to-gpu=chip=sm_90 --remarks-filter=trace-lower-fusions-to-gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// Points: every access is 16 bytes.
// CHECK-LABEL: gpu.module @points__gpu
// CHECK-SAME: trace.index_bits = 32
// CHECK-SAME: block = array<i64: 64, 1, 1>, bytes_in_flight = 32 : i64, grid = array<i64: 16, 1, 1>, lanes = 4 : i64, mapping = "points"
// CHECK-SAME: slots = array<i64: 0, 1, 2>
// CHECK: gpu.func @points__kernel0(%{{.*}}: memref<4096xf32, 1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: %{{[a-z0-9]*}}: memref<4096xf32, 1> {llvm.align = 16 : i64, llvm.noalias}) kernel
// CHECK-SAME: nvvm.minctasm = 1
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : memref<4096xf32, 1>, vector<4xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<4096xf32, 1>, vector<4xf32>
// REMARK: kernel 0: {{.*}}; points: 16 blocks of 64 x 1 threads, 4 lanes x 1, 1 a multiprocessor with at most 255 registers
func.func private @points(%a: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<4096xf32> attributes {trace.fusion} {
  %r = trace.mul %a, %b : tensor<4096xf32>
  trace.return outputs(%r : tensor<4096xf32>)
}

// -----

// Numbers of 2 bytes: 8 a thread. Much work: several accesses are under way before the first is used.
// CHECK-LABEL: gpu.module @narrow__gpu
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 16 : i64} : memref<16777216xbf16, 1>, vector<8xbf16>
// CHECK: vector.store
// CHECK-NOT: vector.load
// REMARK: points: 2048 blocks of 256 x 1 threads, 8 lanes x 4
func.func private @narrow(%a: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> attributes {trace.fusion} {
  %r = trace.add %a, %a : tensor<4096x4096xbf16>
  trace.return outputs(%r : tensor<4096x4096xbf16>)
}

// -----

// A number of elements that no vector divides: one at a time.
// CHECK-LABEL: gpu.module @odd__gpu
// CHECK: vector.load {{.*}} : memref<1001xf32, 1>, vector<1xf32>
func.func private @odd(%a: tensor<1001xf32>) -> tensor<1001xf32> attributes {trace.fusion} {
  %r = trace.add %a, %a : tensor<1001xf32>
  trace.return outputs(%r : tensor<1001xf32>)
}

// -----

// A row is read once, stays in registers, and is reduced by shuffles and through shared memory.
// CHECK-LABEL: gpu.module @rows__gpu
// CHECK: workgroup(%{{.*}} : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: vector.load
// CHECK-COUNT-4: vector.store
// CHECK-NOT: gpu.barrier
// REMARK: rows: 2048 blocks of 256 x 1 threads, 4 lanes x 4, rows in registers
func.func private @rows(%x: tensor<2048x4096xf32>) -> tensor<2048x4096xf32> attributes {trace.fusion} {
  %s = trace.reduce_sum %x [1] : tensor<2048x4096xf32>
  %b = trace.broadcast_in_dim %s [0] : tensor<2048xf32> to tensor<2048x4096xf32>
  %r = trace.mul %x, %b : tensor<2048x4096xf32>
  trace.return outputs(%r : tensor<2048x4096xf32>)
}

// -----

// Short rows share a warp: no shared memory, no barrier.
// CHECK-LABEL: gpu.module @short_rows__gpu
// CHECK-NOT: gpu.barrier
// CHECK: gpu.shuffle xor
// REMARK: rows: {{.*}} threads, 4 lanes
func.func private @short_rows(%x: tensor<10000x64xf32>) -> tensor<10000xf32> attributes {trace.fusion} {
  %s = trace.reduce_max %x [1] : tensor<10000x64xf32>
  trace.return outputs(%s : tensor<10000xf32>)
}

// -----

// A full sum: chunks of the same size for every machine, then a second kernel.
// CHECK-LABEL: gpu.module @full__gpu
// CHECK-SAME: name = "full__kernel0"{{.*}}slots = array<i64: 0, 2>
// CHECK-SAME: name = "full__kernel1"{{.*}}slots = array<i64: 1, 2>
// CHECK-SAME: trace.scratch = array<i64: 2048>
// REMARK: kernel 0: outer [512]
// REMARK: kernel 1: outer []
func.func private @full(%x: tensor<4096x2048xf32>) -> tensor<f32> attributes {trace.fusion} {
  %s = trace.reduce_sum %x [0, 1] : tensor<4096x2048xf32>
  trace.return outputs(%s : tensor<f32>)
}

// -----

// Columns: threads across a block share what a column reduces.
// CHECK-LABEL: gpu.module @columns__gpu
// CHECK: scf.for
// CHECK: vector.load
// CHECK: memref.store {{.*}} #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}} #gpu.address_space<workgroup>>
// REMARK: columns: 256 blocks of 8 x 32 threads, 4 lanes
func.func private @columns(%x: tensor<200x8192xf32>) -> tensor<8192xf32> attributes {trace.fusion} {
  %s = trace.reduce_sum %x [0] : tensor<200x8192xf32>
  trace.return outputs(%s : tensor<8192xf32>)
}

// -----

// Cross entropy's forward: what the rows' maxima are made from is read again by the sums of exponentials in the same
// kernel; the count of rows that are not ignored goes with the sum over rows.
// CHECK-LABEL: gpu.module @cross_entropy__gpu
// CHECK-SAME: name = "cross_entropy__kernel1"
// CHECK-NOT: kernel2
// REMARK: kernel 0: outer [512] lanes over rows, {{.*}}; stage 0 over [32000]: 1 reductions, 0 stores; stage 1 over [32000]: 1 reductions
// REMARK: kernel 1: outer [] lanes over rows, {{.*}}; stage 0 over [512]: 2 reductions
func.func private @cross_entropy(%x: tensor<512x32000xf32>, %t: tensor<512xi64>) -> (tensor<512xf32>, tensor<512x1xf32>, tensor<f32>, tensor<f32>) attributes {trace.fusion} {
  %max = trace.reduce_max %x [1] : tensor<512x32000xf32>
  %b = trace.broadcast_in_dim %max [0] : tensor<512xf32> to tensor<512x32000xf32>
  %sub = trace.sub %x, %b : tensor<512x32000xf32>
  %exp = trace.exp %sub : tensor<512x32000xf32>
  %sum = trace.reduce_sum %exp [1] : tensor<512x32000xf32>
  %column = trace.reshape %sum : tensor<512xf32> to tensor<512x1xf32>
  %log = trace.log %column : tensor<512x1xf32>
  %ignored = trace.constant dense<-100> : tensor<512xi64>
  %valid = trace.ne %t, %ignored : tensor<512xi64>
  %one = trace.convert %valid : tensor<512xi1> to tensor<512xf32>
  %count = trace.reduce_sum %one [0] : tensor<512xf32>
  %logs = trace.broadcast_in_dim %log [0, 1] : tensor<512x1xf32> to tensor<512x32000xf32>
  %p = trace.sub %sub, %logs : tensor<512x32000xf32>
  %i = trace.reshape %t : tensor<512xi64> to tensor<512x1xi64>
  %picked = trace.gather %p, %i dim 1 : tensor<512x32000xf32>, tensor<512x1xi64>
  %row = trace.reshape %picked : tensor<512x1xf32> to tensor<512xf32>
  %zero = trace.constant dense<0.000000e+00> : tensor<512xf32>
  %kept = trace.where %valid, %row, %zero : tensor<512xi1>, tensor<512xf32>
  %total = trace.reduce_sum %kept [0] : tensor<512xf32>
  %loss = trace.div %total, %count : tensor<f32>
  trace.return outputs(%max, %log, %count, %loss : tensor<512xf32>, tensor<512x1xf32>, tensor<f32>, tensor<f32>)
}

// -----

// Rows and columns in one sweep: sums of columns stay in registers for a chunk of rows.
// CHECK-LABEL: gpu.module @rows_and_columns__gpu
// CHECK: scf.for {{.*}} iter_args
// CHECK: gpu.barrier
// CHECK: scf.yield
// CHECK: vector.store
// REMARK: kernel 0: {{.*}}; chunks of rows: 512 blocks of 512 x 1 threads, 4 lanes x 2, rows in registers
// REMARK: kernel 1: {{.*}}; columns
func.func private @rows_and_columns(%x: tensor<8192x4096xf32>, %g: tensor<8192x4096xf32>) -> (tensor<8192x4096xf32>, tensor<4096xf32>) attributes {trace.fusion} {
  %p = trace.mul %x, %g : tensor<8192x4096xf32>
  %s = trace.reduce_sum %p [1] : tensor<8192x4096xf32>
  %b = trace.broadcast_in_dim %s [0] : tensor<8192xf32> to tensor<8192x4096xf32>
  %r = trace.mul %x, %b : tensor<8192x4096xf32>
  %w = trace.reduce_sum %p [0] : tensor<8192x4096xf32>
  trace.return outputs(%r, %w : tensor<8192x4096xf32>, tensor<4096xf32>)
}

// -----

// What lies the other way round goes through shared memory, in rows of 33.
// CHECK-LABEL: gpu.module @transposed__gpu
// CHECK: workgroup(%[[TILE:.*]] : memref<1056xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK: memref.store {{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[TILE]]
// REMARK: tiles: 4096 blocks of 32 x 8 threads
func.func private @transposed(%x: tensor<2048x2048xf32>, %y: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> attributes {trace.fusion} {
  %t = trace.transpose %y [1, 0] : tensor<2048x2048xf32>
  %r = trace.add %x, %t : tensor<2048x2048xf32>
  trace.return outputs(%r : tensor<2048x2048xf32>)
}

// -----

// More than 2^30 elements: indices have 64 bits.
// CHECK-LABEL: gpu.module @large__gpu
// CHECK-NOT: trace.index_bits
func.func private @large(%x: tensor<70000x70000xi8>) -> tensor<70000x70000xi8> attributes {trace.fusion} {
  %r = trace.add %x, %x : tensor<70000x70000xi8>
  trace.return outputs(%r : tensor<70000x70000xi8>)
}

// -----

// Nothing to compute: no kernel.
// CHECK-LABEL: gpu.module @empty__gpu
// CHECK-SAME: trace.kernels = []
func.func private @empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> attributes {trace.fusion} {
  %r = trace.add %x, %x : tensor<0x4xf32>
  trace.return outputs(%r : tensor<0x4xf32>)
}
