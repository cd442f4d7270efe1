// RUN: split-file %s %t
// RUN: not trace-jit %t/missing.mlir --lower 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not trace-jit %t/unlowered.mlir 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// RUN: not trace-jit %t/good.mlir --lower --vector-bits=100 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not trace-jit %t/good.mlir --lower --cpu=abacus 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not trace-jit %t/good.mlir --lower --opt-level=7 2>&1 | FileCheck %s --check-prefix=LEVEL

//--- missing.mlir
// MISSING: error: cannot link the compiled code: {{.*}}no_such_function
func.func private @no_such_function()
func.func @f() {
  call @no_such_function() : () -> ()
  return
}

//--- unlowered.mlir
// UNLOWERED: error: {{.*}}LLVM
// UNLOWERED: error: the module does not translate to LLVM IR
func.func @f() {
  return
}

//--- good.mlir
// WIDTH: error: vector width of 100 bits: it must be 128, 256 or 512
// CPU: error: unknown CPU 'abacus'
// LEVEL: error: optimisation level 7: it must be 0 to 3
func.func @f() {
  return
}
