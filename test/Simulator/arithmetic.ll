; NVVM's arithmetic: roundings, flushed subnormals, clamping, NaN, and conversions. Inputs are read from memory, so that no
; operation is folded away.
; RUN: trace-gpu-sim %s --kernel=unary --arg=1xf32=0.3 --arg=14xf32 --print=1 | FileCheck %s --check-prefix=UNARY
; RUN: trace-gpu-sim %s --kernel=flush --arg=1xf32=1e-40 --arg=7xf32 --print=1 | FileCheck %s --check-prefix=FLUSH
; RUN: trace-gpu-sim %s --kernel=rounded --arg=1xf32=0.1 --arg=16xf32 --print=1 | FileCheck %s --check-prefix=ROUND
; RUN: trace-gpu-sim %s --kernel=doubles --arg=1xf64=0.1 --arg=6xi64 --print=1 | FileCheck %s --check-prefix=DOUBLE
; RUN: trace-gpu-sim %s --kernel=largest --arg=1xf32=nan --arg=8xf32 --print=1 | FileCheck %s --check-prefix=NAN
; RUN: trace-gpu-sim %s --kernel=integers --arg=1xf32=-2.5 --arg=9xi32 --print=1 | FileCheck %s --check-prefix=NEGATIVE
; RUN: trace-gpu-sim %s --kernel=integers --arg=1xf32=3e10 --arg=9xi32 --print=1 | FileCheck %s --check-prefix=HUGE
; RUN: trace-gpu-sim %s --kernel=integers --arg=1xf32=nan --arg=9xi32 --print=1 | FileCheck %s --check-prefix=NOTANUMBER
; RUN: trace-gpu-sim %s --kernel=bits --arg=1xi32=-123456789 --arg=8xi32 --print=1 | FileCheck %s --check-prefix=BITS
; RUN: trace-gpu-sim %s --kernel=narrow --arg=1xf32=1.00390625 --arg=4xbf16 --print=1 | FileCheck %s --check-prefix=TIE
; RUN: trace-gpu-sim %s --kernel=narrow --arg=1xf32=1e-39 --arg=4xbf16 --print=1 | FileCheck %s --check-prefix=SMALL
; RUN: trace-gpu-sim %s --kernel=narrow --arg=1xf32=3.4e38 --arg=4xbf16 --print=1 | FileCheck %s --check-prefix=OVERFLOW
; RUN: trace-gpu-sim %s --kernel=narrow --arg=1xf32=-1.5 --arg=4xbf16 --print=1 | FileCheck %s --check-prefix=NEGATED
; RUN: trace-gpu-sim %s --kernel=half --arg=1xf32=65519 --arg=4xf16 --print=1 | FileCheck %s --check-prefix=HALF
; RUN: trace-gpu-sim %s --kernel=atomics --block=40 --arg=8xi32=5 --arg=2xf32=1 --print=0,1 | FileCheck %s --check-prefix=ATOMIC
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; UNARY: arg1: tensor<14xf32> = 1.23114443 -1.73696554 1.82574177 3.33333325 0.547722578 0.547722578 0.295520216 0.955336511 0.100000001 0.100000001 0.100000001 0 1 1.09000003
define ptx_kernel void @unary(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in, align 4
  %r0 = call float @llvm.nvvm.ex2.approx.f(float %x)
  %p0 = getelementptr float, ptr addrspace(1) %out, i32 0
  store float %r0, ptr addrspace(1) %p0, align 4
  %r1 = call float @llvm.nvvm.lg2.approx.f(float %x)
  %p1 = getelementptr float, ptr addrspace(1) %out, i32 1
  store float %r1, ptr addrspace(1) %p1, align 4
  %r2 = call float @llvm.nvvm.rsqrt.approx.f(float %x)
  %p2 = getelementptr float, ptr addrspace(1) %out, i32 2
  store float %r2, ptr addrspace(1) %p2, align 4
  %r3 = call float @llvm.nvvm.rcp.approx.ftz.f(float %x)
  %p3 = getelementptr float, ptr addrspace(1) %out, i32 3
  store float %r3, ptr addrspace(1) %p3, align 4
  %r4 = call float @llvm.nvvm.sqrt.approx.f(float %x)
  %p4 = getelementptr float, ptr addrspace(1) %out, i32 4
  store float %r4, ptr addrspace(1) %p4, align 4
  %r5 = call float @llvm.nvvm.sqrt.rn.f(float %x)
  %p5 = getelementptr float, ptr addrspace(1) %out, i32 5
  store float %r5, ptr addrspace(1) %p5, align 4
  %r6 = call float @llvm.nvvm.sin.approx.f(float %x)
  %p6 = getelementptr float, ptr addrspace(1) %out, i32 6
  store float %r6, ptr addrspace(1) %p6, align 4
  %r7 = call float @llvm.nvvm.cos.approx.f(float %x)
  %p7 = getelementptr float, ptr addrspace(1) %out, i32 7
  store float %r7, ptr addrspace(1) %p7, align 4
  %r8 = call float @llvm.nvvm.div.full(float %x, float 3.0)
  %p8 = getelementptr float, ptr addrspace(1) %out, i32 8
  store float %r8, ptr addrspace(1) %p8, align 4
  %r9 = call float @llvm.nvvm.div.approx.f(float %x, float 3.0)
  %p9 = getelementptr float, ptr addrspace(1) %out, i32 9
  store float %r9, ptr addrspace(1) %p9, align 4
  %r10 = call float @llvm.nvvm.div.rn.f(float %x, float 3.0)
  %p10 = getelementptr float, ptr addrspace(1) %out, i32 10
  store float %r10, ptr addrspace(1) %p10, align 4
  %r11 = call float @llvm.nvvm.floor.f(float %x)
  %p11 = getelementptr float, ptr addrspace(1) %out, i32 11
  store float %r11, ptr addrspace(1) %p11, align 4
  %r12 = call float @llvm.nvvm.ceil.f(float %x)
  %p12 = getelementptr float, ptr addrspace(1) %out, i32 12
  store float %r12, ptr addrspace(1) %p12, align 4
  %r13 = call float @llvm.nvvm.fma.rn.f(float %x, float %x, float 1.0)
  %p13 = getelementptr float, ptr addrspace(1) %out, i32 13
  store float %r13, ptr addrspace(1) %p13, align 4
  ret void
}

; The input is subnormal: zero for what flushes.
; FLUSH: arg1: tensor<7xf32> = 1 {{9.9999.*e-41}} 0 0 inf inf 0
define ptx_kernel void @flush(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in, align 4
  %r0 = call float @llvm.nvvm.ex2.approx.ftz.f(float %x)
  %p0 = getelementptr float, ptr addrspace(1) %out, i32 0
  store float %r0, ptr addrspace(1) %p0, align 4
  %r1 = call float @llvm.nvvm.add.rn.f(float %x, float 0.0)
  %p1 = getelementptr float, ptr addrspace(1) %out, i32 1
  store float %r1, ptr addrspace(1) %p1, align 4
  %r2 = call float @llvm.nvvm.add.rn.ftz.f(float %x, float 0.0)
  %p2 = getelementptr float, ptr addrspace(1) %out, i32 2
  store float %r2, ptr addrspace(1) %p2, align 4
  %r3 = call float @llvm.nvvm.mul.rn.ftz.f(float %x, float 0x46293E5940000000)
  %p3 = getelementptr float, ptr addrspace(1) %out, i32 3
  store float %r3, ptr addrspace(1) %p3, align 4
  %r4 = call float @llvm.nvvm.rcp.approx.ftz.f(float %x)
  %p4 = getelementptr float, ptr addrspace(1) %out, i32 4
  store float %r4, ptr addrspace(1) %p4, align 4
  %r5 = call float @llvm.nvvm.rcp.rn.f(float %x)
  %p5 = getelementptr float, ptr addrspace(1) %out, i32 5
  store float %r5, ptr addrspace(1) %p5, align 4
  %r6 = call float @llvm.nvvm.saturate.ftz.f(float %x)
  %p6 = getelementptr float, ptr addrspace(1) %out, i32 6
  store float %r6, ptr addrspace(1) %p6, align 4
  ret void
}

; To nearest, towards zero, down, up, of a sum with the smallest normal number, a square, a quotient and a root.
; ROUND: arg1: tensor<16xf32> = 0.100000001 0.100000001 0.100000001 0.100000009 0.0100000007 0.00999999978 0.00999999978 0.0100000007 0.0333333351 0.0333333313 0.0333333313 0.0333333351 0.316227764 0.316227764 0.316227764 0.316227794
define ptx_kernel void @rounded(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in, align 4
  %r0 = call float @llvm.nvvm.add.rn.f(float %x, float 0x3810000000000000)
  %p0 = getelementptr float, ptr addrspace(1) %out, i32 0
  store float %r0, ptr addrspace(1) %p0, align 4
  %r1 = call float @llvm.nvvm.add.rz.f(float %x, float 0x3810000000000000)
  %p1 = getelementptr float, ptr addrspace(1) %out, i32 1
  store float %r1, ptr addrspace(1) %p1, align 4
  %r2 = call float @llvm.nvvm.add.rm.f(float %x, float 0x3810000000000000)
  %p2 = getelementptr float, ptr addrspace(1) %out, i32 2
  store float %r2, ptr addrspace(1) %p2, align 4
  %r3 = call float @llvm.nvvm.add.rp.f(float %x, float 0x3810000000000000)
  %p3 = getelementptr float, ptr addrspace(1) %out, i32 3
  store float %r3, ptr addrspace(1) %p3, align 4
  %r4 = call float @llvm.nvvm.mul.rn.f(float %x, float %x)
  %p4 = getelementptr float, ptr addrspace(1) %out, i32 4
  store float %r4, ptr addrspace(1) %p4, align 4
  %r5 = call float @llvm.nvvm.mul.rz.f(float %x, float %x)
  %p5 = getelementptr float, ptr addrspace(1) %out, i32 5
  store float %r5, ptr addrspace(1) %p5, align 4
  %r6 = call float @llvm.nvvm.mul.rm.f(float %x, float %x)
  %p6 = getelementptr float, ptr addrspace(1) %out, i32 6
  store float %r6, ptr addrspace(1) %p6, align 4
  %r7 = call float @llvm.nvvm.mul.rp.f(float %x, float %x)
  %p7 = getelementptr float, ptr addrspace(1) %out, i32 7
  store float %r7, ptr addrspace(1) %p7, align 4
  %r8 = call float @llvm.nvvm.div.rn.f(float %x, float 3.0)
  %p8 = getelementptr float, ptr addrspace(1) %out, i32 8
  store float %r8, ptr addrspace(1) %p8, align 4
  %r9 = call float @llvm.nvvm.div.rz.f(float %x, float 3.0)
  %p9 = getelementptr float, ptr addrspace(1) %out, i32 9
  store float %r9, ptr addrspace(1) %p9, align 4
  %r10 = call float @llvm.nvvm.div.rm.f(float %x, float 3.0)
  %p10 = getelementptr float, ptr addrspace(1) %out, i32 10
  store float %r10, ptr addrspace(1) %p10, align 4
  %r11 = call float @llvm.nvvm.div.rp.f(float %x, float 3.0)
  %p11 = getelementptr float, ptr addrspace(1) %out, i32 11
  store float %r11, ptr addrspace(1) %p11, align 4
  %r12 = call float @llvm.nvvm.sqrt.rn.f(float %x)
  %p12 = getelementptr float, ptr addrspace(1) %out, i32 12
  store float %r12, ptr addrspace(1) %p12, align 4
  %r13 = call float @llvm.nvvm.sqrt.rz.f(float %x)
  %p13 = getelementptr float, ptr addrspace(1) %out, i32 13
  store float %r13, ptr addrspace(1) %p13, align 4
  %r14 = call float @llvm.nvvm.sqrt.rm.f(float %x)
  %p14 = getelementptr float, ptr addrspace(1) %out, i32 14
  store float %r14, ptr addrspace(1) %p14, align 4
  %r15 = call float @llvm.nvvm.sqrt.rp.f(float %x)
  %p15 = getelementptr float, ptr addrspace(1) %out, i32 15
  store float %r15, ptr addrspace(1) %p15, align 4
  ret void
}

; As bits: to nearest of a sum and a fused multiply-add, a quotient up and down, a root towards zero, a reciprocal down.
; DOUBLE: arg1: tensor<6xi64> = 4599075939470750516 4607227454796291113 4584964660638322962 4584964660638322961 4599368272914696463 4621819117588971519
define ptx_kernel void @doubles(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load double, ptr addrspace(1) %in, align 8
  %r0 = call double @llvm.nvvm.add.rn.d(double %x, double 2.0e-01)
  %p0 = getelementptr double, ptr addrspace(1) %out, i32 0
  store double %r0, ptr addrspace(1) %p0, align 8
  %r1 = call double @llvm.nvvm.fma.rn.d(double %x, double %x, double 1.0)
  %p1 = getelementptr double, ptr addrspace(1) %out, i32 1
  store double %r1, ptr addrspace(1) %p1, align 8
  %r2 = call double @llvm.nvvm.div.rp.d(double %x, double 3.0)
  %p2 = getelementptr double, ptr addrspace(1) %out, i32 2
  store double %r2, ptr addrspace(1) %p2, align 8
  %r3 = call double @llvm.nvvm.div.rm.d(double %x, double 3.0)
  %p3 = getelementptr double, ptr addrspace(1) %out, i32 3
  store double %r3, ptr addrspace(1) %p3, align 8
  %r4 = call double @llvm.nvvm.sqrt.rz.d(double %x)
  %p4 = getelementptr double, ptr addrspace(1) %out, i32 4
  store double %r4, ptr addrspace(1) %p4, align 8
  %r5 = call double @llvm.nvvm.rcp.rm.d(double %x)
  %p5 = getelementptr double, ptr addrspace(1) %out, i32 5
  store double %r5, ptr addrspace(1) %p5, align 8
  ret void
}

; NAN: arg1: tensor<8xf32> = 1 1 nan nan 2 0 0 nan
define ptx_kernel void @largest(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in, align 4
  %r0 = call float @llvm.nvvm.fmax.f(float %x, float 1.0)
  %p0 = getelementptr float, ptr addrspace(1) %out, i32 0
  store float %r0, ptr addrspace(1) %p0, align 4
  %r1 = call float @llvm.nvvm.fmin.f(float 1.0, float %x)
  %p1 = getelementptr float, ptr addrspace(1) %out, i32 1
  store float %r1, ptr addrspace(1) %p1, align 4
  %r2 = call float @llvm.nvvm.fmax.nan.f(float %x, float 1.0)
  %p2 = getelementptr float, ptr addrspace(1) %out, i32 2
  store float %r2, ptr addrspace(1) %p2, align 4
  %r3 = call float @llvm.nvvm.fmin.nan.f(float 1.0, float %x)
  %p3 = getelementptr float, ptr addrspace(1) %out, i32 3
  store float %r3, ptr addrspace(1) %p3, align 4
  %r4 = call float @llvm.nvvm.fmax.ftz.f(float %x, float 2.0)
  %p4 = getelementptr float, ptr addrspace(1) %out, i32 4
  store float %r4, ptr addrspace(1) %p4, align 4
  %r5 = call float @llvm.nvvm.saturate.f(float %x)
  %p5 = getelementptr float, ptr addrspace(1) %out, i32 5
  store float %r5, ptr addrspace(1) %p5, align 4
  %r6 = call float @llvm.nvvm.add.rn.sat.f(float %x, float %x)
  %p6 = getelementptr float, ptr addrspace(1) %out, i32 6
  store float %r6, ptr addrspace(1) %p6, align 4
  %r7 = call float @llvm.nvvm.fabs.f32(float %x)
  %p7 = getelementptr float, ptr addrspace(1) %out, i32 7
  store float %r7, ptr addrspace(1) %p7, align 4
  ret void
}

; NEGATIVE: arg1: tensor<9xi32> = -2 -2 -3 -2 0 -2 -2 -1073479680 -2
; HUGE: arg1: tensor<9xi32> = 2147483647 2147483647 2147483647 2147483647 -1 2147483647 2147483647 1109127310 -64770048
; NOTANUMBER: arg1: tensor<9xi32> = 0 0 0 0 0 0 0 2146959360 {{.*}}
define ptx_kernel void @integers(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in, align 4
  %r0 = call i32 @llvm.nvvm.f2i.rn(float %x)
  %p0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store i32 %r0, ptr addrspace(1) %p0, align 4
  %r1 = call i32 @llvm.nvvm.f2i.rz(float %x)
  %p1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %r1, ptr addrspace(1) %p1, align 4
  %r2 = call i32 @llvm.nvvm.f2i.rm(float %x)
  %p2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %r2, ptr addrspace(1) %p2, align 4
  %r3 = call i32 @llvm.nvvm.f2i.rp(float %x)
  %p3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %r3, ptr addrspace(1) %p3, align 4
  %r4 = call i32 @llvm.nvvm.f2ui.rn(float %x)
  %p4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %r4, ptr addrspace(1) %p4, align 4
  %r5 = call i32 @llvm.nvvm.f2i.rn.ftz(float %x)
  %p5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store i32 %r5, ptr addrspace(1) %p5, align 4
  %t6_a = fpext float %x to double
  %r6 = call i32 @llvm.nvvm.d2i.rn(double %t6_a)
  %p6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store i32 %r6, ptr addrspace(1) %p6, align 4
  %t7_a = fpext float %x to double
  %r7 = call i32 @llvm.nvvm.d2i.hi(double %t7_a)
  %p7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store i32 %r7, ptr addrspace(1) %p7, align 4
  %t8_a = call i64 @llvm.nvvm.f2ll.rz(float %x)
  %r8 = trunc i64 %t8_a to i32
  %p8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store i32 %r8, ptr addrspace(1) %p8, align 4
  ret void
}

; BITS: arg1: tensor<8xi32> = -29 971 -18048831 32282817 15431928 123456795 -123456793 26
define ptx_kernel void @bits(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load i32, ptr addrspace(1) %in, align 4
  %r0 = call i32 @llvm.nvvm.mulhi.i(i32 %x, i32 1000)
  %p0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store i32 %r0, ptr addrspace(1) %p0, align 4
  %r1 = call i32 @llvm.nvvm.mulhi.ui(i32 %x, i32 1000)
  %p1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %r1, ptr addrspace(1) %p1, align 4
  %r2 = call i32 @llvm.nvvm.mul24.i(i32 %x, i32 3)
  %p2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %r2, ptr addrspace(1) %p2, align 4
  %r3 = call i32 @llvm.nvvm.mul24.ui(i32 %x, i32 3)
  %p3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %r3, ptr addrspace(1) %p3, align 4
  %r4 = call i32 @llvm.nvvm.prmt(i32 %x, i32 305419896, i32 36931)
  %p4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %r4, ptr addrspace(1) %p4, align 4
  %r5 = call i32 @llvm.nvvm.sad.i(i32 %x, i32 5, i32 1)
  %p5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store i32 %r5, ptr addrspace(1) %p5, align 4
  %r6 = call i32 @llvm.nvvm.sad.ui(i32 %x, i32 5, i32 1)
  %p6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store i32 %r6, ptr addrspace(1) %p6, align 4
  %r7 = call i32 @llvm.nvvm.flo.s.i32(i32 %x, i1 false)
  %p7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store i32 %r7, ptr addrspace(1) %p7, align 4
  ret void
}

; To nearest, ties to even; subnormal numbers stay; beyond the largest is infinity.
; TIE: arg1: tensor<4xbf16> = 1 1 1 -1
; SMALL: arg1: tensor<4xbf16> = 1.0{{.*}}e-39 1.0{{.*}}e-39 1.0{{.*}}e-39 -1.0{{.*}}e-39
; NEGATED: arg1: tensor<4xbf16> = -1.5 0 -1.5 1.5
; OVERFLOW: arg1: tensor<4xbf16> = inf inf inf -inf
define ptx_kernel void @narrow(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in, align 4
  %r0 = call bfloat @llvm.nvvm.f2bf16.rn(float %x)
  %p0 = getelementptr bfloat, ptr addrspace(1) %out, i32 0
  store bfloat %r0, ptr addrspace(1) %p0, align 2
  %r1 = call bfloat @llvm.nvvm.f2bf16.rn.relu(float %x)
  %p1 = getelementptr bfloat, ptr addrspace(1) %out, i32 1
  store bfloat %r1, ptr addrspace(1) %p1, align 2
  %t2_a = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %x, float 2.0)
  %r2 = extractelement <2 x bfloat> %t2_a, i32 1
  %p2 = getelementptr bfloat, ptr addrspace(1) %out, i32 2
  store bfloat %r2, ptr addrspace(1) %p2, align 2
  %t3_b = fneg float %x
  %t3_a = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %t3_b, float 2.0)
  %r3 = extractelement <2 x bfloat> %t3_a, i32 1
  %p3 = getelementptr bfloat, ptr addrspace(1) %out, i32 3
  store bfloat %r3, ptr addrspace(1) %p3, align 2
  ret void
}

; HALF: arg1: tensor<4xf16> = 65504 inf 5.96046448e-08 inf
define ptx_kernel void @half(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in, align 4
  %r0 = call half @llvm.nvvm.f2f16.rn(float %x)
  %p0 = getelementptr half, ptr addrspace(1) %out, i32 0
  store half %r0, ptr addrspace(1) %p0, align 2
  %t1_y = fmul float %x, 2.0
  %r1 = call half @llvm.nvvm.f2f16.rn(float %t1_y)
  %p1 = getelementptr half, ptr addrspace(1) %out, i32 1
  store half %r1, ptr addrspace(1) %p1, align 2
  %t2_a = call <2 x half> @llvm.nvvm.ff2f16x2.rn(float %x, float 0x3E70000000000000)
  %r2 = extractelement <2 x half> %t2_a, i32 0
  %p2 = getelementptr half, ptr addrspace(1) %out, i32 2
  store half %r2, ptr addrspace(1) %p2, align 2
  %t3_a = fptrunc float %x to half
  %r3 = call half @llvm.nvvm.fma.rn.f16(half %t3_a, half %t3_a, half 1.0)
  %p3 = getelementptr half, ptr addrspace(1) %out, i32 3
  store half %r3, ptr addrspace(1) %p3, align 2
  ret void
}

; 40 threads: sums, extremes, an exchange, counters that wrap, and sums of floats.
; ATOMIC: arg0: tensor<8xi32> = 785 0 39 45 5 5 45 {{[0-9]+}}
; ATOMIC: arg1: tensor<2xf32> = 781 41
define ptx_kernel void @atomics(ptr addrspace(1) %a, ptr addrspace(1) %f) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p1 = getelementptr i32, ptr addrspace(1) %a, i32 1
  %p2 = getelementptr i32, ptr addrspace(1) %a, i32 2
  %p3 = getelementptr i32, ptr addrspace(1) %a, i32 3
  %p4 = getelementptr i32, ptr addrspace(1) %a, i32 4
  %p5 = getelementptr i32, ptr addrspace(1) %a, i32 5
  %p6 = getelementptr i32, ptr addrspace(1) %a, i32 6
  %p7 = getelementptr i32, ptr addrspace(1) %a, i32 7
  %f1 = getelementptr float, ptr addrspace(1) %f, i32 1
  %r0 = atomicrmw add ptr addrspace(1) %a, i32 %t syncscope("device") monotonic, align 4
  %r1 = atomicrmw umin ptr addrspace(1) %p1, i32 %t syncscope("block") monotonic, align 4
  %r2 = atomicrmw umax ptr addrspace(1) %p2, i32 %t seq_cst, align 4
  %r3 = atomicrmw uinc_wrap ptr addrspace(1) %p3, i32 100 monotonic, align 4
  %r4 = atomicrmw udec_wrap ptr addrspace(1) %p4, i32 39 monotonic, align 4
  %g5 = addrspacecast ptr addrspace(1) %p5 to ptr
  %r5 = call i32 @llvm.nvvm.atomic.and.gen.i.cta.i32.p0(ptr %g5, i32 7)
  %g6 = addrspacecast ptr addrspace(1) %p6 to ptr
  %r6 = call i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p0(ptr %g6, i32 1)
  %r7 = atomicrmw xchg ptr addrspace(1) %p7, i32 %t monotonic, align 4
  %x = uitofp i32 %t to float
  %s0 = atomicrmw fadd ptr addrspace(1) %f, float %x monotonic, align 4
  %gf = addrspacecast ptr addrspace(1) %f1 to ptr
  %s1 = call float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr %gf, float 1.0)
  ret void
}
declare i32 @llvm.nvvm.atomic.and.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p0(ptr, i32)
declare float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr, float)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float, float)
declare <2 x half> @llvm.nvvm.ff2f16x2.rn(float, float)
declare bfloat @llvm.nvvm.f2bf16.rn(float)
declare bfloat @llvm.nvvm.f2bf16.rn.relu(float)
declare double @llvm.nvvm.add.rn.d(double, double)
declare double @llvm.nvvm.div.rm.d(double, double)
declare double @llvm.nvvm.div.rp.d(double, double)
declare double @llvm.nvvm.fma.rn.d(double, double, double)
declare double @llvm.nvvm.rcp.rm.d(double)
declare double @llvm.nvvm.sqrt.rz.d(double)
declare float @llvm.nvvm.add.rm.f(float, float)
declare float @llvm.nvvm.add.rn.f(float, float)
declare float @llvm.nvvm.add.rn.ftz.f(float, float)
declare float @llvm.nvvm.add.rn.sat.f(float, float)
declare float @llvm.nvvm.add.rp.f(float, float)
declare float @llvm.nvvm.add.rz.f(float, float)
declare float @llvm.nvvm.ceil.f(float)
declare float @llvm.nvvm.cos.approx.f(float)
declare float @llvm.nvvm.div.approx.f(float, float)
declare float @llvm.nvvm.div.full(float, float)
declare float @llvm.nvvm.div.rm.f(float, float)
declare float @llvm.nvvm.div.rn.f(float, float)
declare float @llvm.nvvm.div.rp.f(float, float)
declare float @llvm.nvvm.div.rz.f(float, float)
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.fabs.f32(float)
declare float @llvm.nvvm.floor.f(float)
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare float @llvm.nvvm.fmax.f(float, float)
declare float @llvm.nvvm.fmax.ftz.f(float, float)
declare float @llvm.nvvm.fmax.nan.f(float, float)
declare float @llvm.nvvm.fmin.f(float, float)
declare float @llvm.nvvm.fmin.nan.f(float, float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.nvvm.mul.rm.f(float, float)
declare float @llvm.nvvm.mul.rn.f(float, float)
declare float @llvm.nvvm.mul.rn.ftz.f(float, float)
declare float @llvm.nvvm.mul.rp.f(float, float)
declare float @llvm.nvvm.mul.rz.f(float, float)
declare float @llvm.nvvm.rcp.approx.ftz.f(float)
declare float @llvm.nvvm.rcp.rn.f(float)
declare float @llvm.nvvm.rsqrt.approx.f(float)
declare float @llvm.nvvm.saturate.f(float)
declare float @llvm.nvvm.saturate.ftz.f(float)
declare float @llvm.nvvm.sin.approx.f(float)
declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.sqrt.rm.f(float)
declare float @llvm.nvvm.sqrt.rn.f(float)
declare float @llvm.nvvm.sqrt.rp.f(float)
declare float @llvm.nvvm.sqrt.rz.f(float)
declare half @llvm.nvvm.f2f16.rn(float)
declare half @llvm.nvvm.fma.rn.f16(half, half, half)
declare i32 @llvm.nvvm.d2i.hi(double)
declare i32 @llvm.nvvm.d2i.rn(double)
declare i32 @llvm.nvvm.f2i.rm(float)
declare i32 @llvm.nvvm.f2i.rn(float)
declare i32 @llvm.nvvm.f2i.rn.ftz(float)
declare i32 @llvm.nvvm.f2i.rp(float)
declare i32 @llvm.nvvm.f2i.rz(float)
declare i32 @llvm.nvvm.f2ui.rn(float)
declare i32 @llvm.nvvm.flo.s.i32(i32, i1)
declare i32 @llvm.nvvm.mul24.i(i32, i32)
declare i32 @llvm.nvvm.mul24.ui(i32, i32)
declare i32 @llvm.nvvm.mulhi.i(i32, i32)
declare i32 @llvm.nvvm.mulhi.ui(i32, i32)
declare i32 @llvm.nvvm.prmt(i32, i32, i32)
declare i32 @llvm.nvvm.sad.i(i32, i32, i32)
declare i32 @llvm.nvvm.sad.ui(i32, i32, i32)
declare i64 @llvm.nvvm.f2ll.rz(float)
