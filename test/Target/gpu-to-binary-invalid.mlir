// RUN: split-file %s %t
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="chip=sm_999" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="chip=hopper" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="chip=sm_75" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="format=ptx,sass" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="opt-level=7" 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="format=cubin ptxas=%t/ptxas" 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="format=cubin assembler=none" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="format=cubin assembler=as" 2>&1 | FileCheck %s --check-prefix=WHO
// RUN: not trace-opt %t/good.mlir --trace-gpu-to-binary="keep-assembly=/dev/null/x" 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: not trace-opt %t/rejected.mlir --trace-gpu-to-binary="format=cubin" 2>&1 | FileCheck %s --check-prefix=REJECTED
// RUN: not trace-opt %t/undefined.mlir --trace-gpu-to-binary 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// RUN: not trace-opt %t/intrinsic.mlir --trace-gpu-to-binary 2>&1 | FileCheck %s --check-prefix=INTRINSIC
// RUN: not trace-opt %t/unlowered.mlir --trace-gpu-to-binary 2>&1 | FileCheck %s --check-prefix=UNLOWERED

//--- good.mlir
// CHIP: error: unknown GPU '{{sm_999|hopper}}': a chip is written like sm_90
// CHIP-NOT: error
// OLD: error: GPU 'sm_75' is too old: sm_80 is the first that code is made for
// OLD-NOT: error
// FORMAT: error: unknown format 'sass': ptx, cubin or bitcode
// LEVEL: error: optimisation level 7: it must be 0 to 3
// PATH: good.mlir:14:1: error: there is no program '{{.*}}ptxas' (ptxas)
// NONE: good.mlir:14:1: error: neither ptxas nor nvJitLink was found, which make machine code for the GPU (CUDA_HOME says where CUDA is); the format ptx needs neither
// WHO: error: unknown assembler 'as': auto, ptxas, nvjitlink or none
// KEEP: error: cannot write '/dev/null/x/f__gpu.ll': Not a directory



gpu.module @f__gpu {
  llvm.func @k() attributes {nvvm.kernel} {
    llvm.return
  }
}

//--- rejected.mlir
// What ptxas says, without its own name and the path of the temporary file.
// REJECTED: error: '{{.*}}ptxas' failed: line {{[0-9]+}}: Unknown modifier '.such'
// REJECTED-NOT: error
gpu.module @f__gpu {
  llvm.func @k() attributes {nvvm.kernel} {
    llvm.inline_asm has_side_effects "no.such.instruction;", "" : () -> ()
    llvm.return
  }
}

//--- undefined.mlir
// The kernel that calls it is named, also through another function.
// UNDEFINED: undefined.mlir:11:3: error: kernel 'second' calls 'expf', which is defined nowhere on the GPU
gpu.module @f__gpu {
  llvm.func @expf(f32) -> f32
  llvm.func @helper(%x: f32) -> f32 attributes {passthrough = ["noinline"]} {
    %y = llvm.call @expf(%x) : (f32) -> f32
    llvm.return %y : f32
  }
  llvm.func @first() attributes {nvvm.kernel} { llvm.return }

  llvm.func @second(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.call @helper(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

//--- intrinsic.mlir
// INTRINSIC: error: kernel 'k' calls 'llvm.sin.f32', which the GPU has no exact instruction for
gpu.module @f__gpu {
  llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.intr.sin(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

//--- unlowered.mlir
// UNLOWERED: error: {{.*}}gpu.func
// UNLOWERED: error: the gpu.module 'f__gpu' does not translate to LLVM IR
gpu.module @f__gpu {
  gpu.func @k() kernel {
    gpu.return
  }
}
