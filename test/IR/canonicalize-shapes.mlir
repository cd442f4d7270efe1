// RUN: trace-opt %s --canonicalize | FileCheck %s
//
// Folds and canonicalisations of index maps, data movement and reductions.

// CHECK-LABEL: @broadcast
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<4x8xf32>)
func.func @broadcast(%x: tensor<8xf32>, %y: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>, tensor<4x8xf32>, tensor<4x8xi64>) {
  // CHECK-DAG: %[[C:.*]] = trace.constant dense<2.0{{.*}}> : tensor<4x8xf32>
  // CHECK-DAG: %[[IOTA:.*]] = trace.iota 1 : tensor<4x8xi64>
  %0 = trace.broadcast_in_dim %y [0, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  // CHECK-DAG: %[[B:.*]] = trace.broadcast_in_dim %[[X]] [2] : tensor<8xf32> to tensor<2x4x8xf32>
  %1 = trace.broadcast_in_dim %x [1] : tensor<8xf32> to tensor<4x8xf32>
  %2 = trace.broadcast_in_dim %1 [1, 2] : tensor<4x8xf32> to tensor<2x4x8xf32>
  %c = trace.constant dense<2.0> : tensor<f32>
  %3 = trace.broadcast_in_dim %c [] : tensor<f32> to tensor<4x8xf32>
  // CHECK-DAG: %[[R:.*]] = trace.reshape %[[X]] : tensor<8xf32> to tensor<1x8xf32>
  %4 = trace.broadcast_in_dim %x [1] : tensor<8xf32> to tensor<1x8xf32>
  // CHECK-DAG: %[[B2:.*]] = trace.broadcast_in_dim %[[X]] [1] : tensor<8xf32> to tensor<4x8xf32>
  %5 = trace.broadcast_in_dim %4 [0, 1] : tensor<1x8xf32> to tensor<4x8xf32>
  %i = trace.iota 0 : tensor<8xi64>
  %6 = trace.broadcast_in_dim %i [1] : tensor<8xi64> to tensor<4x8xi64>
  // CHECK: outputs(%[[Y]], %[[B]], %[[C]], %[[R]], %[[B2]], %[[IOTA]]
  trace.return outputs(%0, %2, %3, %4, %5, %6
      : tensor<4x8xf32>, tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>, tensor<4x8xf32>, tensor<4x8xi64>)
}

// Repeating the counted dimension gives zeros, not 0, 1, ..; and a dynamic type may stand for two sizes.
// CHECK-LABEL: @broadcast_stays
// CHECK-DAG: trace.constant dense<0> : tensor<8xi64>
// CHECK-DAG: trace.broadcast_in_dim %{{.*}} [0] : tensor<?xf32> to tensor<?xf32>
func.func @broadcast_stays(%x: tensor<?xf32>) -> (tensor<8xi64>, tensor<?xf32>) {
  %i = trace.iota 0 : tensor<1xi64>
  %0 = trace.broadcast_in_dim %i [0] : tensor<1xi64> to tensor<8xi64>
  %1 = trace.broadcast_in_dim %x [0] : tensor<?xf32> to tensor<?xf32>
  trace.return outputs(%0, %1 : tensor<8xi64>, tensor<?xf32>)
}

// CHECK-LABEL: @reshape_transpose
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
func.func @reshape_transpose(%x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<24xf32>, tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<4x1x3x2xf32>) {
  // CHECK-DAG: %[[F:.*]] = trace.reshape %[[X]] : tensor<2x3x4xf32> to tensor<24xf32>
  %0 = trace.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %1 = trace.reshape %0 : tensor<6x4xf32> to tensor<24xf32>
  %2 = trace.reshape %1 : tensor<24xf32> to tensor<2x3x4xf32>
  %3 = trace.transpose %x [1, 0, 2] : tensor<2x3x4xf32>
  %4 = trace.transpose %3 [1, 0, 2] : tensor<3x2x4xf32>
  // CHECK-DAG: %[[T:.*]] = trace.transpose %[[X]] [1, 2, 0] : tensor<2x3x4xf32>
  %5 = trace.transpose %3 [0, 2, 1] : tensor<3x2x4xf32>
  // Only a dimension of size 1 moves.
  // CHECK-DAG: %[[U:.*]] = trace.reshape %[[X]] : tensor<2x3x4xf32> to tensor<4x1x3x2xf32>
  %6 = trace.reshape %x : tensor<2x3x4xf32> to tensor<4x3x1x2xf32>
  %7 = trace.transpose %6 [0, 2, 1, 3] : tensor<4x3x1x2xf32>
  // CHECK: outputs(%[[X]], %[[F]], %[[X]], %[[T]], %[[U]]
  trace.return outputs(%2, %1, %4, %5, %7
      : tensor<2x3x4xf32>, tensor<24xf32>, tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<4x1x3x2xf32>)
}

// CHECK-LABEL: @transpose_of_broadcast
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<2x3xf32>)
func.func @transpose_of_broadcast(%x: tensor<8xf32>, %y: tensor<2x3xf32>) -> (tensor<8x4xf32>, tensor<3x4x2xf32>) {
  // CHECK: trace.broadcast_in_dim %[[X]] [0] : tensor<8xf32> to tensor<8x4xf32>
  %0 = trace.broadcast_in_dim %x [1] : tensor<8xf32> to tensor<4x8xf32>
  %1 = trace.transpose %0 [1, 0] : tensor<4x8xf32>
  // The operand's own dimensions change places: the transpose stays.
  // CHECK: trace.broadcast_in_dim
  // CHECK: trace.transpose
  %2 = trace.broadcast_in_dim %y [0, 2] : tensor<2x3xf32> to tensor<2x4x3xf32>
  %3 = trace.transpose %2 [2, 1, 0] : tensor<2x4x3xf32>
  trace.return outputs(%1, %3 : tensor<8x4xf32>, tensor<3x4x2xf32>)
}

// CHECK-LABEL: @slice
// CHECK-SAME: (%[[X:.*]]: tensor<16x8xf32>, %[[Y:.*]]: tensor<8xf32>)
func.func @slice(%x: tensor<16x8xf32>, %y: tensor<8xf32>)
    -> (tensor<16x8xf32>, tensor<3x4xf32>, tensor<0x8xf32>, tensor<2x4xf32>) {
  %0 = trace.slice %x [0, 0] to [16, 8] by [1, 1] : tensor<16x8xf32>
  // CHECK-DAG: %[[S:.*]] = trace.slice %[[X]] [3, 1] to [12, 5] by [4, 1] : tensor<16x8xf32>
  %1 = trace.slice %x [1, 1] to [16, 8] by [2, 1] : tensor<16x8xf32>
  %2 = trace.slice %1 [1, 0] to [6, 4] by [2, 1] : tensor<8x7xf32>
  // CHECK-DAG: %[[E:.*]] = trace.slice %[[X]] [1, 0] to [1, 8] by [1, 1]
  %4 = trace.slice %x [1, 0] to [16, 8] by [2, 1] : tensor<16x8xf32>
  %5 = trace.slice %4 [8, 0] to [8, 8] by [1, 1] : tensor<8x8xf32>
  // CHECK-DAG: %[[P:.*]] = trace.slice %[[Y]] [1] to [8] by [2]
  // CHECK-DAG: %[[B:.*]] = trace.broadcast_in_dim %[[P]] [1] : tensor<4xf32> to tensor<2x4xf32>
  %6 = trace.broadcast_in_dim %y [1] : tensor<8xf32> to tensor<16x8xf32>
  %7 = trace.slice %6 [0, 1] to [16, 8] by [8, 2] : tensor<16x8xf32>
  // CHECK: outputs(%[[X]], %[[S]], %[[E]], %[[B]]
  trace.return outputs(%0, %2, %5, %7 : tensor<16x8xf32>, tensor<3x4xf32>, tensor<0x8xf32>, tensor<2x4xf32>)
}

// CHECK-LABEL: @slice_of_cat
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<2x4xf32>)
func.func @slice_of_cat(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x4xf32>) {
  %c = trace.cat %x, %y dim 1 : tensor<2x4xf32>, tensor<2x4xf32>
  %0 = trace.slice %c [0, 0] to [2, 4] by [1, 1] : tensor<2x8xf32>
  // CHECK-DAG: %[[B:.*]] = trace.slice %[[Y]] [0, 1] to [2, 4] by [1, 2]
  %1 = trace.slice %c [0, 5] to [2, 8] by [1, 2] : tensor<2x8xf32>
  // From both: it stays.
  // CHECK-DAG: %[[C:.*]] = trace.slice %{{.*}} [0, 2] to [2, 6] by [1, 1] : tensor<2x8xf32>
  %2 = trace.slice %c [0, 2] to [2, 6] by [1, 1] : tensor<2x8xf32>
  // CHECK: outputs(%[[X]], %[[B]], %[[C]]
  trace.return outputs(%0, %1, %2 : tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x4xf32>)
}

// CHECK-LABEL: @slice_of_pad
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<f32>)
func.func @slice_of_pad(%x: tensor<4xf32>, %v: tensor<f32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<3xf32>) {
  %p = trace.pad %x, %v low [2] high [3] interior [0] : tensor<4xf32>, tensor<f32>
  %0 = trace.slice %p [2] to [6] by [1] : tensor<9xf32>
  // CHECK-DAG: %[[B:.*]] = trace.broadcast_in_dim %[[V]] [] : tensor<f32> to tensor<2xf32>
  %1 = trace.slice %p [7] to [9] by [1] : tensor<9xf32>
  // CHECK-DAG: %[[C:.*]] = trace.slice %{{.*}} [1] to [4] by [1] : tensor<9xf32>
  %2 = trace.slice %p [1] to [4] by [1] : tensor<9xf32>
  // CHECK: outputs(%[[X]], %[[B]], %[[C]]
  trace.return outputs(%0, %1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<3xf32>)
}

// CHECK-LABEL: @pad
// CHECK-SAME: (%[[X:.*]]: tensor<1x4xf32>)
func.func @pad(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x6xf32>) {
  // CHECK-DAG: %[[Z:.*]] = trace.constant dense<0.0{{.*}}> : tensor<1x6xf32>
  %z = trace.constant dense<0.0> : tensor<f32>
  %zeros = trace.constant dense<0.0> : tensor<1x4xf32>
  // Between the elements of a dimension of size 1 there is nothing.
  %0 = trace.pad %x, %z low [0, 0] high [0, 0] interior [7, 0] : tensor<1x4xf32>, tensor<f32>
  %1 = trace.pad %zeros, %z low [0, 2] high [0, 0] interior [0, 0] : tensor<1x4xf32>, tensor<f32>
  // CHECK: outputs(%[[X]], %[[Z]]
  trace.return outputs(%0, %1 : tensor<1x4xf32>, tensor<1x6xf32>)
}

// CHECK-LABEL: @cat
// CHECK-SAME: (%[[X:.*]]: tensor<6x2xf32>, %[[Y:.*]]: tensor<1x2xf32>, %[[E:.*]]: tensor<0x2xf32>)
func.func @cat(%x: tensor<6x2xf32>, %y: tensor<1x2xf32>, %e: tensor<0x2xf32>)
    -> (tensor<6x2xf32>, tensor<6x2xf32>, tensor<5x2xf32>, tensor<7x2xf32>, tensor<8x2xf32>, tensor<6x2xf32>) {
  %0 = trace.cat %x dim 0 : tensor<6x2xf32>
  %a = trace.slice %x [0, 0] to [2, 2] by [1, 1] : tensor<6x2xf32>
  %b = trace.slice %x [2, 0] to [4, 2] by [1, 1] : tensor<6x2xf32>
  %c = trace.slice %x [4, 0] to [6, 2] by [1, 1] : tensor<6x2xf32>
  %1 = trace.cat %a, %b, %c dim 0 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  // CHECK-DAG: %[[AB:.*]] = trace.slice %[[X]] [0, 0] to [4, 2] by [1, 1]
  // CHECK-DAG: %[[ABY:.*]] = trace.cat %[[AB]], %[[Y]] dim 0
  %2 = trace.cat %a, %b, %y dim 0 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>
  // CHECK-DAG: %[[XY:.*]] = trace.cat %[[X]], %[[Y]] dim 0
  %3 = trace.cat %x, %e, %y dim 0 : tensor<6x2xf32>, tensor<0x2xf32>, tensor<1x2xf32>
  // CHECK-DAG: %[[XYY:.*]] = trace.cat %[[X]], %[[Y]], %[[Y]] dim 0
  %4 = trace.cat %x, %y dim 0 : tensor<6x2xf32>, tensor<1x2xf32>
  %5 = trace.cat %4, %y dim 0 : tensor<7x2xf32>, tensor<1x2xf32>
  // In another order they are not the whole.
  // CHECK-DAG: %[[SWAPPED:.*]] = trace.cat {{.*}} : tensor<2x2xf32>, tensor<4x2xf32>
  %bc = trace.slice %x [2, 0] to [6, 2] by [1, 1] : tensor<6x2xf32>
  %6 = trace.slice %x [0, 0] to [2, 2] by [1, 1] : tensor<6x2xf32>
  %cb = trace.slice %x [4, 0] to [6, 2] by [1, 1] : tensor<6x2xf32>
  %ab = trace.slice %x [0, 0] to [4, 2] by [1, 1] : tensor<6x2xf32>
  %7 = trace.cat %cb, %ab dim 0 : tensor<2x2xf32>, tensor<4x2xf32>
  // CHECK: outputs(%[[X]], %[[X]], %[[ABY]], %[[XY]], %[[XYY]], %[[SWAPPED]]
  trace.return outputs(%0, %1, %2, %3, %5, %7
      : tensor<6x2xf32>, tensor<6x2xf32>, tensor<5x2xf32>, tensor<7x2xf32>, tensor<8x2xf32>, tensor<6x2xf32>)
}

// CHECK-LABEL: @reverse
// CHECK-SAME: (%[[X:.*]]: tensor<1x4xf32>)
func.func @reverse(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %0 = trace.reverse %x [0] : tensor<1x4xf32>
  // CHECK: %[[R:.*]] = trace.reverse %[[X]] [1]
  %1 = trace.reverse %x [1] : tensor<1x4xf32>
  %2 = trace.reverse %1 [1] : tensor<1x4xf32>
  // CHECK: outputs(%[[X]], %[[R]], %[[X]]
  trace.return outputs(%0, %1, %2 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
}

// A sum starts at 0.0, so that it is never -0.0: a sum over a dimension of size 1 adds it.
// CHECK-LABEL: @sum_of_unit_dims
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>, %[[I:.*]]: tensor<4x1xi64>, %[[Y:.*]]: tensor<4x1x8xf32>)
func.func @sum_of_unit_dims(%x: tensor<4x1xf32>, %i: tensor<4x1xi64>, %y: tensor<4x1x8xf32>)
    -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) {
  // CHECK-DAG: %[[Z:.*]] = trace.constant dense<0.0{{.*}}> : tensor<4xf32>
  // CHECK-DAG: %[[R:.*]] = trace.reshape %[[X]] : tensor<4x1xf32> to tensor<4xf32>
  // CHECK-DAG: %[[A:.*]] = trace.add %[[R]], %[[Z]]
  %0 = trace.reduce_sum %x [1] : tensor<4x1xf32>
  // CHECK-DAG: %[[B:.*]] = trace.reshape %[[I]] : tensor<4x1xi64> to tensor<4xi64>
  %1 = trace.reduce_sum %i [1] : tensor<4x1xi64>
  // CHECK-DAG: %[[S:.*]] = trace.reshape %[[Y]] : tensor<4x1x8xf32> to tensor<4x8xf32>
  // CHECK-DAG: %[[C:.*]] = trace.reduce_sum %[[S]] [1]
  %2 = trace.reduce_sum %y [1, 2] : tensor<4x1x8xf32>
  // CHECK: outputs(%[[A]], %[[B]], %[[C]]
  trace.return outputs(%0, %1, %2 : tensor<4xf32>, tensor<4xi64>, tensor<4xf32>)
}

// Where no order of summing rounds.
// CHECK-LABEL: @sum_of_constants
func.func @sum_of_constants() -> (tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) {
  %ones = trace.constant dense<1.0> : tensor<4x1000xf32>
  %i = trace.constant dense<100> : tensor<4x3xi8>
  %neg0 = trace.constant dense<-0.0> : tensor<4x3xf32>
  %tenth = trace.constant dense<0.1> : tensor<4x3xf32>
  // CHECK-DAG: trace.constant dense<1.000000e+03> : tensor<4xf32>
  %0 = trace.reduce_sum %ones [1] : tensor<4x1000xf32>
  // CHECK-DAG: trace.constant dense<44> : tensor<4xi8>
  %1 = trace.reduce_sum %i [1] : tensor<4x3xi8>
  // CHECK-DAG: trace.constant dense<0.000000e+00> : tensor<4xf32>
  %2 = trace.reduce_sum %neg0 [1] : tensor<4x3xf32>
  // 0.1 + 0.1 + 0.1 rounds.
  // CHECK: trace.reduce_sum
  %3 = trace.reduce_sum %tenth [1] : tensor<4x3xf32>
  trace.return outputs(%0, %1, %2, %3 : tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>)
}

// CHECK-LABEL: @extremes
// CHECK-SAME: (%[[X:.*]]: tensor<4x8x1xf32>)
func.func @extremes(%x: tensor<4x8x1xf32>) -> (tensor<4x8xf32>, tensor<f32>, tensor<4x8x1xf32>) {
  // CHECK-DAG: %[[A:.*]] = trace.reshape %[[X]] : tensor<4x8x1xf32> to tensor<4x8xf32>
  %0 = trace.reduce_max %x [2] : tensor<4x8x1xf32>
  // CHECK-DAG: %[[B:.*]] = trace.reduce_max %[[X]] [0, 1, 2]
  %1 = trace.reduce_max %x [1] : tensor<4x8x1xf32>
  %2 = trace.reduce_max %1 [0, 1] : tensor<4x1xf32>
  %3 = trace.reduce_min %x [] : tensor<4x8x1xf32>
  // CHECK: outputs(%[[A]], %[[B]], %[[X]]
  trace.return outputs(%0, %2, %3 : tensor<4x8xf32>, tensor<f32>, tensor<4x8x1xf32>)
}

// A sum of sums rounds in between (and in another order): both stay.
// CHECK-LABEL: @sums_stay
// CHECK-COUNT-2: trace.reduce_sum
func.func @sums_stay(%x: tensor<4x8xbf16>) -> tensor<bf16> {
  %0 = trace.reduce_sum %x [1] : tensor<4x8xbf16>
  %1 = trace.reduce_sum %0 [0] : tensor<4xbf16>
  trace.return outputs(%1 : tensor<bf16>)
}

// Of a static shape, full is a constant.
// CHECK-LABEL: @full
func.func @full(%n: index) -> (tensor<4xf32>, tensor<?xf32>) {
  // CHECK: trace.constant dense<1.0{{.*}}> : tensor<4xf32>
  %0 = trace.full 1.0 : f32 [] : tensor<4xf32>
  // CHECK: trace.full
  %1 = trace.full 1.0 : f32 [%n] : tensor<?xf32>
  trace.return outputs(%0, %1 : tensor<4xf32>, tensor<?xf32>)
}
