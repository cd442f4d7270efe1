// REQUIRES: runtime
// RUN: trace-run %s --function uniform --compare-interpreter --atol 0 --rtol 0
// RUN: trace-run %s --function odd_sizes --compare-interpreter --atol 0 --rtol 0
// RUN: trace-run %s --function transposed --compare-interpreter --atol 0 --rtol 0
// RUN: trace-run %s --function normal --compare-interpreter --atol 1e-6 --rtol 1e-5
// RUN: trace-run %s --function dropout --compare-interpreter --atol 0 --rtol 1e-6

// Compiled kernels draw the numbers that the interpreter draws: the counter belongs to the element, however the loops
// run over it.

func.func @uniform(%seed: tensor<i64>) -> tensor<3x64xf32> {
  %r = trace.random_uniform %seed stream 3 : tensor<i64> to tensor<3x64xf32>
  trace.return outputs(%r : tensor<3x64xf32>)
}

func.func @odd_sizes(%seed: tensor<i64>) -> (tensor<5x37xf32>, tensor<7xf64>, tensor<1xf32>, tensor<2x0xf32>) {
  %a = trace.random_uniform %seed stream 0 : tensor<i64> to tensor<5x37xf32>
  %b = trace.random_uniform %seed stream 1 : tensor<i64> to tensor<7xf64>
  %c = trace.random_uniform %seed stream 2 : tensor<i64> to tensor<1xf32>
  %d = trace.random_uniform %seed stream 2 : tensor<i64> to tensor<2x0xf32>
  trace.return outputs(%a, %b, %c, %d : tensor<5x37xf32>, tensor<7xf64>, tensor<1xf32>, tensor<2x0xf32>)
}

func.func @transposed(%seed: tensor<i64>, %x: tensor<33x18xf32>) -> tensor<33x18xf32> {
  %r = trace.random_uniform %seed stream 9 : tensor<i64> to tensor<18x33xf32>
  %t = trace.transpose %r [1, 0] : tensor<18x33xf32>
  %y = trace.mul %t, %x : tensor<33x18xf32>
  trace.return outputs(%y : tensor<33x18xf32>)
}

func.func @normal(%seed: tensor<i64>) -> tensor<3x65xf32> {
  %r = trace.random_normal %seed stream 4 : tensor<i64> to tensor<3x65xf32>
  trace.return outputs(%r : tensor<3x65xf32>)
}

func.func @dropout(%seed: tensor<i64>, %x: tensor<17x40xf32>) -> (tensor<17x40xf32>, tensor<17xf32>) {
  %r = trace.random_uniform %seed stream 5 : tensor<i64> to tensor<17x40xf32>
  %p = trace.constant dense<0.25> : tensor<17x40xf32>
  %keep = trace.ge %r, %p : tensor<17x40xf32>
  %zero = trace.constant dense<0.0> : tensor<17x40xf32>
  %y = trace.where %keep, %x, %zero : tensor<17x40xi1>, tensor<17x40xf32>
  %s = trace.reduce_max %y [1] : tensor<17x40xf32>
  trace.return outputs(%y, %s : tensor<17x40xf32>, tensor<17xf32>)
}
