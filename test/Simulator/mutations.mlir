// Kernels as the emitter makes them, each with one thing taken away that it needs: the simulator must say so, whatever the
// order of threads. As they are, they run.
// RUN: split-file %s %t
// RUN: trace-opt %t/rows.mlir --trace-lower-fusions-to-gpu --symbol-dce -o %t/rows.gpu.mlir
// RUN: trace-opt %t/columns.mlir --trace-lower-fusions-to-gpu --symbol-dce -o %t/columns.gpu.mlir
// RUN: trace-opt %t/chunks.mlir --trace-lower-fusions-to-gpu --symbol-dce -o %t/chunks.gpu.mlir
// RUN: trace-opt %t/tiles.mlir --trace-lower-fusions-to-gpu --symbol-dce -o %t/tiles.gpu.mlir
// RUN: trace-opt %t/points.mlir --trace-lower-fusions-to-gpu --symbol-dce -o %t/points.gpu.mlir
// RUN: trace-opt %t/total.mlir --trace-lower-fusions-to-gpu --symbol-dce -o %t/total.gpu.mlir
//
// RUN: trace-gpu-sim %t/rows.gpu.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 --orders=3
// RUN: trace-gpu-sim %t/columns.gpu.mlir --arg=100x130xf32=random:1 --arg=130xf32 --orders=3
// RUN: trace-gpu-sim %t/chunks.gpu.mlir --arg=130x1000xf32=random:1 --arg=130x1000xf32 --arg=1000xf32 --arg=13000xf32 --orders=3
// RUN: trace-gpu-sim %t/tiles.gpu.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 --orders=3
// RUN: trace-gpu-sim %t/points.gpu.mlir --arg=1001xf32=iota --arg=1001xf32 --orders=3
// RUN: trace-gpu-sim %t/total.gpu.mlir --arg=100003xf32=1 --arg=1xf32 --arg=7xf32 --orders=3
//
// A barrier is missing: the first, or the second, between writing to shared memory and reading from it.
// RUN: sed '0,/gpu.barrier/{/gpu.barrier/d}' %t/rows.gpu.mlir > %t/mutant.mlir && not cmp -s %t/rows.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: kernel 'k__kernel0', block {{.*}}, thread {{.*}} of 4 bytes {{(reads what no thread has written: byte .* of the shared variable|byte .* of the shared variable .* races with a)}}
// RUN: sed '0,/gpu.barrier/!{0,/gpu.barrier/{/gpu.barrier/d}}' %t/rows.gpu.mlir > %t/mutant.mlir && not cmp -s %t/rows.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: sed '0,/gpu.barrier/{/gpu.barrier/d}' %t/columns.gpu.mlir > %t/mutant.mlir && not cmp -s %t/columns.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100x130xf32=random:1 --arg=130xf32 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100x130xf32=random:1 --arg=130xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: sed '0,/gpu.barrier/{/gpu.barrier/d}' %t/tiles.gpu.mlir > %t/mutant.mlir && not cmp -s %t/tiles.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: sed '0,/gpu.barrier/{/gpu.barrier/d}' %t/total.gpu.mlir > %t/mutant.mlir && not cmp -s %t/total.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100003xf32=1 --arg=1xf32 --arg=7xf32 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100003xf32=1 --arg=1xf32 --arg=7xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: sed '0,/gpu.barrier/!{0,/gpu.barrier/{/gpu.barrier/d}}' %t/chunks.gpu.mlir > %t/mutant.mlir && not cmp -s %t/chunks.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=130x1000xf32=random:1 --arg=130x1000xf32 --arg=1000xf32 --arg=13000xf32 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=130x1000xf32=random:1 --arg=130x1000xf32 --arg=1000xf32 --arg=13000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SHARED
//
// Between reading the results of one row and writing those of the next.
// RUN: sed '0,/gpu.barrier/{/gpu.barrier/d}' %t/chunks.gpu.mlir > %t/mutant.mlir && not cmp -s %t/chunks.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=130x1000xf32=random:1 --arg=130x1000xf32 --arg=1000xf32 --arg=13000xf32 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=130x1000xf32=random:1 --arg=130x1000xf32 --arg=1000xf32 --arg=13000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: of the shared variable {{.*}} races with a
//
// Shared memory is too small.
// RUN: sed 's/memref<8xf32, #gpu/memref<7xf32, #gpu/g' %t/rows.gpu.mlir > %t/mutant.mlir && not cmp -s %t/rows.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: {{(load|store)}} of 4 bytes is out of bounds: byte {{[0-9]+}} of the shared variable
// RUN: sed 's/memref<512xf32, #gpu/memref<510xf32, #gpu/g' %t/columns.gpu.mlir > %t/mutant.mlir && not cmp -s %t/columns.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100x130xf32=random:1 --arg=130xf32 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100x130xf32=random:1 --arg=130xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: sed 's/memref<1056xf32, #gpu/memref<1054xf32, #gpu/g' %t/tiles.gpu.mlir > %t/mutant.mlir && not cmp -s %t/tiles.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SMALL
//
// Threads past the end are not brought back to what there is.
// RUN: sed 's/arith.minui \(%[0-9]*\), %c996 :/arith.maxui \1, \1 :/' %t/rows.gpu.mlir > %t/mutant.mlir && not cmp -s %t/rows.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=READ
// READ: load of {{[0-9]+}} bytes through parameter {{[0-9]}} is out of bounds
// RUN: sed 's/arith.minui \(%[0-9]*\), %c69 :/arith.maxui \1, \1 :/' %t/tiles.gpu.mlir > %t/mutant.mlir && not cmp -s %t/tiles.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=READ
//
// Nor kept from writing what is another thread's.
// RUN: sed 's/arith.cmpi ult, \(%[0-9]*\), %c1000 :/arith.cmpi eq, \1, \1 :/' %t/rows.gpu.mlir > %t/mutant.mlir && not cmp -s %t/rows.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: store of {{[0-9]+}} bytes through parameter 1 {{.*}} {{(races with a store|is out of bounds)}}
// RUN: sed 's/arith.cmpi ult, \(%[0-9]*\), %c130 :/arith.cmpi eq, \1, \1 :/' %t/columns.gpu.mlir > %t/mutant.mlir && not cmp -s %t/columns.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100x130xf32=random:1 --arg=130xf32 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100x130xf32=random:1 --arg=130xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=TWICE
//
// A tile without the guard of its rows, and a loop of points that goes to the end of the block.
// RUN: sed 's/arith.cmpi ult, \(%[0-9]*\), %c40 :/arith.cmpi eq, \1, \1 :/' %t/tiles.gpu.mlir > %t/mutant.mlir && not cmp -s %t/tiles.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 2>&1 | FileCheck %s --check-prefix=PAST
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=40x70xf32=iota --arg=70x40xf32=iota --arg=40x70xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=PAST
// PAST: {{(load|store)}} of 4 bytes through parameter {{[0-9]}} is out of bounds
// RUN: sed 's/arith.constant 1001 : index/arith.constant 1024 : index/' %t/points.gpu.mlir > %t/mutant.mlir && not cmp -s %t/points.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=1001xf32=iota --arg=1001xf32 2>&1 | FileCheck %s --check-prefix=PAST
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=1001xf32=iota --arg=1001xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=PAST
//
// The last block of the first kernel is not launched: the second one reads scratch memory that nobody has written.
// RUN: sed 's/grid = array<i64: 7, 1, 1>/grid = array<i64: 6, 1, 1>/' %t/total.gpu.mlir > %t/mutant.mlir && not cmp -s %t/total.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100003xf32=1 --arg=1xf32 --arg=7xf32 2>&1 | FileCheck %s --check-prefix=SCRATCH
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=100003xf32=1 --arg=1xf32 --arg=7xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=SCRATCH
// SCRATCH: kernel 'k__kernel1', {{.*}} load of {{[0-9]+}} bytes through parameter 1 reads what nothing has written
//
// Half of the last warp is not there.
// RUN: sed 's/block = array<i64: 256, 1, 1>/block = array<i64: 240, 1, 1>/' %t/rows.gpu.mlir > %t/mutant.mlir && not cmp -s %t/rows.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: a shuffle reads from lane {{[0-9]+}}, which does not exist
//
// A barrier where not all threads come by.
// RUN: sed 's/^ *scf.if \(%[0-9]*\) {/scf.if \1 { gpu.barrier/' %t/rows.gpu.mlir > %t/mutant.mlir && not cmp -s %t/rows.gpu.mlir %t/mutant.mlir
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// RUN: not trace-gpu-sim %t/mutant.mlir --arg=3x1000xf32=random:1 --arg=3x1000xf32 --seed=1 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// DIVERGENT: {{(waits for ever at a barrier that only .* threads reach|threads of one warp wait at different barriers)}}

//--- rows.mlir
func.func private @k(%x: tensor<3x1000xf32>) -> tensor<3x1000xf32> attributes {trace.fusion} {
  %m = trace.reduce_max %x [1] : tensor<3x1000xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<3xf32> to tensor<3x1000xf32>
  %d = trace.sub %x, %mb : tensor<3x1000xf32>
  %s = trace.reduce_sum %d [1] : tensor<3x1000xf32>
  %sb = trace.broadcast_in_dim %s [0] : tensor<3xf32> to tensor<3x1000xf32>
  %r = trace.div %d, %sb : tensor<3x1000xf32>
  trace.return outputs(%r : tensor<3x1000xf32>)
}
//--- columns.mlir
func.func private @k(%x: tensor<100x130xf32>) -> tensor<130xf32> attributes {trace.fusion} {
  %s = trace.reduce_sum %x [0] : tensor<100x130xf32>
  trace.return outputs(%s : tensor<130xf32>)
}
//--- chunks.mlir
func.func private @k(%x: tensor<130x1000xf32>) -> (tensor<130x1000xf32>, tensor<1000xf32>) attributes {trace.fusion} {
  %m = trace.reduce_max %x [1] : tensor<130x1000xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<130xf32> to tensor<130x1000xf32>
  %d = trace.sub %x, %mb : tensor<130x1000xf32>
  %s = trace.reduce_sum %x [0] : tensor<130x1000xf32>
  trace.return outputs(%d, %s : tensor<130x1000xf32>, tensor<1000xf32>)
}
//--- tiles.mlir
func.func private @k(%x: tensor<40x70xf32>, %y: tensor<70x40xf32>) -> tensor<40x70xf32> attributes {trace.fusion} {
  %t = trace.transpose %y [1, 0] : tensor<70x40xf32>
  %r = trace.add %x, %t : tensor<40x70xf32>
  trace.return outputs(%r : tensor<40x70xf32>)
}
//--- points.mlir
func.func private @k(%x: tensor<1001xf32>) -> tensor<1001xf32> attributes {trace.fusion} {
  %r = trace.add %x, %x : tensor<1001xf32>
  trace.return outputs(%r : tensor<1001xf32>)
}
//--- total.mlir
func.func private @k(%x: tensor<100003xf32>) -> tensor<f32> attributes {trace.fusion} {
  %s = trace.reduce_sum %x [0] : tensor<100003xf32>
  trace.return outputs(%s : tensor<f32>)
}
