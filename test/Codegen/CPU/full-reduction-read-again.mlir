// REQUIRES: runtime
// RUN: trace-run %s --no-print --compare-interpreter | FileCheck %s
// A reduction of everything depends on no loop, but is known only inside the outer one: what reads it must not be
// computed before.

// CHECK: equal: @mean_and_sum and the interpreter
func.func @mean_and_sum(%x: tensor<300xf32>) -> (tensor<f32>, tensor<f32>) {
  %sum = trace.reduce_sum %x [0] : tensor<300xf32>
  %n = trace.constant dense<3.000000e+02> : tensor<f32>
  %mean = trace.div %sum, %n : tensor<f32>
  trace.return outputs(%sum, %mean : tensor<f32>, tensor<f32>)
}
