// REQUIRES: nvjitlink
// Without ptxas, the library nvJitLink makes the machine code, and says the same of it.
// RUN: trace-opt %S/Inputs/device.mlir --trace-lower-device --trace-gpu-to-binary="format=cubin assembler=nvjitlink" | FileCheck %s
// RUN: not trace-opt %s --trace-gpu-to-binary="format=cubin assembler=nvjitlink" 2>&1 | FileCheck %s --check-prefix=REJECTED

// CHECK: gpu.binary @axpy__gpu {
// CHECK-SAME: name = "axpy__kernel0", registers = {{[1-9][0-9]*}} : i64, shared = 0 : i64
// CHECK-SAME: bin = "\7FELF
// CHECK: gpu.binary @total__gpu {
// CHECK-SAME: name = "total__kernel0", registers = {{[1-9][0-9]*}} : i64, shared = 16 : i64

// REJECTED: error: nvJitLink failed (status {{[0-9]+}}): {{.*}}line {{[0-9]+}}
gpu.module @f__gpu {
  llvm.func @k() attributes {nvvm.kernel} {
    llvm.inline_asm has_side_effects "no.such.instruction;", "" : () -> ()
    llvm.return
  }
}
