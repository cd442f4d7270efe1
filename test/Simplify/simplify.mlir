// RUN: trace-opt %s --trace-simplify | FileCheck %s
// RUN: trace-opt %s --pass-pipeline="builtin.module(func.func(trace-simplify))" | FileCheck %s
// RUN: trace-opt %s --trace-simplify -o %t && trace-run %s --function one_hot --interpret --no-print --int-range 13 --compare %t --exact
// RUN: trace-run %s --function repeated --interpret --no-print --compare %t --exact

// Cross entropy's backward sums zeros but for the target's class.
// CHECK-LABEL: @one_hot
// CHECK-SAME: (%[[T:.*]]: tensor<4xi64>, %[[X:.*]]: tensor<4xf32>)
// CHECK-DAG: %[[ZERO:.*]] = trace.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK-DAG: %[[TEN:.*]] = trace.constant dense<10> : tensor<4xi64>
// CHECK-DAG: %[[IZERO:.*]] = trace.constant dense<0> : tensor<4xi64>
// CHECK-DAG: %[[LOW:.*]] = trace.ge %[[T]], %[[IZERO]]
// CHECK-DAG: %[[HIGH:.*]] = trace.lt %[[T]], %[[TEN]]
// CHECK-DAG: %[[IN:.*]] = trace.bitwise_and %[[LOW]], %[[HIGH]]
// The sum starts at 0.0: -x + 0.0.
// CHECK-DAG: %[[V:.*]] = trace.sub %[[ZERO]], %[[X]]
// CHECK: %[[S:.*]] = trace.where %[[IN]], %[[V]], %[[ZERO]]
// CHECK: outputs(%[[S]]
func.func @one_hot(%target: tensor<4xi64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = trace.constant dense<0.0> : tensor<4x10xf32>
  %i = trace.iota 1 : tensor<4x10xi64>
  %u = trace.reshape %target : tensor<4xi64> to tensor<4x1xi64>
  %t = trace.broadcast_in_dim %u [0, 1] : tensor<4x1xi64> to tensor<4x10xi64>
  %c = trace.eq %i, %t : tensor<4x10xi64>
  %b = trace.broadcast_in_dim %x [0] : tensor<4xf32> to tensor<4x10xf32>
  %v = trace.neg %b : tensor<4x10xf32>
  %w = trace.where %c, %v, %zero : tensor<4x10xi1>, tensor<4x10xf32>
  %s = trace.reduce_sum %w [1] : tensor<4x10xf32>
  trace.return outputs(%s : tensor<4xf32>)
}

// The value changes along the classes: it is a gather, which this is not.
// CHECK-LABEL: @not_one_value
// CHECK: trace.reduce_sum
func.func @not_one_value(%target: tensor<4xi64>, %x: tensor<4x10xf32>) -> tensor<4xf32> {
  %zero = trace.constant dense<0.0> : tensor<4x10xf32>
  %i = trace.iota 1 : tensor<4x10xi64>
  %t = trace.broadcast_in_dim %target [0] : tensor<4xi64> to tensor<4x10xi64>
  %c = trace.eq %i, %t : tensor<4x10xi64>
  %w = trace.where %c, %x, %zero : tensor<4x10xi1>, tensor<4x10xf32>
  %s = trace.reduce_sum %w [1] : tensor<4x10xf32>
  trace.return outputs(%s : tensor<4xf32>)
}

// CHECK-LABEL: @repeated
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4x8xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @repeated(%x: tensor<4xf32>, %y: tensor<4x8xf32>, %i: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<f32>, tensor<4xi32>, tensor<4xf32>) {
  // CHECK-DAG: %[[EIGHT:.*]] = trace.constant dense<8.0{{.*}}> : tensor<4xf32>
  // CHECK-DAG: %[[ZERO:.*]] = trace.constant dense<0.0{{.*}}> : tensor<4xf32>
  // CHECK-DAG: %[[FOUR:.*]] = trace.constant dense<4.0{{.*}}> : tensor<f32>
  // CHECK-DAG: %[[THREE:.*]] = trace.constant dense<3> : tensor<4xi32>
  // CHECK-DAG: %[[A:.*]] = trace.mul %[[X]], %[[EIGHT]]
  // CHECK-DAG: %[[A0:.*]] = trace.add %[[A]], %[[ZERO]]
  %0 = trace.broadcast_in_dim %x [0] : tensor<4xf32> to tensor<4x8xf32>
  %1 = trace.reduce_sum %0 [1] : tensor<4x8xf32>
  // CHECK-DAG: %[[S:.*]] = trace.reduce_sum %[[Y]] [0, 1]
  // CHECK-DAG: %[[B:.*]] = trace.mul %[[S]], %[[FOUR]]
  %2 = trace.broadcast_in_dim %y [1, 2] : tensor<4x8xf32> to tensor<4x4x8xf32>
  %3 = trace.reduce_sum %2 [0, 1, 2] : tensor<4x4x8xf32>
  // CHECK-DAG: %[[C:.*]] = trace.mul %[[I]], %[[THREE]]
  %4 = trace.broadcast_in_dim %i [0] : tensor<4xi32> to tensor<4x3xi32>
  %5 = trace.reduce_sum %4 [1] : tensor<4x3xi32>
  // Three times a float: x + x + x rounds otherwise than 3 x.
  // CHECK-DAG: %[[D:.*]] = trace.reduce_sum %{{.*}} [1] : tensor<4x3xf32>
  %6 = trace.broadcast_in_dim %x [0] : tensor<4xf32> to tensor<4x3xf32>
  %7 = trace.reduce_sum %6 [1] : tensor<4x3xf32>
  // CHECK: outputs(%[[A0]], %[[B]], %[[C]], %[[D]]
  trace.return outputs(%1, %3, %5, %7 : tensor<4xf32>, tensor<f32>, tensor<4xi32>, tensor<4xf32>)
}

// CHECK-LABEL: @add_zero
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @add_zero(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = trace.constant dense<0.0> : tensor<4xf32>
  // CHECK: %[[E:.*]] = trace.exp %[[X]]
  %0 = trace.exp %x : tensor<4xf32>
  %1 = trace.add %0, %zero : tensor<4xf32>
  // CHECK: %[[A:.*]] = trace.add %[[X]]
  %2 = trace.add %x, %zero : tensor<4xf32>
  %3 = trace.add %2, %zero : tensor<4xf32>
  // CHECK: outputs(%[[E]], %[[A]]
  trace.return outputs(%1, %3 : tensor<4xf32>, tensor<4xf32>)
}

// Impure symbols are neither dropped nor merged, and keep their order; what is pure between them may go.
// CHECK-LABEL: @impure
// CHECK-SAME: (%[[P:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<i1>)
// CHECK-NEXT: %[[A:.*]] = trace.bsym "aten.multinomial.default"(%[[P]])
// CHECK-NEXT: %[[B:.*]] = trace.bsym "aten.multinomial.default"(%[[P]])
// CHECK-NEXT: trace.bsym "aten._assert_async.msg"(%[[C]])
// CHECK-NEXT: trace.bsym "aten.multinomial.default"(%[[P]])
// CHECK-NEXT: trace.return outputs(%[[A]], %[[B]] :
func.func @impure(%p: tensor<8xf32>, %c: tensor<i1>) -> (tensor<2xi64>, tensor<2xi64>) {
  %a = trace.bsym "aten.multinomial.default"(%p) {arguments = [#trace.operand<0>, 2, true, unit], impure} : (tensor<8xf32>) -> tensor<2xi64>
  %b = trace.bsym "aten.multinomial.default"(%p) {arguments = [#trace.operand<0>, 2, true, unit], impure} : (tensor<8xf32>) -> tensor<2xi64>
  %e = trace.exp %p : tensor<8xf32>
  trace.bsym "aten._assert_async.msg"(%c) {arguments = [#trace.operand<0>, "no"], impure} : (tensor<i1>) -> ()
  %d = trace.bsym "aten.multinomial.default"(%p) {arguments = [#trace.operand<0>, 2, true, unit], impure} : (tensor<8xf32>) -> tensor<2xi64>
  trace.return outputs(%a, %b : tensor<2xi64>, tensor<2xi64>)
}
