// RUN: trace-opt %s --split-input-file --verify-diagnostics
//
// One case per rule of the verifiers: elementwise ops, index maps, reductions, indexing, products.

func.func @two_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @below {{use of value '%y' expects different type than prior uses}}
  // expected-note @above {{prior use here}}
  %0 = trace.add %x, %y : tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @where_condition(%c: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor of 1-bit signless integer values}}
  %0 = trace.where %c, %x, %x : tensor<4xi8>, tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @where_shape(%c: tensor<8xi1>, %x: tensor<4xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = trace.where %c, %x, %x : tensor<8xi1>, tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @convert_shape(%x: tensor<4xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = trace.convert %x : tensor<4xf32> to tensor<8xbf16>
  trace.return outputs()
}

// -----

func.func @bitcast_width(%x: tensor<4xf32>) {
  // expected-error @below {{needs element types of one width}}
  %0 = trace.bitcast %x : tensor<4xf32> to tensor<4xi64>
  trace.return outputs()
}

// -----

func.func @full_sizes(%n: index) {
  // expected-error @below {{needs one size per dynamic dimension of 'tensor<?x?xf32>'}}
  %0 = trace.full 1.0 : f32 [%n] : tensor<?x?xf32>
  trace.return outputs()
}

// -----

func.func @full_value(%n: index) {
  // expected-error @below {{value must have the element type of the result}}
  %0 = trace.full 1 : i32 [%n] : tensor<?xf32>
  trace.return outputs()
}

// -----

func.func @iota_dim() {
  // expected-error @below {{dimension 2 is out of range for 'tensor<4x8xi64>'}}
  %0 = trace.iota 2 : tensor<4x8xi64>
  trace.return outputs()
}

// -----

func.func @broadcast_count(%x: tensor<8xf32>) {
  // expected-error @below {{needs one entry of dims per dimension of the operand}}
  %0 = trace.broadcast_in_dim %x [0, 1] : tensor<8xf32> to tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @broadcast_element(%x: tensor<8xf32>) {
  // expected-error @below {{cannot change the element type}}
  %0 = trace.broadcast_in_dim %x [1] : tensor<8xf32> to tensor<4x8xf64>
  trace.return outputs()
}

// -----

func.func @broadcast_order(%x: tensor<4x8xf32>) {
  // expected-error @below {{dims must be strictly increasing dimensions of the result}}
  %0 = trace.broadcast_in_dim %x [1, 0] : tensor<4x8xf32> to tensor<8x4xf32>
  trace.return outputs()
}

// -----

func.func @broadcast_size(%x: tensor<3xf32>) {
  // expected-error @below {{operand dimension 0 of size 3 does not fit result dimension 1 of size 8}}
  %0 = trace.broadcast_in_dim %x [1] : tensor<3xf32> to tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @reshape_element(%x: tensor<8xf32>) {
  // expected-error @below {{cannot change the element type}}
  %0 = trace.reshape %x : tensor<8xf32> to tensor<8xi32>
  trace.return outputs()
}

// -----

func.func @reshape_count(%x: tensor<4x8xf32>) {
  // expected-error @below {{cannot make 30 elements of 32}}
  %0 = trace.reshape %x : tensor<4x8xf32> to tensor<30xf32>
  trace.return outputs()
}

// -----

func.func @transpose_perm(%x: tensor<4x8xf32>) {
  // expected-error @below {{perm is not a permutation of the operand's dimensions}}
  %0 = trace.transpose %x [1, 1] : tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @slice_rank(%x: tensor<4x8xf32>) {
  // expected-error @below {{needs a start, a limit and a stride per dimension}}
  %0 = trace.slice %x [0] to [4] by [1] : tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @slice_range(%x: tensor<4x8xf32>) {
  // expected-error @below {{0 to 9 by 1 is not within dimension 1 of size 8}}
  %0 = trace.slice %x [0, 0] to [4, 9] by [1, 1] : tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @slice_stride(%x: tensor<4xf32>) {
  // expected-error @below {{0 to 4 by 0 is not within dimension 0 of size 4}}
  %0 = trace.slice %x [0] to [4] by [0] : tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @pad_rank(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @below {{needs low, high and interior per dimension}}
  %0 = trace.pad %x, %v low [1, 1] high [0] interior [0] : tensor<4xf32>, tensor<f32>
  trace.return outputs()
}

// -----

func.func @pad_negative(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @below {{dimension 0 would get size -1}}
  %0 = trace.pad %x, %v low [-3] high [-2] interior [0] : tensor<4xf32>, tensor<f32>
  trace.return outputs()
}

// -----

func.func @pad_value(%x: tensor<4xf32>, %v: tensor<f64>) {
  // expected-error @below {{value must have the operand's element type}}
  %0 = trace.pad %x, %v low [1] high [0] interior [0] : tensor<4xf32>, tensor<f64>
  trace.return outputs()
}

// -----

func.func @cat_nothing() {
  // expected-error @below {{needs an operand}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "trace.cat"() <{dim = 0 : i64}> : () -> tensor<0xf32>
  trace.return outputs()
}

// -----

func.func @cat_dim(%x: tensor<4xf32>) {
  // expected-error @below {{dimension 1 is out of range}}
  %0 = trace.cat %x dim 1 : tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @cat_shape(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{operands 'tensor<4x2xf32>' and 'tensor<4x3xf32>' do not fit along dimension 0}}
  %0 = trace.cat %x, %y dim 0 : tensor<4x2xf32>, tensor<4x3xf32>
  trace.return outputs()
}

// -----

func.func @reverse_dim(%x: tensor<4xf32>) {
  // expected-error @below {{dimension 1 is out of range}}
  %0 = trace.reverse %x [1] : tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @reduce_dims(%x: tensor<4x8xf32>) {
  // expected-error @below {{dims must be strictly increasing dimensions of the operand}}
  %0 = trace.reduce_sum %x [1, 0] : tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @reduce_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{cannot reduce dimension 1 of size 0: the operation has no neutral element}}
  %0 = trace.reduce_max %x [1] : tensor<4x0xf32>
  trace.return outputs()
}

// -----

func.func @argmax_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{cannot reduce dimension 1 of size 0: the operation has no neutral element}}
  %0 = trace.argmax %x dim 1 : tensor<4x0xf32>
  trace.return outputs()
}

// -----

func.func @any_of_numbers(%x: tensor<4xi32>) {
  // expected-error @below {{needs an operand of i1}}
  %0 = trace.reduce_any %x [0] : tensor<4xi32>
  trace.return outputs()
}

// -----

func.func @argmax_dim(%x: tensor<4xf32>) {
  // expected-error @below {{dims must be strictly increasing dimensions of the operand}}
  %0 = trace.argmax %x dim 1 : tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @scan_dim(%x: tensor<4xf32>) {
  // expected-error @below {{dimension 1 is out of range for 'tensor<4xf32>'}}
  %0 = trace.cumsum %x dim 1 : tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @index_type(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{operand #1 must be ranked tensor of 64-bit signless integer values}}
  %0 = trace.gather %x, %i dim 0 : tensor<4xf32>, tensor<4xi32>
  trace.return outputs()
}

// -----

func.func @gather_rank(%x: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{needs an index of the operand's rank}}
  %0 = trace.gather %x, %i dim 0 : tensor<4x8xf32>, tensor<4xi64>
  trace.return outputs()
}

// -----

func.func @gather_dim(%x: tensor<4x8xf32>, %i: tensor<4x1xi64>) {
  // expected-error @below {{dimension 2 is out of range}}
  %0 = trace.gather %x, %i dim 2 : tensor<4x8xf32>, tensor<4x1xi64>
  trace.return outputs()
}

// -----

func.func @gather_size(%x: tensor<4x8xf32>, %i: tensor<5x1xi64>) {
  // expected-error @below {{index is larger than the operand in dimension 0}}
  %0 = trace.gather %x, %i dim 1 : tensor<4x8xf32>, tensor<5x1xi64>
  trace.return outputs()
}

// -----

func.func @take_dim(%x: tensor<4x8xf32>, %i: tensor<5xi64>) {
  // expected-error @below {{dimension 2 is out of range}}
  %0 = trace.take %x, %i dim 2 : tensor<4x8xf32>, tensor<5xi64>
  trace.return outputs()
}

// -----

func.func @index_add_dim(%x: tensor<4x8xf32>, %i: tensor<5xi64>, %s: tensor<5x8xf32>) {
  // expected-error @below {{dimension 2 is out of range}}
  %0 = trace.index_add %x, %i, %s dim 2 : tensor<4x8xf32>, tensor<5xi64>, tensor<5x8xf32>
  trace.return outputs()
}

// -----

func.func @index_add_source(%x: tensor<4x8xf32>, %i: tensor<5xi64>, %s: tensor<5x7xf32>) {
  // expected-error @below {{source must be 'tensor<5x8xf32>', not 'tensor<5x7xf32>'}}
  %0 = trace.index_add %x, %i, %s dim 0 : tensor<4x8xf32>, tensor<5xi64>, tensor<5x7xf32>
  trace.return outputs()
}

// -----

func.func @scatter_source(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %s: tensor<4x2xf64>) {
  // expected-error @below {{source must have the operand's element type}}
  %0 = trace.scatter %x, %i, %s dim 1 : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf64>
  trace.return outputs()
}

// -----

func.func @scatter_shape(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %s: tensor<4x3xf32>) {
  // expected-error @below {{all of {index, source} have same shape}}
  %0 = trace.scatter_add %x, %i, %s dim 1 : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x3xf32>
  trace.return outputs()
}

// -----

func.func @index_count(%x: tensor<4x8xf32>, %i: tensor<5xi64>) {
  // expected-error @below {{needs one entry of dims per index}}
  %0 = trace.index %x[%i] dims [0, 1] : tensor<4x8xf32>, tensor<5xi64> to tensor<5xf32>
  trace.return outputs()
}

// -----

func.func @index_dims(%x: tensor<4x8xf32>, %i: tensor<5xi64>) {
  // expected-error @below {{dims must be strictly increasing dimensions of the operand}}
  %0 = trace.index %x[%i, %i] dims [1, 0] : tensor<4x8xf32>, tensor<5xi64>, tensor<5xi64> to tensor<5xf32>
  trace.return outputs()
}

// -----

func.func @index_shapes(%x: tensor<4x8xf32>, %i: tensor<5xi64>, %j: tensor<1xi64>) {
  // expected-error @below {{index tensors must have one shape}}
  %0 = trace.index %x[%i, %j] dims [0, 1] : tensor<4x8xf32>, tensor<5xi64>, tensor<1xi64> to tensor<5xf32>
  trace.return outputs()
}

// -----

// Indexed dimensions that are not adjacent come first.
func.func @index_result(%x: tensor<4x8x2xf32>, %i: tensor<5xi64>) {
  // expected-error @below {{indexed value must be 'tensor<5x8xf32>', not 'tensor<8x5xf32>'}}
  %0 = trace.index %x[%i, %i] dims [0, 2] : tensor<4x8x2xf32>, tensor<5xi64>, tensor<5xi64> to tensor<8x5xf32>
  trace.return outputs()
}

// -----

func.func @index_put_source(%x: tensor<4x8xf32>, %i: tensor<5xi64>, %s: tensor<5xf32>) {
  // expected-error @below {{indexed value must be 'tensor<5x8xf32>', not 'tensor<5xf32>'}}
  %0 = trace.index_put %x, %s[%i] dims [0] accumulate true : tensor<4x8xf32>, tensor<5xf32>, tensor<5xi64>
  trace.return outputs()
}

// -----

func.func @sort_dim(%x: tensor<4x8xf32>) {
  // expected-error @below {{dimension 2 is out of range}}
  %0:2 = trace.sort %x dim 2 descending false stable true : tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @topk_size(%x: tensor<4x8xf32>) {
  // expected-error @below {{k = 9 does not fit dimension 1 of 'tensor<4x8xf32>'}}
  %0:2 = trace.topk %x dim 1 k 9 largest true sorted true : tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @matmul_inner(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{'tensor<4x8xf32>' and 'tensor<4x8xf32>' cannot be multiplied}}
  %0 = trace.matmul %x, %y : tensor<4x8xf32>, tensor<4x8xf32>
  trace.return outputs()
}

// -----

func.func @matmul_vector(%x: tensor<8xf32>, %y: tensor<8x4xf32>) {
  // expected-error @below {{cannot be multiplied}}
  %0 = trace.matmul %x, %y : tensor<8xf32>, tensor<8x4xf32>
  trace.return outputs()
}

// -----

func.func @convolution_rank(%x: tensor<3x8xf32>, %w: tensor<4x3xf32>) {
  // expected-error @below {{needs input, weight and output of one rank, 3 to 5, but has 'tensor<3x8xf32>', 'tensor<4x3xf32>' and 'tensor<3x8xf32>'}}
  %0 = trace.convolution %x, %w {stride = array<i64>, padding = array<i64>, dilation = array<i64>, transposed = false,
      output_padding = array<i64>, groups = 1 : i64} : (tensor<3x8xf32>, tensor<4x3xf32>) -> tensor<3x8xf32>
  trace.return outputs()
}

// -----

func.func @convolution_stride(%x: tensor<1x3x8xf32>, %w: tensor<4x3x1xf32>) {
  // expected-error @below {{needs stride, padding, dilation and output_padding per spatial dimension}}
  %0 = trace.convolution %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x3x8xf32>, tensor<4x3x1xf32>) -> tensor<1x4x8xf32>
  trace.return outputs()
}

// -----

func.func @convolution_groups(%x: tensor<1x3x8xf32>, %w: tensor<4x3x1xf32>) {
  // expected-error @below {{groups must be positive}}
  %0 = trace.convolution %x, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 0 : i64} : (tensor<1x3x8xf32>, tensor<4x3x1xf32>) -> tensor<1x4x8xf32>
  trace.return outputs()
}

// -----

func.func @convolution_size(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @below {{'trace.convolution' op has size 7 in spatial dimension 0 of the output, but input and weight give 6}}
  %0 = trace.convolution %x, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x7xf32>
  trace.return outputs()
}

// -----

func.func @convolution_transposed_size(%x: tensor<1x4x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @below {{has size 8 in spatial dimension 0 of the output, but input and weight give 16}}
  %0 = trace.convolution %x, %w {stride = array<i64: 2>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = true,
      output_padding = array<i64: 1>, groups = 1 : i64} : (tensor<1x4x8xf32>, tensor<4x3x3xf32>) -> tensor<1x3x8xf32>
  trace.return outputs()
}

// -----

func.func @convolution_channels(%x: tensor<1x2x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @below {{has a weight for 3 input and 4 output channels, but input and output are 'tensor<1x2x8xf32>' and 'tensor<1x4x6xf32>'}}
  %0 = trace.convolution %x, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x2x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  trace.return outputs()
}

// -----

func.func @convolution_element_type(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf64>) {
  // expected-error @below {{needs one element type, but has 'tensor<1x3x8xf32>', 'tensor<4x3x3xf64>' and 'tensor<1x4x6xf32>'}}
  %0 = trace.convolution %x, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x3x8xf32>, tensor<4x3x3xf64>) -> tensor<1x4x6xf32>
  trace.return outputs()
}

// -----

func.func @input_grad_rank(%g: tensor<1x4x6xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @below {{'trace.convolution_input_grad' op needs input, weight and output of one rank, 3 to 5}}
  %0 = trace.convolution_input_grad %g, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x6xf32>, tensor<4x3x3xf32>) -> tensor<3x8xf32>
  trace.return outputs()
}

// -----

func.func @input_grad_size(%g: tensor<1x4x6xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @below {{'trace.convolution_input_grad' op has size 6 in spatial dimension 0 of the output, but input and weight give 7}}
  %0 = trace.convolution_input_grad %g, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x6xf32>, tensor<4x3x3xf32>) -> tensor<1x3x9xf32>
  trace.return outputs()
}

// -----

func.func @input_grad_channels(%g: tensor<1x4x6xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @below {{has a weight for 6 input and 4 output channels}}
  %0 = trace.convolution_input_grad %g, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 2 : i64} : (tensor<1x4x6xf32>, tensor<4x3x3xf32>) -> tensor<1x3x8xf32>
  trace.return outputs()
}

// -----

func.func @input_grad_batch(%g: tensor<1x4x6xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @below {{needs one batch size, but input and output are 'tensor<2x3x8xf32>' and 'tensor<1x4x6xf32>'}}
  %0 = trace.convolution_input_grad %g, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x6xf32>, tensor<4x3x3xf32>) -> tensor<2x3x8xf32>
  trace.return outputs()
}

// -----

func.func @input_grad_stride(%g: tensor<1x4x6xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @below {{'trace.convolution_input_grad' op stride and dilation must be positive}}
  %0 = trace.convolution_input_grad %g, %w {stride = array<i64: 0>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x6xf32>, tensor<4x3x3xf32>) -> tensor<1x3x8xf32>
  trace.return outputs()
}

// -----

func.func @weight_grad_size(%g: tensor<1x4x6xf32>, %x: tensor<1x3x8xf32>) {
  // expected-error @below {{'trace.convolution_weight_grad' op has size 6 in spatial dimension 0 of the output, but input and weight give 7}}
  %0 = trace.convolution_weight_grad %g, %x {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x6xf32>, tensor<1x3x8xf32>) -> tensor<4x3x2xf32>
  trace.return outputs()
}

// -----

func.func @weight_grad_padding(%g: tensor<1x4x6xf32>, %x: tensor<1x3x8xf32>) {
  // expected-error @below {{'trace.convolution_weight_grad' op padding and output_padding must not be negative}}
  %0 = trace.convolution_weight_grad %g, %x {stride = array<i64: 1>, padding = array<i64: -1>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x6xf32>, tensor<1x3x8xf32>) -> tensor<4x3x3xf32>
  trace.return outputs()
}

// -----

func.func @weight_grad_lists(%g: tensor<1x4x6xf32>, %x: tensor<1x3x8xf32>) {
  // expected-error @below {{'trace.convolution_weight_grad' op needs stride, padding, dilation and output_padding per spatial dimension}}
  %0 = trace.convolution_weight_grad %g, %x {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1, 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x6xf32>, tensor<1x3x8xf32>) -> tensor<4x3x3xf32>
  trace.return outputs()
}

// -----

func.func @weight_grad_groups(%g: tensor<1x4x6xf32>, %x: tensor<1x9x8xf32>) {
  // expected-error @below {{has 4 channels, which 3 groups do not divide}}
  %0 = trace.convolution_weight_grad %g, %x {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, transposed = false,
      output_padding = array<i64: 0>, groups = 3 : i64} : (tensor<1x4x6xf32>, tensor<1x9x8xf32>) -> tensor<4x3x3xf32>
  trace.return outputs()
}

// -----

func.func @random_type(%seed: tensor<i64>) {
  // expected-error @below {{gives floating-point numbers only}}
  %0 = trace.random_uniform %seed stream 0 : tensor<i64> to tensor<4xi32>
  trace.return outputs()
}

// -----

func.func @random_normal_type(%seed: tensor<i64>) {
  // expected-error @below {{gives floating-point numbers only}}
  %0 = trace.random_normal %seed stream 0 : tensor<i64> to tensor<4xi32>
  trace.return outputs()
}

// -----

func.func @random_seed(%seed: tensor<2xi64>) {
  // expected-error @below {{operand #0 must be 0D tensor of 64-bit signless integer values}}
  %0 = trace.random_uniform %seed stream 0 : tensor<2xi64> to tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @use_before_definition(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{operand #0 does not dominate this use}}
  %0 = trace.add %0, %x : tensor<4xf32>
  // expected-note @above {{operand defined here}}
  trace.return outputs(%0 : tensor<4xf32>)
}
