; The pieces of inline assembly that libdevice has: sums and products of twice the width with carries over all words, and
; single instructions.
; RUN: trace-gpu-sim %s --kernel=wide --arg=4x2xi64 --print=0 | FileCheck %s --check-prefix=WIDE
; RUN: trace-gpu-sim %s --kernel=narrow --arg=2xi32 --print=0 | FileCheck %s --check-prefix=NARROW
; RUN: trace-gpu-sim %s --kernel=single --arg=1xf32 --arg=1xf64 --print=0,1 | FileCheck %s --check-prefix=SINGLE
target triple = "nvptx64-nvidia-cuda"

; (2^64 - 1 + 2^64) + (1 + 2 * 2^64), 5 * 2^64 - (1 + 2 * 2^64), (2^63 + 3) * 6, (2^64 - 1)^2 + 2^64 - 1; low, high.
; WIDE: 0 4{{$}}
; WIDE: -1 2{{$}}
; WIDE: 18 3{{$}}
; WIDE: 0 -1{{$}}
define ptx_kernel void @wide(ptr addrspace(1) %out) {
  %add = call { i64, i64 } asm "{\0A\09.reg .u32 r0, r1, r2, r3, a0, a1, a2, a3, b0, b1, b2, b3;\0A\09mov.b64         {a0,a1}, $2;\0A\09mov.b64         {a2,a3}, $3;\0A\09mov.b64         {b0,b1}, $4;\0A\09mov.b64         {b2,b3}, $5;\0A\09add.cc.u32      r0, a0, b0; \0A\09addc.cc.u32     r1, a1, b1; \0A\09addc.cc.u32     r2, a2, b2; \0A\09addc.u32        r3, a3, b3; \0A\09mov.b64         $0, {r0,r1};\0A\09mov.b64         $1, {r2,r3};\0A\09}", "=l,=l,l,l,l,l"(i64 -1, i64 1, i64 1, i64 2)
  %add0 = extractvalue { i64, i64 } %add, 0
  %padd0 = getelementptr i64, ptr addrspace(1) %out, i32 0
  store i64 %add0, ptr addrspace(1) %padd0, align 8
  %add1 = extractvalue { i64, i64 } %add, 1
  %padd1 = getelementptr i64, ptr addrspace(1) %out, i32 1
  store i64 %add1, ptr addrspace(1) %padd1, align 8
  %sub = call { i64, i64 } asm "{\0A\09.reg .u32 r0, r1, r2, r3, a0, a1, a2, a3, b0, b1, b2, b3;\0A\09mov.b64         {a0,a1}, $2;\0A\09mov.b64         {a2,a3}, $3;\0A\09mov.b64         {b0,b1}, $4;\0A\09mov.b64         {b2,b3}, $5;\0A\09sub.cc.u32      r0, a0, b0; \0A\09subc.cc.u32     r1, a1, b1; \0A\09subc.cc.u32     r2, a2, b2; \0A\09subc.u32        r3, a3, b3; \0A\09mov.b64         $0, {r0,r1};\0A\09mov.b64         $1, {r2,r3};\0A\09}", "=l,=l,l,l,l,l"(i64 0, i64 5, i64 1, i64 2)
  %sub0 = extractvalue { i64, i64 } %sub, 0
  %psub0 = getelementptr i64, ptr addrspace(1) %out, i32 2
  store i64 %sub0, ptr addrspace(1) %psub0, align 8
  %sub1 = extractvalue { i64, i64 } %sub, 1
  %psub1 = getelementptr i64, ptr addrspace(1) %out, i32 3
  store i64 %sub1, ptr addrspace(1) %psub1, align 8
  %mul = call { i64, i64 } asm "{\0A\09.reg .u32 r0, r1, r2, r3, alo, ahi, blo, bhi;\0A\09mov.b64         {alo,ahi}, $2;   \0A\09mov.b64         {blo,bhi}, $3;   \0A\09mul.lo.u32      r0, alo, blo;    \0A\09mul.hi.u32      r1, alo, blo;    \0A\09mad.lo.cc.u32   r1, alo, bhi, r1;\0A\09madc.hi.u32     r2, alo, bhi,  0;\0A\09mad.lo.cc.u32   r1, ahi, blo, r1;\0A\09madc.hi.cc.u32  r2, ahi, blo, r2;\0A\09madc.hi.u32     r3, ahi, bhi,  0;\0A\09mad.lo.cc.u32   r2, ahi, bhi, r2;\0A\09addc.u32        r3, r3,  0;      \0A\09mov.b64         $0, {r0,r1};     \0A\09mov.b64         $1, {r2,r3};     \0A\09}", "=l,=l,l,l"(i64 -9223372036854775805, i64 6)
  %mul0 = extractvalue { i64, i64 } %mul, 0
  %pmul0 = getelementptr i64, ptr addrspace(1) %out, i32 4
  store i64 %mul0, ptr addrspace(1) %pmul0, align 8
  %mul1 = extractvalue { i64, i64 } %mul, 1
  %pmul1 = getelementptr i64, ptr addrspace(1) %out, i32 5
  store i64 %mul1, ptr addrspace(1) %pmul1, align 8
  %mad = call { i64, i64 } asm "{\0A\09.reg .u32 r0, r1, r2, r3, alo, ahi, blo, bhi, clo, chi;\0A\09mov.b64         {alo,ahi}, $2;    \0A\09mov.b64         {blo,bhi}, $3;    \0A\09mov.b64         {clo,chi}, $4;    \0A\09mad.lo.cc.u32   r0, alo, blo, clo;\0A\09madc.hi.cc.u32  r1, alo, blo, chi;\0A\09madc.hi.u32     r2, alo, bhi,   0;\0A\09mad.lo.cc.u32   r1, alo, bhi,  r1;\0A\09madc.hi.cc.u32  r2, ahi, blo,  r2;\0A\09madc.hi.u32     r3, ahi, bhi,   0;\0A\09mad.lo.cc.u32   r1, ahi, blo,  r1;\0A\09madc.lo.cc.u32  r2, ahi, bhi,  r2;\0A\09addc.u32        r3,  r3,   0;     \0A\09mov.b64         $0, {r0,r1};      \0A\09mov.b64         $1, {r2,r3};      \0A\09}", "=l,=l,l,l,l"(i64 -1, i64 -1, i64 -1)
  %mad0 = extractvalue { i64, i64 } %mad, 0
  %pmad0 = getelementptr i64, ptr addrspace(1) %out, i32 6
  store i64 %mad0, ptr addrspace(1) %pmad0, align 8
  %mad1 = extractvalue { i64, i64 } %mad, 1
  %pmad1 = getelementptr i64, ptr addrspace(1) %out, i32 7
  store i64 %mad1, ptr addrspace(1) %pmad1, align 8
  ret void
}

; NARROW: arg0: tensor<2xi32> = 0 -1
define ptx_kernel void @narrow(ptr addrspace(1) %out) {
  %x = call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -1, i32 -1, i32 -1)
  %lo = extractvalue { i32, i32 } %x, 0
  %hi = extractvalue { i32, i32 } %x, 1
  %p = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %lo, ptr addrspace(1) %out, align 4
  store i32 %hi, ptr addrspace(1) %p, align 4
  ret void
}

; SINGLE: arg0: tensor<1xf32> = 0.25
; SINGLE: arg1: tensor<1xf64> = 0.5
define ptx_kernel void @single(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %x = call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float 4.0)
  %y = call double asm "rsqrt.approx.ftz.f64 $0, $1;", "=d,d"(double 4.0)
  store float %x, ptr addrspace(1) %a, align 4
  store double %y, ptr addrspace(1) %b, align 8
  ret void
}
