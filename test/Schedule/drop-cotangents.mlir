// RUN: trace-opt %s --trace-drop-cotangents="absent=1,3" --split-input-file | FileCheck %s
// RUN: trace-opt %s --trace-drop-cotangents --split-input-file | FileCheck %s --check-prefix=NONE

// A sum loses a term; a gradient of which nothing is left goes; other arguments stay, used or not.
// CHECK-LABEL: func.func @terms_backward(
// CHECK-SAME: %[[C:.*]]: tensor<4xf32> {trace.role = #trace.role<saved 0>}, %[[S:.*]]: tensor<4xf32> {trace.role = #trace.role<saved 1>},
// CHECK-SAME: %[[G:.*]]: tensor<4xf32> {trace.role = #trace.role<cotangent 0>})
// CHECK-SAME: -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>})
// CHECK-SAME: trace.absent_cotangents = array<i64: 1, 3>
// CHECK-NEXT: %[[D:.*]] = trace.mul %[[G]], %[[C]]
// CHECK-NEXT: %[[N:.*]] = trace.neg %[[D]]
// CHECK-NEXT: trace.return outputs() gradients(%[[N]] : tensor<4xf32>) of [0]
// NONE-LABEL: func.func @terms_backward(
// NONE: trace.add
// NONE: of [0, 2]
func.func @terms_backward(%c: tensor<4xf32> {trace.role = #trace.role<saved 0>}, %s: tensor<4xf32> {trace.role = #trace.role<saved 1>},
                          %g0: tensor<4xf32> {trace.role = #trace.role<cotangent 0>},
                          %g1: tensor<4xf32> {trace.role = #trace.role<cotangent 1>},
                          %g3: tensor<2x4xf32> {trace.role = #trace.role<cotangent 3>})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>},
        tensor<4xf32> {trace.role = #trace.role<gradient 2>, trace.reached_by = array<i64: 3>})
    attributes {trace.side = "backward", trace.forward_symbol = @terms_forward} {
  %a = trace.add %g0, %g1 : tensor<4xf32>
  %d = trace.mul %a, %c : tensor<4xf32>
  %r = trace.reduce_sum %g3 [0] : tensor<2x4xf32>
  %e = trace.sub %r, %d : tensor<4xf32>
  %f = trace.mul %r, %s : tensor<4xf32>
  trace.return outputs() gradients(%e, %f : tensor<4xf32>, tensor<4xf32>) of [0, 2]
}

// -----

// The absent half of a cat is padding, the absent piece of a split costs nothing.
// CHECK-LABEL: func.func @pieces_backward(
// CHECK-NEXT: %[[Z:.*]] = trace.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[P:.*]] = trace.pad %arg0, %[[Z]] low [0] high [4] interior [0]
// CHECK-NEXT: trace.return outputs() gradients(%[[P]] : tensor<8xf32>) of [0]
func.func @pieces_backward(%g0: tensor<4xf32> {trace.role = #trace.role<cotangent 0>},
                           %g1: tensor<4xf32> {trace.role = #trace.role<cotangent 1>})
    -> (tensor<8xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f} {
  %zero = trace.constant dense<0.0> : tensor<f32>
  %p0 = trace.pad %g0, %zero low [0] high [4] interior [0] : tensor<4xf32>, tensor<f32>
  %p1 = trace.pad %g1, %zero low [4] high [0] interior [0] : tensor<4xf32>, tensor<f32>
  %d = trace.add %p0, %p1 : tensor<8xf32>
  trace.return outputs() gradients(%d : tensor<8xf32>) of [0]
}

// -----

// Fusions are opened; what nothing calls any more goes. An op that is not known to be linear gets zeros.
// CHECK-LABEL: func.func @opened_backward(
// CHECK-NEXT: %[[Z:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = trace.bsym "aten.some_backward.default"(%[[Z]], %arg0)
// CHECK-NEXT: trace.mul %[[B]], %arg1
// CHECK-NOT: @fused
func.func @opened_backward(%c: tensor<4xf32> {trace.role = #trace.role<saved 0>},
                           %g0: tensor<4xf32> {trace.role = #trace.role<cotangent 0>},
                           %g1: tensor<4xf32> {trace.role = #trace.role<cotangent 1>})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f} {
  %b = trace.bsym "aten.some_backward.default"(%g1, %c) {arguments = [#trace.operand<0>, #trace.operand<1>]}
       : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = trace.call @fused_mul_add_0(%b, %g0, %g1) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs() gradients(%d : tensor<4xf32>) of [0]
}
func.func private @fused_mul_add_0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> attributes {trace.fusion} {
  %m = trace.mul %a, %b : tensor<4xf32>
  %s = trace.add %m, %c : tensor<4xf32>
  trace.return outputs(%s : tensor<4xf32>)
}

// -----

// A scatter of nothing leaves what it adds to; a product of matrices with an absent one is nothing.
// CHECK-LABEL: func.func @scattered_backward(
// CHECK-NEXT: trace.return outputs() gradients(%arg0 : tensor<4xf32>) of [0]
func.func @scattered_backward(%g0: tensor<4xf32> {trace.role = #trace.role<cotangent 0>}, %i: tensor<2xi64> {trace.forward_argument = 1 : i64},
                              %g1: tensor<2xf32> {trace.role = #trace.role<cotangent 1>},
                              %w: tensor<2x2xf32> {trace.forward_argument = 2 : i64})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>}, tensor<1x2xf32> {trace.role = #trace.role<gradient 3>, trace.reached_by = array<i64: 1>})
    attributes {trace.side = "backward", trace.forward_symbol = @f} {
  %d = trace.index_add %g0, %i, %g1 dim 0 : tensor<4xf32>, tensor<2xi64>, tensor<2xf32>
  %r = trace.reshape %g1 : tensor<2xf32> to tensor<1x2xf32>
  %m = trace.matmul %r, %w : tensor<1x2xf32>, tensor<2x2xf32>
  trace.return outputs() gradients(%d, %m : tensor<4xf32>, tensor<1x2xf32>) of [0, 3]
}

// -----

// A gradient that is zero although a cotangent that is there reaches its argument is given; one that only absent ones
// reach is not, though the backward reads none of them.
// CHECK-LABEL: func.func @reached_backward(
// CHECK-SAME: -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>},
// CHECK-SAME: tensor<4xf32> {trace.reached_by = array<i64: 0, 3>, trace.role = #trace.role<gradient 1>})
// CHECK-NEXT: %[[Z:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: trace.return outputs() gradients(%arg0, %[[Z]] : tensor<4xf32>, tensor<4xf32>) of [0, 1]
func.func @reached_backward(%g0: tensor<4xf32> {trace.role = #trace.role<cotangent 0>},
                            %g3: tensor<4xf32> {trace.role = #trace.role<cotangent 3>})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>},
        tensor<4xf32> {trace.role = #trace.role<gradient 1>, trace.reached_by = array<i64: 0, 3>},
        tensor<4xf32> {trace.role = #trace.role<gradient 2>, trace.reached_by = array<i64: 1>})
    attributes {trace.side = "backward", trace.forward_symbol = @f} {
  %a = trace.add %g0, %g3 : tensor<4xf32>
  %n = trace.neg %g3 : tensor<4xf32>
  %z = trace.constant dense<0.0> : tensor<4xf32>
  trace.return outputs() gradients(%a, %n, %z : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) of [0, 1, 2]
}
