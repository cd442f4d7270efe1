// Regions, calls, joints, split functions and errors.
//
// RUN: trace-run %s --interpret --function regions --arg 0=2 | FileCheck %s --check-prefix=REGIONS
// RUN: trace-run %s --interpret --function joint --arg 0=2 --cotangent 0=1 --cotangent 1=10 | FileCheck %s --check-prefix=JOINT
// RUN: trace-run %s --interpret --function joint --no-print --compare %s --compare-function split
// RUN: not trace-run %s --interpret --function joint --no-print --compare %s --compare-function wrong 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: trace-run %s --interpret --function opaque --arg 0=3 | FileCheck %s --check-prefix=OPAQUE
// RUN: not trace-run %s --interpret --function unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not trace-run %s --interpret --function released 2>&1 | FileCheck %s --check-prefix=RELEASED
// RUN: not trace-run %s --interpret --function recursive 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not trace-run %s --interpret --function complex 2>&1 | FileCheck %s --check-prefix=COMPLEX
// RUN: not trace-run %s --interpret --function nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not trace-run %s --interpret 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not trace-run %s --interpret --function joint --arg 1=0 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: trace-run %s --interpret --function joint --arg 0=uniform(5,6) --save 0=%t.npy --no-print
// RUN: trace-run %s --interpret --function regions --arg 0=%t.npy | FileCheck %s --check-prefix=LOADED
// RUN: not trace-run %s --interpret --function opaque --arg 0=%t.npy 2>&1 | FileCheck %s --check-prefix=SHAPE

func.func private @fused(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.fusion} {
  %0 = trace.add %x, %x : tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

// REGIONS: result 0: tensor<4xf32> = 4 4 4 4
// REGIONS-NEXT: result 1: tensor<4xf32> = 4 4 4 4
// REGIONS-NEXT: result 2: tensor<4xf32> = 2 2 2 2
// REGIONS-NEXT: result 3: tensor<4xf32> = 4 4 4 4
// REGIONS-NEXT: result 4: tensor<4xf32> = 4 4 4 4
// LOADED: result 0: tensor<4xf32> = {{2[5-9]|3[0-6]}}
func.func @regions(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = trace.bsym "square"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.mul %a, %a : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  %1 = trace.checkpoint(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.mul %a, %a : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  // Only the first yielded value is a result.
  %2 = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.mul %a, %a : tensor<4xf32>
    trace.yield %a, %s : tensor<4xf32>, tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>, %s: tensor<4xf32>):
    trace.yield %g : tensor<4xf32>
  }
  %3 = trace.fusion(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.mul %a, %a : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  %4 = trace.call @fused(%2) : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs(%0, %1, %2, %3, %4
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// JOINT: result 0: tensor<4xf32> = 2 2 2 2
// JOINT-NEXT: result 1: tensor<4xf32> = 4 4 4 4
// JOINT-NEXT: result 2: tensor<4xf32> = 41 41 41 41
// ARGUMENT: error: --arg 1=...: there is no such value
func.func @joint(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {trace.joint} {
  %y = trace.mul %x, %x : tensor<4xf32>
  %g0 = trace.get_grad %x output 0 : tensor<4xf32>
  %g1 = trace.get_grad %y output 1 : tensor<4xf32>
  %x2 = trace.add %x, %x : tensor<4xf32>
  %d = trace.mul %g1, %x2 : tensor<4xf32>
  %s = trace.add %g0, %d : tensor<4xf32>
  trace.return outputs(%x, %y : tensor<4xf32>, tensor<4xf32>) gradients(%s : tensor<4xf32>) of [0]
}

// The same, split: the backward's arguments say where they come from.
func.func @split_forward(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {trace.role = #trace.role<saved 0>})
    attributes {trace.side = "forward"} {
  %y = trace.mul %x, %x : tensor<4xf32>
  %x2 = trace.add %x, %x : tensor<4xf32>
  trace.return outputs(%x, %y, %x2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}
func.func @split_backward(%x2: tensor<4xf32> {trace.role = #trace.role<saved 0>},
                          %g0: tensor<4xf32> {trace.role = #trace.role<cotangent 0>},
                          %g1: tensor<4xf32> {trace.role = #trace.role<cotangent 1>})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward"} {
  %d = trace.mul %g1, %x2 : tensor<4xf32>
  %s = trace.add %g0, %d : tensor<4xf32>
  trace.return outputs() gradients(%s : tensor<4xf32>) of [0]
}

// Its backward takes the cotangents in the wrong order.
// DIFFERS: error: result 2 (tensor<4xf32>) differs in 4 of 4 elements; first at [0]: {{.*}} of @joint, {{.*}} of @wrong_forward with its backward
func.func @wrong_forward(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {trace.side = "forward"} {
  %y = trace.mul %x, %x : tensor<4xf32>
  trace.return outputs(%x, %y : tensor<4xf32>, tensor<4xf32>)
}
func.func @wrong_backward(%x: tensor<4xf32> {trace.role = #trace.role<input 0>, trace.forward_argument = 0 : i64},
                          %g0: tensor<4xf32> {trace.role = #trace.role<cotangent 1>},
                          %g1: tensor<4xf32> {trace.role = #trace.role<cotangent 0>})
    -> (tensor<4xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward"} {
  %x2 = trace.add %x, %x : tensor<4xf32>
  %d = trace.mul %g1, %x2 : tensor<4xf32>
  %s = trace.add %g0, %d : tensor<4xf32>
  trace.return outputs() gradients(%s : tensor<4xf32>) of [0]
}

// An opaque symbol without an interpretation is run by its gradient rule's forward.
// OPAQUE: result 0: tensor<2xf32> = 9 9
// SHAPE: .npy holds a 'tensor<4xf32>', not a 'tensor<2xf32>'
func.func @opaque(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = trace.bsym "my.op"(%x) {vjp_forward = @my_forward, vjp_backward = @my_backward, vjp_operands = array<i64: 0>}
      : (tensor<2xf32>) -> tensor<2xf32>
  trace.return outputs(%0 : tensor<2xf32>)
}
func.func private @my_forward(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = trace.mul %x, %x : tensor<2xf32>
  trace.return outputs(%0, %x : tensor<2xf32>, tensor<2xf32>)
}
func.func private @my_backward(%g: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  trace.return outputs(%g : tensor<2xf32>)
}

func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  // UNKNOWN: structure.mlir:[[@LINE+1]]:8: error: 'trace.call_library' op 'aten.fft_fft.default' has no interpretation
  %0 = trace.call_library "aten.fft_fft.default"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  trace.return outputs(%0 : tensor<2xf32>)
}

func.func @released(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = trace.sin %x : tensor<2xf32>
  trace.release %0 : tensor<2xf32>
  // RELEASED: structure.mlir:[[@LINE+1]]:8: error: uses a value that has been released
  %1 = trace.cos %0 : tensor<2xf32>
  trace.return outputs(%1 : tensor<2xf32>)
}

// RECURSIVE: error: calls are nested too deeply
func.func @recursive(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = trace.call @recursive(%x) : (tensor<2xf32>) -> tensor<2xf32>
  trace.return outputs(%0 : tensor<2xf32>)
}

// COMPLEX: error: cannot make values of 'tensor<2xcomplex<f32>>'
func.func @complex(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  trace.return outputs(%x : tensor<2xcomplex<f32>>)
}

// NOTHING: error: no function @nothing, nor @nothing_forward
// SEVERAL: error: several functions: @regions, @joint, @split, @wrong, @opaque, {{.*}}; choose one with --function
