// Errors of library calls are messages that name the operator and its place.
// REQUIRES: runtime
// RUN: not trace-run %s --function=unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not trace-run %s --function=wrong_type 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not trace-run %s --function=shapes 2>&1 | FileCheck %s --check-prefix=SHAPES

func.func @unknown(%x: tensor<3xf32>) -> tensor<3xf32> attributes {trace.side = "forward"} {
  // UNKNOWN: error: there is no operator mine::nothing
  %0 = trace.call_library "mine.nothing.default"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  trace.return outputs(%0 : tensor<3xf32>)
}

func.func @wrong_type(%x: tensor<3xf32>) -> tensor<4xf32> attributes {trace.side = "forward"} {
  // TYPE: error: aten.exp.default at {{.*}}run-errors.mlir:[[#@LINE + 1]]: gave a Float tensor of shape [3] where a float32 tensor of shape [4] was expected
  %0 = trace.call_library "aten.exp.default"(%x) : (tensor<3xf32>) -> tensor<4xf32>
  trace.return outputs(%0 : tensor<4xf32>)
}

func.func @shapes(%x: tensor<3x4xf32>) -> tensor<3x4xf32> attributes {trace.side = "forward"} {
  // SHAPES: error: aten.mm.default at {{.*}}run-errors.mlir:[[#@LINE + 1]]: aten.mm: mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)
  %0 = trace.call_library "aten.mm.default"(%x, %x) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  trace.return outputs(%0 : tensor<3x4xf32>)
}
