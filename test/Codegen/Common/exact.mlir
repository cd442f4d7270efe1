// Conversions between float types on all halves, Philox against its published form, integers against their definitions.
// The tool fails when one result is wrong.
// RUN: trace-check-math --exact | FileCheck %s
// RUN: trace-check-math --exact --vector-bits=256 --lanes=8 | FileCheck %s
// RUN: trace-check-math --exact --lanes=1 | FileCheck %s --check-prefix=SCALAR

// CHECK: f32_to_bf16: {{[0-9]+}} results, 0 wrong
// CHECK: philox_run: {{[0-9]+}} results, 0 wrong
// CHECK: normal_f32: {{[0-9]+}} results, 0 wrong
// CHECK: div_floor_i8: 65536 results, 0 wrong
// CHECK: remainder_i64: {{[0-9]+}} results, 0 wrong
// SCALAR: f32_to_bf16: {{[0-9]+}} results, 0 wrong
// SCALAR: random numbers: only for whole blocks of 4 lanes
// SCALAR: pow_i32: {{[0-9]+}} results, 0 wrong
