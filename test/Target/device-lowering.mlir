// RUN: trace-opt %S/Inputs/device.mlir --trace-lower-device | FileCheck %s
// RUN: trace-opt %s --trace-lower-device | FileCheck %s --check-prefix=LIB

// Kernels take bare pointers with their attributes; what LLVM computes exactly is an intrinsic and no call.
// CHECK-NOT: @__nv_
// CHECK: gpu.module @axpy__gpu attributes {trace.kernels = [{
// CHECK: llvm.func @axpy__kernel0(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 64, 1, 1>
// CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 64>
// CHECK: llvm.intr.sqrt
// CHECK: llvm.intr.fma
// CHECK: llvm.intr.floor
// CHECK: llvm.intr.maximum
// CHECK: gpu.module @total__gpu
// CHECK: llvm.mlir.global private constant @weights(dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>) {addr_space = 1 : i32}
// CHECK: llvm.mlir.global internal @__wg_total__kernel0_0() {addr_space = 3 : i32}
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK-NOT: unrealized_conversion_cast
// CHECK-NOT: {{arith|vector|memref|scf|math|builtin[.]unr}}

// What the GPU has no operation for is a call of libdevice; ops of the LLVM dialect stay. The host's part is not touched.
// LIB: func.func @host
// LIB: math.exp
// LIB: llvm.func @__nv_exp(f64) -> f64
// LIB: llvm.call @__nv_exp
// LIB: llvm.call @__nv_exp
// LIB: llvm.intr.copysign
// LIB: llvm.intr.maxnum
// LIB-NOT: llvm.call @__nv
func.func @host(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}

gpu.module @f__gpu {
  gpu.func @k(%p: memref<2xf64, 1>) kernel {
    %c0 = arith.constant 0 : index
    %x = vector.load %p[%c0] : memref<2xf64, 1>, vector<2xf64>
    %e = math.exp %x : vector<2xf64>
    %s = llvm.intr.copysign(%e, %x) : (vector<2xf64>, vector<2xf64>) -> vector<2xf64>
    %m = arith.maxnumf %s, %x : vector<2xf64>
    vector.store %m, %p[%c0] : memref<2xf64, 1>, vector<2xf64>
    gpu.return
  }
}
