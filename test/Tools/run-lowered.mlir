// REQUIRES: runtime
// RUN: trace-opt %s --compile-to=split -o %t.split
// RUN: trace-opt %s --compile-to=lowered -o %t.lowered
// RUN: FileCheck %s --check-prefix=SIGNATURE < %t.lowered
// RUN: trace-run %t.lowered --seed=3 --exact --no-print --compare %t.split | FileCheck %s --check-prefix=EQUAL
// RUN: trace-run %t.split --seed=3 --exact --compare %t.lowered | FileCheck %s --check-prefix=EQUAL
// RUN: not trace-run %t.lowered --function=g --no-print 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not trace-run %t.lowered --no-print --compare-interpreter 2>&1 | FileCheck %s --check-prefix=INTERPRETER
// RUN: sed -e 's/trace.signature/trace.other/' %t.lowered | not trace-run --no-print 2>&1 | FileCheck %s --check-prefix=UNSIGNED

// The function on tensors that was lowered can be read off what takes pointers only, so that the lowered stage runs too:
// a saved value that is not contiguous, a forward argument and an output all reach the backward.
// SIGNATURE: llvm.func @f_forward(
// SIGNATURE-SAME: trace.signature = {arguments = [{trace.requires_grad, trace.role = #trace.role<input 0>, trace.strides = array<i64: 1, 4>}, {
// SIGNATURE-SAME: side = "forward", type = (tensor<4x8xf32>, tensor<16x8xf32>) -> (tensor<16x4xf32>
// SIGNATURE: llvm.func @f_backward(
// SIGNATURE-SAME: side = "backward"

// EQUAL: equal: @f_forward with its backward and @f_forward with its backward
// MISSING: error: no function @g, nor @g_forward
// INTERPRETER: error: is at the lowered stage, which the interpreter does not know
// UNSIGNED: error: no function on tensors, nor one at the lowered stage that says with trace.signature what tensors it takes
func.func @f(%x: tensor<4x8xf32> {trace.role = #trace.role<input 0>, trace.strides = array<i64: 1, 4>, trace.requires_grad},
             %w: tensor<16x8xf32> {trace.role = #trace.role<parameter "weight">, trace.requires_grad})
    -> (tensor<16x4xf32> {trace.role = #trace.role<output 0>}) {
  %s = trace.sin %x : tensor<4x8xf32>
  %t = trace.transpose %w [1, 0] : tensor<16x8xf32>
  %m = trace.matmul %s, %t : tensor<4x8xf32>, tensor<8x16xf32>
  %h = trace.tanh %m : tensor<4x16xf32>
  %e = trace.exp %h : tensor<4x16xf32>
  %r = trace.transpose %e [1, 0] : tensor<4x16xf32>
  trace.return outputs(%r : tensor<16x4xf32>)
}
