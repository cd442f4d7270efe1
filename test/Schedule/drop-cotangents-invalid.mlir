// RUN: trace-opt %s --trace-drop-cotangents="absent=0" --verify-diagnostics

func.func @f_backward(%g: tensor<?xf32> {trace.role = #trace.role<cotangent 0>})
    -> (tensor<?xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f} {
  // expected-error@+1 {{needs zeros in place of an absent cotangent, but their sizes are not known: 'tensor<?xf32>'}}
  %d = trace.exp %g : tensor<?xf32>
  trace.return outputs() gradients(%d : tensor<?xf32>) of [0]
}
