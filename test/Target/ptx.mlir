// RUN: trace-opt %S/Inputs/device.mlir --trace-lower-device -o %t.mlir
// RUN: rm -rf %t.90 %t.80 %t.100
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="chip=sm_90 keep-assembly=%t.90" -o /dev/null
// RUN: cat %t.90/axpy__gpu.ptx | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: cat %t.90/total__gpu.ptx | FileCheck %s --check-prefix=TOTAL
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="chip=sm_80 keep-assembly=%t.80" -o /dev/null
// RUN: cat %t.80/axpy__gpu.ptx | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: trace-opt %t.mlir --trace-gpu-to-binary="chip=sm_100 keep-assembly=%t.100" -o /dev/null
// RUN: cat %t.100/axpy__gpu.ptx | FileCheck %s --check-prefixes=CHECK,SM100

// Nothing comes from elsewhere, nothing is approximate and nothing flushes subnormals.
// CHECK-NOT: {{[.]extern|[.]approx|[.]ftz|__nv_}}
// SM90: .version 8.3
// SM90: .target sm_90
// SM80: .version 8.0
// SM80: .target sm_80
// SM100: .version 8.6
// SM100: .target sm_100
// Pointers say where they point and how they are aligned; so the loads are of 16 bytes and through the read-only cache.
// CHECK: .visible .entry axpy__kernel0(
// CHECK-NEXT: .param .u64 .ptr .global .align 16
// CHECK: .maxntid 64, 1, 1
// CHECK-NOT: {{[.]extern|[.]approx|[.]ftz|__nv_}}
// SM90-COUNT-2: ld.global.nc.v4.b32
// SM80-COUNT-2: ld.global.nc.v4.b32
// This chip adds pairs of f32.
// SM100-COUNT-2: ld.global.nc.v2.b64
// CHECK-NOT: ld.global
// The source's product and sum stay two roundings.
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
// CHECK: sqrt.rn.f32
// CHECK: div.rn.f32
// CHECK: fma.rn.f32
// CHECK: cvt.rmi.f32.f32
// CHECK: max.NaN.f32
// CHECK-NOT: {{[.]extern|[.]approx|[.]ftz|__nv_}}
// CHECK: st.global.v{{4.b32|2.b64}}

// TOTAL: .visible .entry total__kernel0(
// TOTAL: .shared .align 4 .b8 __wg_total__kernel0_0[16];
// Eight numbers of bf16 by one load.
// TOTAL: ld.global.nc.v4.b32
// TOTAL: cvt.f32.bf16
// TOTAL: shfl.sync.bfly.b32
// TOTAL: st.shared.b32
// TOTAL: bar.sync 0;
// TOTAL: .visible .entry total__kernel1(
// TOTAL: cvt.rn.bf16.f32
