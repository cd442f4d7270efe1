// RUN: trace-opt %s --trace-autodiff | FileCheck %s
// RUN: trace-run %s --check-gradients --second-order
// erf, erfc, erfinv, lgamma, digamma (whose derivative, trigamma, is a series: PyTorch's).

func.func @erf(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.erf %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @erf(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ERF:.*]] = trace.erf %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ERF]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[NEG]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<1.12837923> : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[EXP]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ERF]] : tensor<4xf32>) gradients(%[[MUL2]] : tensor<4xf32>) of [0]

func.func @erfc(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.erfc %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @erfc(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ERFC:.*]] = trace.erfc %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ERFC]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = trace.neg %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[NEG]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<-1.12837923> : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[EXP]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ERFC]] : tensor<4xf32>) gradients(%[[MUL2]] : tensor<4xf32>) of [0]

func.func @erfinv(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.erfinv %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @erfinv(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[ERFINV:.*]] = trace.erfinv %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[ERFINV]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[ERFINV]], %[[ERFINV]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<0.886226952> : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[EXP]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[G]], %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ERFINV]] : tensor<4xf32>) gradients(%[[MUL2]] : tensor<4xf32>) of [0]

func.func @lgamma(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.lgamma %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @lgamma(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[LGAMMA:.*]] = trace.lgamma %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[LGAMMA]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[DIGAMMA:.*]] = trace.digamma %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[G]], %[[DIGAMMA]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[LGAMMA]] : tensor<4xf32>) gradients(%[[MUL]] : tensor<4xf32>) of [0]

func.func @digamma(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %y = trace.digamma %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @digamma(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: trace.joint
// CHECK: %[[DIGAMMA:.*]] = trace.digamma %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = trace.get_grad %[[DIGAMMA]] output 0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = trace.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[LT:.*]] = trace.lt %[[ARG0]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[SUB:.*]] = trace.sub %[[C1]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[WHERE:.*]] = trace.where %[[LT]], %[[SUB]], %[[ARG0]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[MUL:.*]] = trace.mul %[[WHERE]], %[[WHERE]] : tensor<4xf32>
// CHECK-NEXT: %[[RECIPROCAL:.*]] = trace.reciprocal %[[MUL]] : tensor<4xf32>
// CHECK-NEXT: %[[C2:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD:.*]] = trace.add %[[WHERE]], %[[C2]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL1:.*]] = trace.mul %[[ADD]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT: %[[RECIPROCAL1:.*]] = trace.reciprocal %[[MUL1]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD1:.*]] = trace.add %[[RECIPROCAL]], %[[RECIPROCAL1]] : tensor<4xf32>
// CHECK-NEXT: %[[C3:.*]] = trace.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD2:.*]] = trace.add %[[WHERE]], %[[C3]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL2:.*]] = trace.mul %[[ADD2]], %[[ADD2]] : tensor<4xf32>
// CHECK-NEXT: %[[RECIPROCAL2:.*]] = trace.reciprocal %[[MUL2]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD3:.*]] = trace.add %[[ADD1]], %[[RECIPROCAL2]] : tensor<4xf32>
// CHECK-NEXT: %[[C4:.*]] = trace.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD4:.*]] = trace.add %[[WHERE]], %[[C4]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL3:.*]] = trace.mul %[[ADD4]], %[[ADD4]] : tensor<4xf32>
// CHECK-NEXT: %[[RECIPROCAL3:.*]] = trace.reciprocal %[[MUL3]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD5:.*]] = trace.add %[[ADD3]], %[[RECIPROCAL3]] : tensor<4xf32>
// CHECK-NEXT: %[[C5:.*]] = trace.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD6:.*]] = trace.add %[[WHERE]], %[[C5]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL4:.*]] = trace.mul %[[ADD6]], %[[ADD6]] : tensor<4xf32>
// CHECK-NEXT: %[[RECIPROCAL4:.*]] = trace.reciprocal %[[MUL4]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD7:.*]] = trace.add %[[ADD5]], %[[RECIPROCAL4]] : tensor<4xf32>
// CHECK-NEXT: %[[C6:.*]] = trace.constant dense<5.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD8:.*]] = trace.add %[[WHERE]], %[[C6]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL5:.*]] = trace.mul %[[ADD8]], %[[ADD8]] : tensor<4xf32>
// CHECK-NEXT: %[[RECIPROCAL5:.*]] = trace.reciprocal %[[MUL5]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD9:.*]] = trace.add %[[ADD7]], %[[RECIPROCAL5]] : tensor<4xf32>
// CHECK-NEXT: %[[C7:.*]] = trace.constant dense<6.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD10:.*]] = trace.add %[[WHERE]], %[[C7]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL6:.*]] = trace.mul %[[ADD10]], %[[ADD10]] : tensor<4xf32>
// CHECK-NEXT: %[[RECIPROCAL6:.*]] = trace.reciprocal %[[MUL6]] : tensor<4xf32>
// CHECK-NEXT: %[[C8:.*]] = trace.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[MUL7:.*]] = trace.mul %[[ADD10]], %[[C8]] : tensor<4xf32>
// CHECK-NEXT: %[[RECIPROCAL7:.*]] = trace.reciprocal %[[MUL7]] : tensor<4xf32>
// CHECK-NEXT: %[[C9:.*]] = trace.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[ADD11:.*]] = trace.add %[[RECIPROCAL7]], %[[C9]] : tensor<4xf32>
// CHECK-NEXT: %[[C10:.*]] = trace.constant dense<0.0238095243> : tensor<4xf32>
// CHECK-NEXT: %[[MUL8:.*]] = trace.mul %[[RECIPROCAL6]], %[[C10]] : tensor<4xf32>
// CHECK-NEXT: %[[C11:.*]] = trace.constant dense<0.0333333351> : tensor<4xf32>
// CHECK-NEXT: %[[SUB1:.*]] = trace.sub %[[C11]], %[[MUL8]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL9:.*]] = trace.mul %[[RECIPROCAL6]], %[[SUB1]] : tensor<4xf32>
// CHECK-NEXT: %[[C12:.*]] = trace.constant dense<0.166666672> : tensor<4xf32>
// CHECK-NEXT: %[[SUB2:.*]] = trace.sub %[[C12]], %[[MUL9]] : tensor<4xf32>
// CHECK-NEXT: %[[MUL10:.*]] = trace.mul %[[RECIPROCAL6]], %[[SUB2]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD12:.*]] = trace.add %[[ADD11]], %[[MUL10]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV:.*]] = trace.div %[[ADD12]], %[[ADD10]] : tensor<4xf32>
// CHECK-NEXT: %[[ADD13:.*]] = trace.add %[[ADD9]], %[[DIV]] : tensor<4xf32>
// CHECK-NEXT: %[[C13:.*]] = trace.constant dense<3.14159274> : tensor<4xf32>
// CHECK-NEXT: %[[MUL11:.*]] = trace.mul %[[ARG0]], %[[C13]] : tensor<4xf32>
// CHECK-NEXT: %[[SIN:.*]] = trace.sin %[[MUL11]] : tensor<4xf32>
// CHECK-NEXT: %[[C14:.*]] = trace.constant dense<9.86960411> : tensor<4xf32>
// CHECK-NEXT: %[[MUL12:.*]] = trace.mul %[[SIN]], %[[SIN]] : tensor<4xf32>
// CHECK-NEXT: %[[DIV1:.*]] = trace.div %[[C14]], %[[MUL12]] : tensor<4xf32>
// CHECK-NEXT: %[[SUB3:.*]] = trace.sub %[[DIV1]], %[[ADD13]] : tensor<4xf32>
// CHECK-NEXT: %[[WHERE1:.*]] = trace.where %[[LT]], %[[SUB3]], %[[ADD13]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[MUL13:.*]] = trace.mul %[[G]], %[[WHERE1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[DIGAMMA]] : tensor<4xf32>) gradients(%[[MUL13]] : tensor<4xf32>) of [0]
