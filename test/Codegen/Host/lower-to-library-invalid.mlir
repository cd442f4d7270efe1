// RUN: trace-opt %s --split-input-file --trace-lower-to-library --verify-diagnostics

func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{"torch.silu" still has its decomposition: trace-claim has to come first}}
  %0 = trace.bsym "torch.silu"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    trace.yield %a : tensor<4xf32>
  }
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

func.func @random(%seed: tensor<i64>) -> tensor<4xf32> {
  // expected-error @+1 {{has no kernel and no LibTorch operator computes it}}
  %0 = trace.random_uniform %seed stream 0 : tensor<i64> to tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

func.func @joint(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  // expected-error @+1 {{has no kernel and no LibTorch operator computes it}}
  %g = trace.get_grad %x output 0 : tensor<4xf32>
  trace.return outputs(%x : tensor<4xf32>) gradients(%g : tensor<4xf32>) of [0]
}
