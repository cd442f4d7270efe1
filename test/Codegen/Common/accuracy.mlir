// Every function against extended precision, over all magnitudes, special values and pairs of them. The bounds are in
// tools/trace-check-math/References.cpp; the tool fails when one is exceeded, or finds a NaN, an infinity or the sign of
// a zero in the wrong place.
// RUN: trace-check-math --points=1000000 --only=exp,tanh,sigmoid,erf,pow,nextafter | FileCheck %s
// RUN: trace-check-math --points=150000 | FileCheck %s
// RUN: trace-check-math --points=50000 --vector-bits=256 | FileCheck %s
// RUN: trace-check-math --points=30000 --vector-bits=128 --lanes=4 | FileCheck %s
// RUN: trace-check-math --points=30000 --lanes=1 | FileCheck %s
// RUN: trace-check-math --points=30000 --lanes=32 | FileCheck %s
// RUN: trace-check-math --points=30000 --type=f64 | FileCheck %s
// RUN: trace-check-math --points=20000 --type=f64 --lanes=4 --vector-bits=256 | FileCheck %s
// RUN: trace-check-math --points=10000 --type=f64 --lanes=1 | FileCheck %s

// CHECK: exp {{f32|f64}}: {{0\.[0-9]+}} ulp, bound 1
// CHECK: tanh {{f32|f64}}: {{[0-2]\.[0-9]+}} ulp
// CHECK: pow {{f32|f64}}: 0.5{{[0-9]}} ulp
// CHECK: nextafter {{f32|f64}}: 0.00 ulp, bound 0
// CHECK-NOT: EXCEEDED
