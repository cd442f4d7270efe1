// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// convert: the cotangent is converted back; nothing flows through integers.

func.func @widen(%x: tensor<4xbf16> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.convert %x : tensor<4xbf16> to tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @widen(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CONVERT:.*]] = trace.convert %[[ARG0]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CONVERT]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[CONVERT1:.*]] = trace.convert %[[G]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: trace.return outputs(%[[CONVERT]] : tensor<4xf32>) gradients(%[[CONVERT1]] : tensor<4xbf16>) of [0]

func.func @narrow(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf16> {
  %y = trace.convert %x : tensor<4xf32> to tensor<4xf16>
  trace.return outputs(%y : tensor<4xf16>)
}
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CONVERT:.*]] = trace.convert %[[ARG0]] : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CONVERT]] output 0 : tensor<4xf16>
// CHECK-NEXT: %[[CONVERT1:.*]] = trace.convert %[[G]] : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[CONVERT]] : tensor<4xf16>) gradients(%[[CONVERT1]] : tensor<4xf32>) of [0]

func.func @through_integers(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %i = trace.convert %x : tensor<4xf32> to tensor<4xi32>
  %y = trace.convert %i : tensor<4xi32> to tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @through_integers(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK: %[[CONVERT:.*]] = trace.convert %[[ARG0]] : tensor<4xf32> to tensor<4xi32>
// CHECK-NEXT: %[[CONVERT1:.*]] = trace.convert %[[CONVERT]] : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[CONVERT1]] : tensor<4xf32>)

// bitcast: no gradient, like any view as another type.
func.func @bitcast(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %i = trace.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %y = trace.bitcast %i : tensor<4xi32> to tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @bitcast(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK: %[[BITCAST:.*]] = trace.bitcast %[[ARG0]] : tensor<4xf32> to tensor<4xi32>
// CHECK-NEXT: %[[BITCAST1:.*]] = trace.bitcast %[[BITCAST]] : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[BITCAST1]] : tensor<4xf32>)
