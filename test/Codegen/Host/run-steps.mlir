// A training step by the product's way of running, against the interpreter: as captured (forward only), as a joint, after the
// split. Views, expanded and 0-sized operands, an argument returned, one value returned twice, results in stated strides.
// REQUIRES: runtime
// RUN: trace-run %s --function=step --no-print --compare-interpreter | FileCheck %s
// RUN: trace-opt %s --trace-claim --trace-autodiff | trace-run --function=step --no-print --compare-interpreter | FileCheck %s
// RUN: trace-opt %s --trace-training-pipeline | trace-run --function=step --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=views --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=owners --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=empty --no-print --compare-interpreter | FileCheck %s
// RUN: trace-run %s --function=attention --no-print --compare-interpreter | FileCheck %s
// RUN: not trace-run %s --function=out_of_range --int-range=10 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not trace-run %s --function=step --runtime=/nothing.so 2>&1 | FileCheck %s --check-prefix=RUNTIME

// CHECK: equal: @{{.*}} and the interpreter
// RUNTIME: error: cannot load the runtime: /nothing.so{{.*}}--interpret needs no runtime

func.func @step(%x: tensor<6x8xf32> {trace.role = #trace.role<input 0>, trace.requires_grad},
                %w: tensor<16x8xf32> {trace.role = #trace.role<parameter "fc.weight">, trace.requires_grad},
                %b: tensor<16xf32> {trace.role = #trace.role<parameter "fc.bias">, trace.requires_grad})
    -> (tensor<6x16xf32> {trace.role = #trace.role<output 0>}, tensor<6x8xf32> {trace.role = #trace.role<output 1>},
        tensor<16xf32> {trace.role = #trace.role<output 2>}) {
  %0 = trace.bsym "torch.nn.functional.linear"(%x, %w, %b) : (tensor<6x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<6x16xf32> {
  ^bb0(%i: tensor<6x8xf32>, %j: tensor<16x8xf32>, %k: tensor<16xf32>):
    %t = trace.transpose %j [1, 0] : tensor<16x8xf32>
    %m = trace.matmul %i, %t : tensor<6x8xf32>, tensor<8x16xf32>
    %c = trace.broadcast_in_dim %k [1] : tensor<16xf32> to tensor<6x16xf32>
    %r = trace.add %m, %c : tensor<6x16xf32>
    trace.yield %r : tensor<6x16xf32>
  }
  %1 = trace.tanh %0 : tensor<6x16xf32>
  %2 = trace.sin %x : tensor<6x8xf32>
  %3 = trace.cumsum %1 dim 0 : tensor<6x16xf32>
  %4 = trace.reduce_sum %3 [0] : tensor<6x16xf32>
  trace.return outputs(%1, %2, %4 : tensor<6x16xf32>, tensor<6x8xf32>, tensor<16xf32>)
}

func.func @views(%x: tensor<4x6xf32> {trace.strides = array<i64: 1, 4>}, %b: tensor<6xf32>)
    -> (tensor<6x4xf32>, tensor<4x6xf32> {trace.strides = array<i64: 1, 4>}, tensor<24xf32>, tensor<2x3xf32>) {
  %s = trace.sin %x : tensor<4x6xf32>
  %t = trace.transpose %s [1, 0] : tensor<4x6xf32>
  %w = trace.broadcast_in_dim %b [1] : tensor<6xf32> to tensor<4x6xf32>
  %p = trace.matmul %t, %w : tensor<6x4xf32>, tensor<4x6xf32>
  %q = trace.slice %p [1, 0] to [5, 6] by [2, 2] : tensor<6x6xf32>
  %c = trace.cumsum %s dim 1 : tensor<4x6xf32>
  %r = trace.reshape %t : tensor<6x4xf32> to tensor<24xf32>
  trace.return outputs(%t, %c, %r, %q : tensor<6x4xf32>, tensor<4x6xf32>, tensor<24xf32>, tensor<2x3xf32>)
}

func.func @owners(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {trace.role = #trace.role<alias 0>}, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xf32>) {
  %0 = trace.exp %x : tensor<4xf32>
  %1 = trace.constant dense<1.0> : tensor<3xf32>
  %2 = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  trace.return outputs(%x, %x, %0, %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xf32>)
}

func.func @empty(%x: tensor<0x6xf32>, %y: tensor<6x5xf32>) -> (tensor<0x5xf32>, tensor<0x6xf32>, tensor<6xf32>) {
  %0 = trace.matmul %x, %y : tensor<0x6xf32>, tensor<6x5xf32>
  %1 = trace.sin %x : tensor<0x6xf32>
  %2 = trace.reduce_sum %1 [0] : tensor<0x6xf32>
  trace.return outputs(%0, %1, %2 : tensor<0x5xf32>, tensor<0x6xf32>, tensor<6xf32>)
}

// Batched products of strided heads, also of several batch dimensions that do not join, and expanded ones.
func.func @attention(%q: tensor<2x5x3x4xf32>, %k: tensor<2x6x3x4xf32>, %v: tensor<3x4xf32>, %w: tensor<2x3x64x64xf32>)
    -> (tensor<2x5x12xf32>, tensor<6x5x6xf32>, tensor<2x64x192xf32>, tensor<2x2x3x5x6xf32>) {
  %qt = trace.transpose %q [0, 2, 1, 3] : tensor<2x5x3x4xf32>
  %kt = trace.transpose %k [0, 2, 3, 1] : tensor<2x6x3x4xf32>
  %q3 = trace.reshape %qt : tensor<2x3x5x4xf32> to tensor<6x5x4xf32>
  %k3 = trace.reshape %kt : tensor<2x3x4x6xf32> to tensor<6x4x6xf32>
  %s = trace.matmul %q3, %k3 : tensor<6x5x4xf32>, tensor<6x4x6xf32>
  %e = trace.exp %s : tensor<6x5x6xf32>
  %vb = trace.broadcast_in_dim %v [0, 3] : tensor<3x4xf32> to tensor<3x2x6x4xf32>
  %v4 = trace.transpose %vb [1, 0, 2, 3] : tensor<3x2x6x4xf32>
  %v3 = trace.reshape %v4 : tensor<2x3x6x4xf32> to tensor<6x6x4xf32>
  %o3 = trace.matmul %e, %v3 : tensor<6x5x6xf32>, tensor<6x6x4xf32>
  %o4 = trace.reshape %o3 : tensor<6x5x4xf32> to tensor<2x3x5x4xf32>
  %ot = trace.transpose %o4 [0, 2, 1, 3] : tensor<2x3x5x4xf32>
  %o = trace.reshape %ot : tensor<2x5x3x4xf32> to tensor<2x5x12xf32>
  %ww = trace.matmul %w, %w : tensor<2x3x64x64xf32>, tensor<2x3x64x64xf32>
  %wt = trace.transpose %ww [0, 2, 1, 3] : tensor<2x3x64x64xf32>
  %wm = trace.reshape %wt : tensor<2x64x3x64xf32> to tensor<2x64x192xf32>
  %q5 = trace.broadcast_in_dim %qt [1, 2, 3, 4] : tensor<2x3x5x4xf32> to tensor<2x2x3x5x4xf32>
  %k5 = trace.broadcast_in_dim %kt [0, 2, 3, 4] : tensor<2x3x4x6xf32> to tensor<2x2x3x4x6xf32>
  %s5 = trace.matmul %q5, %k5 : tensor<2x2x3x5x4xf32>, tensor<2x2x3x4x6xf32>
  trace.return outputs(%o, %e, %wm, %s5 : tensor<2x5x12xf32>, tensor<6x5x6xf32>, tensor<2x64x192xf32>, tensor<2x2x3x5x6xf32>)
}

func.func @out_of_range(%x: tensor<3x4xf32>, %i: tensor<64xi64>) -> tensor<64x4xf32> {
  // RANGE: error: trace.check_index at {{.*}}run-steps.mlir:[[#@LINE + 1]]: index {{[3-9]}} is out of bounds for dimension 0 with size 3
  %0 = trace.check_index %i size 3 wrap false : tensor<64xi64>
  %1 = trace.take %x, %0 dim 0 : tensor<3x4xf32>, tensor<64xi64>
  trace.return outputs(%1 : tensor<64x4xf32>)
}
