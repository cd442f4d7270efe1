// RUN: trace-opt %s --trace-rematerialize --split-input-file | FileCheck %s
// RUN: trace-opt %s --trace-rematerialize --cse --canonicalize --split-input-file | FileCheck %s --check-prefix=CSE
// RUN: trace-opt %s --trace-rematerialize --split-input-file --remarks-filter=trace-rematerialize --remark-policy=all 2>&1 | FileCheck %s --check-prefix=REMARK

// An elementwise producer of a kept value is computed again, from what is there anyway; no CSE undoes that.
// CHECK-LABEL: func.func @elementwise
// CHECK: %[[G:.*]] = trace.get_grad
// CHECK: %[[X:.*]] = trace.recompute_barrier %arg0 after %[[G]]
// CHECK: %[[T:.*]] = trace.tanh %[[X]]
// CHECK: trace.mul %[[G]], %[[T]]
// CSE-LABEL: func.func @elementwise
// CSE: trace.tanh %arg0
// CSE: trace.get_grad
// CSE: %[[X:.*]] = trace.recompute_barrier %arg0
// CSE: trace.tanh %[[X]]
// REMARK: [Passed] recomputed {{.*}}trace.tanh is computed again
// REMARK: bytes-kept {{.*}}BytesAfter=0, BytesBefore=4096
func.func @elementwise(%x: tensor<1024xf32> {trace.requires_grad}) -> (tensor<1024xf32>, tensor<1024xf32>)
    attributes {trace.joint} {
  %t = trace.tanh %x : tensor<1024xf32>
  %y = trace.mul %t, %x : tensor<1024xf32>
  %g = trace.get_grad %y output 0 : tensor<1024xf32>
  %d = trace.mul %g, %t : tensor<1024xf32>
  trace.return outputs(%y : tensor<1024xf32>) gradients(%d : tensor<1024xf32>) of [0]
}

// -----

// The result of a library op is kept, and what is computed from it is computed again; a mask comes from its seed.
// CHECK-LABEL: func.func @dropout
// CHECK: %[[M:.*]] = trace.matmul
// CHECK: %[[G:.*]] = trace.get_grad
// CHECK-DAG: %[[S:.*]] = trace.recompute_barrier %arg2 after %[[G]]
// CHECK-DAG: %[[P:.*]] = trace.recompute_barrier %[[M]] after %[[G]]
// CHECK: trace.random_uniform %[[S]] stream 7
// CHECK-NOT: trace.matmul %arg0, %arg1
// CHECK: trace.return
// REMARK: [Missed] kept {{.*}}its op is not computed twice{{.*}}trace.matmul is kept: 16384 bytes
// REMARK: [Passed] recomputed {{.*}}trace.random_uniform
// REMARK: BytesAfter=16384, BytesBefore=20480
func.func @dropout(%x: tensor<64x64xf32> {trace.requires_grad}, %w: tensor<64x64xf32>, %seed: tensor<i64>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) attributes {trace.joint} {
  %half = trace.constant dense<0.5> : tensor<64x64xf32>
  %zero = trace.constant dense<0.0> : tensor<64x64xf32>
  %m = trace.matmul %x, %w : tensor<64x64xf32>, tensor<64x64xf32>
  %t = trace.tanh %m : tensor<64x64xf32>
  %r = trace.random_uniform %seed stream 7 : tensor<i64> to tensor<64x64xf32>
  %mask = trace.lt %r, %half : tensor<64x64xf32>
  %y = trace.where %mask, %t, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %z = trace.exp %m : tensor<64x64xf32>
  %o = trace.mul %y, %z : tensor<64x64xf32>
  %g = trace.get_grad %o output 0 : tensor<64x64xf32>
  %gz = trace.mul %g, %z : tensor<64x64xf32>
  %gm = trace.where %mask, %gz, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %d = trace.matmul %gm, %w : tensor<64x64xf32>, tensor<64x64xf32>
  trace.return outputs(%o : tensor<64x64xf32>) gradients(%d : tensor<64x64xf32>) of [0]
}

// -----

// Row statistics are kept: 64 numbers against a pass over the rows.
// CHECK-LABEL: func.func @row_statistics
// CHECK: %[[S:.*]] = trace.reduce_sum
// CHECK: %[[B:.*]] = trace.broadcast_in_dim %[[S]] [0]
// CHECK: %[[G:.*]] = trace.get_grad
// CHECK-NEXT: trace.mul %[[G]], %[[B]]
// CHECK-NEXT: trace.return
// REMARK: kept {{.*}}cheaper than computing it{{.*}}trace.reduce_sum is kept: 256 bytes
func.func @row_statistics(%x: tensor<64x1024xf32> {trace.requires_grad}) -> (tensor<64x1024xf32>, tensor<64x1024xf32>)
    attributes {trace.joint} {
  %s = trace.reduce_sum %x [1] : tensor<64x1024xf32>
  %b = trace.broadcast_in_dim %s [0] : tensor<64xf32> to tensor<64x1024xf32>
  %y = trace.div %x, %b : tensor<64x1024xf32>
  %g = trace.get_grad %y output 0 : tensor<64x1024xf32>
  %d = trace.mul %g, %b : tensor<64x1024xf32>
  trace.return outputs(%y : tensor<64x1024xf32>) gradients(%d : tensor<64x1024xf32>) of [0]
}

// -----

// What only the backward needs moves in front of the barrier if its result is smaller than what it reads, which would
// be kept for it alone.
// CHECK-LABEL: func.func @smaller_result
// CHECK: %[[M:.*]] = trace.matmul
// CHECK: %[[C:.*]] = trace.convert %[[M]]
// CHECK: trace.get_grad
// CHECK-NOT: trace.convert
// CHECK: trace.where
func.func @smaller_result(%x: tensor<64x64xf32> {trace.requires_grad}, %w: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) attributes {trace.joint} {
  %zero = trace.constant dense<0.0> : tensor<64x64xf32>
  %m = trace.matmul %x, %w : tensor<64x64xf32>, tensor<64x64xf32>
  %y = trace.exp %m : tensor<64x64xf32>
  %g = trace.get_grad %y output 0 : tensor<64x64xf32>
  %c = trace.convert %m : tensor<64x64xf32> to tensor<64x64xi1>
  %d = trace.where %c, %g, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  trace.return outputs(%y : tensor<64x64xf32>) gradients(%d : tensor<64x64xf32>) of [0]
}

// -----

// An output is there anyway; a view is never kept, its base is.
// CHECK-LABEL: func.func @output_and_view
// CHECK: trace.get_grad
// CHECK-NOT: trace.recompute_barrier
// CHECK: trace.return
// REMARK: kept {{.*}}it is an output
func.func @output_and_view(%x: tensor<64x64xf32> {trace.requires_grad}) -> (tensor<64x64xf32>, tensor<64x64xf32>)
    attributes {trace.joint} {
  %y = trace.exp %x : tensor<64x64xf32>
  %t = trace.transpose %y [1, 0] : tensor<64x64xf32>
  %g = trace.get_grad %y output 0 : tensor<64x64xf32>
  %gy = trace.mul %g, %y : tensor<64x64xf32>
  %d = trace.mul %gy, %t : tensor<64x64xf32>
  trace.return outputs(%y : tensor<64x64xf32>) gradients(%d : tensor<64x64xf32>) of [0]
}

// -----

// An argument that the function mutates is not read again: what is computed from it is kept.
// CHECK-LABEL: func.func @mutated
// CHECK: %[[T:.*]] = trace.tanh %arg1
// CHECK: %[[G:.*]] = trace.get_grad
// CHECK-NEXT: trace.mul %[[G]], %[[T]]
func.func @mutated(%x: tensor<64xf32> {trace.requires_grad}, %b: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32> {trace.role = #trace.role<mutated 1>}, tensor<64xf32>) attributes {trace.joint} {
  %t = trace.tanh %b : tensor<64xf32>
  %y = trace.mul %x, %t : tensor<64xf32>
  %n = trace.add %b, %b : tensor<64xf32>
  %g = trace.get_grad %y output 0 : tensor<64xf32>
  %d = trace.mul %g, %t : tensor<64xf32>
  trace.return outputs(%y, %n : tensor<64xf32>, tensor<64xf32>) gradients(%d : tensor<64xf32>) of [0]
}

// -----

// What a checkpoint has recomputed stays as it is: %s is read by the forward only, %x1 through its barrier.
// CHECK-LABEL: func.func @checkpointed
// CHECK: trace.matmul
// CHECK: trace.get_grad
// CHECK-NEXT: %[[X:.*]] = trace.recompute_barrier %arg0
// CHECK-NEXT: trace.matmul %[[X]], %arg1
// CHECK-NEXT: trace.exp
// CHECK-NEXT: trace.mul
// CHECK-NEXT: trace.matmul
// CHECK-NEXT: trace.return
func.func @checkpointed(%x: tensor<64x64xf32> {trace.requires_grad}, %w: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) attributes {trace.joint} {
  %m = trace.matmul %x, %w : tensor<64x64xf32>, tensor<64x64xf32>
  %s = trace.exp %m : tensor<64x64xf32>
  %g = trace.get_grad %s output 0 : tensor<64x64xf32>
  %x1 = trace.recompute_barrier %x after %g : tensor<64x64xf32>, tensor<64x64xf32>
  %m1 = trace.matmul %x1, %w : tensor<64x64xf32>, tensor<64x64xf32>
  %s1 = trace.exp %m1 : tensor<64x64xf32>
  %e = trace.mul %g, %s1 : tensor<64x64xf32>
  %d = trace.matmul %e, %w : tensor<64x64xf32>, tensor<64x64xf32>
  trace.return outputs(%s : tensor<64x64xf32>) gradients(%d : tensor<64x64xf32>) of [0]
}

// -----

// What an impure symbol gives is kept; what is computed from it is computed again.
// CHECK-LABEL: func.func @impure
// CHECK: %[[D:.*]] = trace.bsym "aten.bernoulli.default"
// CHECK: %[[G:.*]] = trace.get_grad
// CHECK-NOT: trace.bsym
// CHECK: %[[K:.*]] = trace.recompute_barrier %[[D]] after %[[G]]
// CHECK-NOT: trace.bsym
// CHECK: trace.exp %[[K]]
// CHECK-NOT: trace.bsym
// CHECK: trace.return
func.func @impure(%x: tensor<1024xf32> {trace.requires_grad}) -> (tensor<1024xf32>, tensor<1024xf32>) attributes {trace.joint} {
  %d = trace.bsym "aten.bernoulli.default"(%x) {arguments = [#trace.operand<0>, unit], impure} : (tensor<1024xf32>) -> tensor<1024xf32>
  %s = trace.exp %d : tensor<1024xf32>
  %y = trace.mul %s, %x : tensor<1024xf32>
  %g = trace.get_grad %y output 0 : tensor<1024xf32>
  %m = trace.mul %g, %s : tensor<1024xf32>
  %n = trace.mul %m, %d : tensor<1024xf32>
  trace.return outputs(%y : tensor<1024xf32>) gradients(%n : tensor<1024xf32>) of [0]
}
