// RUN: trace-opt %s --split-input-file --trace-lower-host --verify-diagnostics

func.func @no_layout(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no layout: trace-assign-layouts has to come first}}
  %0 = trace.call_library "aten.exp.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

func.func @no_form(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no host form; run trace-lower-to-library}}
  %0 = trace.exp %x : tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

// expected-error @+1 {{has a value of type 'tensor<4xi7>', which the runtime does not know}}
func.func @type(%x: tensor<4xi7>) -> tensor<4xi7> {
  trace.return outputs(%x : tensor<4xi7>)
}

// -----

func.func @name(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{"exp" is no operator's name (namespace.name.overload)}}
  %0 = trace.call_library "exp"(%x) {trace.layouts = [array<i64: 1>]} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{argument 1, {a = 1 : i64}, has no form that LibTorch takes}}
  %0 = trace.call_library "aten.exp.default"(%x) {arguments = [#trace.operand<0>, {a = 1}], trace.layouts = [array<i64: 1>]} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

func.func private @twice(%x: tensor<8xf32>) -> tensor<8xf32> attributes {trace.fusion} {
  %0 = trace.add %x, %x : tensor<8xf32>
  trace.return outputs(%0 : tensor<8xf32>)
}
// expected-error@+1 {{has in trace.kernels no name, grid, block and slots of a kernel, but {name = "twice__kernel0"}}}
gpu.binary @twice__gpu {trace.kernels = [{name = "twice__kernel0"}]} [#gpu.object<#nvvm.target, assembly = "PTX">]
func.func @launch(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = trace.call @twice(%x) {trace.layouts = [array<i64: 1>]} : (tensor<8xf32>) -> tensor<8xf32>
  trace.return outputs(%0 : tensor<8xf32>)
}
