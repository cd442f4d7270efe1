// RUN: trace-opt %s --trace-autodiff | FileCheck %s --implicit-check-not=trace.joint --implicit-check-not=get_grad
// A function none of whose outputs depends on a differentiable input stays a forward.

func.func @unused_input(%x: tensor<4xf32> {trace.requires_grad}, %c: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.sin %c : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @unused_input(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK-SAME: %[[ARG1:[^:]*]]:
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]] : tensor<4xf32>)

func.func @detached(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<4xf32> {
  %d = trace.stop_gradient %x : tensor<4xf32>
  %y = trace.sin %d : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}
// CHECK-LABEL: func.func @detached(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[SIN]] : tensor<4xf32>)

func.func @only_integers(%x: tensor<4xf32> {trace.requires_grad}) -> tensor<i64> {
  %y = trace.argmax %x dim 0 : tensor<4xf32>
  trace.return outputs(%y : tensor<i64>)
}
// CHECK-LABEL: func.func @only_integers(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK: %[[ARGMAX:.*]] = trace.argmax %[[ARG0]] dim 0 : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[ARGMAX]] : tensor<i64>)

// Region ops are inlined in a forward, too.
func.func @inference(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.checkpoint(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.sin %a : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  %z = trace.custom_grad(%y) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    %r = trace.exp %a : tensor<4xf32>
    trace.yield %r, %a : tensor<4xf32>, tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>, %a: tensor<4xf32>):
    %d = trace.mul %g, %a : tensor<4xf32>
    trace.yield %d : tensor<4xf32>
  }
  trace.return outputs(%z : tensor<4xf32>)
}
// CHECK-LABEL: func.func @inference(
// CHECK-SAME: %[[ARG0:[^:]*]]:
// CHECK: %[[SIN:.*]] = trace.sin %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = trace.exp %[[SIN]] : tensor<4xf32>
// CHECK-NEXT: trace.return outputs(%[[EXP]] : tensor<4xf32>)
