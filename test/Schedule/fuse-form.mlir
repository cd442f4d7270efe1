// RUN: trace-opt %s --trace-fuse-form --split-input-file | FileCheck %s --enable-var-scope

// Softmax with a bias: two reductions over the row and all that stands between them, in one region.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[R:.*]] = trace.fusion(
// CHECK-NOT: trace.fusion
// CHECK: trace.return outputs(%[[R]] :
func.func @softmax(%x: tensor<64x128xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> {
  %bb = trace.broadcast_in_dim %b [1] : tensor<128xf32> to tensor<64x128xf32>
  %a = trace.add %x, %bb : tensor<64x128xf32>
  %m = trace.reduce_max %a [1] : tensor<64x128xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<64xf32> to tensor<64x128xf32>
  %d = trace.sub %a, %mb : tensor<64x128xf32>
  %e = trace.exp %d : tensor<64x128xf32>
  %s = trace.reduce_sum %e [1] : tensor<64x128xf32>
  %sb = trace.broadcast_in_dim %s [0] : tensor<64xf32> to tensor<64x128xf32>
  %r = trace.div %e, %sb : tensor<64x128xf32>
  trace.return outputs(%r : tensor<64x128xf32>)
}

// -----

// Cross-entropy: the maximum, the sum of exponentials and the target's logit of a row, the mean of the rows, one
// region. The product with 1/n needs the whole sum, but is no larger: it is computed behind the last row.
// CHECK-LABEL: func.func @cross_entropy
// CHECK: %[[S:.*]] = trace.fusion(
// CHECK: trace.reduce_max
// CHECK: trace.gather
// CHECK: %[[SUM:.*]] = trace.reduce_sum {{.*}} [0]
// CHECK: trace.mul %[[SUM]],
// CHECK-NEXT: trace.yield
// CHECK-NOT: trace.fusion
func.func @cross_entropy(%x: tensor<64x1000xf32>, %t: tensor<64x1xi64>) -> tensor<f32> {
  %m = trace.reduce_max %x [1] : tensor<64x1000xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<64xf32> to tensor<64x1000xf32>
  %d = trace.sub %x, %mb : tensor<64x1000xf32>
  %e = trace.exp %d : tensor<64x1000xf32>
  %s = trace.reduce_sum %e [1] : tensor<64x1000xf32>
  %l = trace.log %s : tensor<64xf32>
  %lb = trace.broadcast_in_dim %l [0] : tensor<64xf32> to tensor<64x1000xf32>
  %logp = trace.sub %d, %lb : tensor<64x1000xf32>
  %p = trace.gather %logp, %t dim 1 : tensor<64x1000xf32>, tensor<64x1xi64>
  %n = trace.neg %p : tensor<64x1xf32>
  %f = trace.reshape %n : tensor<64x1xf32> to tensor<64xf32>
  %sum = trace.reduce_sum %f [0] : tensor<64xf32>
  %c = trace.constant dense<0.015625> : tensor<f32>
  %r = trace.mul %sum, %c : tensor<f32>
  trace.return outputs(%r : tensor<f32>)
}

// -----

// The backward of a norm: dx by rows, dw and db over the rows of the same data, one region.
// CHECK-LABEL: func.func @norm_backward
// CHECK: %[[R:.*]]:3 = trace.fusion(
// CHECK-NOT: trace.fusion
// CHECK: trace.return
func.func @norm_backward(%g: tensor<64x128xf32>, %x: tensor<64x128xf32>, %w: tensor<128xf32>, %rstd: tensor<64xf32>)
    -> (tensor<64x128xf32>, tensor<128xf32>, tensor<128xbf16>) {
  %rb = trace.broadcast_in_dim %rstd [0] : tensor<64xf32> to tensor<64x128xf32>
  %wb = trace.broadcast_in_dim %w [1] : tensor<128xf32> to tensor<64x128xf32>
  %xhat = trace.mul %x, %rb : tensor<64x128xf32>
  %gx = trace.mul %g, %xhat : tensor<64x128xf32>
  %dw = trace.reduce_sum %gx [0] : tensor<64x128xf32>
  %dbs = trace.reduce_sum %g [0] : tensor<64x128xf32>
  %db = trace.convert %dbs : tensor<128xf32> to tensor<128xbf16>
  %gw = trace.mul %g, %wb : tensor<64x128xf32>
  %gwx = trace.mul %gw, %xhat : tensor<64x128xf32>
  %dot = trace.reduce_sum %gwx [1] : tensor<64x128xf32>
  %dotb = trace.broadcast_in_dim %dot [0] : tensor<64xf32> to tensor<64x128xf32>
  %proj = trace.mul %xhat, %dotb : tensor<64x128xf32>
  %diff = trace.sub %gw, %proj : tensor<64x128xf32>
  %dx = trace.mul %diff, %rb : tensor<64x128xf32>
  trace.return outputs(%dx, %dw, %db : tensor<64x128xf32>, tensor<128xf32>, tensor<128xbf16>)
}

// -----

// A reduction over the rows is complete only after the last row: what uses it is another kernel.
// CHECK-LABEL: func.func @column_result_used
// CHECK: %[[A:.*]]:2 = trace.fusion(
// CHECK: trace.reduce_sum
// CHECK: trace.fusion({{.*}}%[[A]]#
// CHECK: trace.sub
func.func @column_result_used(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = trace.exp %x : tensor<64x128xf32>
  %s = trace.reduce_sum %e [0] : tensor<64x128xf32>
  %sb = trace.broadcast_in_dim %s [1] : tensor<128xf32> to tensor<64x128xf32>
  %r = trace.sub %e, %sb : tensor<64x128xf32>
  trace.return outputs(%r : tensor<64x128xf32>)
}

// -----

// Rotary embedding of q and k, which share the tables: one region. The head views of the matrix products stay outside.
// CHECK-LABEL: func.func @rope
// CHECK: trace.matmul
// CHECK: trace.matmul
// CHECK: %[[R:.*]]:2 = trace.fusion(
// CHECK-NOT: trace.fusion
// CHECK: trace.return outputs(%[[R]]#0, %[[R]]#1
func.func @rope(%x: tensor<32x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>, %cos: tensor<16x16xf32>,
                %sin: tensor<16x16xf32>) -> (tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) {
  %mq = trace.matmul %x, %wq : tensor<32x64xf32>, tensor<64x64xf32>
  %vq = trace.reshape %mq : tensor<32x64xf32> to tensor<2x16x4x16xf32>
  %q = trace.transpose %vq [0, 2, 1, 3] : tensor<2x16x4x16xf32>
  %mk = trace.matmul %x, %wk : tensor<32x64xf32>, tensor<64x64xf32>
  %vk = trace.reshape %mk : tensor<32x64xf32> to tensor<2x16x4x16xf32>
  %k = trace.transpose %vk [0, 2, 1, 3] : tensor<2x16x4x16xf32>
  %c = trace.broadcast_in_dim %cos [2, 3] : tensor<16x16xf32> to tensor<2x4x16x16xf32>
  %s = trace.broadcast_in_dim %sin [2, 3] : tensor<16x16xf32> to tensor<2x4x16x16xf32>
  %q1 = trace.slice %q [0, 0, 0, 0] to [2, 4, 16, 8] by [1, 1, 1, 1] : tensor<2x4x16x16xf32>
  %q2 = trace.slice %q [0, 0, 0, 8] to [2, 4, 16, 16] by [1, 1, 1, 1] : tensor<2x4x16x16xf32>
  %nq = trace.neg %q2 : tensor<2x4x16x8xf32>
  %rotq = trace.cat %nq, %q1 dim 3 : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>
  %qc = trace.mul %q, %c : tensor<2x4x16x16xf32>
  %qs = trace.mul %rotq, %s : tensor<2x4x16x16xf32>
  %rq = trace.add %qc, %qs : tensor<2x4x16x16xf32>
  %k1 = trace.slice %k [0, 0, 0, 0] to [2, 4, 16, 8] by [1, 1, 1, 1] : tensor<2x4x16x16xf32>
  %k2 = trace.slice %k [0, 0, 0, 8] to [2, 4, 16, 16] by [1, 1, 1, 1] : tensor<2x4x16x16xf32>
  %nk = trace.neg %k2 : tensor<2x4x16x8xf32>
  %rotk = trace.cat %nk, %k1 dim 3 : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>
  %kc = trace.mul %k, %c : tensor<2x4x16x16xf32>
  %ks = trace.mul %rotk, %s : tensor<2x4x16x16xf32>
  %rk = trace.add %kc, %ks : tensor<2x4x16x16xf32>
  trace.return outputs(%rq, %rk : tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>)
}

// -----

// A get_grad between two fusible backward ops does not split the region: the backward of rotary embedding, once the
// get_grads stand together, is one region, and so is the forward.
// CHECK-LABEL: func.func @rope_joint
// CHECK: trace.fusion(
// CHECK: trace.cat
// CHECK: }
// CHECK-NEXT: trace.get_grad
// CHECK-NEXT: trace.fusion(
// CHECK: trace.pad
// CHECK: trace.pad
// CHECK: }
// CHECK-NEXT: trace.return
func.func @rope_joint(%x: tensor<4x8xf32> {trace.requires_grad}, %c: tensor<4x8xf32>, %s: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {trace.joint} {
  %zero = trace.constant dense<0.0> : tensor<f32>
  %x1 = trace.slice %x [0, 0] to [4, 4] by [1, 1] : tensor<4x8xf32>
  %x2 = trace.slice %x [0, 4] to [4, 8] by [1, 1] : tensor<4x8xf32>
  %n = trace.neg %x2 : tensor<4x4xf32>
  %rot = trace.cat %n, %x1 dim 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %xc = trace.mul %x, %c : tensor<4x8xf32>
  %xs = trace.mul %rot, %s : tensor<4x8xf32>
  %r = trace.add %xc, %xs : tensor<4x8xf32>
  %g = trace.get_grad %r output 0 : tensor<4x8xf32>
  %gs = trace.mul %g, %s : tensor<4x8xf32>
  %gc = trace.mul %g, %c : tensor<4x8xf32>
  %g1 = trace.slice %gs [0, 0] to [4, 4] by [1, 1] : tensor<4x8xf32>
  %g2 = trace.slice %gs [0, 4] to [4, 8] by [1, 1] : tensor<4x8xf32>
  %gn = trace.neg %g1 : tensor<4x4xf32>
  %p1 = trace.pad %gn, %zero low [0, 4] high [0, 0] interior [0, 0] : tensor<4x4xf32>, tensor<f32>
  %p2 = trace.pad %g2, %zero low [0, 0] high [0, 4] interior [0, 0] : tensor<4x4xf32>, tensor<f32>
  %a = trace.add %gc, %p1 : tensor<4x8xf32>
  %d = trace.add %a, %p2 : tensor<4x8xf32>
  trace.return outputs(%r : tensor<4x8xf32>) gradients(%d : tensor<4x8xf32>) of [0]
}

// -----

// cat of sliced inputs: one region; the view of its result for the library stays outside.
// CHECK-LABEL: func.func @cat_of_slices
// CHECK-NEXT: %[[R:.*]] = trace.fusion(%arg0, %arg1)
// CHECK: trace.slice
// CHECK: trace.slice
// CHECK: trace.cat
// CHECK: }
// CHECK-NEXT: %[[T:.*]] = trace.transpose %[[R]]
// CHECK-NEXT: trace.matmul %[[R]], %[[T]]
func.func @cat_of_slices(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %a = trace.slice %x [0, 2] to [4, 6] by [1, 1] : tensor<4x8xf32>
  %b = trace.slice %y [0, 0] to [4, 8] by [1, 2] : tensor<4x8xf32>
  %c = trace.cat %a, %b dim 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %t = trace.transpose %c [1, 0] : tensor<4x8xf32>
  %r = trace.matmul %c, %t : tensor<4x8xf32>, tensor<8x4xf32>
  trace.return outputs(%r : tensor<4x4xf32>)
}

// -----

// Producers and consumers never join around a library op: that would be a cycle.
// CHECK-LABEL: func.func @around_a_library_op
// CHECK: trace.fusion(%arg0)
// CHECK: trace.matmul
// CHECK: trace.fusion
// CHECK: trace.add
func.func @around_a_library_op(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = trace.exp %x : tensor<8x8xf32>
  %m = trace.matmul %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
  %r = trace.add %m, %a : tensor<8x8xf32>
  trace.return outputs(%r : tensor<8x8xf32>)
}

// -----

// A constant that a library op or the caller reads is written by a kernel; in a region it is a copy.
// CHECK-LABEL: func.func @constants
// CHECK: %[[C:.*]] = trace.fusion() : () -> tensor<8x8xf32>
// CHECK: trace.fusion(%arg0)
// CHECK: trace.constant
// CHECK: trace.add
// CHECK: trace.matmul %arg0, %[[C]]
func.func @constants(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = trace.constant dense<2.0> : tensor<8x8xf32>
  %a = trace.add %x, %c : tensor<8x8xf32>
  %m = trace.matmul %x, %c : tensor<8x8xf32>, tensor<8x8xf32>
  trace.return outputs(%a, %m : tensor<8x8xf32>, tensor<8x8xf32>)
}

// -----

// A widening conversion is done again by each reader: its result would be more bytes than its operand.
// CHECK-LABEL: func.func @converted_twice
// CHECK: trace.fusion(%arg0)
// CHECK: trace.matmul
// CHECK: trace.fusion({{.*}}%arg0
// CHECK: trace.convert %{{.*}} : tensor<8x8xbf16> to tensor<8x8xf32>
func.func @converted_twice(%x: tensor<8x8xbf16>) -> tensor<8x8xf32> {
  %c = trace.convert %x : tensor<8x8xbf16> to tensor<8x8xf32>
  %a = trace.exp %c : tensor<8x8xf32>
  %m = trace.matmul %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
  %r = trace.mul %m, %c : tensor<8x8xf32>
  trace.return outputs(%r : tensor<8x8xf32>)
}

// -----

// A value that depends on a reduction is known only within its row: no transposed reader in the region.
// CHECK-LABEL: func.func @transposed_after_reduction
// CHECK: trace.fusion
// CHECK: trace.fusion
// CHECK: trace.transpose
func.func @transposed_after_reduction(%x: tensor<64x128xf32>, %y: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %m = trace.reduce_max %x [1] : tensor<64x128xf32>
  %mb = trace.broadcast_in_dim %m [0] : tensor<64xf32> to tensor<64x128xf32>
  %d = trace.sub %x, %mb : tensor<64x128xf32>
  %t = trace.transpose %d [1, 0] : tensor<64x128xf32>
  %r = trace.add %t, %y : tensor<128x64xf32>
  trace.return outputs(%r : tensor<128x64xf32>)
}

// -----

// Sizes that are not known at compile time, and elements that the code generator does not know: no region of one op
// either, the op runs through LibTorch.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: trace.fusion
func.func @dynamic(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %e = trace.exp %x : tensor<?x128xf32>
  trace.return outputs(%e : tensor<?x128xf32>)
}

// CHECK-LABEL: func.func @complex
// CHECK-NOT: trace.fusion
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %e = trace.mul %x, %x : tensor<4xcomplex<f32>>
  trace.return outputs(%e : tensor<4xcomplex<f32>>)
}

// -----

// Impure symbols keep their order, each between the region whose result it reads and the region that reads its own.
// CHECK-LABEL: func.func @impure
// CHECK: %[[A:.*]] = trace.bsym "aten.bernoulli.default"(%arg0)
// CHECK: trace.bsym "aten._assert_async.msg"
// CHECK: %[[E:.*]]:2 = trace.fusion(%{{.*}}, %[[A]])
// CHECK: %[[B:.*]] = trace.bsym "aten.bernoulli.default"(%[[E]]#0)
// CHECK: trace.fusion(%[[E]]#1, %[[B]])
// CHECK-NOT: trace.bsym
// CHECK: trace.return
func.func @impure(%x: tensor<4096xf32>, %c: tensor<i1>) -> tensor<4096xf32> {
  %a = trace.bsym "aten.bernoulli.default"(%x) {arguments = [#trace.operand<0>, unit], impure} : (tensor<4096xf32>) -> tensor<4096xf32>
  %n = trace.sin %x : tensor<4096xf32>
  %e = trace.exp %n : tensor<4096xf32>
  trace.bsym "aten._assert_async.msg"(%c) {arguments = [#trace.operand<0>, "no"], impure} : (tensor<i1>) -> ()
  %b = trace.bsym "aten.bernoulli.default"(%e) {arguments = [#trace.operand<0>, unit], impure} : (tensor<4096xf32>) -> tensor<4096xf32>
  %p = trace.mul %e, %a : tensor<4096xf32>
  %q = trace.mul %p, %b : tensor<4096xf32>
  trace.return outputs(%q : tensor<4096xf32>)
}
