// ptxas takes the PTX for every chip: the version is right for the instructions and for the chip.
// RUN: trace-opt %S/Inputs/device.mlir --trace-lower-device -o %t.mlir
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin chip=sm_80" | FileCheck %s -DCHIP=sm_80 -DPTX=ptx80
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin chip=sm_86" | FileCheck %s -DCHIP=sm_86 -DPTX=ptx80
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin chip=sm_89" | FileCheck %s -DCHIP=sm_89 -DPTX=ptx80
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin chip=sm_90" | FileCheck %s -DCHIP=sm_90 -DPTX=ptx83
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin chip=sm_90a" | FileCheck %s -DCHIP=sm_90a -DPTX=ptx83
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin chip=sm_100" | FileCheck %s -DCHIP=sm_100 -DPTX=ptx86
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="format=cubin chip=sm_120" | FileCheck %s -DCHIP=sm_120 -DPTX=ptx87

// CHECK-COUNT-2: #gpu.object<#nvvm.target<O = 3, chip = "[[CHIP]]", features = "+[[PTX]]">, bin = "\7FELF
