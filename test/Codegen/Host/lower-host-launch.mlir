// RUN: trace-opt %s --split-input-file --trace-assign-layouts --trace-lower-host | FileCheck %s
// RUN: trace-opt %s --split-input-file --trace-assign-layouts --trace-lower-host --trace-lower-to-llvm -o /dev/null

// Fusions for a GPU: their binaries become data, and each kernel a launch. The operand may be at any address and is copied
// where it is not at a multiple of 16 bytes; what the first fusion made is not. Scratch memory is given back at once.
func.func private @total(%x: tensor<8x1024xf32>) -> tensor<8xf32> attributes {trace.fusion} {
  %0 = trace.reduce_sum %x [1] : tensor<8x1024xf32>
  trace.return outputs(%0 : tensor<8xf32>)
}
gpu.binary @total__gpu {
    trace.kernels = [{name = "total__kernel0", grid = array<i64: 8, 2, 1>, block = array<i64: 128, 1, 1>, shared = 16 : i64,
                      slots = array<i64: 0, 2>},
                     {name = "total__kernel1", grid = array<i64: 1, 1, 1>, block = array<i64: 8, 1, 1>, shared = 0 : i64,
                      slots = array<i64: 2, 1>}],
    trace.scratch = array<i64: 64>} [#gpu.object<#nvvm.target, bin = "CUBIN">, #gpu.object<#nvvm.target, assembly = "PTX">]
func.func private @twice(%x: tensor<8xf32>) -> tensor<8xf32> attributes {trace.fusion} {
  %0 = trace.add %x, %x : tensor<8xf32>
  trace.return outputs(%0 : tensor<8xf32>)
}
gpu.binary @twice__gpu {
    trace.kernels = [{name = "twice__kernel0", grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, shared = 0 : i64,
                      slots = array<i64: 0, 1>}],
    trace.scratch = array<i64>} [#gpu.object<#nvvm.target, assembly = "PTX2">]
// CHECK-LABEL: func.func @f(
// CHECK: call @trace_rt_adapt
// CHECK: %[[RESULT:.*]] = call @trace_rt_buffer
// CHECK: %[[BYTES:[0-9]+]] = llvm.mlir.addressof @[[BYTES_OF:trace_ints[_0-9]*]] : !llvm.ptr
// CHECK: call @trace_rt_align(%[[POINTERS:[0-9]+]], %{{[0-9]+}}, %[[BYTES]], %{{[0-9]+}})
// CHECK: llvm.cond_br
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[SCRATCH:.*]] = call @trace_rt_buffer(%[[SIZE]])
// CHECK: llvm.cond_br
// CHECK: llvm.getelementptr %arg0[1]
// CHECK: call @trace_rt_launch(%{{.*}}, %[[POINTERS]])
// CHECK: llvm.cond_br
// CHECK: llvm.getelementptr %arg0[2]
// CHECK: call @trace_rt_launch(%{{.*}}, %[[POINTERS]])
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: call @trace_rt_buffers_free(%{{.*}}, %[[TWO]])
// CHECK: call @trace_rt_empty
// CHECK-NOT: trace_rt_align
// CHECK: llvm.getelementptr %arg0[4]
// CHECK: call @trace_rt_launch
// CHECK-NOT: trace_rt_buffers_free
// CHECK: call @trace_rt_buffer_free
// CHECK: return
func.func @f(%x: tensor<8x1024xf32>) -> tensor<8xf32> {
  %0 = trace.call @total(%x) : (tensor<8x1024xf32>) -> tensor<8xf32>
  %1 = trace.call @twice(%0) : (tensor<8xf32>) -> tensor<8xf32>
  trace.release %0 : tensor<8xf32>
  trace.return outputs(%1 : tensor<8xf32>)
}
// CHECK-NOT: gpu.binary
// CHECK-DAG: llvm.mlir.global internal constant @[[BYTES_OF]](dense<32768> : tensor<1xi64>)
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("CUBIN\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("PTX\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("cubin\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("total__kernel1\00")
// CHECK-DAG: llvm.mlir.global internal constant @trace_table() {addr_space = 0 : i32} : !llvm.array<5 x struct<(i64, ptr, ptr, ptr)>>

// -----

// Results without elements: no kernel, no module, a tensor all the same.
func.func private @nothing(%x: tensor<0x4xf32>) -> tensor<0x4xf32> attributes {trace.fusion} {
  %0 = trace.sin %x : tensor<0x4xf32>
  trace.return outputs(%0 : tensor<0x4xf32>)
}
gpu.binary @nothing__gpu {trace.kernels = [], trace.scratch = array<i64>} [#gpu.object<#nvvm.target, assembly = "PTX">]
// CHECK-LABEL: func.func @empty(
// CHECK: call @trace_rt_empty
// CHECK-NOT: trace_rt_launch
// CHECK: return
// CHECK: @trace_table() {{.*}}!llvm.array<0 x
func.func @empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = trace.call @nothing(%x) : (tensor<0x4xf32>) -> tensor<0x4xf32>
  trace.return outputs(%0 : tensor<0x4xf32>)
}

// -----

// A view of a fusion's result at a multiple of 16 bytes is never copied, at another place it may be.
func.func private @make(%x: tensor<8xf32>) -> tensor<32xf32> attributes {trace.fusion} {
  %0 = trace.broadcast_in_dim %x [1] : tensor<8xf32> to tensor<4x8xf32>
  %1 = trace.reshape %0 : tensor<4x8xf32> to tensor<32xf32>
  trace.return outputs(%1 : tensor<32xf32>)
}
gpu.binary @make__gpu {
    trace.kernels = [{name = "make__kernel0", grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, shared = 0 : i64,
                      slots = array<i64: 0, 1>}],
    trace.scratch = array<i64>} [#gpu.object<#nvvm.target, assembly = "PTX">]
func.func private @sum(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xf32> attributes {trace.fusion} {
  %0 = trace.add %x, %y : tensor<9xf32>
  trace.return outputs(%0 : tensor<9xf32>)
}
gpu.binary @sum__gpu {
    trace.kernels = [{name = "sum__kernel0", grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, shared = 0 : i64,
                      slots = array<i64: 0, 1, 2>}],
    trace.scratch = array<i64>} [#gpu.object<#nvvm.target, assembly = "PTX">]
// CHECK-LABEL: func.func @views(
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}(dense<[-1, 36]> : tensor<2xi64>)
func.func @views(%x: tensor<8xf32>) -> tensor<9xf32> {
  %0 = trace.call @make(%x) : (tensor<8xf32>) -> tensor<32xf32>
  %1 = trace.slice %0 [4] to [13] by [1] : tensor<32xf32>
  %2 = trace.slice %0 [3] to [12] by [1] : tensor<32xf32>
  %3 = trace.call @sum(%1, %2) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  trace.release %0, %1, %2 : tensor<32xf32>, tensor<9xf32>, tensor<9xf32>
  trace.return outputs(%3 : tensor<9xf32>)
}
