// Two fusions of kernels as the GPU code generator writes them: a pointwise one, and one with shared memory and a table.
gpu.module @axpy__gpu attributes {
    trace.kernels = [{name = "axpy__kernel0", grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, shared = 0 : i64,
                      slots = array<i64: 0, 1, 2>}],
    trace.scratch = array<i64>} {
  gpu.func @axpy__kernel0(%a: memref<1024xf32, 1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                          %b: memref<1024xf32, 1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                          %r: memref<1024xf32, 1> {llvm.align = 16 : i64, llvm.noalias})
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %c4 = arith.constant 4 : index
    %first = arith.muli %block, %c64 : index
    %unit = arith.addi %first, %thread : index
    %i = arith.muli %unit, %c4 : index
    %x = vector.load %a[%i] {alignment = 16 : i64} : memref<1024xf32, 1>, vector<4xf32>
    %y = vector.load %b[%i] {alignment = 16 : i64} : memref<1024xf32, 1>, vector<4xf32>
    %xx = arith.mulf %x, %x : vector<4xf32>
    %sum = arith.addf %xx, %y : vector<4xf32>
    %root = math.sqrt %sum : vector<4xf32>
    %quotient = arith.divf %root, %y : vector<4xf32>
    %fused = math.fma %quotient, %x, %y : vector<4xf32>
    %whole = math.floor %fused : vector<4xf32>
    %larger = arith.maximumf %whole, %fused : vector<4xf32>
    vector.store %larger, %r[%i] {alignment = 16 : i64} : memref<1024xf32, 1>, vector<4xf32>
    gpu.return
  }
}

gpu.module @total__gpu attributes {
    trace.kernels = [{name = "total__kernel0", grid = array<i64: 8, 1, 1>, block = array<i64: 128, 1, 1>,
                      shared = 16 : i64, slots = array<i64: 0, 2>},
                     {name = "total__kernel1", grid = array<i64: 1, 1, 1>, block = array<i64: 8, 1, 1>, shared = 0 : i64,
                      slots = array<i64: 2, 1>}],
    trace.scratch = array<i64: 32>} {
  memref.global "private" constant @weights : memref<4xf32, 1> = dense<[1.0, 2.0, 3.0, 4.0]>
  gpu.func @total__kernel0(%a: memref<8x1024xbf16, 1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                           %partial: memref<8xf32, 1> {llvm.align = 16 : i64, llvm.noalias})
      workgroup(%shared : memref<4xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %row = gpu.block_id x
    %thread = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %i = arith.muli %thread, %c8 : index
    %x = vector.load %a[%row, %i] {alignment = 16 : i64} : memref<8x1024xbf16, 1>, vector<8xbf16>
    %wide = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %own = vector.reduction <add>, %wide : vector<8xf32> into f32
    %width = arith.constant 32 : i32
    %d16 = arith.constant 16 : i32
    %o16, %v16 = gpu.shuffle xor %own, %d16, %width : f32
    %s16 = arith.addf %own, %o16 : f32
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %isFirst = arith.cmpi eq, %lane, %c0 : index
    scf.if %isFirst {
      memref.store %s16, %shared[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %table = memref.get_global @weights : memref<4xf32, 1>
    %zero = arith.constant 0.0 : f32
    %total = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 {
      %p = memref.load %shared[%k] : memref<4xf32, #gpu.address_space<workgroup>>
      %w = memref.load %table[%k] : memref<4xf32, 1>
      %pw = arith.mulf %p, %w : f32
      %n = arith.addf %acc, %pw : f32
      scf.yield %n : f32
    }
    %isZero = arith.cmpi eq, %thread, %c0 : index
    scf.if %isZero {
      memref.store %total, %partial[%row] : memref<8xf32, 1>
    }
    gpu.return
  }
  gpu.func @total__kernel1(%partial: memref<8xf32, 1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                           %r: memref<8xbf16, 1> {llvm.align = 16 : i64, llvm.noalias}) kernel {
    %thread = gpu.thread_id x
    %x = memref.load %partial[%thread] : memref<8xf32, 1>
    %y = arith.truncf %x : f32 to bf16
    memref.store %y, %r[%thread] : memref<8xbf16, 1>
    gpu.return
  }
}
