; What the simulator cannot run is refused when the image is loaded, with everything that is in the way named.
; RUN: split-file %s %t
; RUN: not trace-gpu-sim %t/assembly.ll 2>&1 | FileCheck %s --check-prefix=ASM
; RUN: not trace-gpu-sim %t/intrinsic.ll 2>&1 | FileCheck %s --check-prefix=INTRINSIC
; RUN: not trace-gpu-sim %t/undefined.ll 2>&1 | FileCheck %s --check-prefix=UNDEFINED
; RUN: not trace-gpu-sim %t/host.ll 2>&1 | FileCheck %s --check-prefix=HOST
; RUN: not trace-gpu-sim %t/shared.ll 2>&1 | FileCheck %s --check-prefix=SHARED
; RUN: not trace-gpu-sim %t/text.ll 2>&1 | FileCheck %s --check-prefix=TEXT
; RUN: not trace-gpu-sim %t/launch.ll --kernel=sized --block=32 2>&1 | FileCheck %s --check-prefix=SIZED
; RUN: not trace-gpu-sim %t/launch.ll --kernel=sized --block=2048 2>&1 | FileCheck %s --check-prefix=LARGE
; RUN: not trace-gpu-sim %t/launch.ll --kernel=bounded --block=33 2>&1 | FileCheck %s --check-prefix=BOUNDED
; RUN: not trace-gpu-sim %t/launch.ll --kernel=sized --grid=0 --block=64 2>&1 | FileCheck %s --check-prefix=EMPTY
; RUN: not trace-gpu-sim %t/launch.ll --kernel=traps --grid=2 --seed=1 2>&1 | FileCheck %s --check-prefix=TRAP
; RUN: not trace-gpu-sim %t/launch.ll --kernel=asserts 2>&1 | FileCheck %s --check-prefix=ASSERT
; RUN: trace-gpu-sim %t/launch.ll --list | FileCheck %s --check-prefix=LIST

;--- assembly.ll
; ASM: @k has inline assembly, which the host cannot run: 'mov.u32 $0, %clock;'
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  %x = call i32 asm sideeffect "mov.u32 $0, %clock;", "=r"()
  ret void
}
;--- intrinsic.ll
; INTRINSIC: @k calls llvm.nvvm.mapa, which the simulator does not know; @k calls llvm.nvvm.barrier.cluster.wait, which
target triple = "nvptx64-nvidia-cuda"
declare ptr @llvm.nvvm.mapa(ptr, i32)
declare void @llvm.nvvm.barrier.cluster.wait()
define ptx_kernel void @k(ptr %p) {
  %q = call ptr @llvm.nvvm.mapa(ptr %p, i32 0)
  call void @llvm.nvvm.barrier.cluster.wait()
  ret void
}
;--- undefined.ll
; UNDEFINED: the image does not define @__nv_expf, @outside
target triple = "nvptx64-nvidia-cuda"
@outside = external addrspace(1) global i32
declare float @__nv_expf(float)
define ptx_kernel void @k(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) @outside
  %y = call float @__nv_expf(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}
;--- host.ll
; HOST: the image is for 'x86_64-pc-linux-gnu', not for NVPTX
target triple = "x86_64-pc-linux-gnu"
define void @k() {
  ret void
}
;--- shared.ll
; SHARED: kernel 'k' uses 49156 bytes of static shared memory, at most 49152 are allowed
target triple = "nvptx64-nvidia-cuda"
@a = internal addrspace(3) global [12288 x float] undef
@b = internal addrspace(3) global float undef
define ptx_kernel void @k() {
  store float 1.0, ptr addrspace(3) @a
  store float 1.0, ptr addrspace(3) @b
  ret void
}
;--- text.ll
; TEXT: the image is not LLVM IR
.version 8.3
.target sm_90
;--- launch.ll
; SIZED: kernel 'sized': was compiled for blocks (64, 1, 1) and is launched with (32, 1, 1)
; LARGE: kernel 'sized': block (2048, 1, 1) is too large
; BOUNDED: kernel 'bounded': was compiled for at most 32 threads a block and is launched with 33
; EMPTY: kernel 'sized': grid (0, 1, 1), block (64, 1, 1): a size is zero
; TRAP: kernel 'traps', block (1, 0, 0), thread (0, 0, 0): trap at 'call void @llvm.trap()'
; ASSERT: kernel 'asserts', block (0, 0, 0), thread (0, 0, 0): assertion 'i < n' failed (model.py:12)
; LIST: sized: 0 parameters, 0 bytes of shared memory
; LIST: asserts: 0 parameters
target triple = "nvptx64-nvidia-cuda"
@message = private addrspace(1) constant [6 x i8] c"i < n\00"
@file = private addrspace(1) constant [9 x i8] c"model.py\00"
declare void @llvm.trap()
declare void @__assertfail(ptr, ptr, i32, ptr, i64)
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @sized() "nvvm.reqntid"="64" {
  ret void
}
define ptx_kernel void @bounded() "nvvm.maxntid"="32" {
  ret void
}
define ptx_kernel void @traps() {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %c = icmp eq i32 %b, 1
  br i1 %c, label %bad, label %done
bad:
  call void @llvm.trap()
  unreachable
done:
  ret void
}
define ptx_kernel void @asserts() {
  call void @__assertfail(ptr addrspacecast (ptr addrspace(1) @message to ptr), ptr addrspacecast (ptr addrspace(1) @file to ptr), i32 12, ptr null, i64 1)
  ret void
}
