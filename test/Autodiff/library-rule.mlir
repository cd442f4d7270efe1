// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-opt %s --trace-autodiff=differentiate-again | FileCheck %s --check-prefix=AGAIN
// An opaque bound symbol with a gradient rule: its forward takes the symbol's place, its backward is inlined on the
// cotangents. The rule's functions go.

func.func private @cumprod_fwd(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = trace.bsym "aten.cumprod.default"(%x) {arguments = [#trace.operand<0>, 0]} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y, %x, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}
func.func private @cumprod_bwd(%g: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %d = trace.bsym "aten.cumprod_backward.default"(%g, %x, %y) {arguments = [#trace.operand<0>, #trace.operand<1>, 0, #trace.operand<2>]}
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%d : tensor<4xf32>)
}
func.func @active(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.bsym "aten.cumprod.default"(%x) {arguments = [#trace.operand<0>, 0], vjp_forward = @cumprod_fwd, vjp_backward = @cumprod_bwd,
      vjp_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @active(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[BSYM:.*]] = trace.bsym "aten.cumprod.default"(%[[ARG0]]) {arguments = [#trace.operand<0>, 0]} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[BSYM]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[BSYM1:.*]] = trace.bsym "aten.cumprod_backward.default"(%[[G]], %[[ARG0]], %[[BSYM]]) {arguments = [#trace.operand<0>, #trace.operand<1>, 0, #trace.operand<2>]} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[BSYM]] : tensor<4xf32>) gradients(%[[BSYM1]] : tensor<4xf32>) of [0]

// Nothing to differentiate: the symbol stays, without its rule, unless it will be differentiated again.
// AGAIN: func.func private @exp_fwd
// AGAIN: func.func private @exp_bwd
// AGAIN-LABEL: func.func @inactive
// AGAIN: vjp_backward = @exp_bwd, vjp_forward = @exp_fwd
func.func private @exp_fwd(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = trace.exp %x : tensor<4xf32>
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>)
}
func.func private @exp_bwd(%g: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %d = trace.mul %g, %y : tensor<4xf32>
  trace.return outputs(%d : tensor<4xf32>)
}
func.func @inactive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.bsym "lib.exp.default"(%x) {arguments = [#trace.operand<0>], vjp_forward = @exp_fwd, vjp_backward = @exp_bwd,
      vjp_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @inactive(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK: %[[BSYM:.*]] = trace.bsym "lib.exp.default"(%[[ARG0]]) {arguments = [#trace.operand<0>]} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[BSYM]] : tensor<4xf32>)

// Two results, one without a cotangent: zeros only if the backward looks at it.
func.func private @pair_fwd(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y:2 = trace.bsym "lib.pair.default"(%x) {arguments = [#trace.operand<0>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  trace.return outputs(%y#0, %y#1, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}
func.func private @pair_bwd(%g: tensor<4xf32>, %h: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.mul %g, %x : tensor<4xf32>
  %1 = trace.add %0, %h : tensor<4xf32>
  trace.return outputs(%1 : tensor<4xf32>)
}
func.func @pair(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y:2 = trace.bsym "lib.pair.default"(%x) {arguments = [#trace.operand<0>], vjp_forward = @pair_fwd, vjp_backward = @pair_bwd,
      vjp_operands = array<i64: 0>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  trace.return outputs(%y#0 : tensor<4xf32>)
}
// CHECK-LABEL: func.func @pair(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[BSYM:.*]]:2 = trace.bsym "lib.pair.default"(%[[ARG0]]) {arguments = [#trace.operand<0>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[BSYM]]#0 output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[BSYM]]#0 : tensor<4xf32>) gradients(%[[ADD]] : tensor<4xf32>) of [0]

// Complex numbers go through library symbols; their zeros are constants like others.
func.func private @complex_fwd(%x: tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  %y:2 = trace.bsym "lib.complex.default"(%x) {arguments = [#trace.operand<0>]} : (tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)
  trace.return outputs(%y#0, %y#1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)
}
func.func private @complex_bwd(%g: tensor<2xcomplex<f32>>, %h: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %d = trace.bsym "lib.complex_backward.default"(%g, %h) {arguments = [#trace.operand<0>, #trace.operand<1>]}
      : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  trace.return outputs(%d : tensor<2xcomplex<f32>>)
}
func.func @complex(%x: tensor<2xcomplex<f32>> {trace.requires_grad}) -> tensor<2xcomplex<f32>> {
  %y:2 = trace.bsym "lib.complex.default"(%x) {arguments = [#trace.operand<0>], vjp_forward = @complex_fwd, vjp_backward = @complex_bwd,
      vjp_operands = array<i64: 0>} : (tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)
  trace.return outputs(%y#1 : tensor<2xcomplex<f32>>)
}
// CHECK-LABEL: func.func @complex(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[BSYM:.*]]:2 = trace.bsym "lib.complex.default"(%[[ARG0]]) {arguments = [#trace.operand<0>]} : (tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[BSYM]]#1 output 0 : tensor<2xcomplex<f32>>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<(0.000000e+00,0.000000e+00)> : tensor<2xcomplex<f32>>
// CHECK-NEXT: %[[BSYM1:.*]] = trace.bsym "lib.complex_backward.default"(%[[C]], %[[G]]) {arguments = [#trace.operand<0>, #trace.operand<1>]} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
// CHECK-NEXT: trace.return outputs(%[[BSYM]]#1 : tensor<2xcomplex<f32>>) gradients(%[[BSYM1]] : tensor<2xcomplex<f32>>) of [0]
