// Deduplicating results never merges their cotangents: f(x) = (sin(x), sin(x)) keeps one sin and two get_grads, also
// by MLIR's own passes on textual input.
//
// RUN: trace-opt %s --trace-simplify | FileCheck %s
// RUN: trace-opt %s --cse --canonicalize | FileCheck %s
// RUN: trace-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @joint
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
// CHECK-COUNT-1: trace.sin
// CHECK-NOT: trace.sin
// CHECK: %[[G0:.*]] = trace.get_grad %[[Y:.*]] output 0
// CHECK: %[[G1:.*]] = trace.get_grad %[[Y]] output 1
// CHECK: %[[S:.*]] = trace.add %[[G0]], %[[G1]]
// CHECK: outputs(%[[Y]], %[[Y]]
func.func @joint(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  %y0 = trace.sin %x : tensor<4xf32>
  %y1 = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y0 output 0 : tensor<4xf32>
  %g1 = trace.get_grad %y1 output 1 : tensor<4xf32>
  %s = trace.add %g0, %g1 : tensor<4xf32>
  %c = trace.cos %x : tensor<4xf32>
  %d = trace.mul %s, %c : tensor<4xf32>
  trace.return outputs(%y0, %y1 : tensor<4xf32>, tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}

// An unused get_grad is dead.
// CHECK-LABEL: @unused
// CHECK-NOT: trace.get_grad
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
