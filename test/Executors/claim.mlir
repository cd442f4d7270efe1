// RUN: trace-opt %s --trace-claim --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: trace-opt %s --trace-claim --remarks-filter=trace-claim 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: trace-opt %s --trace-claim=executors=aten | FileCheck %s --check-prefix=CLAIMED

// Symbols within symbols are inlined one after the other; locations stay, an unknown one becomes the symbol's under its
// name.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-NEXT: %[[S:.*]] = trace.sigmoid %[[X]] : tensor<4xf32> loc("silu"("mlp"("model.py":3:5)))
// CHECK-NEXT: %[[M:.*]] = trace.mul %[[X]], %[[S]] : tensor<4xf32> loc("model.py":7:9)
// CHECK-NEXT: %[[N:.*]] = trace.neg %[[M]] : tensor<4xf32> loc("mlp"("model.py":3:5))
// CHECK-NEXT: trace.return outputs(%[[N]] : tensor<4xf32>)
// REMARK: 'mlp' is replaced by its decomposition
// REMARK: 'silu' is replaced by its decomposition
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.bsym "mlp"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = trace.bsym "silu"(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%b: tensor<4xf32>):
      %s = trace.sigmoid %b : tensor<4xf32> loc(unknown)
      %r = trace.mul %b, %s : tensor<4xf32> loc("model.py":7:9)
      trace.yield %r : tensor<4xf32>
    } loc(unknown)
    %n = trace.neg %1 : tensor<4xf32> loc(unknown)
    trace.yield %n : tensor<4xf32>
  } loc("model.py":3:5)
  trace.return outputs(%0 : tensor<4xf32>)
}

// An opaque symbol with a schema name is aten's, also within a decomposition; a decomposition may give back an operand,
// or the same value twice.
// CLAIMED-LABEL: func.func @opaque(
// CLAIMED-SAME: %[[X:[^:]*]]:
// CLAIMED-NEXT: %[[C:.*]] = trace.bsym "aten.cumprod.default"(%[[X]]) {arguments = [#trace.operand<0>, 0], trace.executor = "aten"}
// CLAIMED-NEXT: trace.return outputs(%[[C]], %[[X]], %[[X]]
// REMARK: 'wrapped' is replaced by its decomposition
// REMARK: 'aten.cumprod.default' is claimed by 'aten'
func.func @opaque(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = trace.bsym "wrapped"(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = trace.bsym "aten.cumprod.default"(%a) {arguments = [#trace.operand<0>, 0]} : (tensor<4xf32>) -> tensor<4xf32>
    trace.yield %1, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  trace.return outputs(%0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// Regions of custom_grad and checkpoint are gone through.
// CLAIMED-LABEL: func.func @regions(
// CLAIMED-NOT: trace.bsym
// CLAIMED: trace.custom_grad
// CLAIMED-NOT: trace.bsym
// CLAIMED: trace.sin
// CLAIMED-NOT: trace.bsym
// CLAIMED: trace.cos
// CLAIMED-NOT: trace.bsym
// CLAIMED: trace.checkpoint
// CLAIMED-NOT: trace.bsym
// CLAIMED: trace.exp
func.func @regions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    %r = trace.bsym "torch.sin"(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%b: tensor<4xf32>):
      %s = trace.sin %b : tensor<4xf32>
      trace.yield %s : tensor<4xf32>
    }
    trace.yield %r : tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>):
    %d = trace.bsym "torch.cos"(%g) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%b: tensor<4xf32>):
      %s = trace.cos %b : tensor<4xf32>
      trace.yield %s : tensor<4xf32>
    }
    trace.yield %d : tensor<4xf32>
  }
  %z = trace.checkpoint(%y) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %r = trace.bsym "torch.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%b: tensor<4xf32>):
      %s = trace.exp %b : tensor<4xf32>
      trace.yield %s : tensor<4xf32>
    }
    trace.yield %r : tensor<4xf32>
  }
  trace.return outputs(%z : tensor<4xf32>)
}
