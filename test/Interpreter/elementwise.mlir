// The numbers of elementwise ops at the places where implementations differ. (eager.test compares all ops with PyTorch.)
//
// RUN: trace-run %s --interpret --function signs | FileCheck %s --check-prefix=SIGNS
// RUN: trace-run %s --interpret --function nans | FileCheck %s --check-prefix=NANS
// RUN: trace-run %s --interpret --function division | FileCheck %s --check-prefix=DIVISION
// RUN: trace-run %s --interpret --function wrapping | FileCheck %s --check-prefix=WRAPPING
// RUN: trace-run %s --interpret --function rounding --precision 9 | FileCheck %s --check-prefix=ROUNDING
// RUN: trace-run %s --interpret --function converting | FileCheck %s --check-prefix=CONVERTING
// RUN: trace-run %s --interpret --function power | FileCheck %s --check-prefix=POWER
// RUN: trace-run %s --interpret --function special --precision 12 | FileCheck %s --check-prefix=SPECIAL
// RUN: not trace-run %s --interpret --function zero_division 2>&1 | FileCheck %s --check-prefix=ZERO

// SIGNS-LABEL: @signs
func.func @signs() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>) {
  %x = trace.constant dense<[0.0, -0.0, -1.0]> : tensor<3xf32>
  %zero = trace.constant dense<0.0> : tensor<3xf32>
  // SIGNS-NEXT: = 0 0 -1
  %0 = trace.add %x, %zero : tensor<3xf32>
  // SIGNS-NEXT: = 0 -0 -1
  %1 = trace.sub %x, %zero : tensor<3xf32>
  // SIGNS-NEXT: = 0 -0 0
  %2 = trace.relu %x : tensor<3xf32>
  // -0.0 < 0.0 for maximum and minimum.
  // SIGNS-NEXT: = 0 0 0
  %3 = trace.maximum %x, %zero : tensor<3xf32>
  // SIGNS-NEXT: = 0 -0 -1
  %4 = trace.minimum %zero, %x : tensor<3xf32>
  // SIGNS-NEXT: = false true true
  %5 = trace.signbit %x : tensor<3xf32>
  trace.return outputs(%0, %1, %2, %3, %4, %5
      : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>)
}

// NANS-LABEL: @nans
func.func @nans() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>) {
  %a = trace.constant dense<[0x7FC00000, 1.0, 0x7FC00000]> : tensor<3xf32>
  %b = trace.constant dense<[1.0, 0x7FC00000, 0x7FC00000]> : tensor<3xf32>
  // NANS-NEXT: = nan nan nan
  %0 = trace.maximum %a, %b : tensor<3xf32>
  // NANS-NEXT: = 1 1 nan
  %1 = trace.fmax %a, %b : tensor<3xf32>
  // NANS-NEXT: = nan 1 nan
  %2 = trace.relu %a : tensor<3xf32>
  // NANS-NEXT: = 0 1 0
  %3 = trace.sign %a : tensor<3xf32>
  // NANS-NEXT: = nan nan nan
  %4 = trace.clamp %a, %b, %b : tensor<3xf32>
  // NANS-NEXT: = false false false
  %5 = trace.eq %a, %b : tensor<3xf32>
  // NANS-NEXT: = true true true
  %6 = trace.ne %a, %b : tensor<3xf32>
  trace.return outputs(%0, %1, %2, %3, %4, %5, %6
      : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>)
}

// DIVISION-LABEL: @division
func.func @division() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %a = trace.constant dense<[1.0, 6.0, -5.5, -1.0]> : tensor<4xf32>
  %b = trace.constant dense<[0.1, 0.2, 2.0, 0x7F800000]> : tensor<4xf32>
  // The quotients lie just below 10 and 30.
  // DIVISION-NEXT: = 9 29 -3 -1
  %0 = trace.div_floor %a, %b : tensor<4xf32>
  // DIVISION-NEXT: = 10 30 -2 -0
  %1 = trace.div_trunc %a, %b : tensor<4xf32>
  // DIVISION-NEXT: = 0.1 0.2 0.5 inf
  %2 = trace.remainder %a, %b : tensor<4xf32>
  // DIVISION-NEXT: = 0.1 0.2 -1.5 -1
  %3 = trace.fmod %a, %b : tensor<4xf32>
  %i = trace.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %j = trace.constant dense<[3, 3, -3, -1]> : tensor<4xi32>
  // DIVISION-NEXT: = 2 -3 -3 -2147483648
  %4 = trace.div_floor %i, %j : tensor<4xi32>
  // DIVISION-NEXT: = 2 -2 -2 -2147483648
  %5 = trace.div_trunc %i, %j : tensor<4xi32>
  // DIVISION-NEXT: = 1 2 -2 0
  %6 = trace.remainder %i, %j : tensor<4xi32>
  // DIVISION-NEXT: = 1 -1 1 0
  %7 = trace.fmod %i, %j : tensor<4xi32>
  trace.return outputs(%0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
      tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
}

func.func @zero_division() -> tensor<2xi64> {
  %i = trace.constant dense<[7, 8]> : tensor<2xi64>
  %j = trace.constant dense<[3, 0]> : tensor<2xi64>
  // ZERO: elementwise.mlir:[[@LINE+1]]:8: error: ZeroDivisionError: integer division by zero
  %0 = trace.remainder %i, %j : tensor<2xi64>
  trace.return outputs(%0 : tensor<2xi64>)
}

// WRAPPING-LABEL: @wrapping
func.func @wrapping() -> (tensor<2xui8>, tensor<2xi8>, tensor<2xi64>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi1>) {
  %u = trace.constant dense<[128, 6]> : tensor<2xui8>
  %i = trace.constant dense<[127, -128]> : tensor<2xi8>
  %l = trace.constant dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>
  %nine = trace.constant dense<[9, 1]> : tensor<2xi8>
  %b = trace.constant dense<[true, false]> : tensor<2xi1>
  // WRAPPING-NEXT: = 0 12
  %0 = trace.add %u, %u : tensor<2xui8>
  // WRAPPING-NEXT: = -127 -128
  %1 = trace.neg %i : tensor<2xi8>
  // WRAPPING-NEXT: = 1 0
  %2 = trace.mul %l, %l : tensor<2xi64>
  // WRAPPING-NEXT: = 127 -128
  %3 = trace.abs %i : tensor<2xi8>
  // WRAPPING-NEXT: = 0 0
  %4 = trace.shift_left %i, %nine : tensor<2xi8>
  // WRAPPING-NEXT: = 0 -64
  %5 = trace.shift_right %i, %nine : tensor<2xi8>
  // Of booleans, + is or.
  // WRAPPING-NEXT: = true false
  %6 = trace.add %b, %b : tensor<2xi1>
  trace.return outputs(%0, %1, %2, %3, %4, %5, %6
      : tensor<2xui8>, tensor<2xi8>, tensor<2xi64>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi1>)
}

// Each op's result is rounded to its type.
// ROUNDING-LABEL: @rounding
func.func @rounding() -> (tensor<3xf32>, tensor<3xbf16>, tensor<3xf16>, tensor<3xf32>, tensor<2xf32>) {
  %a = trace.constant dense<[1.0e8, 16777216.0, 3.0e38]> : tensor<3xf32>
  %one = trace.constant dense<1.0> : tensor<3xf32>
  %b = trace.constant dense<[256.0, 1.0, 3.0e38]> : tensor<3xbf16>
  %c = trace.constant dense<[1.0, 0.00390625, 3.0e38]> : tensor<3xbf16>
  %h = trace.constant dense<[65504.0, 6.0e-8, 1.0]> : tensor<3xf16>
  // ROUNDING-NEXT: = 100000000 16777216 3.00000001e+38
  %0 = trace.add %a, %one : tensor<3xf32>
  // A tie goes to the even neighbour.
  // ROUNDING-NEXT: = 256 1 inf
  %1 = trace.add %b, %c : tensor<3xbf16>
  // ROUNDING-NEXT: = inf 1.1920929e-07 2
  %2 = trace.add %h, %h : tensor<3xf16>
  // ROUNDING-NEXT: = 0 2 -2
  %ties = trace.constant dense<[0.5, 1.5, -2.5]> : tensor<3xf32>
  %3 = trace.round %ties : tensor<3xf32>
  // Equal products: a fused multiply-add would not give 0.
  // ROUNDING-NEXT: = 0 0
  %x = trace.constant dense<[0.1, 0.7]> : tensor<2xf32>
  %p = trace.mul %x, %x : tensor<2xf32>
  %4 = trace.sub %p, %p : tensor<2xf32>
  trace.return outputs(%0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xbf16>, tensor<3xf16>, tensor<3xf32>, tensor<2xf32>)
}

// CONVERTING-LABEL: @converting
func.func @converting() -> (tensor<4xui8>, tensor<4xi8>, tensor<3xi32>, tensor<3xi64>, tensor<4xi1>, tensor<2xf32>, tensor<2xbf16>, tensor<1xi32>) {
  %x = trace.constant dense<[-1.0, 256.5, 300.7, -1.9]> : tensor<4xf32>
  %big = trace.constant dense<[3.0e9, 0x7FC00000, -1.5]> : tensor<3xf32>
  // CONVERTING-NEXT: = 255 0 44 255
  %0 = trace.convert %x : tensor<4xf32> to tensor<4xui8>
  // CONVERTING-NEXT: = -1 0 44 -1
  %1 = trace.convert %x : tensor<4xf32> to tensor<4xi8>
  // CONVERTING-NEXT: = -2147483648 -2147483648 -1
  %2 = trace.convert %big : tensor<3xf32> to tensor<3xi32>
  // CONVERTING-NEXT: = 3000000000 -9223372036854775808 -1
  %3 = trace.convert %big : tensor<3xf32> to tensor<3xi64>
  // CONVERTING-NEXT: = false false true true
  %z = trace.constant dense<[0.0, -0.0, 1.0e-30, 0x7FC00000]> : tensor<4xf32>
  %4 = trace.convert %z : tensor<4xf32> to tensor<4xi1>
  // An int64 is rounded once: by way of double, the first would be 9007199791611904.
  // CONVERTING-NEXT: = 9.0072{{.*}}e+15 1.67772e+07
  %l = trace.constant dense<[9007199791611905, 16777217]> : tensor<2xi64>
  %5 = trace.convert %l : tensor<2xi64> to tensor<2xf32>
  // f64 to bf16 by way of f32, in which the second is the tie that the first is; at once it would be 1.00781.
  // CONVERTING-NEXT: = 1 1{{$}}
  %d = trace.constant dense<[1.00390625, 1.00390630]> : tensor<2xf64>
  %6 = trace.convert %d : tensor<2xf64> to tensor<2xbf16>
  // CONVERTING-NEXT: = 1065353216
  %one = trace.constant dense<1.0> : tensor<1xf32>
  %7 = trace.bitcast %one : tensor<1xf32> to tensor<1xi32>
  trace.return outputs(%0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xui8>, tensor<4xi8>, tensor<3xi32>, tensor<3xi64>,
      tensor<4xi1>, tensor<2xf32>, tensor<2xbf16>, tensor<1xi32>)
}

// POWER-LABEL: @power
func.func @power() -> (tensor<5xf32>, tensor<4xi64>) {
  %a = trace.constant dense<[0.0, 1.0, -1.0, -8.0, 0xFF800000]> : tensor<5xf32>
  %b = trace.constant dense<[0.0, 0x7FC00000, 0x7F800000, 0.33333334, 0.5]> : tensor<5xf32>
  // POWER-NEXT: = 1 1 1 nan inf
  %0 = trace.pow %a, %b : tensor<5xf32>
  %i = trace.constant dense<[-8, 2, -1, 3]> : tensor<4xi64>
  %j = trace.constant dense<[3, -1, -3, 41]> : tensor<4xi64>
  // POWER-NEXT: = -512 0 -1 -420491770248316829
  %1 = trace.pow %i, %j : tensor<4xi64>
  trace.return outputs(%0, %1 : tensor<5xf32>, tensor<4xi64>)
}

// SPECIAL-LABEL: @special
func.func @special() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>) {
  %x = trace.constant dense<[0.5, -0.999999, 1.0]> : tensor<3xf64>
  // SPECIAL-NEXT: = 0.476936276204 -3.45891073728 inf
  %0 = trace.erfinv %x : tensor<3xf64>
  %y = trace.constant dense<[1.0, -0.5, 100.0]> : tensor<3xf64>
  // SPECIAL-NEXT: = -0.577215664902 0.0364899739786 4.60016185274
  %1 = trace.digamma %y : tensor<3xf64>
  // SPECIAL-NEXT: = 0 1.26551212348 359.13420537
  %2 = trace.lgamma %y : tensor<3xf64>
  // SPECIAL-NEXT: = 1.00000000005e-10 -0
  %t = trace.constant dense<[1.0e-10, -0.0]> : tensor<2xf64>
  %3 = trace.expm1 %t : tensor<2xf64>
  trace.return outputs(%0, %1, %2, %3 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>)
}
