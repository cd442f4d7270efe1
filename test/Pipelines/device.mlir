// The stages on the way to a GPU's kernels. They branch off behind the split.
// RUN: trace-opt %S/../Target/Inputs/device.mlir --compile-from=split --compile-to=gpu | FileCheck %s --check-prefix=GPU
// RUN: trace-opt %S/../Target/Inputs/device.mlir --compile-from=split --compile-to=nvvm -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=NVVM
// RUN: trace-opt %S/../Target/Inputs/device.mlir --compile-from=split --compile-to=ptx --chip=sm_80 -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// A stage goes on from what the last one printed.
// RUN: trace-opt %t.mlir --compile-from=nvvm --compile-to=ptx --chip=sm_80 | cmp - %t.ptx
// From split to binaries in one pipeline.
// RUN: trace-opt %S/../Target/Inputs/device.mlir --trace-lower-to-gpu="chip=sm_80 format=cubin,ptx" | FileCheck %s --check-prefix=BINARY
// RUN: trace-opt %S/../Target/Inputs/device.mlir --trace-lower-to-gpu="to=nvvm" | FileCheck %s --check-prefix=NVVM
// RUN: not trace-opt %S/../Target/Inputs/device.mlir --trace-lower-to-gpu="to=joint" 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not trace-opt %S/../Target/Inputs/device.mlir --compile-from=split --compile-to=ptx --chip=gfx90a 2>&1 | FileCheck %s --check-prefix=CHIP

// GPU: gpu.func @axpy__kernel0
// GPU: gpu.func @total__kernel1
// NVVM: llvm.func @axpy__kernel0({{.*}}nvvm.kernel
// NVVM: llvm.func @total__kernel1({{.*}}nvvm.kernel
// PTX-NOT: module
// PTX: .version 8.0
// PTX: .target sm_80
// PTX: .visible .entry axpy__kernel0(
// PTX: .visible .entry total__kernel0(
// BINARY: gpu.binary @axpy__gpu
// BINARY-SAME: chip = "sm_80", features = "+ptx80">, bin = "\7FELF
// BINARY-SAME: chip = "sm_80", features = "+ptx80">, assembly = "
// STAGE: 'joint' is no stage on the way to a GPU
// CHIP: error: unknown GPU 'gfx90a': sm_80 or newer
