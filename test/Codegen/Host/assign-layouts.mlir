// RUN: trace-opt %s --split-input-file --trace-assign-layouts | FileCheck %s

// Views are strides; the argument states its own.
// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<4x8xf32> {trace.strides = array<i64: 1, 4>}) -> (tensor<2x4xf32> {trace.strides = array<i64: 8, 1>}) {
  // CHECK: trace.transpose {{.*}} {trace.layouts = [array<i64: 4, 1>]}
  %0 = trace.transpose %x [1, 0] : tensor<4x8xf32>
  // CHECK: trace.slice {{.*}} {trace.layouts = [array<i64: 16, 1>]}
  %1 = trace.slice %0 [1, 0] to [8, 4] by [4, 1] : tensor<8x4xf32>
  // An argument's memory is not an output's: copied. The strides that are asked for have gaps: contiguous instead.
  // CHECK: %[[COPY:.*]] = trace.call_library "aten.clone.default"(%{{.*}}) {arguments = [#trace.operand<0>], result_strides = [array<i64: 4, 1>], trace.layouts = [array<i64: 4, 1>]}
  // CHECK: trace.return outputs(%[[COPY]]
  trace.return outputs(%1 : tensor<2x4xf32>)
}

// -----

// A reshape that strides express is a view; one that they do not gets a copy.
// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<4x8xf32> {trace.strides = array<i64: 16, 2>}, %y: tensor<4x8xf32> {trace.strides = array<i64: 1, 4>}) -> tensor<32xf32> {
  // CHECK: trace.reshape %arg0 {trace.layouts = [array<i64: 2>]}
  %0 = trace.reshape %x : tensor<4x8xf32> to tensor<32xf32>
  // CHECK: %[[C:.*]] = trace.call_library "aten.clone.default"(%arg1) {{.*}}trace.layouts = [array<i64: 8, 1>]
  // CHECK: trace.reshape %[[C]] {trace.layouts = [array<i64: 1>]}
  %1 = trace.reshape %y : tensor<4x8xf32> to tensor<32xf32>
  // CHECK: trace.reshape %arg1 {trace.layouts = [array<i64: 1, 8, 4>]} : tensor<4x8xf32> to tensor<4x4x2xf32>
  %2 = trace.reshape %y : tensor<4x8xf32> to tensor<4x4x2xf32>
  %3 = trace.call_library "mine.op.default"(%0, %1, %2) : (tensor<32xf32>, tensor<32xf32>, tensor<4x4x2xf32>) -> tensor<32xf32>
  trace.return outputs(%3 : tensor<32xf32>)
}

// -----

// A fusion writes its result so that the returned transpose of it is contiguous; called with several layouts, there
// are several of it. A broadcast operand has stride 0.
// CHECK: func.func private @fused_sin(%{{.*}}: tensor<4x8xf32>) -> (tensor<4x8xf32> {trace.strides = array<i64: 1, 4>})
func.func private @fused_sin(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {trace.fusion} {
  %0 = trace.sin %x : tensor<4x8xf32>
  trace.return outputs(%0 : tensor<4x8xf32>)
}
// CHECK: func.func private @fused_sin_0(%{{.*}}: tensor<4x8xf32> {trace.strides = array<i64: 0, 1>}) -> tensor<4x8xf32>
// CHECK-LABEL: func.func @fusions
func.func @fusions(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  // CHECK: trace.call @fused_sin(%arg0) {trace.layouts = [array<i64: 1, 4>]}
  %0 = trace.call @fused_sin(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: trace.transpose {{.*}} {trace.layouts = [array<i64: 4, 1>]}
  %1 = trace.transpose %0 [1, 0] : tensor<4x8xf32>
  // CHECK: trace.broadcast_in_dim {{.*}} {trace.layouts = [array<i64: 0, 1>]}
  %2 = trace.broadcast_in_dim %b [1] : tensor<8xf32> to tensor<4x8xf32>
  // CHECK: trace.call @fused_sin_0(%{{.*}}) {trace.layouts = [array<i64: 8, 1>]}
  %3 = trace.call @fused_sin(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NOT: aten.clone
  trace.return outputs(%1, %3 : tensor<8x4xf32>, tensor<4x8xf32>)
}

// -----

// Results have eager's strides; a matrix product is written in them.
// CHECK-LABEL: func.func @results
func.func @results(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> (tensor<4x16xf32> {trace.strides = array<i64: 1, 4>}, tensor<4x16xf32> {trace.strides = array<i64: 1, 4>}) {
  // CHECK: "aten.mm.default"{{.*}}trace.layouts = [array<i64: 1, 4>]
  %0 = trace.call_library "aten.mm.default"(%a, %b) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  // CHECK: %[[E:.*]] = trace.call_library "aten.exp.default"{{.*}}trace.layouts = [array<i64: 16, 1>]
  %1 = trace.call_library "aten.exp.default"(%0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: %[[C:.*]] = trace.call_library "aten.clone.default"(%[[E]]) {{.*}}trace.layouts = [array<i64: 1, 4>]
  // CHECK: trace.return outputs(%{{.*}}, %[[C]]
  trace.return outputs(%0, %1 : tensor<4x16xf32>, tensor<4x16xf32>)
}

// -----

// Who owns what: an argument returned as an output is copied, as an alias not; a value returned twice is two tensors;
// a literal is copied; a splat has strides 0 until then.
// CHECK-LABEL: func.func @owners
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
func.func @owners(%x: tensor<4xf32>) -> (tensor<4xf32> {trace.role = #trace.role<output 0>}, tensor<4xf32> {trace.role = #trace.role<alias 0>},
    tensor<4xf32> {trace.role = #trace.role<output 2>}, tensor<4xf32> {trace.role = #trace.role<output 3>}, tensor<4xf32> {trace.role = #trace.role<output 4>}) {
  // CHECK: %[[E:.*]] = trace.call_library "aten.exp.default"
  %0 = trace.call_library "aten.exp.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[K:.*]] = trace.constant {trace.layouts = [array<i64: 0>]} dense<1
  %1 = trace.constant dense<1.0> : tensor<4xf32>
  // CHECK: %[[XC:.*]] = trace.call_library "aten.clone.default"(%[[X]])
  // CHECK: %[[EC:.*]] = trace.call_library "aten.clone.default"(%[[E]])
  // CHECK: %[[KC:.*]] = trace.call_library "aten.clone.default"(%[[K]]) {{.*}}trace.layouts = [array<i64: 1>]
  // CHECK: trace.return outputs(%[[XC]], %[[X]], %[[E]], %[[EC]], %[[KC]] :
  trace.return outputs(%x, %x, %0, %0, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// -----

// The backward's arguments have the layouts of what they stand for; its gradients their arguments'.
// CHECK-LABEL: func.func @f_forward
// CHECK-SAME: (tensor<4x8xf32> {trace.role = #trace.role<output 0>}, tensor<4x8xf32> {trace.role = #trace.role<saved 0>, trace.strides = array<i64: 1, 4>})
func.func @f_forward(%w: tensor<4x8xf32> {trace.strides = array<i64: 1, 4>}) -> (tensor<4x8xf32> {trace.role = #trace.role<output 0>}, tensor<4x8xf32> {trace.role = #trace.role<saved 0>}) attributes {trace.side = "forward"} {
  %0 = trace.call_library "aten.exp.default"(%w) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = trace.call_library "aten.sin.default"(%w) {result_strides = [array<i64: 1, 4>]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // What is saved stays as it is.
  // CHECK-NOT: aten.clone
  trace.return outputs(%0, %1 : tensor<4x8xf32>, tensor<4x8xf32>)
}
// CHECK-LABEL: func.func @f_backward
// CHECK-SAME: tensor<4x8xf32> {trace.role = #trace.role<saved 0>, trace.strides = array<i64: 1, 4>}
// CHECK-SAME: trace.forward_argument = 0 : i64, trace.strides = array<i64: 1, 4>}
// CHECK-SAME: tensor<4x8xf32> {trace.role = #trace.role<cotangent 0>})
// CHECK-SAME: -> (tensor<4x8xf32> {trace.role = #trace.role<gradient 0>, trace.strides = array<i64: 1, 4>})
func.func @f_backward(%s: tensor<4x8xf32> {trace.role = #trace.role<saved 0>}, %w: tensor<4x8xf32> {trace.forward_argument = 0 : i64}, %g: tensor<4x8xf32> {trace.role = #trace.role<cotangent 0>})
    -> (tensor<4x8xf32> {trace.role = #trace.role<gradient 0>}) attributes {trace.side = "backward", trace.forward_symbol = @f_forward} {
  // CHECK: trace.call @fused_mul({{.*}}) {trace.layouts = [array<i64: 1, 4>]}
  %0 = trace.call @fused_mul(%s, %w, %g) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  trace.return outputs() gradients(%0 : tensor<4x8xf32>) of [0]
}
func.func private @fused_mul(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {trace.fusion} {
  %0 = trace.mul %a, %b : tensor<4x8xf32>
  %1 = trace.mul %0, %c : tensor<4x8xf32>
  trace.return outputs(%1 : tensor<4x8xf32>)
}

// -----

// What a reshape merges is made in the order that it needs: no copy, where the matrices are large enough.
// CHECK-LABEL: func.func @merged
func.func @merged(%a: tensor<2x3x64x64xf32>, %b: tensor<2x3x4x4xf32>) -> (tensor<2x64x192xf32>, tensor<2x4x12xf32>) {
  // CHECK: "aten.matmul.default"(%arg0, %arg0) {trace.layouts = [array<i64: 12288, 64, 192, 1>]}
  %0 = trace.call_library "aten.matmul.default"(%a, %a) : (tensor<2x3x64x64xf32>, tensor<2x3x64x64xf32>) -> tensor<2x3x64x64xf32>
  %1 = trace.transpose %0 [0, 2, 1, 3] : tensor<2x3x64x64xf32>
  // CHECK: trace.reshape %{{.*}} {trace.layouts = [array<i64: 12288, 192, 1>]}
  %2 = trace.reshape %1 : tensor<2x64x3x64xf32> to tensor<2x64x192xf32>
  // CHECK: "aten.matmul.default"(%arg1, %arg1) {trace.layouts = [array<i64: 48, 16, 4, 1>]}
  %3 = trace.call_library "aten.matmul.default"(%b, %b) : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  %4 = trace.transpose %3 [0, 2, 1, 3] : tensor<2x3x4x4xf32>
  // CHECK: aten.clone
  %5 = trace.reshape %4 : tensor<2x4x3x4xf32> to tensor<2x4x12xf32>
  trace.return outputs(%2, %5 : tensor<2x64x192xf32>, tensor<2x4x12xf32>)
}
