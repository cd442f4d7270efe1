// The code that is made for a GPU, run on the host: the same bounds or those of getGpuReference. What it cannot show is
// what the GPU's instructions do, all of which are correctly rounded (the last lines see to that).
// RUN: trace-check-math --gpu --points=300000 --lanes=4 | FileCheck %s
// RUN: trace-check-math --gpu --points=100000 --lanes=1 | FileCheck %s
// RUN: trace-check-math --gpu --points=100000 --lanes=8 | FileCheck %s
// RUN: trace-check-math --gpu --points=30000 --lanes=2 --type=f64 | FileCheck %s
// RUN: trace-check-math --gpu --exact --lanes=8 | FileCheck %s --check-prefix=EXACT

// CHECK: exp {{f32|f64}}: {{0\.[0-9]+}} ulp, bound 1
// CHECK: pow {{f32|f64}}: 0.{{[0-9]+}} ulp
// CHECK: nextafter {{f32|f64}}: 0.00 ulp, bound 0
// CHECK-NOT: EXCEEDED

// EXACT: philox_run: {{.*}} 0 wrong
// EXACT: normal_f64: {{.*}} 0 wrong
// EXACT: div_floor_i64: {{.*}} 0 wrong

// Functions of f32 use no f64 and call nothing; no instruction is approximate or flushes subnormals.
// RUN: trace-check-math --print-ptx=sm_90 --gpu --lanes=4 > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: trace-check-math --print-ptx=sm_80 --gpu --lanes=1 | FileCheck %s --check-prefix=PTX
// PTX-NOT: {{[.]f64|[.]ftz|[.]approx|[.]extern|call}}
// PTX: .visible .entry check_exp(
// PTX-NOT: {{[.]f64|[.]ftz|[.]approx|[.]extern|call}}
// PTX: .visible .entry check_digamma(
// PTX-NOT: {{[.]f64|[.]ftz|[.]approx|[.]extern|call}}

// Those of f64 come from libdevice, and the call is gone.
// RUN: trace-check-math --print-ptx=sm_90 --gpu --lanes=2 --type=f64 --only=exp,expm1,lgamma,hypot,sin,pow,fmod,digamma | FileCheck %s --check-prefix=WIDE
// WIDE-NOT: {{[.]extern|__nv_}}
// WIDE: .visible .entry check_lgamma(
// WIDE: fma.rn.f64
// WIDE-NOT: {{[.]extern|__nv_}}
