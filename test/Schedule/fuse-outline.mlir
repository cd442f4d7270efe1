// RUN: trace-opt %s --trace-fuse-outline | FileCheck %s

// Equal regions become one function, whatever their places in the source.
// CHECK-LABEL: func.func @f
// CHECK: %[[A:.*]] = trace.call @fused_sin_mul_0(%arg0, %arg1)
// CHECK: %[[B:.*]] = trace.call @fused_sin_mul_0(%[[A]], %arg1)
// CHECK: %[[C:.*]] = trace.call @fused_sin_mul_1(%[[B]], %arg0)
// CHECK: trace.return outputs(%[[C]]
// CHECK: func.func private @fused_sin_mul_0(%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>) -> tensor<4xf32> attributes {trace.fusion}
// CHECK-NEXT: %[[S:.*]] = trace.sin %[[X]]
// CHECK-NEXT: %[[M:.*]] = trace.mul %[[S]], %[[Y]]
// CHECK-NEXT: trace.return outputs(%[[M]] : tensor<4xf32>)
// CHECK: func.func private @fused_sin_mul_1
// CHECK-NEXT: %[[S:.*]] = trace.sin %arg0
// CHECK-NEXT: %[[M:.*]] = trace.mul %[[S]], %[[S]]
// CHECK-NOT: func.func private
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.fusion(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = trace.sin %a : tensor<4xf32>
    %r = trace.mul %s, %b : tensor<4xf32>
    trace.yield %r : tensor<4xf32>
  }
  %1 = trace.fusion(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>):
    %s = trace.sin %c : tensor<4xf32> loc("elsewhere.py":3:1)
    %r = trace.mul %s, %d : tensor<4xf32>
    trace.yield %r : tensor<4xf32>
  }
  %2 = trace.fusion(%1, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>):
    %s = trace.sin %c : tensor<4xf32>
    %r = trace.mul %s, %s : tensor<4xf32>
    trace.yield %r : tensor<4xf32>
  }
  trace.return outputs(%2 : tensor<4xf32>)
}

// A constant alone, and a slice alone, have names too.
// CHECK-LABEL: func.func @names
// CHECK: trace.call @fused_constant_0()
// CHECK: trace.call @fused_copy_0(%arg0)
func.func @names(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = trace.fusion() : () -> tensor<2xf32> {
    %c = trace.constant dense<1.0> : tensor<2xf32>
    trace.yield %c : tensor<2xf32>
  }
  %1 = trace.fusion(%x) : (tensor<4xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.slice %a [1] to [3] by [1] : tensor<4xf32>
    trace.yield %s : tensor<2xf32>
  }
  trace.return outputs(%0, %1 : tensor<2xf32>, tensor<2xf32>)
}
