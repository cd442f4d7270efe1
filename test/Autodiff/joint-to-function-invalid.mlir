// RUN: trace-opt %s --trace-joint-to-function --verify-diagnostics

func.func @two_of_one_output(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  // expected-note @below {{the first one stands here}}
  %g = trace.get_grad %x output 0 : tensor<4xf32>
  // expected-error @below {{is the second one of output 0}}
  %h = trace.get_grad %x output 0 : tensor<4xf32>
  %s = trace.add %g, %h : tensor<4xf32>
  trace.return outputs(%x : tensor<4xf32>) gradients(%s : tensor<4xf32>) of [0]
}
