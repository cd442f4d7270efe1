// RUN: trace-opt %s --compile-to=joint | FileCheck %s --check-prefix=JOINT
// RUN: trace-opt %s --compile-to=scheduled | FileCheck %s --check-prefix=SCHEDULED
// RUN: trace-opt %s --compile-to=split | FileCheck %s --check-prefix=SPLIT
// RUN: trace-opt %s --trace-training-pipeline="verify-stages" | FileCheck %s --check-prefix=SPLIT
// RUN: trace-opt %s --compile-to=joint | trace-opt --compile-from=joint --compile-to=scheduled | trace-opt --compile-from=scheduled --compile-to=split | FileCheck %s --check-prefix=SPLIT
// RUN: trace-opt %s --trace-inference-pipeline | FileCheck %s --check-prefix=INFERENCE
// RUN: trace-opt %s --compile-to=split --inference | FileCheck %s --check-prefix=INFERENCE
// RUN: trace-opt %s --compile-to=scheduled --fuse-limit=0 | FileCheck %s --check-prefix=UNFUSED
// RUN: trace-opt %s --compile-to=lowered | not trace-run - --interpret 2>&1 | FileCheck %s --check-prefix=LOWERED

// UNFUSED-DAG: @fused_add_0(
// UNFUSED-DAG: @fused_tanh_0(
// UNFUSED-NOT: @fused_add_tanh

// LOWERED: error: is at the lowered stage, which the interpreter does not know: run it compiled, or interpret the split stage

// JOINT-LABEL: func.func @f(
// JOINT-SAME: trace.joint
// JOINT: trace.matmul
// JOINT: trace.get_grad
// JOINT: trace.return outputs({{.*}}) gradients({{.*}}) of [0, 1, 2]

// SCHEDULED-LABEL: func.func @f(
// SCHEDULED: trace.call @fused_add_tanh_0
// SCHEDULED: trace.get_grad {{.*}} output 0
// SCHEDULED-NEXT: trace.get_grad {{.*}} output 1
// SCHEDULED-NOT: trace.get_grad
// SCHEDULED: trace.return
// SCHEDULED: func.func private @fused_add_tanh_0({{.*}} attributes {trace.fusion}

// SPLIT-LABEL: func.func @f_forward(
// SPLIT: trace.return outputs(%{{[^,]*}}, %{{[^,]*}} :
// SPLIT-LABEL: func.func @f_backward(
// SPLIT-NOT: #trace.role<saved
// SPLIT: trace.return outputs() gradients(

// INFERENCE-NOT: requires_grad
// INFERENCE-LABEL: func.func @f_forward(
// INFERENCE-NOT: @f_backward
func.func @f(%x: tensor<4x8xf32> {trace.role = #trace.role<input 0>, trace.requires_grad},
             %w: tensor<16x8xf32> {trace.role = #trace.role<parameter "fc.weight">, trace.requires_grad},
             %b: tensor<16xf32> {trace.role = #trace.role<parameter "fc.bias">, trace.requires_grad})
    -> (tensor<4x16xf32> {trace.role = #trace.role<output 0>}, tensor<4x8xf32> {trace.role = #trace.role<output 1>}) {
  %0 = trace.bsym "torch.nn.functional.linear"(%x, %w, %b) : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<4x16xf32> {
  ^bb0(%i: tensor<4x8xf32>, %j: tensor<16x8xf32>, %k: tensor<16xf32>):
    %t = trace.transpose %j [1, 0] : tensor<16x8xf32>
    %m = trace.matmul %i, %t : tensor<4x8xf32>, tensor<8x16xf32>
    %kb = trace.broadcast_in_dim %k [1] : tensor<16xf32> to tensor<4x16xf32>
    %s = trace.add %m, %kb : tensor<4x16xf32>
    trace.yield %s : tensor<4x16xf32>
  }
  %h = trace.tanh %0 : tensor<4x16xf32>
  %1 = trace.sin %x : tensor<4x8xf32>
  trace.return outputs(%h, %1 : tensor<4x16xf32>, tensor<4x8xf32>)
}
