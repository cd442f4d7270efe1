// REQUIRES: x86-64-v4
// RUN: trace-jit %s --lower --print-asm | FileCheck %s --check-prefix=V512
// RUN: trace-jit %s --lower --print-asm --vector-bits=256 | FileCheck %s --check-prefix=V256
// RUN: trace-jit %s --lower --print-asm --cpu=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// RUN: trace-jit %s --lower --print-llvm | FileCheck %s --check-prefix=IR

// V512: add:
// V512: vaddps {{.*}}%zmm
// V256-NOT: zmm
// V256: vaddps {{.*}}%ymm
// AVX2-NOT: {{zmm|%k[0-7]}}
// AVX2: vaddps {{.*}}%ymm
// No multiplication and addition of the source is contracted.
// IR: fmul <16 x float>
// IR: fadd <16 x float>
func.func @add(%args: !llvm.ptr) {
  %x = llvm.load %args : !llvm.ptr -> vector<16xf32>
  %y = arith.mulf %x, %x : vector<16xf32>
  %z = arith.addf %x, %y : vector<16xf32>
  llvm.store %z, %args : vector<16xf32>, !llvm.ptr
  return
}
