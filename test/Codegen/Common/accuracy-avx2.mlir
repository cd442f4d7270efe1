// The same code on a machine without AVX-512.
// REQUIRES: x86-64-v3
// RUN: trace-check-math --points=50000 --cpu=x86-64-v3 --lanes=8 | FileCheck %s
// RUN: trace-check-math --points=20000 --cpu=x86-64-v3 --lanes=4 --type=f64 | FileCheck %s

// CHECK: exp {{f32|f64}}: {{0\.[0-9]+}} ulp, bound 1
// CHECK-NOT: EXCEEDED
