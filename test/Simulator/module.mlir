// Kernels as the code generator writes them, through the pipeline that compiles for a device, run on the simulator: a
// fusion of two kernels with shared memory, a table and a scratch buffer, and what is reported when its barrier is lost.
// RUN: trace-gpu-sim %S/../Target/Inputs/device.mlir --kernel=total__kernel0 --arg=8x1024xbf16=1 --arg=8xf32 --print=1 --orders=5 | FileCheck %s --check-prefix=PARTIAL
// RUN: sed 's/^    gpu.barrier//' %S/../Target/Inputs/device.mlir > %t.mlir
// RUN: not trace-gpu-sim %t.mlir --kernel=total__kernel0 --arg=8x1024xbf16=1 --arg=8xf32 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: trace-gpu-sim %s --arg=4x96xf32=iota --arg=4xbf16 --arg=4xf32 --print=1,2 --orders=5 | FileCheck %s
// RUN: trace-gpu-sim %s --arg=4x96xf32=iota --arg=4xbf16 --arg=4xf32 --print=1,2 --no-checks | FileCheck %s
// RUN: trace-gpu-sim %s --arg=4x96xf32=iota --arg=4xbf16 --arg=4xf32 --write=2:%t.npy
// RUN: trace-gpu-sim %s --kernel=mean__kernel1 --arg=4xf32=%t.npy --arg=4xbf16 --print=1 | FileCheck %s --check-prefix=SECOND
// RUN: not trace-gpu-sim %s --arg=4x96xf32=iota --arg=4xbf16 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: trace-gpu-sim %s --list | FileCheck %s --check-prefix=LIST

// 256 bf16 ones a warp, of which two lanes' eight are counted, times 1 + 2 + 3 + 4.
// PARTIAL: arg1: tensor<8xf32> = 160 160 160 160 160 160 160 160
// LOST: kernel 'total__kernel0', block (0, 0, 0), thread (0, 0, 0): load of 4 bytes reads what no thread has written: byte 4 of the shared variable @__wg_total__kernel0_0 of 16 bytes

// CHECK: arg1: tensor<4xbf16> = 47.5 144 240 336
// CHECK: arg2: tensor<4xf32> = 47.5 143.5 239.5 335.5
// SECOND: arg1: tensor<4xbf16> = 47.5 144 240 336
// MISSING: kernel 'mean__kernel0' needs buffer 2, given are 2
// LIST: mean__kernel0: 2 parameters, 12 bytes of shared memory
// LIST: mean__kernel1: 2 parameters, 0 bytes of shared memory
gpu.module @mean__gpu attributes {
    trace.kernels = [{name = "mean__kernel0", grid = array<i64: 4, 1, 1>, block = array<i64: 96, 1, 1>, shared = 12 : i64,
                      slots = array<i64: 0, 2>},
                     {name = "mean__kernel1", grid = array<i64: 1, 1, 1>, block = array<i64: 4, 1, 1>, shared = 0 : i64,
                      slots = array<i64: 2, 1>}],
    trace.scratch = array<i64: 16>} {
  gpu.func @mean__kernel0(%a: memref<4x96xf32, 1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                          %mean: memref<4xf32, 1> {llvm.align = 16 : i64, llvm.noalias})
      workgroup(%shared : memref<3xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %row = gpu.block_id x
    %thread = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %x = memref.load %a[%row, %thread] : memref<4x96xf32, 1>
    %width = arith.constant 32 : i32
    %d1 = arith.constant 1 : i32
    %d2 = arith.constant 2 : i32
    %d4 = arith.constant 4 : i32
    %d8 = arith.constant 8 : i32
    %d16 = arith.constant 16 : i32
    %o1, %v1 = gpu.shuffle xor %x, %d1, %width : f32
    %s1 = arith.addf %x, %o1 : f32
    %o2, %v2 = gpu.shuffle xor %s1, %d2, %width : f32
    %s2 = arith.addf %s1, %o2 : f32
    %o4, %v4 = gpu.shuffle xor %s2, %d4, %width : f32
    %s4 = arith.addf %s2, %o4 : f32
    %o8, %v8 = gpu.shuffle xor %s4, %d8, %width : f32
    %s8 = arith.addf %s4, %o8 : f32
    %o16, %v16 = gpu.shuffle xor %s8, %d16, %width : f32
    %s16 = arith.addf %s8, %o16 : f32
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %isFirst = arith.cmpi eq, %lane, %c0 : index
    scf.if %isFirst {
      memref.store %s16, %shared[%warp] : memref<3xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %isZero = arith.cmpi eq, %thread, %c0 : index
    scf.if %isZero {
      %zero = arith.constant 0.0 : f32
      %total = scf.for %k = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> f32 {
        %p = memref.load %shared[%k] : memref<3xf32, #gpu.address_space<workgroup>>
        %n = arith.addf %sum, %p : f32
        scf.yield %n : f32
      }
      %count = arith.constant 96.0 : f32
      %m = arith.divf %total, %count : f32
      memref.store %m, %mean[%row] : memref<4xf32, 1>
    }
    gpu.return
  }
  gpu.func @mean__kernel1(%mean: memref<4xf32, 1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                          %r: memref<4xbf16, 1> {llvm.align = 16 : i64, llvm.noalias}) kernel {
    %thread = gpu.thread_id x
    %x = memref.load %mean[%thread] : memref<4xf32, 1>
    %y = arith.truncf %x : f32 to bf16
    memref.store %y, %r[%thread] : memref<4xbf16, 1>
    gpu.return
  }
}
