// Functions of libdevice are linked in, with only what is called, and are gone after inlining.
// RUN: rm -rf %t
// RUN: trace-opt %s --trace-lower-device --trace-gpu-to-binary="format=cubin keep-assembly=%t" -o /dev/null
// RUN: FileCheck %s --input-file=%t/f__gpu.ptx
// RUN: FileCheck %s --input-file=%t/f__gpu.ll --check-prefix=IR

// CHECK-NOT: {{[.]extern|__nv_}}
// CHECK: .visible .entry k(
// CHECK: fma.rn.f64
// CHECK-NOT: {{[.]extern|__nv_}}
// IR: define ptx_kernel void @k(
// IR-NOT: define
// IR-NOT: declare {{.*}}@__nv_
gpu.module @f__gpu {
  gpu.func @k(%p: memref<1xf64, 1>) kernel {
    %c0 = arith.constant 0 : index
    %x = memref.load %p[%c0] : memref<1xf64, 1>
    %e = math.exp %x : f64
    %l = math.log1p %e : f64
    memref.store %l, %p[%c0] : memref<1xf64, 1>
    gpu.return
  }
}
