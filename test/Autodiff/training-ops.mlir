// RUN: trace-opt %s --cse --trace-autodiff --cse | FileCheck %s
// RUN: trace-run %s --check-gradients --int-range=8
// Gradients of what training consists of: no conversions, broadcasts, reductions or products that do nothing.

func.func @linear(%x: tensor<4x8xf32> {trace.requires_grad}, %w: tensor<16x8xf32> {trace.requires_grad},
                  %b: tensor<16xf32> {trace.requires_grad}) -> tensor<4x16xf32> {
  %t = trace.transpose %w [1, 0] : tensor<16x8xf32>
  %m = trace.matmul %x, %t : tensor<4x8xf32>, tensor<8x16xf32>
  %bb = trace.broadcast_in_dim %b [1] : tensor<16xf32> to tensor<4x16xf32>
  %y = trace.add %m, %bb : tensor<4x16xf32>
  trace.return outputs(%y : tensor<4x16xf32>)
}
// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[TRANSPOSE:.*]] = trace.transpose %[[ARG1]] [1, 0] : tensor<16x8xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = trace.matmul %[[ARG0]], %[[TRANSPOSE]] : tensor<4x8xf32>, tensor<8x16xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[ARG2]] [1] : tensor<16xf32> to tensor<4x16xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MATMUL]], %[[B]] : tensor<4x16xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ADD]] output 0 : tensor<4x16xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[G]] [0] : tensor<4x16xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = trace.matmul %[[G]], %[[ARG1]] : tensor<4x16xf32>, tensor<16x8xf32>
// CHECK-NEXT: %[[TRANSPOSE1:.*]] = trace.transpose %[[G]] [1, 0] : tensor<4x16xf32>
// CHECK-NEXT: %[[MATMUL2:.*]] = trace.matmul %[[TRANSPOSE1]], %[[ARG0]] : tensor<16x4xf32>, tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[ADD]] : tensor<4x16xf32>) gradients(%[[MATMUL1]], %[[MATMUL2]], %[[SUM]] : tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) of [0, 1, 2]

func.func @gelu_erf(%x: tensor<4x8xf32> {trace.requires_grad}) -> tensor<4x8xf32> {
  %half = trace.constant dense<0.5> : tensor<4x8xf32>
  %one = trace.constant dense<1.0> : tensor<4x8xf32>
  %root = trace.constant dense<0.70710678> : tensor<4x8xf32>
  %0 = trace.mul %x, %root : tensor<4x8xf32>
  %1 = trace.erf %0 : tensor<4x8xf32>
  %2 = trace.add %1, %one : tensor<4x8xf32>
  %3 = trace.mul %x, %half : tensor<4x8xf32>
  %y = trace.mul %3, %2 : tensor<4x8xf32>
  trace.return outputs(%y : tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @gelu_erf(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<5.000000e-01> : tensor<4x8xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<1.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<0.707106769> : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[C2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ERF:.*]] = trace.erf %[[MUL]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[ERF]], %[[C1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ARG0]], %[[C]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[MUL1]], %[[ADD]] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL2]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[G]], %[[ADD]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[G]], %[[MUL1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL5:.*]] = trace.mul %[[MUL3]], %[[C]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL6:.*]] = trace.mul %[[MUL]], %[[MUL]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[MUL6]] : tensor<4x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[NEG]] : tensor<4x8xf32>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<1.12837923> : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL7:.*]] = trace.mul %[[EXP]], %[[C3]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL8:.*]] = trace.mul %[[MUL4]], %[[MUL7]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL9:.*]] = trace.mul %[[MUL8]], %[[C2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[MUL5]], %[[MUL9]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL2]] : tensor<4x8xf32>) gradients(%[[ADD1]] : tensor<4x8xf32>) of [0]

// In bf16: one conversion in, one out.
func.func @silu_bf16(%x: tensor<4x8xbf16> {trace.requires_grad}) -> tensor<4x8xbf16> {
  %0 = trace.convert %x : tensor<4x8xbf16> to tensor<4x8xf32>
  %1 = trace.sigmoid %0 : tensor<4x8xf32>
  %2 = trace.mul %0, %1 : tensor<4x8xf32>
  %y = trace.convert %2 : tensor<4x8xf32> to tensor<4x8xbf16>
  trace.return outputs(%y : tensor<4x8xbf16>)
}
// CHECK-LABEL: func.func @silu_bf16(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[CONVERT:.*]] = trace.convert %[[ARG0]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-NEXT: %[[SIGMOID:.*]] = trace.sigmoid %[[CONVERT]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[CONVERT]], %[[SIGMOID]] : tensor<4x8xf32>
// CHECK-NEXT: %[[CONVERT1:.*]] = trace.convert %[[MUL]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[CONVERT1]] output 0 : tensor<4x8xbf16>
// CHECK-NEXT: %[[CONVERT2:.*]] = trace.convert %[[G]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[CONVERT2]], %[[SIGMOID]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[CONVERT2]], %[[CONVERT]] : tensor<4x8xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C]], %[[SIGMOID]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[SUB]], %[[SIGMOID]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[MUL2]], %[[MUL3]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[MUL1]], %[[MUL4]] : tensor<4x8xf32>
// CHECK-NEXT: %[[CONVERT3:.*]] = trace.convert %[[ADD]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK-NEXT: trace.return outputs(%[[CONVERT1]] : tensor<4x8xbf16>) gradients(%[[CONVERT3]] : tensor<4x8xbf16>) of [0]

func.func @rms_norm(%x: tensor<4x8xf32> {trace.requires_grad}, %w: tensor<8xf32> {trace.requires_grad}) -> tensor<4x8xf32> {
  %n = trace.constant dense<8.0> : tensor<4xf32>
  %eps = trace.constant dense<1.0e-6> : tensor<4xf32>
  %q = trace.mul %x, %x : tensor<4x8xf32>
  %s = trace.reduce_sum %q [1] : tensor<4x8xf32>
  %m = trace.div %s, %n : tensor<4xf32>
  %e = trace.add %m, %eps : tensor<4xf32>
  %r = trace.rsqrt %e : tensor<4xf32>
  %rb = trace.broadcast_in_dim %r [0] : tensor<4xf32> to tensor<4x8xf32>
  %z = trace.mul %x, %rb : tensor<4x8xf32>
  %wb = trace.broadcast_in_dim %w [1] : tensor<8xf32> to tensor<4x8xf32>
  %y = trace.mul %z, %wb : tensor<4x8xf32>
  trace.return outputs(%y : tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<8.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<9.99999997E-7> : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[MUL]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[SUM]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[DIV]], %[[C1]] : tensor<4xf32>
// CHECK-NEXT: %[[RSQRT:.*]] = trace.rsqrt %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[RSQRT]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[ARG1]] [1] : tensor<8xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[MUL1]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[MUL2]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[G]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[G]], %[[MUL1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM1:.*]] = trace.reduce_sum %[[MUL4]] [0] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL5:.*]] = trace.mul %[[MUL3]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL6:.*]] = trace.mul %[[MUL3]], %[[ARG0]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM2:.*]] = trace.reduce_sum %[[MUL6]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL7:.*]] = trace.mul %[[RSQRT]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL8:.*]] = trace.mul %[[MUL7]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<-5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[MUL9:.*]] = trace.mul %[[MUL8]], %[[C2]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL10:.*]] = trace.mul %[[SUM2]], %[[MUL9]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[MUL10]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[B2:.*]] = trace.broadcast_in_dim %[[DIV1]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL11:.*]] = trace.mul %[[B2]], %[[ARG0]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[MUL5]], %[[MUL11]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD2:.*]] = trace.add %[[ADD1]], %[[MUL11]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[MUL2]] : tensor<4x8xf32>) gradients(%[[ADD2]], %[[SUM1]] : tensor<4x8xf32>, tensor<8xf32>) of [0, 1]

func.func @layer_norm(%x: tensor<4x8xf32> {trace.requires_grad}, %w: tensor<8xf32> {trace.requires_grad},
                      %b: tensor<8xf32> {trace.requires_grad}) -> tensor<4x8xf32> {
  %n = trace.constant dense<8.0> : tensor<4xf32>
  %eps = trace.constant dense<1.0e-5> : tensor<4xf32>
  %s = trace.reduce_sum %x [1] : tensor<4x8xf32>
  %m = trace.div %s, %n : tensor<4xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<4xf32> to tensor<4x8xf32>
  %c = trace.sub %x, %mb : tensor<4x8xf32>
  %q = trace.mul %c, %c : tensor<4x8xf32>
  %t = trace.reduce_sum %q [1] : tensor<4x8xf32>
  %v = trace.div %t, %n : tensor<4xf32>
  %e = trace.add %v, %eps : tensor<4xf32>
  %r = trace.rsqrt %e : tensor<4xf32>
  %rb = trace.broadcast_in_dim %r [0] : tensor<4xf32> to tensor<4x8xf32>
  %z = trace.mul %c, %rb : tensor<4x8xf32>
  %wb = trace.broadcast_in_dim %w [1] : tensor<8xf32> to tensor<4x8xf32>
  %bb = trace.broadcast_in_dim %b [1] : tensor<8xf32> to tensor<4x8xf32>
  %zw = trace.mul %z, %wb : tensor<4x8xf32>
  %y = trace.add %zw, %bb : tensor<4x8xf32>
  trace.return outputs(%y : tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: %[[ARG2:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<8.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<9.99999974E-6> : tensor<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[ARG0]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[SUM]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[DIV]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[SUB]], %[[SUB]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM1:.*]] = trace.reduce_sum %[[MUL]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[SUM1]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[DIV1]], %[[C1]] : tensor<4xf32>
// CHECK-NEXT: %[[RSQRT:.*]] = trace.rsqrt %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[RSQRT]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[SUB]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[B2:.*]] = trace.broadcast_in_dim %[[ARG1]] [1] : tensor<8xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[B3:.*]] = trace.broadcast_in_dim %[[ARG2]] [1] : tensor<8xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[MUL1]], %[[B2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[MUL2]], %[[B3]] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ADD1]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[G]], %[[B2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[G]], %[[MUL1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM2:.*]] = trace.reduce_sum %[[G]] [0] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM3:.*]] = trace.reduce_sum %[[MUL4]] [0] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL5:.*]] = trace.mul %[[MUL3]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL6:.*]] = trace.mul %[[MUL3]], %[[SUB]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM4:.*]] = trace.reduce_sum %[[MUL6]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL7:.*]] = trace.mul %[[RSQRT]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL8:.*]] = trace.mul %[[MUL7]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<-5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[MUL9:.*]] = trace.mul %[[MUL8]], %[[C2]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL10:.*]] = trace.mul %[[SUM4]], %[[MUL9]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV2:.*]] = trace.div %[[MUL10]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[B4:.*]] = trace.broadcast_in_dim %[[DIV2]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL11:.*]] = trace.mul %[[B4]], %[[SUB]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD2:.*]] = trace.add %[[MUL5]], %[[MUL11]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD3:.*]] = trace.add %[[ADD2]], %[[MUL11]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[ADD3]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM5:.*]] = trace.reduce_sum %[[NEG]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV3:.*]] = trace.div %[[SUM5]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[B5:.*]] = trace.broadcast_in_dim %[[DIV3]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[ADD4:.*]] = trace.add %[[ADD3]], %[[B5]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[ADD1]] : tensor<4x8xf32>) gradients(%[[ADD4]], %[[SUM3]], %[[SUM2]] : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) of [0, 1, 2]

// The maximum that is subtracted for the range has no gradient: no comparison with it, no count of ties.
func.func @softmax(%x: tensor<4x8xf32> {trace.requires_grad}) -> tensor<4x8xf32> {
  %m = trace.reduce_max %x [1] : tensor<4x8xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<4xf32> to tensor<4x8xf32>
  %t = trace.sub %x, %mb : tensor<4x8xf32>
  %e = trace.exp %t : tensor<4x8xf32>
  %s = trace.reduce_sum %e [1] : tensor<4x8xf32>
  %sb = trace.broadcast_in_dim %s [0] : tensor<4xf32> to tensor<4x8xf32>
  %y = trace.div %e, %sb : tensor<4x8xf32>
  trace.return outputs(%y : tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REDUCEMAX:.*]] = trace.reduce_max %[[ARG0]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[REDUCEMAX]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[SUB]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[EXP]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[SUM]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[EXP]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIV]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[G]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[G]] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV2:.*]] = trace.div %[[DIV]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[NEG]], %[[DIV2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM1:.*]] = trace.reduce_sum %[[MUL]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B2:.*]] = trace.broadcast_in_dim %[[SUM1]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[DIV1]], %[[B2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ADD]], %[[EXP]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[DIV]] : tensor<4x8xf32>) gradients(%[[MUL1]] : tensor<4x8xf32>) of [0]

// Cross entropy: the gradient of the gather is a comparison with the position, which fuses with the rest.
func.func @cross_entropy(%x: tensor<4x8xf32> {trace.requires_grad}, %target: tensor<4x1xi64>) -> tensor<f32> {
  %n = trace.constant dense<-4.0> : tensor<f32>
  %m = trace.reduce_max %x [1] : tensor<4x8xf32>
  %m1 = trace.reshape %m : tensor<4xf32> to tensor<4x1xf32>
  %mb = trace.broadcast_in_dim %m1 [0, 1] : tensor<4x1xf32> to tensor<4x8xf32>
  %t = trace.sub %x, %mb : tensor<4x8xf32>
  %e = trace.exp %t : tensor<4x8xf32>
  %s = trace.reduce_sum %e [1] : tensor<4x8xf32>
  %s1 = trace.reshape %s : tensor<4xf32> to tensor<4x1xf32>
  %l = trace.log %s1 : tensor<4x1xf32>
  %lb = trace.broadcast_in_dim %l [0, 1] : tensor<4x1xf32> to tensor<4x8xf32>
  %p = trace.sub %t, %lb : tensor<4x8xf32>
  %c = trace.gather %p, %target dim 1 : tensor<4x8xf32>, tensor<4x1xi64>
  %r = trace.reduce_sum %c [0, 1] : tensor<4x1xf32>
  %y = trace.div %r, %n : tensor<f32>
  trace.return outputs(%y : tensor<f32>)
}
// CHECK-LABEL: func.func @cross_entropy(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[C:.*]] = trace.constant dense<-4.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[REDUCEMAX:.*]] = trace.reduce_max %[[ARG0]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[RESHAPE:.*]] = trace.reshape %[[REDUCEMAX]] : tensor<4xf32> to tensor<4x1xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[RESHAPE]] [0, 1] : tensor<4x1xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[SUB]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[EXP]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[RESHAPE1:.*]] = trace.reshape %[[SUM]] : tensor<4xf32> to tensor<4x1xf32>
// CHECK-NEXT: %[[LOG:.*]] = trace.log %[[RESHAPE1]] : tensor<4x1xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[LOG]] [0, 1] : tensor<4x1xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUB1:.*]] = trace.sub %[[SUB]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[GATHER:.*]] = trace.gather %[[SUB1]], %[[ARG1]] dim 1 : tensor<4x8xf32>, tensor<4x1xi64>
// CHECK-NEXT: %[[SUM1:.*]] = trace.reduce_sum %[[GATHER]] [0, 1] : tensor<4x1xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[SUM1]], %[[C]] : tensor<f32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIV]] output 0 : tensor<f32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[G]], %[[C]] : tensor<f32>
// CHECK-NEXT: %[[B2:.*]] = trace.broadcast_in_dim %[[DIV1]] [] : tensor<f32> to tensor<4x1xf32>
// CHECK-NEXT: %[[IOTA:.*]] = trace.iota 1 : tensor<4x8xi64>
// CHECK-NEXT: %[[B3:.*]] = trace.broadcast_in_dim %[[ARG1]] [0, 1] : tensor<4x1xi64> to tensor<4x8xi64>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[IOTA]], %[[B3]] : tensor<4x8xi64>
// CHECK-NEXT: %[[B4:.*]] = trace.broadcast_in_dim %[[B2]] [0, 1] : tensor<4x1xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<0.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[EQ]], %[[B4]], %[[C1]] : tensor<4x8xi1>, tensor<4x8xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[WHERE]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM2:.*]] = trace.reduce_sum %[[NEG]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[RESHAPE2:.*]] = trace.reshape %[[SUM2]] : tensor<4xf32> to tensor<4x1xf32>
// CHECK-NEXT: %[[DIV2:.*]] = trace.div %[[RESHAPE2]], %[[RESHAPE1]] : tensor<4x1xf32>
// CHECK-NEXT: %[[RESHAPE3:.*]] = trace.reshape %[[DIV2]] : tensor<4x1xf32> to tensor<4xf32>
// CHECK-NEXT: %[[B5:.*]] = trace.broadcast_in_dim %[[RESHAPE3]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[B5]], %[[EXP]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[WHERE]], %[[MUL]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[DIV]] : tensor<f32>) gradients(%[[ADD]] : tensor<4x8xf32>) of [0]

// A maximum that is used otherwise too has its gradient.
func.func @maximum_is_an_output(%x: tensor<4x8xf32> {trace.requires_grad}) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %m = trace.reduce_max %x [1] : tensor<4x8xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<4xf32> to tensor<4x8xf32>
  %t = trace.sub %x, %mb : tensor<4x8xf32>
  %e = trace.exp %t : tensor<4x8xf32>
  %s = trace.reduce_sum %e [1] : tensor<4x8xf32>
  %sb = trace.broadcast_in_dim %s [0] : tensor<4xf32> to tensor<4x8xf32>
  %y = trace.div %e, %sb : tensor<4x8xf32>
  trace.return outputs(%y, %m : tensor<4x8xf32>, tensor<4xf32>)
}
// CHECK-LABEL: func.func @maximum_is_an_output(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REDUCEMAX:.*]] = trace.reduce_max %[[ARG0]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[REDUCEMAX]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[SUB]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[EXP]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[SUM]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[EXP]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIV]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[REDUCEMAX]] output 1 : tensor<4xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[G]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[G]] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV2:.*]] = trace.div %[[DIV]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[NEG]], %[[DIV2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM1:.*]] = trace.reduce_sum %[[MUL]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B2:.*]] = trace.broadcast_in_dim %[[SUM1]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[DIV1]], %[[B2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ADD]], %[[EXP]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG1:.*]] = trace.neg %[[MUL1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM2:.*]] = trace.reduce_sum %[[NEG1]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[G1]], %[[SUM2]] : tensor<4xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[CONVERT:.*]] = trace.convert %[[EQ]] : tensor<4x8xi1> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUM3:.*]] = trace.reduce_sum %[[CONVERT]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV3:.*]] = trace.div %[[ADD1]], %[[SUM3]] : tensor<4xf32>
// CHECK-NEXT: %[[B3:.*]] = trace.broadcast_in_dim %[[DIV3]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[B3]], %[[CONVERT]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD2:.*]] = trace.add %[[MUL1]], %[[MUL2]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[DIV]], %[[REDUCEMAX]] : tensor<4x8xf32>, tensor<4xf32>) gradients(%[[ADD2]] : tensor<4x8xf32>) of [0]

// So has one of which the shifted value is used: x - max(x) does depend on max(x).
func.func @shifted_value_is_used(%x: tensor<4x8xf32> {trace.requires_grad}) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %m = trace.reduce_max %x [1] : tensor<4x8xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<4xf32> to tensor<4x8xf32>
  %t = trace.sub %x, %mb : tensor<4x8xf32>
  %e = trace.exp %t : tensor<4x8xf32>
  %s = trace.reduce_sum %e [1] : tensor<4x8xf32>
  %sb = trace.broadcast_in_dim %s [0] : tensor<4xf32> to tensor<4x8xf32>
  %y = trace.div %e, %sb : tensor<4x8xf32>
  trace.return outputs(%y, %t : tensor<4x8xf32>, tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @shifted_value_is_used(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REDUCEMAX:.*]] = trace.reduce_max %[[ARG0]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[REDUCEMAX]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[SUB]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[EXP]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[SUM]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[EXP]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIV]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[G1:.*]] = trace.get_grad %[[SUB]] output 1 : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[G]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[G]] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV2:.*]] = trace.div %[[DIV]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[NEG]], %[[DIV2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM1:.*]] = trace.reduce_sum %[[MUL]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B2:.*]] = trace.broadcast_in_dim %[[SUM1]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[DIV1]], %[[B2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ADD]], %[[EXP]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[G1]], %[[MUL1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG1:.*]] = trace.neg %[[ADD1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM2:.*]] = trace.reduce_sum %[[NEG1]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[CONVERT:.*]] = trace.convert %[[EQ]] : tensor<4x8xi1> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUM3:.*]] = trace.reduce_sum %[[CONVERT]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV3:.*]] = trace.div %[[SUM2]], %[[SUM3]] : tensor<4xf32>
// CHECK-NEXT: %[[B3:.*]] = trace.broadcast_in_dim %[[DIV3]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[B3]], %[[CONVERT]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD2:.*]] = trace.add %[[ADD1]], %[[MUL2]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[DIV]], %[[SUB]] : tensor<4x8xf32>, tensor<4x8xf32>) gradients(%[[ADD2]] : tensor<4x8xf32>) of [0]

// And one that is taken along other dimensions than the sum.
func.func @other_dimensions(%x: tensor<4x8xf32> {trace.requires_grad}) -> tensor<4x8xf32> {
  %m = trace.reduce_max %x [0] : tensor<4x8xf32>
  %mb = trace.broadcast_in_dim %m [1] : tensor<8xf32> to tensor<4x8xf32>
  %t = trace.sub %x, %mb : tensor<4x8xf32>
  %e = trace.exp %t : tensor<4x8xf32>
  %s = trace.reduce_sum %e [1] : tensor<4x8xf32>
  %sb = trace.broadcast_in_dim %s [0] : tensor<4xf32> to tensor<4x8xf32>
  %y = trace.div %e, %sb : tensor<4x8xf32>
  trace.return outputs(%y : tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @other_dimensions(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[REDUCEMAX:.*]] = trace.reduce_max %[[ARG0]] [0] : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = trace.broadcast_in_dim %[[REDUCEMAX]] [1] : tensor<8xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[SUB]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = trace.reduce_sum %[[EXP]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B1:.*]] = trace.broadcast_in_dim %[[SUM]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[EXP]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIV]] output 0 : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[G]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[G]] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV2:.*]] = trace.div %[[DIV]], %[[B1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[NEG]], %[[DIV2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM1:.*]] = trace.reduce_sum %[[MUL]] [1] : tensor<4x8xf32>
// CHECK-NEXT: %[[B2:.*]] = trace.broadcast_in_dim %[[SUM1]] [0] : tensor<4xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[DIV1]], %[[B2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ADD]], %[[EXP]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG1:.*]] = trace.neg %[[MUL1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM2:.*]] = trace.reduce_sum %[[NEG1]] [0] : tensor<4x8xf32>
// CHECK-NEXT: %[[EQ:.*]] = trace.eq %[[ARG0]], %[[B]] : tensor<4x8xf32>
// CHECK-NEXT: %[[CONVERT:.*]] = trace.convert %[[EQ]] : tensor<4x8xi1> to tensor<4x8xf32>
// CHECK-NEXT: %[[SUM3:.*]] = trace.reduce_sum %[[CONVERT]] [0] : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV3:.*]] = trace.div %[[SUM2]], %[[SUM3]] : tensor<8xf32>
// CHECK-NEXT: %[[B3:.*]] = trace.broadcast_in_dim %[[DIV3]] [1] : tensor<8xf32> to tensor<4x8xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[B3]], %[[CONVERT]] : tensor<4x8xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[MUL1]], %[[MUL2]] : tensor<4x8xf32>
// CHECK-NEXT: trace.return outputs(%[[DIV]] : tensor<4x8xf32>) gradients(%[[ADD1]] : tensor<4x8xf32>) of [0]
