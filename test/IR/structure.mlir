// RUN: trace-opt %s | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: trace.role = #trace.role<parameter "fc.weight">
// CHECK: trace.bsym "torch.nn.functional.linear"
// CHECK: trace.yield
// CHECK: trace.return outputs(
func.func @f(%x: tensor<4x8xf32> {trace.role = #trace.role<input 0>, trace.requires_grad},
             %w: tensor<16x8xf32> {trace.role = #trace.role<parameter "fc.weight">, trace.requires_grad})
    -> (tensor<4x16xf32> {trace.role = #trace.role<output 0>}, tensor<4x8xf32> {trace.role = #trace.role<output 1>}) {
  %0 = trace.bsym "torch.nn.functional.linear"(%x, %w) : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32> {
  ^bb0(%i: tensor<4x8xf32>, %j: tensor<16x8xf32>):
    %t = trace.transpose %j [1, 0] : tensor<16x8xf32>
    %m = trace.matmul %i, %t : tensor<4x8xf32>, tensor<8x16xf32>
    trace.yield %m : tensor<4x16xf32>
  }
  %1 = trace.sin %x : tensor<4x8xf32>
  trace.return outputs(%0, %1 : tensor<4x16xf32>, tensor<4x8xf32>)
}

// CHECK-LABEL: func.func @joint(
// CHECK: trace.get_grad %[[Y:.*]] output 0
// CHECK: trace.get_grad %[[Y]] output 1
// CHECK: gradients(%{{.*}} : tensor<4xf32>) of [0]
func.func @joint(%x: tensor<4xf32> {trace.requires_grad}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {trace.joint} {
  %y = trace.sin %x : tensor<4xf32>
  %g0 = trace.get_grad %y output 0 : tensor<4xf32>
  %g1 = trace.get_grad %y output 1 : tensor<4xf32>
  %c = trace.cos %x : tensor<4xf32>
  %s = trace.add %g0, %g1 : tensor<4xf32>
  %d = trace.mul %s, %c : tensor<4xf32>
  trace.return outputs(%y, %y : tensor<4xf32>, tensor<4xf32>) gradients(%d : tensor<4xf32>) of [0]
}

// An impure symbol that gives nothing, and one that gives something.
// CHECK-LABEL: func.func @impure(
// CHECK: trace.bsym "aten._assert_async.msg"(%{{.*}}) {arguments = [#trace.operand<0>, "no"], impure} : (tensor<i1>) -> ()
// CHECK: trace.bsym "aten.multinomial.default"(%{{.*}}) {arguments = [#trace.operand<0>, 2, true, unit], impure} : (tensor<8xf32>) -> tensor<2xi64>
func.func @impure(%c: tensor<i1>, %p: tensor<8xf32>) -> tensor<2xi64> {
  trace.bsym "aten._assert_async.msg"(%c) {arguments = [#trace.operand<0>, "no"], impure} : (tensor<i1>) -> ()
  %i = trace.bsym "aten.multinomial.default"(%p) {arguments = [#trace.operand<0>, 2, true, unit], impure}
       : (tensor<8xf32>) -> tensor<2xi64>
  trace.return outputs(%i : tensor<2xi64>)
}
