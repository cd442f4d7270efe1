// Ops and dialects that nobody knows are errors with a place, not aborts.
//
// RUN: not trace-opt %s --split-input-file 2>&1 | FileCheck %s --implicit-check-not="Stack dump"

func.func @unknown_dialect() {
  // CHECK: unregistered.mlir:[[@LINE+1]]:8: error: Dialect `nosuch' not found for custom op
  %0 = nosuch.op : tensor<2xf32>
  trace.return outputs()
}

// -----

func.func @unknown_op() {
  // CHECK: unregistered.mlir:[[@LINE+1]]:3: error: {{.*}}trace.no_such_op
  "trace.no_such_op"() : () -> ()
  trace.return outputs()
}

// -----

func.func @unknown_generic() {
  // CHECK: unregistered.mlir:[[@LINE+1]]:19: error: operation being parsed with an unregistered dialect
  %0 = "nosuch.op"() : () -> tensor<2xf32>
  trace.return outputs()
}
