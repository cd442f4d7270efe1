// RUN: trace-opt %s --trace-assign-layouts --trace-describe-host=output=%t.json
// RUN: FileCheck %s < %t.json
// RUN: %python -c "import json, sys; [json.loads(line) for line in open(sys.argv[1])]" %t.json
// RUN: not trace-opt %s --trace-describe-host 2>&1 | FileCheck %s --check-prefix=ERROR

func.func private @fused_sin(%x: tensor<8xf32>) -> tensor<4x8xf32> attributes {trace.fusion} {
  %0 = trace.broadcast_in_dim %x [1] : tensor<8xf32> to tensor<4x8xf32>
  trace.return outputs(%0 : tensor<4x8xf32>)
}

// CHECK: {"arguments":[0,1],"name":"f_forward","results":[4,3],"roles":["","saved"],"steps":[
// CHECK-SAME: {"data":"AACAPwAAAEA=","op":"constant","result":2}
// CHECK-SAME: {"name":"fused_sin","op":"fusion","operands":[0],"results":[3],"where":"{{.*}}describe-host.mlir:20"}
// CHECK-SAME: {"call":"aten::mm||T0 T1 ","op":"library","operands":[3,1],"results":[4],"where":"{{.*}}describe-host.mlir:21"}
// CHECK-SAME: "values":[{"dtype":"float32","shape":[8],"strides":[1]},{"dtype":"float32","shape":[8,2],"strides":[1,8]}
// ERROR: error: {{.*}}has no layout: trace-assign-layouts has to come first
func.func @f_forward(%x: tensor<8xf32>, %w: tensor<8x2xf32> {trace.strides = array<i64: 1, 8>})
    -> (tensor<4x2xf32>, tensor<4x8xf32> {trace.role = #trace.role<saved>}) {
  %c = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = trace.call @fused_sin(%x) : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = trace.call_library "aten.mm.default"(%0, %w) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  trace.return outputs(%1, %0 : tensor<4x2xf32>, tensor<4x8xf32>)
}
