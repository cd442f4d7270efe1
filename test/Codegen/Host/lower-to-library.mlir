// RUN: trace-opt %s --split-input-file --trace-lower-to-library | FileCheck %s
// RUN: trace-opt %s --split-input-file --trace-lower-to-library --remarks-filter=trace-lower-to-library --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<3x4x8xf32>, %d: tensor<3x8x2xf32>)
    -> (tensor<4x16xf32>, tensor<3x4x2xf32>) {
  // CHECK: trace.call_library "aten.mm.default"(%{{.*}}, %{{.*}}) {arguments = [#trace.operand<0>, #trace.operand<1>]}
  %0 = trace.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32>
  // CHECK: trace.call_library "aten.bmm.default"
  %1 = trace.matmul %c, %d : tensor<3x4x8xf32>, tensor<3x8x2xf32>
  trace.return outputs(%0, %1 : tensor<4x16xf32>, tensor<3x4x2xf32>)
}

// -----

// Several batch dimensions stay, and come back where they were flattened: no strides could express it, and the operands would
// have to be copied.
// CHECK-LABEL: func.func @matmul4
func.func @matmul4(%a: tensor<2x4x3x8xf32>, %b: tensor<2x3x8x5xf32>, %c: tensor<6x5x8xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<6x4x5xf32>) {
  // CHECK: %[[A:.*]] = trace.transpose %arg0 [0, 2, 1, 3]
  %t = trace.transpose %a [0, 2, 1, 3] : tensor<2x4x3x8xf32>
  // CHECK: %[[P:.*]] = trace.call_library "aten.matmul.default"(%[[A]], %arg1)
  %0 = trace.matmul %t, %b : tensor<2x3x4x8xf32>, tensor<2x3x8x5xf32>
  // CHECK-NOT: tensor<6x4x8xf32>
  %r = trace.reshape %t : tensor<2x3x4x8xf32> to tensor<6x4x8xf32>
  // CHECK: %[[C:.*]] = trace.transpose %arg2 [0, 2, 1]
  %ct = trace.transpose %c [0, 2, 1] : tensor<6x5x8xf32>
  // CHECK: %[[D:.*]] = trace.reshape %[[C]] : tensor<6x8x5xf32> to tensor<2x3x8x5xf32>
  // CHECK: %[[Q:.*]] = trace.call_library "aten.matmul.default"(%[[A]], %[[D]])
  // CHECK: %[[F:.*]] = trace.reshape %[[Q]] : tensor<2x3x4x5xf32> to tensor<6x4x5xf32>
  %1 = trace.matmul %r, %ct : tensor<6x4x8xf32>, tensor<6x8x5xf32>
  %2 = trace.reshape %1 : tensor<6x4x5xf32> to tensor<2x3x4x5xf32>
  // CHECK: trace.return outputs(%[[P]], %[[Q]], %[[F]]
  trace.return outputs(%0, %2, %1 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<6x4x5xf32>)
}

// -----

// An op outside a fusion runs through LibTorch, and a remark says so. What the host can do by itself stays.
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4x8xf32>) -> tensor<8x4xi1> {
  // REMARK: remark: {{.*}}"trace.erfinv is outside a fusion and runs through LibTorch
  // CHECK: %[[A:.*]] = trace.call_library "aten.erfinv.default"(%{{.*}}) {arguments = [#trace.operand<0>]}
  %0 = trace.erfinv %x : tensor<4x8xf32>
  // CHECK: %[[B:.*]] = trace.call_library "aten._to_copy.default"(%[[A]]) {arguments = [#trace.operand<0>, "torch.bfloat16"]}
  %1 = trace.convert %0 : tensor<4x8xf32> to tensor<4x8xbf16>
  // CHECK: %[[C:.*]] = trace.call_library "aten.isnan.default"(%[[B]])
  %2 = trace.isnan %1 : tensor<4x8xbf16>
  // CHECK: trace.transpose %[[C]] [1, 0]
  // REMARK-NOT: trace.transpose is outside
  %3 = trace.transpose %2 [1, 0] : tensor<4x8xi1>
  // CHECK-NOT: trace.stop_gradient
  %4 = trace.stop_gradient %3 : tensor<8x4xi1>
  trace.return outputs(%4 : tensor<8x4xi1>)
}

// -----

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x8x2xbf16>) -> (tensor<8xbf16>, tensor<4xbf16>, tensor<4x8xi64>, tensor<4x8x2xbf16>) {
  // CHECK: "aten.sum.dim_IntList"(%{{.*}}) {arguments = [#trace.operand<0>, [0, 2], false, "torch.bfloat16"]}
  %0 = trace.reduce_sum %x [0, 2] : tensor<4x8x2xbf16>
  // One dimension at a time, the last first.
  // CHECK: %[[P:.*]] = trace.call_library "aten.prod.dim_int"(%{{.*}}) {arguments = [#trace.operand<0>, 2, false, "torch.bfloat16"]} : (tensor<4x8x2xbf16>) -> tensor<4x8xbf16>
  // CHECK: trace.call_library "aten.prod.dim_int"(%[[P]]) {arguments = [#trace.operand<0>, 1, false, "torch.bfloat16"]} : (tensor<4x8xbf16>) -> tensor<4xbf16>
  %1 = trace.reduce_prod %x [1, 2] : tensor<4x8x2xbf16>
  // CHECK: "aten.argmax.default"
  %2 = trace.argmax %x dim 2 : tensor<4x8x2xbf16>
  // Over no dimension: the operand. (An empty list means all dimensions to LibTorch.)
  // CHECK-NOT: aten.amax
  %3 = trace.reduce_max %x [] : tensor<4x8x2xbf16>
  // CHECK: trace.return outputs(%{{.*}}, %{{.*}}, %{{.*}}, %arg0
  trace.return outputs(%0, %1, %2, %3 : tensor<8xbf16>, tensor<4xbf16>, tensor<4x8xi64>, tensor<4x8x2xbf16>)
}

// -----

// Both gradients of one convolution are one call; alone, the other operand is there for its shape only.
// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %g: tensor<2x4x8x8xf32>, %h: tensor<2x4x8x8xf32>)
    -> (tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4x3x3x3xf32>) {
  // CHECK: "aten.convolution.default"(%{{.*}}, %{{.*}}) {arguments = [#trace.operand<0>, #trace.operand<1>, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1]}
  %y = trace.convolution %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
  // CHECK: %[[G:.*]]:3 = trace.call_library "aten.convolution_backward.default"(%arg2, %arg0, %arg1) {arguments = [#trace.operand<0>, #trace.operand<1>, #trace.operand<2>, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1, [true, true, false]]}
  %dx = trace.convolution_input_grad %g, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x4x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x8x8xf32>
  %dw = trace.convolution_weight_grad %g, %x {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<4x3x3x3xf32>
  // CHECK: %[[ZERO:.*]] = trace.constant dense<0.{{0*e\+00}}> : tensor<4x3x3x3xf32>
  // CHECK: %[[H:.*]]:3 = trace.call_library "aten.convolution_backward.default"(%arg3, %arg0, %[[ZERO]]) {{.*}}[false, true, false]
  %dw2 = trace.convolution_weight_grad %h, %x {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<4x3x3x3xf32>
  // CHECK: trace.return outputs(%{{.*}}, %[[G]]#0, %[[G]]#1, %[[H]]#1
  trace.return outputs(%y, %dx, %dw, %dw2 : tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4x3x3x3xf32>)
}

// -----

// CHECK-LABEL: func.func @indexing
func.func @indexing(%x: tensor<10x4xf32>, %i: tensor<2x3xi64>, %s: tensor<2x3x4xf32>, %j: tensor<10x1xi64>, %t: tensor<10x1xf32>)
    -> (tensor<10x4xf32>, tensor<10x4xf32>, tensor<2x3x4xf32>, tensor<10x2x3xf32>, tensor<10x4xf32>, tensor<10x1xf32>, tensor<10x4xf32>) {
  %zero = trace.constant dense<0.0> : tensor<10x4xf32>
  // An embedding's gradient.
  // CHECK: "aten.embedding_dense_backward.default"(%arg2, %arg1) {arguments = [#trace.operand<0>, #trace.operand<1>, 10, -1, false]}
  %0 = trace.index_add %zero, %i, %s dim 0 : tensor<10x4xf32>, tensor<2x3xi64>, tensor<2x3x4xf32>
  // CHECK: trace.reshape %arg1 : tensor<2x3xi64> to tensor<6xi64>
  // CHECK: trace.reshape %arg2 : tensor<2x3x4xf32> to tensor<6x4xf32>
  // CHECK: "aten.index_add.default"
  %1 = trace.index_add %x, %i, %s dim 0 : tensor<10x4xf32>, tensor<2x3xi64>, tensor<2x3x4xf32>
  // CHECK: "aten.index_select.default"
  // CHECK: trace.reshape %{{.*}} : tensor<6x4xf32> to tensor<2x3x4xf32>
  %2 = trace.take %x, %i dim 0 : tensor<10x4xf32>, tensor<2x3xi64>
  // CHECK: "aten.index.Tensor"(%arg0, %arg1) {arguments = [#trace.operand<0>, [unit, #trace.operand<1>]]}
  %3 = trace.index %x[%i] dims [1] : tensor<10x4xf32>, tensor<2x3xi64> to tensor<10x2x3xf32>
  // CHECK: "aten.scatter_add.default"
  %4 = trace.scatter_add %x, %j, %t dim 1 : tensor<10x4xf32>, tensor<10x1xi64>, tensor<10x1xf32>
  // CHECK: "aten.gather.default"
  %5 = trace.gather %x, %j dim 1 : tensor<10x4xf32>, tensor<10x1xi64>
  // CHECK: "aten.cumsum.default"
  %6 = trace.cumsum %x dim 1 : tensor<10x4xf32>
  trace.return outputs(%0, %1, %2, %3, %4, %5, %6 : tensor<10x4xf32>, tensor<10x4xf32>, tensor<2x3x4xf32>, tensor<10x2x3xf32>, tensor<10x4xf32>, tensor<10x1xf32>, tensor<10x4xf32>)
}

// -----

// Padding with gaps: a strided window of a tensor full of the value. Negative padding cuts.
// CHECK-LABEL: func.func @pad
func.func @pad(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<7xf32> {
  // Elements 1..3 lie at -1 + 2 i.
  // CHECK: %[[W:.*]] = trace.slice %arg0 [1] to [4] by [1]
  // CHECK: %[[F:.*]] = trace.broadcast_in_dim %arg1 [] : tensor<f32> to tensor<7xf32>
  // CHECK: %[[C:.*]] = trace.call_library "aten.clone.default"(%[[F]])
  // CHECK: "aten.as_strided_scatter.default"(%[[C]], %[[W]]) {arguments = [#trace.operand<0>, #trace.operand<1>, [3], [2], 1]}
  %0 = trace.pad %x, %v low [-1] high [1] interior [1] : tensor<4xf32>, tensor<f32>
  trace.return outputs(%0 : tensor<7xf32>)
}

// -----

// Opaque symbols keep their name and arguments; their gradient rules go.
// CHECK-LABEL: func.func @opaque
func.func @opaque(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: trace.call_library "mine.op.default"(%arg0) {arguments = [#trace.operand<0>, 3], result_strides = [array<i64: 2>]}
  %0 = trace.bsym "mine.op.default"(%x) {arguments = [#trace.operand<0>, 3], result_strides = [array<i64: 2>], vjp_forward = @fwd, vjp_backward = @bwd, vjp_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}
// CHECK-NOT: func.func
func.func private @fwd(%x: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%x : tensor<4xf32>)
}
func.func private @bwd(%g: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%g : tensor<4xf32>)
}

// -----

// A fusion of literals is no kernel.
// CHECK-LABEL: func.func @literals
func.func @literals(%i: tensor<6xi64>, %s: tensor<6x4xf32>) -> tensor<10x4xf32> {
  // CHECK-NOT: trace.call @
  // CHECK: "aten.embedding_dense_backward.default"
  %0 = trace.call @fused_constant() : () -> tensor<10x4xf32>
  %1 = trace.index_add %0, %i, %s dim 0 : tensor<10x4xf32>, tensor<6xi64>, tensor<6x4xf32>
  trace.return outputs(%1 : tensor<10x4xf32>)
}
// CHECK-NOT: func.func private
func.func private @fused_constant() -> tensor<10x4xf32> attributes {trace.fusion} {
  %0 = trace.constant dense<0.0> : tensor<10x4xf32>
  trace.return outputs(%0 : tensor<10x4xf32>)
}

// -----

// A fusion that only adds a bias to a product is folded into it, also through the reshape of a linear layer's rows; not
// where somebody else reads the product, or the fusion does more.
// CHECK-LABEL: func.func @bias
func.func @bias(%x: tensor<6x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>) -> (tensor<2x3x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>) {
  // CHECK: %[[A:.*]] = trace.call_library "aten.addmm.default"(%arg2, %arg0, %arg1)
  // CHECK: %[[R:.*]] = trace.reshape %[[A]] : tensor<6x5xf32> to tensor<2x3x5xf32>
  %0 = trace.matmul %x, %w : tensor<6x8xf32>, tensor<8x5xf32>
  %1 = trace.reshape %0 : tensor<6x5xf32> to tensor<2x3x5xf32>
  %2 = trace.call @fused_add(%b, %1) : (tensor<5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: %[[M:.*]] = trace.call_library "aten.mm.default"(%arg0, %arg1)
  // CHECK: %[[S:.*]] = trace.call @fused_add_2(%arg2, %[[M]])
  %3 = trace.matmul %x, %w : tensor<6x8xf32>, tensor<8x5xf32>
  %4 = trace.call @fused_add_2(%b, %3) : (tensor<5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  // CHECK: trace.return outputs(%[[R]], %[[M]], %[[S]]
  trace.return outputs(%2, %3, %4 : tensor<2x3x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
}
func.func private @fused_add(%b: tensor<5xf32>, %x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> attributes {trace.fusion} {
  %0 = trace.broadcast_in_dim %b [2] : tensor<5xf32> to tensor<2x3x5xf32>
  %1 = trace.add %x, %0 : tensor<2x3x5xf32>
  trace.return outputs(%1 : tensor<2x3x5xf32>)
}
func.func private @fused_add_2(%b: tensor<5xf32>, %x: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {trace.fusion} {
  %0 = trace.broadcast_in_dim %b [1] : tensor<5xf32> to tensor<6x5xf32>
  %1 = trace.add %x, %0 : tensor<6x5xf32>
  trace.return outputs(%1 : tensor<6x5xf32>)
}
