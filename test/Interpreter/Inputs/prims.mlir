// Prims that trace-lower-to-library maps, with the results that library-forms.test compares.

func.func @elementwise(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>, %i: tensor<3x4xi32>, %j: tensor<3x4xi32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xbf16>, tensor<3x4xi32>) {
  %abs = trace.abs %x : tensor<3x4xf32>
  %neg = trace.neg %x : tensor<3x4xf32>
  %sign = trace.sign %x : tensor<3x4xf32>
  %exp = trace.exp %x : tensor<3x4xf32>
  %expm1 = trace.expm1 %x : tensor<3x4xf32>
  %sin = trace.sin %x : tensor<3x4xf32>
  %cos = trace.cos %x : tensor<3x4xf32>
  %tanh = trace.tanh %x : tensor<3x4xf32>
  %erf = trace.erf %x : tensor<3x4xf32>
  %floor = trace.floor %x : tensor<3x4xf32>
  %ceil = trace.ceil %x : tensor<3x4xf32>
  %round = trace.round %x : tensor<3x4xf32>
  %trunc = trace.trunc %x : tensor<3x4xf32>
  %reciprocal = trace.reciprocal %x : tensor<3x4xf32>
  %sigmoid = trace.sigmoid %x : tensor<3x4xf32>
  %relu = trace.relu %x : tensor<3x4xf32>
  %atan = trace.atan %x : tensor<3x4xf32>
  %asinh = trace.asinh %x : tensor<3x4xf32>
  %add = trace.add %x, %y : tensor<3x4xf32>
  %sub = trace.sub %x, %y : tensor<3x4xf32>
  %mul = trace.mul %x, %y : tensor<3x4xf32>
  %div = trace.div %x, %y : tensor<3x4xf32>
  %div_floor = trace.div_floor %x, %y : tensor<3x4xf32>
  %div_trunc = trace.div_trunc %x, %y : tensor<3x4xf32>
  %remainder = trace.remainder %x, %y : tensor<3x4xf32>
  %fmod = trace.fmod %x, %y : tensor<3x4xf32>
  %pow = trace.pow %x, %y : tensor<3x4xf32>
  %atan2 = trace.atan2 %x, %y : tensor<3x4xf32>
  %maximum = trace.maximum %x, %y : tensor<3x4xf32>
  %minimum = trace.minimum %x, %y : tensor<3x4xf32>
  %fmax = trace.fmax %x, %y : tensor<3x4xf32>
  %fmin = trace.fmin %x, %y : tensor<3x4xf32>
  %copysign = trace.copysign %x, %y : tensor<3x4xf32>
  %bitwise_and = trace.bitwise_and %i, %j : tensor<3x4xi32>
  %bitwise_or = trace.bitwise_or %i, %j : tensor<3x4xi32>
  %bitwise_xor = trace.bitwise_xor %i, %j : tensor<3x4xi32>
  %shift_left = trace.shift_left %i, %j : tensor<3x4xi32>
  %shift_right = trace.shift_right %i, %j : tensor<3x4xi32>
  %eq = trace.eq %x, %y : tensor<3x4xf32>
  %ne = trace.ne %x, %y : tensor<3x4xf32>
  %lt = trace.lt %x, %y : tensor<3x4xf32>
  %le = trace.le %x, %y : tensor<3x4xf32>
  %gt = trace.gt %x, %y : tensor<3x4xf32>
  %ge = trace.ge %x, %y : tensor<3x4xf32>
  %where = trace.where %lt, %x, %y : tensor<3x4xi1>, tensor<3x4xf32>
  %clamp = trace.clamp %x, %minimum, %maximum : tensor<3x4xf32>
  %convert = trace.convert %x : tensor<3x4xf32> to tensor<3x4xbf16>
  %bitcast = trace.bitcast %x : tensor<3x4xf32> to tensor<3x4xi32>
  trace.return outputs(%abs, %neg, %sign, %exp, %expm1, %sin, %cos, %tanh, %erf, %floor, %ceil, %round, %trunc, %reciprocal, %sigmoid, %relu, %atan, %asinh, %add, %sub, %mul, %div, %div_floor, %div_trunc, %remainder, %fmod, %pow, %atan2, %maximum, %minimum, %fmax, %fmin, %copysign, %bitwise_and, %bitwise_or, %bitwise_xor, %shift_left, %shift_right, %eq, %ne, %lt, %le, %gt, %ge, %where, %clamp, %convert, %bitcast : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xbf16>, tensor<3x4xi32>)
}

func.func @reductions(%x: tensor<3x4x5xf32>, %y: tensor<3x4x5xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi64>, tensor<3x5xi64>, tensor<3x4x5xf32>, tensor<3x4x5xf32>) {
  %sum = trace.reduce_sum %x [0, 2] : tensor<3x4x5xf32>
  %prod = trace.reduce_prod %x [0, 2] : tensor<3x4x5xf32>
  %max = trace.reduce_max %x [0, 2] : tensor<3x4x5xf32>
  %min = trace.reduce_min %x [0, 2] : tensor<3x4x5xf32>
  %b = trace.lt %x, %y : tensor<3x4x5xf32>
  %any = trace.reduce_any %b [1] : tensor<3x4x5xi1>
  %all = trace.reduce_all %b [1] : tensor<3x4x5xi1>
  %argmax = trace.argmax %x dim 1 : tensor<3x4x5xf32>
  %argmin = trace.argmin %x dim 1 : tensor<3x4x5xf32>
  %cumsum = trace.cumsum %x dim 1 : tensor<3x4x5xf32>
  %cumprod = trace.cumprod %x dim 1 : tensor<3x4x5xf32>
  trace.return outputs(%sum, %prod, %max, %min, %any, %all, %argmax, %argmin, %cumsum, %cumprod : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi64>, tensor<3x5xi64>, tensor<3x4x5xf32>, tensor<3x4x5xf32>)
}

func.func @data(%x: tensor<3x4x5xf32>, %y: tensor<3x2x5xf32>, %v: tensor<f32>, %i: tensor<3x2x5xi64>, %t: tensor<2x3xi64>, %p: tensor<6xi64>, %s: tensor<3x2x3x5xf32>, %q: tensor<6x5xf32>, %w: tensor<10x4xf32>, %g: tensor<2x3x4xf32>)
    -> (tensor<3x6x5xf32>, tensor<3x4x5xf32>, tensor<4x5x7xf32>, tensor<5x5x13xf32>, tensor<3x1x3xf32>, tensor<4x4x4xf32>, tensor<2x4x3xi32>, tensor<3x2x5xf32>, tensor<3x2x3x5xf32>, tensor<3x4x5xf32>, tensor<10x4xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<6x5xf32>, tensor<6x4xf32>, tensor<3x6x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xi64>, tensor<3x4x2xf32>, tensor<3x4x2xi64>) {
  %cat = trace.cat %x, %y dim 1 : tensor<3x4x5xf32>, tensor<3x2x5xf32>
  %reverse = trace.reverse %x [0, 2] : tensor<3x4x5xf32>
  %pad0 = trace.pad %x, %v low [0, 1, 2] high [1, 0, 0] interior [0, 0, 0] : tensor<3x4x5xf32>, tensor<f32>
  %pad1 = trace.pad %x, %v low [0, 1, 0] high [0, 0, 0] interior [1, 0, 2] : tensor<3x4x5xf32>, tensor<f32>
  %pad2 = trace.pad %x, %v low [0, -1, 1] high [0, -2, -3] interior [0, 0, 0] : tensor<3x4x5xf32>, tensor<f32>
  %pad3 = trace.pad %x, %v low [-1, 0, -2] high [0, 0, -3] interior [1, 0, 1] : tensor<3x4x5xf32>, tensor<f32>
  %iota = trace.iota 1 : tensor<2x4x3xi32>
  %gather = trace.gather %x, %i dim 1 : tensor<3x4x5xf32>, tensor<3x2x5xi64>
  %take = trace.take %x, %t dim 1 : tensor<3x4x5xf32>, tensor<2x3xi64>
  %index_add = trace.index_add %x, %t, %s dim 1 : tensor<3x4x5xf32>, tensor<2x3xi64>, tensor<3x2x3x5xf32>
  %zero = trace.constant dense<0.0> : tensor<10x4xf32>
  %embedding = trace.index_add %zero, %t, %g dim 0 : tensor<10x4xf32>, tensor<2x3xi64>, tensor<2x3x4xf32>
  %scatter_add = trace.scatter_add %x, %i, %y dim 1 : tensor<3x4x5xf32>, tensor<3x2x5xi64>, tensor<3x2x5xf32>
  %scatter = trace.scatter %x, %i, %y dim 1 : tensor<3x4x5xf32>, tensor<3x2x5xi64>, tensor<3x2x5xf32>
  %index0 = trace.index %x[%p, %p] dims [0, 1] : tensor<3x4x5xf32>, tensor<6xi64>, tensor<6xi64> to tensor<6x5xf32>
  %index1 = trace.index %x[%p, %p] dims [0, 2] : tensor<3x4x5xf32>, tensor<6xi64>, tensor<6xi64> to tensor<6x4xf32>
  %index2 = trace.index %x[%p] dims [1] : tensor<3x4x5xf32>, tensor<6xi64> to tensor<3x6x5xf32>
  %put = trace.index_put %x, %q[%p, %p] dims [0, 1] accumulate true : tensor<3x4x5xf32>, tensor<6x5xf32>, tensor<6xi64>, tensor<6xi64>
  %sort:2 = trace.sort %x dim 1 descending true stable true : tensor<3x4x5xf32>
  %topk:2 = trace.topk %x dim 2 k 2 largest false sorted true : tensor<3x4x5xf32>
  trace.return outputs(%cat, %reverse, %pad0, %pad1, %pad2, %pad3, %iota, %gather, %take, %index_add, %embedding, %scatter_add, %scatter, %index0, %index1, %index2, %put, %sort#0, %sort#1, %topk#0, %topk#1 : tensor<3x6x5xf32>, tensor<3x4x5xf32>, tensor<4x5x7xf32>, tensor<5x5x13xf32>, tensor<3x1x3xf32>, tensor<4x4x4xf32>, tensor<2x4x3xi32>, tensor<3x2x5xf32>, tensor<3x2x3x5xf32>, tensor<3x4x5xf32>, tensor<10x4xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<6x5xf32>, tensor<6x4xf32>, tensor<3x6x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xi64>, tensor<3x4x2xf32>, tensor<3x4x2xi64>)
}

func.func @products(%a: tensor<2x3x4x5xf32>, %b: tensor<2x3x5x2xf32>, %m: tensor<3x4xf32>, %n: tensor<4x2xf32>, %x: tensor<2x4x7x6xf32>, %k: tensor<6x2x3x2xf32>, %y: tensor<2x4x4x5xf32>, %l: tensor<4x3x3x2xf32>)
    -> (tensor<3x2xf32>, tensor<2x3x4x2xf32>, tensor<2x6x3x3xf32>, tensor<2x4x7x6xf32>, tensor<6x2x3x2xf32>, tensor<2x6x8x17xf32>, tensor<2x4x4x5xf32>, tensor<4x3x3x2xf32>) {
  %mm = trace.matmul %m, %n : tensor<3x4xf32>, tensor<4x2xf32>
  %bmm = trace.matmul %a, %b : tensor<2x3x4x5xf32>, tensor<2x3x5x2xf32>
  %c = trace.convolution %x, %k {stride = array<i64: 2, 3>, padding = array<i64: 1, 2>, dilation = array<i64: 2, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 2 : i64} : (tensor<2x4x7x6xf32>, tensor<6x2x3x2xf32>) -> tensor<2x6x3x3xf32>
  %c_x = trace.convolution_input_grad %c, %k {stride = array<i64: 2, 3>, padding = array<i64: 1, 2>, dilation = array<i64: 2, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 2 : i64} : (tensor<2x6x3x3xf32>, tensor<6x2x3x2xf32>) -> tensor<2x4x7x6xf32>
  %c_w = trace.convolution_weight_grad %c, %x {stride = array<i64: 2, 3>, padding = array<i64: 1, 2>, dilation = array<i64: 2, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 2 : i64} : (tensor<2x6x3x3xf32>, tensor<2x4x7x6xf32>) -> tensor<6x2x3x2xf32>
  %t = trace.convolution %y, %l {stride = array<i64: 2, 3>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, transposed = true, output_padding = array<i64: 1, 2>, groups = 2 : i64} : (tensor<2x4x4x5xf32>, tensor<4x3x3x2xf32>) -> tensor<2x6x8x17xf32>
  %t_x = trace.convolution_input_grad %t, %l {stride = array<i64: 2, 3>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, transposed = true, output_padding = array<i64: 1, 2>, groups = 2 : i64} : (tensor<2x6x8x17xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x4x5xf32>
  %t_w = trace.convolution_weight_grad %t, %y {stride = array<i64: 2, 3>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 2>, transposed = true, output_padding = array<i64: 1, 2>, groups = 2 : i64} : (tensor<2x6x8x17xf32>, tensor<2x4x4x5xf32>) -> tensor<4x3x3x2xf32>
  trace.return outputs(%mm, %bmm, %c, %c_x, %c_w, %t, %t_x, %t_w : tensor<3x2xf32>, tensor<2x3x4x2xf32>, tensor<2x6x3x3xf32>, tensor<2x4x7x6xf32>, tensor<6x2x3x2xf32>, tensor<2x6x8x17xf32>, tensor<2x4x4x5xf32>, tensor<4x3x3x2xf32>)
}
