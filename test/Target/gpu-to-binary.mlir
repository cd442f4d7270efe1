// RUN: trace-opt %S/Inputs/device.mlir --trace-lower-device -o %t.mlir
// RUN: rm -rf %t.keep
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=ptx,cubin,bitcode keep-assembly=%t.keep" -o %t.binary.mlir --remarks-filter=trace-gpu-to-binary --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.binary.mlir
// RUN: FileCheck %s --input-file=%t.keep/total__gpu.ptxas --check-prefix=LOG

// One object for each format, in the order of the list; PTX ends in a NUL. The kernels' dictionaries have what ptxas
// says, and the other attributes stay.
// CHECK-NOT: gpu.module
// CHECK: gpu.binary @axpy__gpu {
// CHECK-SAME: trace.kernels = [{block = array<i64: 64, 1, 1>, grid = array<i64: 4, 1, 1>, name = "axpy__kernel0", registers = {{[1-9][0-9]*}} : i64, shared = 0 : i64, slots = array<i64: 0, 1, 2>, spills = 0 : i64, stack = 0 : i64}]
// CHECK-SAME: trace.scratch = array<i64>}
// CHECK-SAME: [#gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx83">, assembly = "//{{[^"]*}}.version 8.3{{[^"]*}}}\0A\00">,
// CHECK-SAME: #gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx83">, bin = "\7FELF
// CHECK-SAME: #gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx83">, offload = "BC\C0\DE
// CHECK: gpu.binary @total__gpu {
// CHECK-SAME: name = "total__kernel0", registers = {{[1-9][0-9]*}} : i64, shared = 16 : i64
// CHECK-SAME: name = "total__kernel1", registers = {{[1-9][0-9]*}} : i64, shared = 0 : i64
// CHECK-SAME: trace.scratch = array<i64: 32>}
// CHECK-NOT: gpu.module

// REMARK: remark: [Analysis] kernel | Category:trace-gpu-to-binary | Function=axpy__kernel0 | Registers={{[1-9][0-9]*}}, SharedBytes=0, SpillBytes=0, StackBytes=0
// REMARK: Function=total__kernel0 | Registers={{[1-9][0-9]*}}, SharedBytes=16
// REMARK: Function=total__kernel1
// LOG: Compiling entry function 'total__kernel1' for 'sm_90'

// The result depends on the module alone: again, on one thread.
// RUN: trace-opt %t.mlir --mlir-disable-threading --trace-gpu-to-binary="format=ptx,cubin,bitcode" -o %t.again.mlir
// RUN: cmp %t.binary.mlir %t.again.mlir

// Machine code is kept by content.
// RUN: rm -rf %t.cache
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin cache-dir=%t.cache" -o %t.first.mlir
// RUN: ls %t.cache | count 2
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin cache-dir=%t.cache" -o %t.second.mlir
// RUN: cmp %t.first.mlir %t.second.mlir
// RUN: ls %t.cache | count 2

// The pass's default is PTX for sm_90; without a tool that makes machine code, what remains is made.
// RUN: trace-opt %t.mlir --trace-gpu-to-binary -o %t.default.mlir
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin,ptx assembler=none" -o %t.none.mlir --remarks-filter=trace-gpu-to-binary --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: cmp %t.default.mlir %t.none.mlir
// MISSED: remark: [Missed] no-cubin | Category:trace-gpu-to-binary | Function=axpy__gpu | Reason="neither ptxas nor nvJitLink was found", Remark="no machine code"
