// RUN: trace-opt %s --trace-verify-captured --verify-diagnostics --split-input-file

// expected-error@+1 {{has 'trace.joint', which no captured function has}}
func.func @joint(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.joint} {
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

// expected-note@+1 {{in this function}}
func.func @later_stage(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{belongs to a later stage than captured}}
  %0 = trace.fusion(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.sin %a : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

// expected-error@+1 {{arguments 0 and 1 both are input 3}}
func.func @same_input(%x: tensor<4xf32> {trace.role = #trace.role<input 3>}, %y: tensor<4xf32> {trace.role = #trace.role<input 3>})
    -> tensor<4xf32> {
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

// expected-error@+1 {{results 0 and 1 both are output 0}}
func.func @same_output(%x: tensor<4xf32>)
    -> (tensor<4xf32> {trace.role = #trace.role<output 0>}, tensor<4xf32> {trace.role = #trace.role<output 0>}) {
  trace.return outputs(%x, %x : tensor<4xf32>, tensor<4xf32>)
}

// -----

// expected-error@+1 {{result 0 names argument 1 of 1}}
func.func @no_argument(%x: tensor<4xf32>) -> (tensor<4xf32> {trace.role = #trace.role<mutated 1>}) {
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

// expected-error@+2 {{result 0 is the new value of argument 1, but has another type}}
// expected-note@+1 {{the argument is 'tensor<2xf32>'}}
func.func @mutated_type(%x: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32> {trace.role = #trace.role<mutated 1>}) {
  trace.return outputs(%x : tensor<4xf32>)
}
