// RUN: trace-opt %s --trace-claim --split-input-file --verify-diagnostics
// RUN: not trace-opt %s --trace-claim=executors=nobody --split-input-file 2>&1 | FileCheck %s

// CHECK: error: trace-claim: no executor is called 'nobody'

func.func @no_arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{'aten.cumprod.default' has no decomposition and no executor takes it}}
  // expected-note @+1 {{asked, in this order: fusion, aten; 'aten' takes symbols with 'arguments' and a name 'namespace.operator.overload'}}
  %y = trace.bsym "aten.cumprod.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}

// -----

// Each one is reported, also where it only comes out of a decomposition.
func.func @no_schema_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.bsym "outer"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+2 {{'secret' has no decomposition and no executor takes it}}
    // expected-note @+1 {{asked, in this order: fusion, aten}}
    %s = trace.bsym "secret"(%a) {arguments = [#trace.operand<0>]} : (tensor<4xf32>) -> tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  // expected-error @+2 {{'aten..default' has no decomposition and no executor takes it}}
  // expected-note @+1 {{asked, in this order: fusion, aten}}
  %z = trace.bsym "aten..default"(%y) {arguments = [#trace.operand<0>]} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%z : tensor<4xf32>)
}
