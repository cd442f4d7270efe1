// RUN: trace-opt %s --split-input-file --trace-assign-layouts --trace-lower-host | FileCheck %s

// A fusion that only a fusion reads is a plain buffer, freed as soon as it was read; the returned one is a tensor, whose
// handle is given away. A view in between is an address.
func.func private @fused_sin(%x: tensor<8xf32>) -> tensor<4x8xf32> attributes {trace.fusion} {
  %0 = trace.broadcast_in_dim %x [1] : tensor<8xf32> to tensor<4x8xf32>
  trace.return outputs(%0 : tensor<4x8xf32>)
}
func.func private @fused_cos(%x: tensor<2x8xf32>) -> tensor<2x8xf32> attributes {trace.fusion} {
  %0 = trace.cos %x : tensor<2x8xf32>
  trace.return outputs(%0 : tensor<2x8xf32>)
}
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %[[RESULTS:.*]]: !llvm.ptr) -> i32
// CHECK: call @trace_rt_adapt(%[[ARGS]],
// CHECK: llvm.store %{{.*}}, %[[WHERE:.*]] : !llvm.ptr
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[FAIL:bb[0-9]+]]{{$}}
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: %[[BUFFER:.*]] = call @trace_rt_buffer(%[[BYTES]])
// CHECK: call @fused_sin__entry
// CHECK: call @trace_rt_empty
// The second half of the buffer: 64 bytes on.
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: llvm.getelementptr %[[BUFFER]][%[[OFFSET]]]
// CHECK: call @fused_cos__entry
// CHECK: call @trace_rt_buffer_free(%[[BUFFER]])
// CHECK-NOT: trace_rt_delete
// CHECK: call @trace_rt_free_adapted
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: return %[[ZERO]]
// CHECK: ^[[FAIL]]:
// CHECK: %[[TEXT:.*]] = llvm.load %[[WHERE]]
// CHECK: call @trace_rt_error_at(%[[TEXT]])
// CHECK: call @trace_rt_unwind
// CHECK: call @trace_rt_free_adapted
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: return %[[ONE]]
func.func @f(%x: tensor<8xf32>) -> tensor<2x8xf32> {
  %0 = trace.call @fused_sin(%x) : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = trace.slice %0 [2, 0] to [4, 8] by [1, 1] : tensor<4x8xf32>
  %2 = trace.call @fused_cos(%1) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  trace.release %0, %1 : tensor<4x8xf32>, tensor<2x8xf32>
  trace.return outputs(%2 : tensor<2x8xf32>)
}
// The fusions are gone, their entries are declared.
// CHECK-NOT: trace.fusion
// CHECK-DAG: func.func private @fused_sin__entry(!llvm.ptr)
// CHECK-DAG: func.func private @fused_cos__entry(!llvm.ptr)
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("fused_sin at {{.*}}:{{[0-9]+}}\00")
// CHECK-DAG: func.func @trace_get_table(

// -----

// Library calls: matrix products have entries of their own, others a place in the table; one text is one entry. A view
// that a library reads is a handle.
// CHECK-LABEL: func.func @library(
// CHECK: call @trace_rt_view
// CHECK: call @trace_rt_mm
// CHECK: llvm.getelementptr %arg0[0]
// CHECK: call @trace_rt_call
// CHECK: call @trace_rt_delete
// CHECK: llvm.getelementptr %arg0[0]
// CHECK: call @trace_rt_call
func.func @library(%x: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %t = trace.transpose %x [1, 0] : tensor<4x8xf32>
  %0 = trace.call_library "aten.mm.default"(%t, %x) : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = trace.call_library "aten.pow.Tensor_Scalar"(%0) {arguments = [#trace.operand<0>, 2.5]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = trace.call_library "aten.pow.Tensor_Scalar"(%1) {arguments = [#trace.operand<0>, 2.5]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  trace.return outputs(%2 : tensor<8x8xf32>)
}
// CHECK: llvm.mlir.global internal constant @{{.*}}("aten::pow|Tensor_Scalar|T0 D0x1.4p+1 \00")
// CHECK-NOT: "aten::pow

// -----

// Literals are in the table too: a splat is one element.
// CHECK-LABEL: func.func @literals(
// CHECK: call @trace_rt_call
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("\01\00\02\00\03\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("\01\00\01")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("\00\00\80?")
func.func @literals() -> tensor<3xf32> {
  %0 = trace.constant dense<[1, 2, 3]> : tensor<3xi16>
  %1 = trace.constant dense<1.0> : tensor<3xf32>
  %2 = trace.constant dense<[true, false, true]> : tensor<3xi1>
  %3 = trace.call_library "mine.op.default"(%0, %1, %2) : (tensor<3xi16>, tensor<3xf32>, tensor<3xi1>) -> tensor<3xf32>
  trace.return outputs(%3 : tensor<3xf32>)
}

// -----

// CHECK-LABEL: func.func @check_index(
// CHECK: call @trace_rt_check_index
// CHECK: call @trace_rt_call
func.func @check_index(%x: tensor<10xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %0 = trace.check_index %i size 10 wrap false : tensor<4xi64>
  %1 = trace.call_library "aten.index_select.default"(%x, %0) {arguments = [#trace.operand<0>, 0, #trace.operand<1>]} : (tensor<10xf32>, tensor<4xi64>) -> tensor<4xf32>
  trace.return outputs(%1 : tensor<4xf32>)
}
