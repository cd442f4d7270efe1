// RUN: trace-opt %s --canonicalize | FileCheck %s
//
// Folds and canonicalisations of elementwise ops. What may not happen stands beside what does: -0.0, NaN, infinities
// and wrapping decide.

// CHECK-LABEL: @add_neutral
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @add_neutral(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %neg0 = trace.constant dense<-0.0> : tensor<4xf32>
  // x + 0.0 is 0.0 for x = -0.0.
  // CHECK: %[[ZERO:.*]] = trace.constant dense<0.0{{.*}}> : tensor<4xf32>
  // CHECK: %[[KEPT:.*]] = trace.add %[[X]], %[[ZERO]]
  // CHECK: outputs(%[[X]], %[[KEPT]], %[[I]]
  %pos0 = trace.constant dense<0.0> : tensor<4xf32>
  %zero = trace.constant dense<0> : tensor<4xi32>
  %0 = trace.add %x, %neg0 : tensor<4xf32>
  %1 = trace.add %pos0, %x : tensor<4xf32>
  %2 = trace.add %zero, %i : tensor<4xi32>
  trace.return outputs(%0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>)
}

// CHECK-LABEL: @sub_neutral
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @sub_neutral(%x: tensor<4xf32>, %i: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // CHECK-DAG: %[[ZERO:.*]] = trace.constant dense<0> : tensor<4xi32>
  // CHECK-DAG: %[[NEG0:.*]] = trace.constant dense<-0.0{{.*}}>
  %pos0 = trace.constant dense<0.0> : tensor<4xf32>
  %neg0 = trace.constant dense<-0.0> : tensor<4xf32>
  %0 = trace.sub %x, %pos0 : tensor<4xf32>
  // CHECK-DAG: %[[A:.*]] = trace.sub %[[X]], %[[NEG0]]
  %1 = trace.sub %x, %neg0 : tensor<4xf32>
  // inf - inf is NaN: x - x stays for floats.
  // CHECK-DAG: %[[B:.*]] = trace.sub %[[X]], %[[X]]
  %2 = trace.sub %x, %x : tensor<4xf32>
  %3 = trace.sub %i, %i : tensor<4xi32>
  // CHECK: outputs(%[[X]], %[[A]], %[[B]], %[[ZERO]]
  trace.return outputs(%0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>)
}

// CHECK-LABEL: @mul_div
// CHECK-SAME: (%[[X:.*]]: tensor<4xbf16>, %[[I:.*]]: tensor<4xi8>)
func.func @mul_div(%x: tensor<4xbf16>, %i: tensor<4xi8>)
    -> (tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xi8>, tensor<4xbf16>) {
  // CHECK-DAG: %[[QUARTER:.*]] = trace.constant dense<2.5{{0*}}e-01>
  // CHECK-DAG: %[[THREE:.*]] = trace.constant dense<3.0{{.*}}>
  // CHECK-DAG: %[[ZERO:.*]] = trace.constant dense<0.0{{.*}}>
  // CHECK-DAG: %[[IZERO:.*]] = trace.constant dense<0> : tensor<4xi8>
  %one = trace.constant dense<1.0> : tensor<4xbf16>
  %four = trace.constant dense<4.0> : tensor<4xbf16>
  %three = trace.constant dense<3.0> : tensor<4xbf16>
  %zero = trace.constant dense<0.0> : tensor<4xbf16>
  %izero = trace.constant dense<0> : tensor<4xi8>
  %minus = trace.constant dense<-1.0> : tensor<4xbf16>
  %0 = trace.mul %one, %x : tensor<4xbf16>
  %1 = trace.div %0, %one : tensor<4xbf16>
  // Division by a power of two is a product; by three it is not.
  // CHECK-DAG: %[[A:.*]] = trace.mul %[[X]], %[[QUARTER]]
  %2 = trace.div %x, %four : tensor<4xbf16>
  // CHECK-DAG: %[[B:.*]] = trace.div %[[X]], %[[THREE]]
  %3 = trace.div %x, %three : tensor<4xbf16>
  // inf * 0 is NaN.
  // CHECK-DAG: %[[C:.*]] = trace.mul %[[X]], %[[ZERO]]
  %4 = trace.mul %x, %zero : tensor<4xbf16>
  %5 = trace.mul %i, %izero : tensor<4xi8>
  // CHECK-DAG: %[[D:.*]] = trace.neg %[[X]]
  %6 = trace.mul %x, %minus : tensor<4xbf16>
  // CHECK: outputs(%[[X]], %[[A]], %[[B]], %[[C]], %[[IZERO]], %[[D]]
  trace.return outputs(%1, %2, %3, %4, %5, %6
      : tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xi8>, tensor<4xbf16>)
}

// 2^127 has no normal inverse in f32.
// CHECK-LABEL: @div_by_huge
// CHECK: trace.div
func.func @div_by_huge(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = trace.constant dense<0x7F000000> : tensor<4xf32>
  %0 = trace.div %x, %c : tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

// Inverse pairs overflow in between: none of them folds.
// CHECK-LABEL: @inverse_pairs
// CHECK: trace.exp
// CHECK: trace.log
// CHECK: trace.mul
// CHECK: trace.sqrt
// CHECK: trace.div
// CHECK: trace.mul
func.func @inverse_pairs(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = trace.exp %x : tensor<4xf32>
  %1 = trace.log %0 : tensor<4xf32>
  %2 = trace.mul %x, %x : tensor<4xf32>
  %3 = trace.sqrt %2 : tensor<4xf32>
  %three = trace.constant dense<3.0> : tensor<4xf32>
  %4 = trace.div %x, %three : tensor<4xf32>
  %5 = trace.mul %4, %three : tensor<4xf32>
  trace.return outputs(%1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// CHECK-LABEL: @negations
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @negations(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %nx = trace.neg %x : tensor<4xf32>
  %ny = trace.neg %y : tensor<4xf32>
  %0 = trace.neg %nx : tensor<4xf32>
  // CHECK: %[[A:.*]] = trace.sub %[[X]], %[[Y]]
  %1 = trace.add %x, %ny : tensor<4xf32>
  // CHECK: %[[B:.*]] = trace.sub %[[Y]], %[[X]]
  %2 = trace.add %nx, %y : tensor<4xf32>
  // CHECK: %[[C:.*]] = trace.add %[[X]], %[[Y]]
  %3 = trace.sub %x, %ny : tensor<4xf32>
  // CHECK: %[[D:.*]] = trace.mul %[[X]], %[[Y]]
  %4 = trace.mul %nx, %ny : tensor<4xf32>
  // CHECK: %[[E:.*]] = trace.abs %[[X]]
  %5 = trace.abs %nx : tensor<4xf32>
  // CHECK: outputs(%[[X]], %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  trace.return outputs(%0, %1, %2, %3, %4, %5
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// -(x - y) is -0.0 where x = y, y - x is 0.0.
// CHECK-LABEL: @negated_difference
// CHECK: trace.sub
// CHECK: trace.neg
func.func @negated_difference(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.sub %x, %y : tensor<4xf32>
  %1 = trace.neg %0 : tensor<4xf32>
  trace.return outputs(%1 : tensor<4xf32>)
}

// CHECK-LABEL: @extremes
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @extremes(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[LOW:.*]] = trace.constant dense<0xFF800000>
  // CHECK-DAG: %[[NAN:.*]] = trace.constant dense<0x7FC00000>
  %low = trace.constant dense<0xFF800000> : tensor<4xf32>
  %high = trace.constant dense<0x7F800000> : tensor<4xf32>
  %nan = trace.constant dense<0x7FC00000> : tensor<4xf32>
  // maximum gives NaN for a NaN x, as x is; fmax gives -inf for it, which x is not.
  %0 = trace.maximum %x, %low : tensor<4xf32>
  %1 = trace.minimum %x, %high : tensor<4xf32>
  // CHECK: %[[A:.*]] = trace.fmax %[[X]], %[[LOW]]
  %2 = trace.fmax %x, %low : tensor<4xf32>
  %3 = trace.fmax %x, %nan : tensor<4xf32>
  %4 = trace.maximum %x, %nan : tensor<4xf32>
  %5 = trace.minimum %x, %x : tensor<4xf32>
  // CHECK: outputs(%[[X]], %[[X]], %[[A]], %[[X]], %[[NAN]], %[[X]]
  trace.return outputs(%0, %1, %2, %3, %4, %5
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>) {
  %a = trace.constant dense<1.0e8> : tensor<2xf32>
  %b = trace.constant dense<1.0> : tensor<2xf32>
  %i = trace.constant dense<127> : tensor<2xi8>
  %j = trace.constant dense<2> : tensor<2xi8>
  %zero = trace.constant dense<0.0> : tensor<2xf32>
  %neg0 = trace.constant dense<-0.0> : tensor<2xf32>
  // In f32, 1e8 + 1 is 1e8; and 127 + 2 wraps.
  // CHECK-DAG: %[[A:.*]] = trace.constant dense<1.000000e+08> : tensor<2xf32>
  %0 = trace.add %a, %b : tensor<2xf32>
  // CHECK-DAG: %[[B:.*]] = trace.constant dense<0x7F800000> : tensor<2xf32>
  %1 = trace.div %b, %zero : tensor<2xf32>
  // CHECK-DAG: %[[C:.*]] = trace.constant dense<-127> : tensor<2xi8>
  %2 = trace.add %i, %j : tensor<2xi8>
  // CHECK-DAG: %[[D:.*]] = trace.constant dense<0.000000e+00> : tensor<2xf32>
  %3 = trace.maximum %zero, %neg0 : tensor<2xf32>
  // CHECK-DAG: %[[E:.*]] = trace.constant dense<1.000000e+00> : tensor<2xf32>
  %4 = trace.exp %neg0 : tensor<2xf32>
  // CHECK-DAG: %[[F:.*]] = trace.constant dense<true> : tensor<2xi1>
  %5 = trace.eq %zero, %neg0 : tensor<2xf32>
  // CHECK: outputs(%[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
  trace.return outputs(%0, %1, %2, %3, %4, %5
      : tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>)
}

// Division by an integer zero is an error at run time, and libraries differ in the digits of exp(1).
// CHECK-LABEL: @not_constants
// CHECK: trace.remainder
// CHECK: trace.div_floor
// CHECK: trace.exp
// CHECK: trace.sqrt
func.func @not_constants() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xf32>, tensor<2xf32>) {
  %7 = trace.constant dense<7> : tensor<2xi64>
  %z = trace.constant dense<0> : tensor<2xi64>
  %one = trace.constant dense<1.0> : tensor<2xf32>
  %two = trace.constant dense<2.0> : tensor<2xf32>
  %0 = trace.remainder %7, %z : tensor<2xi64>
  %1 = trace.div_floor %7, %z : tensor<2xi64>
  %2 = trace.exp %one : tensor<2xf32>
  %3 = trace.sqrt %two : tensor<2xf32>
  trace.return outputs(%0, %1, %2, %3 : tensor<2xi64>, tensor<2xi64>, tensor<2xf32>, tensor<2xf32>)
}

// CHECK-LABEL: @pow
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi64>)
func.func @pow(%x: tensor<4xf32>, %i: tensor<4xi64>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) {
  %0 = trace.constant dense<0.0> : tensor<4xf32>
  %1 = trace.constant dense<1.0> : tensor<4xf32>
  %2 = trace.constant dense<2.0> : tensor<4xf32>
  %h = trace.constant dense<0.5> : tensor<4xf32>
  %m = trace.constant dense<-1.0> : tensor<4xf32>
  %i2 = trace.constant dense<2> : tensor<4xi64>
  // CHECK-DAG: %[[ONE:.*]] = trace.constant dense<1.0{{.*}}>
  // CHECK-DAG: %[[HALF:.*]] = trace.constant dense<5.0{{0*}}e-01>
  %p0 = trace.pow %x, %0 : tensor<4xf32>
  %p1 = trace.pow %x, %1 : tensor<4xf32>
  // CHECK: %[[SQUARE:.*]] = trace.mul %[[X]], %[[X]]
  %p2 = trace.pow %x, %2 : tensor<4xf32>
  // At -inf and -0.0, pow and sqrt differ.
  // CHECK: %[[ROOT:.*]] = trace.pow %[[X]], %[[HALF]]
  %ph = trace.pow %x, %h : tensor<4xf32>
  // CHECK: %[[INV:.*]] = trace.reciprocal %[[X]]
  %pm = trace.pow %x, %m : tensor<4xf32>
  // CHECK: %[[ISQUARE:.*]] = trace.mul %[[I]], %[[I]]
  %pi = trace.pow %i, %i2 : tensor<4xi64>
  // CHECK: outputs(%[[ONE]], %[[X]], %[[SQUARE]], %[[ROOT]], %[[INV]], %[[ISQUARE]]
  trace.return outputs(%p0, %p1, %p2, %ph, %pm, %pi
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>)
}

// CHECK-LABEL: @where
// CHECK-SAME: (%[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @where(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %true = trace.constant dense<true> : tensor<4xi1>
  %false = trace.constant dense<false> : tensor<4xi1>
  %0 = trace.where %true, %x, %y : tensor<4xi1>, tensor<4xf32>
  %1 = trace.where %c, %x, %x : tensor<4xi1>, tensor<4xf32>
  // CHECK: %[[A:.*]] = trace.where %[[C]], %[[Y]], %[[X]]
  %n = trace.logical_not %c : tensor<4xi1>
  %2 = trace.where %n, %x, %y : tensor<4xi1>, tensor<4xf32>
  // CHECK: %[[B:.*]] = trace.where %[[C]], %[[X]], %[[Y]]
  %3 = trace.where %c, %x, %2 : tensor<4xi1>, tensor<4xf32>
  %4 = trace.where %c, %x, %y : tensor<4xi1>, tensor<4xf32>
  %5 = trace.where %c, %4, %y : tensor<4xi1>, tensor<4xf32>
  %6 = trace.where %c, %true, %false : tensor<4xi1>, tensor<4xi1>
  // CHECK: outputs(%[[X]], %[[X]], %[[A]], {{.*}}, %[[C]]
  trace.return outputs(%0, %1, %2, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>)
}

// CHECK-LABEL: @booleans
// CHECK-SAME: (%[[C:.*]]: tensor<4xi1>, %[[I:.*]]: tensor<4xi32>)
func.func @booleans(%c: tensor<4xi1>, %i: tensor<4xi32>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[TRUE:.*]] = trace.constant dense<true>
  %true = trace.constant dense<true> : tensor<4xi1>
  %0 = trace.logical_not %c : tensor<4xi1>
  %1 = trace.logical_not %0 : tensor<4xi1>
  %2 = trace.bitwise_and %c, %true : tensor<4xi1>
  %3 = trace.bitwise_or %c, %true : tensor<4xi1>
  %4 = trace.bitwise_not %i : tensor<4xi32>
  %5 = trace.bitwise_not %4 : tensor<4xi32>
  %6 = trace.eq %i, %i : tensor<4xi32>
  %f = trace.convert %c : tensor<4xi1> to tensor<4xf32>
  %zero = trace.constant dense<0.0> : tensor<4xf32>
  %7 = trace.ne %f, %zero : tensor<4xf32>
  // CHECK: outputs(%[[C]], %[[C]], %[[TRUE]], %[[I]], %[[TRUE]], %[[C]]
  trace.return outputs(%1, %2, %3, %5, %6, %7
      : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>)
}

// NaN differs from itself.
// CHECK-LABEL: @nan_is_not_equal
// CHECK: trace.eq
func.func @nan_is_not_equal(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = trace.eq %x, %x : tensor<4xf32>
  trace.return outputs(%0 : tensor<4xi1>)
}

// CHECK-LABEL: @convert
// CHECK-SAME: (%[[B:.*]]: tensor<4xbf16>, %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi8>)
func.func @convert(%b: tensor<4xbf16>, %x: tensor<4xf32>, %i: tensor<4xi8>)
    -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xf64>, tensor<4xf32>, tensor<4xi8>, tensor<4xbf16>) {
  // CHECK: %[[C:.*]] = trace.constant dense<3.339840e-01> : tensor<4xbf16>
  %0 = trace.convert %x : tensor<4xf32> to tensor<4xf32>
  %w = trace.convert %b : tensor<4xbf16> to tensor<4xf32>
  %1 = trace.convert %w : tensor<4xf32> to tensor<4xbf16>
  // CHECK: %[[D:.*]] = trace.convert %[[B]] : tensor<4xbf16> to tensor<4xf64>
  %2 = trace.convert %w : tensor<4xf32> to tensor<4xf64>
  // The user's narrowing stays.
  // CHECK: %[[N:.*]] = trace.convert %[[X]] : tensor<4xf32> to tensor<4xbf16>
  // CHECK: %[[W:.*]] = trace.convert %[[N]] : tensor<4xbf16> to tensor<4xf32>
  %n = trace.convert %x : tensor<4xf32> to tensor<4xbf16>
  %3 = trace.convert %n : tensor<4xbf16> to tensor<4xf32>
  %f = trace.convert %i : tensor<4xi8> to tensor<4xf32>
  %4 = trace.convert %f : tensor<4xf32> to tensor<4xi8>
  %third = trace.constant dense<0.3333333333333333> : tensor<4xf64>
  %5 = trace.convert %third : tensor<4xf64> to tensor<4xbf16>
  // CHECK: outputs(%[[X]], %[[B]], %[[D]], %[[W]], %[[I]], %[[C]]
  trace.return outputs(%0, %1, %2, %3, %4, %5
      : tensor<4xf32>, tensor<4xbf16>, tensor<4xf64>, tensor<4xf32>, tensor<4xi8>, tensor<4xbf16>)
}

// i32 to f32 loses digits, i16 to i8 wraps: the pairs stay.
// CHECK-LABEL: @convert_narrowing
// CHECK-COUNT-4: trace.convert
func.func @convert_narrowing(%i: tensor<4xi32>, %j: tensor<4xi16>) -> (tensor<4xi32>, tensor<4xi16>) {
  %0 = trace.convert %i : tensor<4xi32> to tensor<4xf32>
  %1 = trace.convert %0 : tensor<4xf32> to tensor<4xi32>
  %2 = trace.convert %j : tensor<4xi16> to tensor<4xi8>
  %3 = trace.convert %2 : tensor<4xi8> to tensor<4xi16>
  trace.return outputs(%1, %3 : tensor<4xi32>, tensor<4xi16>)
}

// CHECK-LABEL: @rounding
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @rounding(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = trace.floor %[[X]]
  %0 = trace.floor %x : tensor<4xf32>
  %1 = trace.round %0 : tensor<4xf32>
  %2 = trace.ceil %i : tensor<4xi32>
  // CHECK: %[[B:.*]] = trace.relu %[[X]]
  %3 = trace.relu %x : tensor<4xf32>
  %4 = trace.relu %3 : tensor<4xf32>
  // CHECK: outputs(%[[A]], %[[I]], %[[B]]
  trace.return outputs(%1, %2, %4 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>)
}
