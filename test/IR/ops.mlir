// Every op in its own syntax: printed, parsed again, as text, in generic form and as bytecode.
//
// RUN: trace-opt %s | trace-opt | FileCheck %s
// RUN: trace-opt %s --mlir-print-op-generic | trace-opt | FileCheck %s
// RUN: trace-opt %s --emit-bytecode | trace-opt | FileCheck %s
// RUN: %python %S/Inputs/every_op.py %S/../../include/trace/IR %s

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<4x?xf32>, %i: tensor<4xi32>) {
  // CHECK: trace.abs %{{.*}} : tensor<4x?xf32>
  %abs = trace.abs %x : tensor<4x?xf32>
  // CHECK: trace.neg %{{.*}} : tensor<4x?xf32>
  %neg = trace.neg %x : tensor<4x?xf32>
  // CHECK: trace.sign %{{.*}} : tensor<4x?xf32>
  %sign = trace.sign %x : tensor<4x?xf32>
  // CHECK: trace.exp %{{.*}} : tensor<4x?xf32>
  %exp = trace.exp %x : tensor<4x?xf32>
  // CHECK: trace.exp2 %{{.*}} : tensor<4x?xf32>
  %exp2 = trace.exp2 %x : tensor<4x?xf32>
  // CHECK: trace.expm1 %{{.*}} : tensor<4x?xf32>
  %expm1 = trace.expm1 %x : tensor<4x?xf32>
  // CHECK: trace.log %{{.*}} : tensor<4x?xf32>
  %log = trace.log %x : tensor<4x?xf32>
  // CHECK: trace.log2 %{{.*}} : tensor<4x?xf32>
  %log2 = trace.log2 %x : tensor<4x?xf32>
  // CHECK: trace.log10 %{{.*}} : tensor<4x?xf32>
  %log10 = trace.log10 %x : tensor<4x?xf32>
  // CHECK: trace.log1p %{{.*}} : tensor<4x?xf32>
  %log1p = trace.log1p %x : tensor<4x?xf32>
  // CHECK: trace.sqrt %{{.*}} : tensor<4x?xf32>
  %sqrt = trace.sqrt %x : tensor<4x?xf32>
  // CHECK: trace.rsqrt %{{.*}} : tensor<4x?xf32>
  %rsqrt = trace.rsqrt %x : tensor<4x?xf32>
  // CHECK: trace.reciprocal %{{.*}} : tensor<4x?xf32>
  %reciprocal = trace.reciprocal %x : tensor<4x?xf32>
  // CHECK: trace.sin %{{.*}} : tensor<4x?xf32>
  %sin = trace.sin %x : tensor<4x?xf32>
  // CHECK: trace.cos %{{.*}} : tensor<4x?xf32>
  %cos = trace.cos %x : tensor<4x?xf32>
  // CHECK: trace.tan %{{.*}} : tensor<4x?xf32>
  %tan = trace.tan %x : tensor<4x?xf32>
  // CHECK: trace.asin %{{.*}} : tensor<4x?xf32>
  %asin = trace.asin %x : tensor<4x?xf32>
  // CHECK: trace.acos %{{.*}} : tensor<4x?xf32>
  %acos = trace.acos %x : tensor<4x?xf32>
  // CHECK: trace.atan %{{.*}} : tensor<4x?xf32>
  %atan = trace.atan %x : tensor<4x?xf32>
  // CHECK: trace.sinh %{{.*}} : tensor<4x?xf32>
  %sinh = trace.sinh %x : tensor<4x?xf32>
  // CHECK: trace.cosh %{{.*}} : tensor<4x?xf32>
  %cosh = trace.cosh %x : tensor<4x?xf32>
  // CHECK: trace.tanh %{{.*}} : tensor<4x?xf32>
  %tanh = trace.tanh %x : tensor<4x?xf32>
  // CHECK: trace.asinh %{{.*}} : tensor<4x?xf32>
  %asinh = trace.asinh %x : tensor<4x?xf32>
  // CHECK: trace.acosh %{{.*}} : tensor<4x?xf32>
  %acosh = trace.acosh %x : tensor<4x?xf32>
  // CHECK: trace.atanh %{{.*}} : tensor<4x?xf32>
  %atanh = trace.atanh %x : tensor<4x?xf32>
  // CHECK: trace.erf %{{.*}} : tensor<4x?xf32>
  %erf = trace.erf %x : tensor<4x?xf32>
  // CHECK: trace.erfc %{{.*}} : tensor<4x?xf32>
  %erfc = trace.erfc %x : tensor<4x?xf32>
  // CHECK: trace.erfinv %{{.*}} : tensor<4x?xf32>
  %erfinv = trace.erfinv %x : tensor<4x?xf32>
  // CHECK: trace.lgamma %{{.*}} : tensor<4x?xf32>
  %lgamma = trace.lgamma %x : tensor<4x?xf32>
  // CHECK: trace.digamma %{{.*}} : tensor<4x?xf32>
  %digamma = trace.digamma %x : tensor<4x?xf32>
  // CHECK: trace.sigmoid %{{.*}} : tensor<4x?xf32>
  %sigmoid = trace.sigmoid %x : tensor<4x?xf32>
  // CHECK: trace.relu %{{.*}} : tensor<4x?xf32>
  %relu = trace.relu %x : tensor<4x?xf32>
  // CHECK: trace.ceil %{{.*}} : tensor<4x?xf32>
  %ceil = trace.ceil %x : tensor<4x?xf32>
  // CHECK: trace.floor %{{.*}} : tensor<4x?xf32>
  %floor = trace.floor %x : tensor<4x?xf32>
  // CHECK: trace.round %{{.*}} : tensor<4x?xf32>
  %round = trace.round %x : tensor<4x?xf32>
  // CHECK: trace.trunc %{{.*}} : tensor<4x?xf32>
  %trunc = trace.trunc %x : tensor<4x?xf32>
  // CHECK: trace.bitwise_not %{{.*}} : tensor<4xi32>
  %bitwise_not = trace.bitwise_not %i : tensor<4xi32>
  trace.return outputs()
}

// CHECK-LABEL: @predicates
func.func @predicates(%x: tensor<4x?xf32>, %y: tensor<4x?xf32>) -> tensor<4x?xi1> {
  // CHECK: trace.isnan %{{.*}} : tensor<4x?xf32>
  %isnan = trace.isnan %x : tensor<4x?xf32>
  // CHECK: trace.isinf %{{.*}} : tensor<4x?xf32>
  %isinf = trace.isinf %x : tensor<4x?xf32>
  // CHECK: trace.isfinite %{{.*}} : tensor<4x?xf32>
  %isfinite = trace.isfinite %x : tensor<4x?xf32>
  // CHECK: trace.signbit %{{.*}} : tensor<4x?xf32>
  %signbit = trace.signbit %x : tensor<4x?xf32>
  // CHECK: trace.logical_not %{{.*}} : tensor<4x?xf32>
  %logical_not = trace.logical_not %x : tensor<4x?xf32>
  // CHECK: trace.eq %{{.*}}, %{{.*}} : tensor<4x?xf32>
  %eq = trace.eq %x, %y : tensor<4x?xf32>
  // CHECK: trace.ne %{{.*}}, %{{.*}} : tensor<4x?xf32>
  %ne = trace.ne %x, %y : tensor<4x?xf32>
  // CHECK: trace.lt %{{.*}}, %{{.*}} : tensor<4x?xf32>
  %lt = trace.lt %x, %y : tensor<4x?xf32>
  // CHECK: trace.le %{{.*}}, %{{.*}} : tensor<4x?xf32>
  %le = trace.le %x, %y : tensor<4x?xf32>
  // CHECK: trace.gt %{{.*}}, %{{.*}} : tensor<4x?xf32>
  %gt = trace.gt %x, %y : tensor<4x?xf32>
  // CHECK: trace.ge %{{.*}}, %{{.*}} : tensor<4x?xf32>
  %ge = trace.ge %x, %y : tensor<4x?xf32>
  trace.return outputs(%ge : tensor<4x?xi1>)
}

// CHECK-LABEL: @binary
func.func @binary(%x: tensor<4xbf16>, %y: tensor<4xbf16>, %i: tensor<4xui8>, %j: tensor<4xui8>) {
  // CHECK: trace.add %{{.*}}, %{{.*}} : tensor<4xbf16>
  %add = trace.add %x, %y : tensor<4xbf16>
  // CHECK: trace.sub %{{.*}}, %{{.*}} : tensor<4xbf16>
  %sub = trace.sub %x, %y : tensor<4xbf16>
  // CHECK: trace.mul %{{.*}}, %{{.*}} : tensor<4xbf16>
  %mul = trace.mul %x, %y : tensor<4xbf16>
  // CHECK: trace.div %{{.*}}, %{{.*}} : tensor<4xbf16>
  %div = trace.div %x, %y : tensor<4xbf16>
  // CHECK: trace.div_floor %{{.*}}, %{{.*}} : tensor<4xbf16>
  %div_floor = trace.div_floor %x, %y : tensor<4xbf16>
  // CHECK: trace.div_trunc %{{.*}}, %{{.*}} : tensor<4xbf16>
  %div_trunc = trace.div_trunc %x, %y : tensor<4xbf16>
  // CHECK: trace.remainder %{{.*}}, %{{.*}} : tensor<4xbf16>
  %remainder = trace.remainder %x, %y : tensor<4xbf16>
  // CHECK: trace.fmod %{{.*}}, %{{.*}} : tensor<4xbf16>
  %fmod = trace.fmod %x, %y : tensor<4xbf16>
  // CHECK: trace.pow %{{.*}}, %{{.*}} : tensor<4xbf16>
  %pow = trace.pow %x, %y : tensor<4xbf16>
  // CHECK: trace.atan2 %{{.*}}, %{{.*}} : tensor<4xbf16>
  %atan2 = trace.atan2 %x, %y : tensor<4xbf16>
  // CHECK: trace.hypot %{{.*}}, %{{.*}} : tensor<4xbf16>
  %hypot = trace.hypot %x, %y : tensor<4xbf16>
  // CHECK: trace.copysign %{{.*}}, %{{.*}} : tensor<4xbf16>
  %copysign = trace.copysign %x, %y : tensor<4xbf16>
  // CHECK: trace.nextafter %{{.*}}, %{{.*}} : tensor<4xbf16>
  %nextafter = trace.nextafter %x, %y : tensor<4xbf16>
  // CHECK: trace.maximum %{{.*}}, %{{.*}} : tensor<4xbf16>
  %maximum = trace.maximum %x, %y : tensor<4xbf16>
  // CHECK: trace.minimum %{{.*}}, %{{.*}} : tensor<4xbf16>
  %minimum = trace.minimum %x, %y : tensor<4xbf16>
  // CHECK: trace.fmax %{{.*}}, %{{.*}} : tensor<4xbf16>
  %fmax = trace.fmax %x, %y : tensor<4xbf16>
  // CHECK: trace.fmin %{{.*}}, %{{.*}} : tensor<4xbf16>
  %fmin = trace.fmin %x, %y : tensor<4xbf16>
  // CHECK: trace.bitwise_and %{{.*}}, %{{.*}} : tensor<4xui8>
  %bitwise_and = trace.bitwise_and %i, %j : tensor<4xui8>
  // CHECK: trace.bitwise_or %{{.*}}, %{{.*}} : tensor<4xui8>
  %bitwise_or = trace.bitwise_or %i, %j : tensor<4xui8>
  // CHECK: trace.bitwise_xor %{{.*}}, %{{.*}} : tensor<4xui8>
  %bitwise_xor = trace.bitwise_xor %i, %j : tensor<4xui8>
  // CHECK: trace.shift_left %{{.*}}, %{{.*}} : tensor<4xui8>
  %shift_left = trace.shift_left %i, %j : tensor<4xui8>
  // CHECK: trace.shift_right %{{.*}}, %{{.*}} : tensor<4xui8>
  %shift_right = trace.shift_right %i, %j : tensor<4xui8>
  trace.return outputs()
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: trace.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %0 = trace.where %c, %x, %y : tensor<4xi1>, tensor<4xf32>
  // CHECK: trace.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %1 = trace.clamp %x, %x, %y : tensor<4xf32>
  // CHECK: trace.convert %{{.*}} : tensor<4xf32> to tensor<4xf8E4M3FN>
  %2 = trace.convert %x : tensor<4xf32> to tensor<4xf8E4M3FN>
  // CHECK: trace.bitcast %{{.*}} : tensor<4xf32> to tensor<4xi32>
  %3 = trace.bitcast %x : tensor<4xf32> to tensor<4xi32>
  trace.return outputs()
}

// CHECK-LABEL: @constants
func.func @constants(%n: index) -> tensor<?x8xf32> {
  // CHECK: trace.constant dense<5.000000e-01> : tensor<4x8xf32>
  %0 = trace.constant dense<0.5> : tensor<4x8xf32>
  // CHECK: trace.constant dense<[1, 2, 3]> : tensor<3xi64>
  %1 = trace.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK: trace.constant dense<> : tensor<0x3xf32>
  %2 = trace.constant dense<> : tensor<0x3xf32>
  // CHECK: trace.full 1.000000e+00 : f32[%{{.*}}] : tensor<?x8xf32>
  %3 = trace.full 1.0 : f32 [%n] : tensor<?x8xf32>
  // CHECK: trace.iota 1 : tensor<4x8xi64>
  %4 = trace.iota 1 : tensor<4x8xi64>
  trace.return outputs(%3 : tensor<?x8xf32>)
}

// CHECK-LABEL: @views
func.func @views(%x: tensor<4x8xf32>, %b: tensor<8xf32>, %d: tensor<?x8xf32>) {
  // CHECK: trace.broadcast_in_dim %{{.*}} [1] : tensor<8xf32> to tensor<4x8xf32>
  %0 = trace.broadcast_in_dim %b [1] : tensor<8xf32> to tensor<4x8xf32>
  // CHECK: trace.reshape %{{.*}} : tensor<4x8xf32> to tensor<32xf32>
  %1 = trace.reshape %x : tensor<4x8xf32> to tensor<32xf32>
  // CHECK: trace.reshape %{{.*}} : tensor<?x8xf32> to tensor<?xf32>
  %2 = trace.reshape %d : tensor<?x8xf32> to tensor<?xf32>
  // CHECK: trace.transpose %{{.*}} [1, 0] : tensor<?x8xf32>
  %3 = trace.transpose %d [1, 0] : tensor<?x8xf32>
  // CHECK: trace.slice %{{.*}} [0, 2] to [4, 8] by [1, 2] : tensor<4x8xf32>
  %4 = trace.slice %x [0, 2] to [4, 8] by [1, 2] : tensor<4x8xf32>
  trace.return outputs()
}

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<4x3xf32>, %y: tensor<4x2xf32>, %v: tensor<f32>) -> tensor<4x7xf32> {
  // CHECK: trace.pad %{{.*}}, %{{.*}} low [0, 2] high [0, 0] interior [0, 1] : tensor<4x3xf32>, tensor<f32>
  %0 = trace.pad %x, %v low [0, 2] high [0, 0] interior [0, 1] : tensor<4x3xf32>, tensor<f32>
  // CHECK: trace.cat %{{.*}}, %{{.*}} dim 1 : tensor<4x3xf32>, tensor<4x2xf32>
  %1 = trace.cat %x, %y dim 1 : tensor<4x3xf32>, tensor<4x2xf32>
  // CHECK: trace.reverse %{{.*}} [0, 1] : tensor<4x3xf32>
  %2 = trace.reverse %x [0, 1] : tensor<4x3xf32>
  trace.return outputs(%0 : tensor<4x7xf32>)
}

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<4x8xf32>, %b: tensor<4x8xi1>) -> (tensor<8xf32>, tensor<f32>, tensor<4xi64>) {
  // CHECK: trace.reduce_sum %{{.*}} [0] : tensor<4x8xf32>
  %sum = trace.reduce_sum %x [0] : tensor<4x8xf32>
  // CHECK: trace.reduce_prod %{{.*}} [0] : tensor<4x8xf32>
  %prod = trace.reduce_prod %x [0] : tensor<4x8xf32>
  // CHECK: trace.reduce_max %{{.*}} [0] : tensor<4x8xf32>
  %max = trace.reduce_max %x [0] : tensor<4x8xf32>
  // CHECK: trace.reduce_min %{{.*}} [0] : tensor<4x8xf32>
  %min = trace.reduce_min %x [0] : tensor<4x8xf32>
  // CHECK: trace.reduce_any %{{.*}} [0, 1] : tensor<4x8xi1>
  %any = trace.reduce_any %b [0, 1] : tensor<4x8xi1>
  // CHECK: trace.reduce_all %{{.*}} [0, 1] : tensor<4x8xi1>
  %all = trace.reduce_all %b [0, 1] : tensor<4x8xi1>
  // CHECK: trace.argmax %{{.*}} dim 1 : tensor<4x8xf32>
  %argmax = trace.argmax %x dim 1 : tensor<4x8xf32>
  // CHECK: trace.argmin %{{.*}} dim 1 : tensor<4x8xf32>
  %argmin = trace.argmin %x dim 1 : tensor<4x8xf32>
  // CHECK: trace.cumsum %{{.*}} dim 1 : tensor<4x8xf32>
  %cumsum = trace.cumsum %x dim 1 : tensor<4x8xf32>
  // CHECK: trace.cumprod %{{.*}} dim 1 : tensor<4x8xf32>
  %cumprod = trace.cumprod %x dim 1 : tensor<4x8xf32>
  %all_of_it = trace.reduce_sum %x [0, 1] : tensor<4x8xf32>
  trace.return outputs(%max, %all_of_it, %argmax : tensor<8xf32>, tensor<f32>, tensor<4xi64>)
}

// CHECK-LABEL: @indexing
func.func @indexing(%x: tensor<4x8x2xf32>, %i: tensor<4x1x2xi64>, %s: tensor<4x1x2xf32>, %t: tensor<3x5xi64>,
                    %u: tensor<4x3x5x2xf32>, %a: tensor<5xi64>, %v: tensor<5x2xf32>) -> tensor<4x3x5x2xf32> {
  // CHECK: trace.check_index %{{.*}} size 10 wrap false : tensor<5xi64>
  %c0 = trace.check_index %a size 10 wrap false : tensor<5xi64>
  // CHECK: trace.check_index %{{.*}} size 10 wrap true ignore -100 : tensor<5xi64>
  %c1 = trace.check_index %a size 10 wrap true ignore -100 : tensor<5xi64>
  // CHECK: trace.gather %{{.*}}, %{{.*}} dim 1 : tensor<4x8x2xf32>, tensor<4x1x2xi64>
  %0 = trace.gather %x, %i dim 1 : tensor<4x8x2xf32>, tensor<4x1x2xi64>
  // CHECK: trace.take %{{.*}}, %{{.*}} dim 1 : tensor<4x8x2xf32>, tensor<3x5xi64>
  %1 = trace.take %x, %t dim 1 : tensor<4x8x2xf32>, tensor<3x5xi64>
  // CHECK: trace.index_add %{{.*}}, %{{.*}}, %{{.*}} dim 1 : tensor<4x8x2xf32>, tensor<3x5xi64>, tensor<4x3x5x2xf32>
  %2 = trace.index_add %x, %t, %u dim 1 : tensor<4x8x2xf32>, tensor<3x5xi64>, tensor<4x3x5x2xf32>
  // CHECK: trace.scatter_add %{{.*}}, %{{.*}}, %{{.*}} dim 1
  %3 = trace.scatter_add %x, %i, %s dim 1 : tensor<4x8x2xf32>, tensor<4x1x2xi64>, tensor<4x1x2xf32>
  // CHECK: trace.scatter %{{.*}}, %{{.*}}, %{{.*}} dim 1
  %4 = trace.scatter %x, %i, %s dim 1 : tensor<4x8x2xf32>, tensor<4x1x2xi64>, tensor<4x1x2xf32>
  // CHECK: trace.index %{{.*}}[%{{.*}}, %{{.*}}] dims [0, 1] : tensor<4x8x2xf32>, tensor<5xi64>, tensor<5xi64> to tensor<5x2xf32>
  %5 = trace.index %x[%a, %a] dims [0, 1] : tensor<4x8x2xf32>, tensor<5xi64>, tensor<5xi64> to tensor<5x2xf32>
  // CHECK: trace.index_put %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] dims [0, 1] accumulate true
  %6 = trace.index_put %x, %v[%a, %a] dims [0, 1] accumulate true : tensor<4x8x2xf32>, tensor<5x2xf32>, tensor<5xi64>, tensor<5xi64>
  // CHECK: trace.sort %{{.*}} dim 1 descending false stable true : tensor<4x8x2xf32>
  %7:2 = trace.sort %x dim 1 descending false stable true : tensor<4x8x2xf32>
  // CHECK: trace.topk %{{.*}} dim 1 k 2 largest true sorted true : tensor<4x8x2xf32>
  %8:2 = trace.topk %x dim 1 k 2 largest true sorted true : tensor<4x8x2xf32>
  trace.return outputs(%1 : tensor<4x3x5x2xf32>)
}

// CHECK-LABEL: @products
func.func @products(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>, %x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // CHECK: trace.matmul %{{.*}}, %{{.*}} : tensor<2x4x8xf32>, tensor<2x8x16xf32>
  %0 = trace.matmul %a, %b : tensor<2x4x8xf32>, tensor<2x8x16xf32>
  // CHECK: trace.convolution %{{.*}}, %{{.*}} {{.*}}groups = 1 : i64{{.*}} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
  %y = trace.convolution %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64}
       : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
  // CHECK: trace.convolution_input_grad %{{.*}}, %{{.*}} {{.*}}groups = 1 : i64{{.*}} : (tensor<2x4x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x8x8xf32>
  %convolution_input_grad = trace.convolution_input_grad %y, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64}
       : (tensor<2x4x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x8x8xf32>
  // CHECK: trace.convolution_weight_grad %{{.*}}, %{{.*}} {{.*}}groups = 1 : i64{{.*}} : (tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<4x3x3x3xf32>
  %convolution_weight_grad = trace.convolution_weight_grad %y, %x {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64}
       : (tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<4x3x3x3xf32>
  trace.return outputs()
}

// CHECK-LABEL: @random
// CHECK-SAME: #trace.role<rng_state>
func.func @random(%seed: tensor<i64> {trace.role = #trace.role<rng_state>}) {
  // CHECK: trace.random_uniform %{{.*}} stream 3 : tensor<i64> to tensor<4x8xf32>
  %0 = trace.random_uniform %seed stream 3 : tensor<i64> to tensor<4x8xf32>
  // CHECK: trace.random_normal %{{.*}} stream 4 : tensor<i64> to tensor<4x8xbf16>
  %1 = trace.random_normal %seed stream 4 : tensor<i64> to tensor<4x8xbf16>
  trace.return outputs()
}

// CHECK-LABEL: func.func private @rule_forward
func.func private @rule_forward(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  trace.return outputs(%x, %x : tensor<4xf32>, tensor<4xf32>)
}
func.func private @rule_backward(%g: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%g : tensor<4xf32>)
}
// CHECK: func.func private @fused(%{{.*}}) -> tensor<4xf32> attributes {trace.fusion}
func.func private @fused(%x: tensor<4xf32> {trace.strides = array<i64: 2>}) -> tensor<4xf32> attributes {trace.fusion} {
  trace.return outputs(%x : tensor<4xf32>)
}

// CHECK-LABEL: @structure
func.func @structure(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: trace.bsym "silu"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>):
  %0 = trace.bsym "silu"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.sigmoid %a : tensor<4xf32>
    // CHECK: trace.yield %{{.*}} : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  // CHECK: trace.bsym "aten.cumprod.default"(%{{.*}}) {arguments = [#trace.operand<0>, 0, unit], vjp_backward = @rule_backward, vjp_forward = @rule_forward, vjp_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = trace.bsym "aten.cumprod.default"(%0) {arguments = [#trace.operand<0>, 0, unit], vjp_forward = @rule_forward,
      vjp_backward = @rule_backward, vjp_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: trace.call_library "aten.add.Tensor"(%{{.*}}, %{{.*}}) {arguments = [#trace.operand<0>, #trace.operand<1>], result_strides = [array<i64: 1>]}
  %2 = trace.call_library "aten.add.Tensor"(%0, %1) {arguments = [#trace.operand<0>, #trace.operand<1>],
      result_strides = [array<i64: 1>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: trace.fusion(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
  %3 = trace.fusion(%2) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.sin %a : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  // CHECK: trace.call @fused(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = trace.call @fused(%3) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: trace.stop_gradient %{{.*}} : tensor<4xf32>
  %5 = trace.stop_gradient %4 : tensor<4xf32>
  // CHECK: trace.checkpoint(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
  %6 = trace.checkpoint(%5) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    trace.yield %a : tensor<4xf32>
  }
  // CHECK: trace.custom_grad(%{{.*}}) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  // CHECK: } backward {
  %7 = trace.custom_grad(%6) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    trace.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>, %a: tensor<4xf32>):
    trace.yield %g : tensor<4xf32>
  }
  // CHECK: trace.release %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
  trace.release %5, %6 : tensor<4xf32>, tensor<4xf32>
  trace.return outputs(%7 : tensor<4xf32>)
}

// CHECK-LABEL: @joint
func.func @joint(%x: tensor<4xf32> {trace.role = #trace.role<parameter "fc.weight">, trace.requires_grad})
    -> (tensor<4xf32>, tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  // CHECK: trace.get_grad %{{.*}} output 0 : tensor<4xf32>
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  // CHECK: trace.recompute_barrier %{{.*}} after %{{.*}} : tensor<4xf32>, tensor<4xf32>
  %b = trace.recompute_barrier %x after %g : tensor<4xf32>, tensor<4xf32>
  %c = trace.cos %b : tensor<4xf32>
  %d = trace.mul %g, %c : tensor<4xf32>
  // CHECK: trace.return outputs(%{{.*}} : tensor<4xf32>) gradients(%{{.*}} : tensor<4xf32>) of [0]
  trace.return outputs(%y : tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}
