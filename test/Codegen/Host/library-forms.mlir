// The library form of every op that has one computes what the interpreter says. (trace.side keeps the fuser away.)
// REQUIRES: runtime
// RUN: trace-run %s --function=unary --range=0.05,0.95 --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=acosh --range=1.5,3 --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=binary --range=0.5,3 --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=integer --int-range=100 --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=compare --int-range=3 --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=reduce --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=move --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=index --int-range=4 --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=products --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=convolutions --no-print --compare-interpreter | FileCheck %s
// CHECK: equal: @

func.func @unary(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) attributes {trace.side = "forward"} {
  %r0 = trace.abs %x : tensor<3x5xf32>
  %r1 = trace.neg %x : tensor<3x5xf32>
  %r2 = trace.sign %x : tensor<3x5xf32>
  %r3 = trace.exp %x : tensor<3x5xf32>
  %r4 = trace.exp2 %x : tensor<3x5xf32>
  %r5 = trace.expm1 %x : tensor<3x5xf32>
  %r6 = trace.sqrt %x : tensor<3x5xf32>
  %r7 = trace.rsqrt %x : tensor<3x5xf32>
  %r8 = trace.reciprocal %x : tensor<3x5xf32>
  %r9 = trace.sin %x : tensor<3x5xf32>
  %r10 = trace.cos %x : tensor<3x5xf32>
  %r11 = trace.tan %x : tensor<3x5xf32>
  %r12 = trace.asin %x : tensor<3x5xf32>
  %r13 = trace.acos %x : tensor<3x5xf32>
  %r14 = trace.atan %x : tensor<3x5xf32>
  %r15 = trace.sinh %x : tensor<3x5xf32>
  %r16 = trace.cosh %x : tensor<3x5xf32>
  %r17 = trace.tanh %x : tensor<3x5xf32>
  %r18 = trace.asinh %x : tensor<3x5xf32>
  %r19 = trace.atanh %x : tensor<3x5xf32>
  %r20 = trace.erf %x : tensor<3x5xf32>
  %r21 = trace.erfc %x : tensor<3x5xf32>
  %r22 = trace.erfinv %x : tensor<3x5xf32>
  %r23 = trace.lgamma %x : tensor<3x5xf32>
  %r24 = trace.digamma %x : tensor<3x5xf32>
  %r25 = trace.sigmoid %x : tensor<3x5xf32>
  %r26 = trace.relu %x : tensor<3x5xf32>
  %r27 = trace.ceil %x : tensor<3x5xf32>
  %r28 = trace.floor %x : tensor<3x5xf32>
  %r29 = trace.round %x : tensor<3x5xf32>
  %r30 = trace.trunc %x : tensor<3x5xf32>
  %r31 = trace.log %x : tensor<3x5xf32>
  %r32 = trace.log2 %x : tensor<3x5xf32>
  %r33 = trace.log10 %x : tensor<3x5xf32>
  %r34 = trace.log1p %x : tensor<3x5xf32>
  trace.return outputs(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>)
}

func.func @acosh(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>) attributes {trace.side = "forward"} {
  %r0 = trace.acosh %x : tensor<3x5xf32>
  trace.return outputs(%r0 : tensor<3x5xf32>)
}

func.func @binary(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>, %z: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xbf16>, tensor<3x5xi32>, tensor<3x5xf64>, tensor<3x5xi32>, tensor<3x5xi1>) attributes {trace.side = "forward"} {
  %r0 = trace.add %x, %y : tensor<3x5xf32>
  %r1 = trace.sub %x, %y : tensor<3x5xf32>
  %r2 = trace.mul %x, %y : tensor<3x5xf32>
  %r3 = trace.div %x, %y : tensor<3x5xf32>
  %r4 = trace.div_floor %x, %y : tensor<3x5xf32>
  %r5 = trace.div_trunc %x, %y : tensor<3x5xf32>
  %r6 = trace.remainder %x, %y : tensor<3x5xf32>
  %r7 = trace.fmod %x, %y : tensor<3x5xf32>
  %r8 = trace.pow %x, %y : tensor<3x5xf32>
  %r9 = trace.atan2 %x, %y : tensor<3x5xf32>
  %r10 = trace.hypot %x, %y : tensor<3x5xf32>
  %r11 = trace.copysign %x, %y : tensor<3x5xf32>
  %r12 = trace.nextafter %x, %y : tensor<3x5xf32>
  %r13 = trace.maximum %x, %y : tensor<3x5xf32>
  %r14 = trace.minimum %x, %y : tensor<3x5xf32>
  %r15 = trace.fmax %x, %y : tensor<3x5xf32>
  %r16 = trace.fmin %x, %y : tensor<3x5xf32>
  %r17 = trace.clamp %x, %y, %z : tensor<3x5xf32>
  %r18 = trace.convert %x : tensor<3x5xf32> to tensor<3x5xbf16>
  %r19 = trace.convert %x : tensor<3x5xf32> to tensor<3x5xi32>
  %r20 = trace.convert %x : tensor<3x5xf32> to tensor<3x5xf64>
  %r21 = trace.bitcast %x : tensor<3x5xf32> to tensor<3x5xi32>
  %r22 = trace.convert %x : tensor<3x5xf32> to tensor<3x5xi1>
  trace.return outputs(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xbf16>, tensor<3x5xi32>, tensor<3x5xf64>, tensor<3x5xi32>, tensor<3x5xi1>)
}

func.func @integer(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>, %s: tensor<3x5xi32>, %a: tensor<3x5xi1>, %b: tensor<3x5xi1>) -> (tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi32>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>) attributes {trace.side = "forward"} {
  %r0 = trace.add %x, %y : tensor<3x5xi32>
  %r1 = trace.sub %x, %y : tensor<3x5xi32>
  %r2 = trace.mul %x, %y : tensor<3x5xi32>
  %r3 = trace.maximum %x, %y : tensor<3x5xi32>
  %r4 = trace.minimum %x, %y : tensor<3x5xi32>
  %r5 = trace.bitwise_and %x, %y : tensor<3x5xi32>
  %r6 = trace.bitwise_or %x, %y : tensor<3x5xi32>
  %r7 = trace.bitwise_xor %x, %y : tensor<3x5xi32>
  %r8 = trace.bitwise_and %a, %b : tensor<3x5xi1>
  %r9 = trace.bitwise_or %a, %b : tensor<3x5xi1>
  %r10 = trace.bitwise_xor %a, %b : tensor<3x5xi1>
  %r11 = trace.bitwise_not %x : tensor<3x5xi32>
  %r12 = trace.bitwise_not %a : tensor<3x5xi1>
  %r13 = trace.logical_not %x : tensor<3x5xi32>
  %r14 = trace.constant dense<3> : tensor<3x5xi32>
  %r15 = trace.shift_left %x, %r14 : tensor<3x5xi32>
  %r16 = trace.shift_right %x, %r14 : tensor<3x5xi32>
  %r17 = trace.div_floor %x, %r14 : tensor<3x5xi32>
  %r18 = trace.remainder %x, %r14 : tensor<3x5xi32>
  %r19 = trace.neg %x : tensor<3x5xi32>
  %r20 = trace.abs %x : tensor<3x5xi32>
  %r21 = trace.sign %x : tensor<3x5xi32>
  trace.return outputs(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r15, %r16, %r17, %r18, %r19, %r20, %r21 : tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi32>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>)
}

func.func @compare(%x: tensor<3x5xi64>, %y: tensor<3x5xi64>, %f: tensor<3x5xf32>) -> (tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi64>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>) attributes {trace.side = "forward"} {
  %r0 = trace.eq %x, %y : tensor<3x5xi64>
  %r1 = trace.ne %x, %y : tensor<3x5xi64>
  %r2 = trace.lt %x, %y : tensor<3x5xi64>
  %r3 = trace.le %x, %y : tensor<3x5xi64>
  %r4 = trace.gt %x, %y : tensor<3x5xi64>
  %r5 = trace.ge %x, %y : tensor<3x5xi64>
  %r6 = trace.where %r0, %x, %y : tensor<3x5xi1>, tensor<3x5xi64>
  %r7 = trace.isnan %f : tensor<3x5xf32>
  %r8 = trace.isinf %f : tensor<3x5xf32>
  %r9 = trace.isfinite %f : tensor<3x5xf32>
  %r10 = trace.signbit %f : tensor<3x5xf32>
  trace.return outputs(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10 : tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi64>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>)
}

func.func @reduce(%x: tensor<3x4x5xf32>, %h: tensor<3x4x5xbf16>) -> (tensor<4xf32>, tensor<3x4x5xf32>, tensor<f32>, tensor<3x5xf32>, tensor<3xf32>, tensor<4x5xf32>, tensor<3x4x5xi1>, tensor<5xi1>, tensor<4x5xi1>, tensor<3x5xi64>, tensor<3x4xi64>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x5xbf16>, tensor<3x5xbf16>) attributes {trace.side = "forward"} {
  %r0 = trace.reduce_sum %x [0, 2] : tensor<3x4x5xf32>
  %r1 = trace.reduce_sum %x [] : tensor<3x4x5xf32>
  %r2 = trace.reduce_prod %x [0, 1, 2] : tensor<3x4x5xf32>
  %r3 = trace.reduce_prod %x [1] : tensor<3x4x5xf32>
  %r4 = trace.reduce_max %x [1, 2] : tensor<3x4x5xf32>
  %r5 = trace.reduce_min %x [0] : tensor<3x4x5xf32>
  %r6 = trace.signbit %x : tensor<3x4x5xf32>
  %r7 = trace.reduce_any %r6 [0, 1] : tensor<3x4x5xi1>
  %r8 = trace.reduce_all %r6 [0] : tensor<3x4x5xi1>
  %r9 = trace.argmax %x dim 1 : tensor<3x4x5xf32>
  %r10 = trace.argmin %x dim 2 : tensor<3x4x5xf32>
  %r11 = trace.cumsum %x dim 1 : tensor<3x4x5xf32>
  %r12 = trace.cumprod %x dim 2 : tensor<3x4x5xf32>
  %r13 = trace.reduce_sum %h [1] : tensor<3x4x5xbf16>
  %r14 = trace.reduce_max %h [1] : tensor<3x4x5xbf16>
  trace.return outputs(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14 : tensor<4xf32>, tensor<3x4x5xf32>, tensor<f32>, tensor<3x5xf32>, tensor<3xf32>, tensor<4x5xf32>, tensor<3x4x5xi1>, tensor<5xi1>, tensor<4x5xi1>, tensor<3x5xi64>, tensor<3x4xi64>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x5xbf16>, tensor<3x5xbf16>)
}

func.func @move(%x: tensor<3x5xf32>, %y: tensor<3x2xf32>, %v: tensor<f32>) -> (tensor<3x7xf32>, tensor<3x5xf32>, tensor<4x10xf32>, tensor<5x5xf32>, tensor<3x6xf32>, tensor<2x4xi64>, tensor<2x4xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<15xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<0x5xf32>) attributes {trace.side = "forward"} {
  %r0 = trace.cat %x, %y dim 1 : tensor<3x5xf32>, tensor<3x2xf32>
  %r1 = trace.reverse %x [0, 1] : tensor<3x5xf32>
  %r2 = trace.pad %x, %v low [1, -1] high [0, 2] interior [0, 1] : tensor<3x5xf32>, tensor<f32>
  %r3 = trace.pad %x, %v low [-3, 0] high [5, 0] interior [0, 0] : tensor<3x5xf32>, tensor<f32>
  %r4 = trace.pad %x, %v low [-1, -2] high [-1, -1] interior [1, 1] : tensor<3x5xf32>, tensor<f32>
  %r5 = trace.iota 1 : tensor<2x4xi64>
  %r6 = trace.iota 0 : tensor<2x4xf32>
  %r7 = trace.full 2.5 : f32 [] : tensor<2xf32>
  %r8 = trace.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %r9 = trace.transpose %x [1, 0] : tensor<3x5xf32>
  %r10 = trace.reshape %r9 : tensor<5x3xf32> to tensor<15xf32>
  %r11 = trace.slice %r9 [1, 0] to [5, 3] by [2, 1] : tensor<5x3xf32>
  %r12 = trace.sin %r11 : tensor<2x3xf32>
  %r13 = trace.broadcast_in_dim %v [] : tensor<f32> to tensor<2x3xf32>
  %r14 = trace.slice %x [3, 0] to [3, 5] by [1, 1] : tensor<3x5xf32>
  trace.return outputs(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r10, %r11, %r12, %r13, %r14 : tensor<3x7xf32>, tensor<3x5xf32>, tensor<4x10xf32>, tensor<5x5xf32>, tensor<3x6xf32>, tensor<2x4xi64>, tensor<2x4xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<15xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<0x5xf32>)
}

func.func @index(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %j: tensor<4x2xi64>, %s: tensor<2x3x5xf32>, %t: tensor<4x2xf32>, %u: tensor<4x2x3xf32>, %l: tensor<6xi64>, %m: tensor<6xi64>, %v: tensor<6xf32>, %z: tensor<i64>) -> (tensor<4x2xf32>, tensor<2x3x5xf32>, tensor<4x2x3xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi64>, tensor<2x5xf32>, tensor<2x5xi64>, tensor<2x3xi64>, tensor<2x3xi64>) attributes {trace.side = "forward"} {
  %r0 = trace.constant dense<0.0> : tensor<4x5xf32>
  %r1 = trace.gather %x, %j dim 1 : tensor<4x5xf32>, tensor<4x2xi64>
  %r2 = trace.take %x, %i dim 0 : tensor<4x5xf32>, tensor<2x3xi64>
  %r3 = trace.take %x, %i dim 1 : tensor<4x5xf32>, tensor<2x3xi64>
  %r4 = trace.take %x, %z dim 0 : tensor<4x5xf32>, tensor<i64>
  %r5 = trace.index_add %r0, %i, %s dim 0 : tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3x5xf32>
  %r6 = trace.index_add %x, %i, %u dim 1 : tensor<4x5xf32>, tensor<2x3xi64>, tensor<4x2x3xf32>
  %r7 = trace.scatter_add %x, %j, %t dim 1 : tensor<4x5xf32>, tensor<4x2xi64>, tensor<4x2xf32>
  %r8 = trace.index %x[%l, %m] dims [0, 1] : tensor<4x5xf32>, tensor<6xi64>, tensor<6xi64> to tensor<6xf32>
  %r9 = trace.index %x[%l] dims [1] : tensor<4x5xf32>, tensor<6xi64> to tensor<4x6xf32>
  %r10 = trace.index_put %x, %v[%l, %m] dims [0, 1] accumulate true : tensor<4x5xf32>, tensor<6xf32>, tensor<6xi64>, tensor<6xi64>
  %r11 = trace.index_put %r0, %v[%l, %m] dims [0, 1] accumulate true : tensor<4x5xf32>, tensor<6xf32>, tensor<6xi64>, tensor<6xi64>
  %r12:2 = trace.sort %x dim 1 descending true stable true : tensor<4x5xf32>
  %r13:2 = trace.topk %x dim 0 k 2 largest true sorted true : tensor<4x5xf32>
  %r14 = trace.check_index %i size 4 wrap false : tensor<2x3xi64>
  %r15 = trace.check_index %i size 4 wrap true : tensor<2x3xi64>
  trace.return outputs(%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12#0, %r12#1, %r13#0, %r13#1, %r14, %r15 : tensor<4x2xf32>, tensor<2x3x5xf32>, tensor<4x2x3xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi64>, tensor<2x5xf32>, tensor<2x5xi64>, tensor<2x3xi64>, tensor<2x3xi64>)
}

func.func @products(%a: tensor<4x6xf32>, %b: tensor<6x5xf32>, %c: tensor<2x3x4x6xf32>, %d: tensor<2x3x5x6xf32>, %h: tensor<4x6xbf16>, %i: tensor<6x5xi64>, %j: tensor<4x6xi64>) -> (tensor<4x5xf32>, tensor<2x3x4x5xf32>, tensor<3x2x4x5xf32>, tensor<4x4xbf16>, tensor<4x5xi64>, tensor<0x5xf32>, tensor<4x5xf32>) attributes {trace.side = "forward"} {
  %r0 = trace.matmul %a, %b : tensor<4x6xf32>, tensor<6x5xf32>
  %r1 = trace.transpose %d [0, 1, 3, 2] : tensor<2x3x5x6xf32>
  %r2 = trace.matmul %c, %r1 : tensor<2x3x4x6xf32>, tensor<2x3x6x5xf32>
  %r3 = trace.transpose %c [1, 0, 2, 3] : tensor<2x3x4x6xf32>
  %r4 = trace.transpose %r1 [1, 0, 2, 3] : tensor<2x3x6x5xf32>
  %r5 = trace.matmul %r3, %r4 : tensor<3x2x4x6xf32>, tensor<3x2x6x5xf32>
  %r6 = trace.transpose %h [1, 0] : tensor<4x6xbf16>
  %r7 = trace.matmul %h, %r6 : tensor<4x6xbf16>, tensor<6x4xbf16>
  %r8 = trace.matmul %j, %i : tensor<4x6xi64>, tensor<6x5xi64>
  %r9 = trace.slice %a [0, 0] to [0, 6] by [1, 1] : tensor<4x6xf32>
  %r10 = trace.matmul %r9, %b : tensor<0x6xf32>, tensor<6x5xf32>
  %r11 = trace.slice %a [0, 0] to [4, 0] by [1, 1] : tensor<4x6xf32>
  %r12 = trace.slice %b [0, 0] to [0, 5] by [1, 1] : tensor<6x5xf32>
  %r13 = trace.matmul %r11, %r12 : tensor<4x0xf32>, tensor<0x5xf32>
  trace.return outputs(%r0, %r2, %r5, %r7, %r8, %r10, %r13 : tensor<4x5xf32>, tensor<2x3x4x5xf32>, tensor<3x2x4x5xf32>, tensor<4x4xbf16>, tensor<4x5xi64>, tensor<0x5xf32>, tensor<4x5xf32>)
}

func.func @convolutions(%x: tensor<2x4x7x8xf32>, %w: tensor<6x2x3x3xf32>, %g: tensor<2x6x4x4xf32>, %h: tensor<2x6x4x4xf32>, %u: tensor<2x3x5xf32>, %k: tensor<3x4x3xf32>, %q: tensor<2x4x10xf32>) -> (tensor<2x6x4x4xf32>, tensor<2x4x7x8xf32>, tensor<6x2x3x3xf32>, tensor<2x4x7x8xf32>, tensor<2x4x10xf32>, tensor<3x4x3xf32>) attributes {trace.side = "forward"} {
  %r0 = trace.convolution %x, %w {stride = array<i64: 2, 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, transposed = false, output_padding = array<i64: 0, 0>, groups = 2 : i64} : (tensor<2x4x7x8xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x4x4xf32>
  %r1 = trace.convolution_input_grad %g, %w {stride = array<i64: 2, 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, transposed = false, output_padding = array<i64: 0, 0>, groups = 2 : i64} : (tensor<2x6x4x4xf32>, tensor<6x2x3x3xf32>) -> tensor<2x4x7x8xf32>
  %r2 = trace.convolution_weight_grad %g, %x {stride = array<i64: 2, 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, transposed = false, output_padding = array<i64: 0, 0>, groups = 2 : i64} : (tensor<2x6x4x4xf32>, tensor<2x4x7x8xf32>) -> tensor<6x2x3x3xf32>
  %r3 = trace.convolution_input_grad %h, %w {stride = array<i64: 2, 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, transposed = false, output_padding = array<i64: 0, 0>, groups = 2 : i64} : (tensor<2x6x4x4xf32>, tensor<6x2x3x3xf32>) -> tensor<2x4x7x8xf32>
  %r4 = trace.convolution %u, %k {stride = array<i64: 2>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = true, output_padding = array<i64: 1>, groups = 1 : i64} : (tensor<2x3x5xf32>, tensor<3x4x3xf32>) -> tensor<2x4x10xf32>
  %r5 = trace.convolution_weight_grad %q, %u {stride = array<i64: 2>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = true, output_padding = array<i64: 1>, groups = 1 : i64} : (tensor<2x4x10xf32>, tensor<2x3x5xf32>) -> tensor<3x4x3xf32>
  trace.return outputs(%r0, %r1, %r2, %r3, %r4, %r5 : tensor<2x6x4x4xf32>, tensor<2x4x7x8xf32>, tensor<6x2x3x3xf32>, tensor<2x4x7x8xf32>, tensor<2x4x10xf32>, tensor<3x4x3xf32>)
}
