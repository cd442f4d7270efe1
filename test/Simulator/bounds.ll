; Accesses stay within the range that their pointer comes from, are aligned to what the instruction says, and read what was
; written.
; RUN: not trace-gpu-sim %s --kernel=past_end --block=32 --arg=31xf32 2>&1 | FileCheck %s --check-prefix=END
; RUN: not trace-gpu-sim %s --kernel=past_end --block=32 --arg=32xf32@2 2>&1 | FileCheck %s --check-prefix=ALIGN
; RUN: trace-gpu-sim %s --kernel=past_end --block=32 --arg=32xf32 --print=0 | FileCheck %s --check-prefix=WITHIN
; RUN: not trace-gpu-sim %s --kernel=before_start --arg=32xf32=0 --arg=1xf32 2>&1 | FileCheck %s --check-prefix=START
; RUN: not trace-gpu-sim %s --kernel=far --arg=32xf32=0 --arg=32xf32=0 2>&1 | FileCheck %s --check-prefix=FAR
; RUN: not trace-gpu-sim %s --kernel=null 2>&1 | FileCheck %s --check-prefix=NULL
; RUN: not trace-gpu-sim %s --kernel=null --no-checks 2>&1 | FileCheck %s --check-prefix=FAULT
; RUN: not trace-gpu-sim %s --kernel=vector --arg=8xf32@4=0 --arg=4xf32 2>&1 | FileCheck %s --check-prefix=VECTOR
; RUN: trace-gpu-sim %s --kernel=split_vector --arg=8xf32@4=0 --arg=4xf32 --print=1 2>&1 | FileCheck %s --check-prefix=SPLIT
; RUN: not trace-gpu-sim %s --kernel=promised --arg=8xf32@4=0 2>&1 | FileCheck %s --check-prefix=PROMISE
; RUN: not trace-gpu-sim %s --kernel=shared --block=33 --arg=1xf32 2>&1 | FileCheck %s --check-prefix=SHARED
; RUN: not trace-gpu-sim %s --kernel=neighbour --block=1 2>&1 | FileCheck %s --check-prefix=NEIGHBOUR
; RUN: not trace-gpu-sim %s --kernel=shared_unwritten --arg=1xf32 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
; RUN: not trace-gpu-sim %s --kernel=shared_vector --block=1 2>&1 | FileCheck %s --check-prefix=SHVECTOR
; RUN: not trace-gpu-sim %s --kernel=copy --arg=4xf32 --arg=4xf32 2>&1 | FileCheck %s --check-prefix=UNINIT
; RUN: trace-gpu-sim %s --kernel=copy --arg=4xf32=iota --arg=4xf32 --print=1 | FileCheck %s --check-prefix=COPY
; RUN: trace-gpu-sim %s --kernel=registers --block=2 --arg=2x4xf32 --print=0 | FileCheck %s --check-prefix=REGISTERS
; RUN: not trace-gpu-sim %s --kernel=constant 2>&1 | FileCheck %s --check-prefix=CONSTANT
; RUN: not trace-gpu-sim %s --kernel=recursion 2>&1 | FileCheck %s --check-prefix=STACK
; RUN: not trace-gpu-sim %s --kernel=memory --arg=i64=17 --arg=16xi8=1 --arg=17xi8 2>&1 | FileCheck %s --check-prefix=MEMCPY
; RUN: trace-gpu-sim %s --kernel=memory --arg=i64=16 --arg=16xi8=1 --arg=17xi8 --print=2 2>&1 | FileCheck %s --check-prefix=MEMORY
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [32 x float] undef, align 4
@other = internal addrspace(3) global [32 x float] undef, align 4
@table = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0], align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)

; END: kernel 'past_end', block (0, 0, 0), thread (31, 0, 0): store of 4 bytes through parameter 0 is out of bounds: 0x{{[0-9a-f]*}} (byte 124 of a registered range of 124 bytes) at 'store float 1.000000e+00, ptr addrspace(1) %p, align 4'
; ALIGN: store of 4 bytes through parameter 0 is misaligned: 0x{{[0-9a-f]*}}02 is not a multiple of 4
; WITHIN: arg0: tensor<32xf32> = 1 1
define ptx_kernel void @past_end(ptr addrspace(1) %a) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}

; START: load of 4 bytes through parameter 0 is out of bounds: {{.*}} (byte -4 of a registered range of 128 bytes)
define ptx_kernel void @before_start(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %p = getelementptr float, ptr addrspace(1) %a, i32 -1
  %v = load float, ptr addrspace(1) %p, align 4
  store float %v, ptr addrspace(1) %out, align 4
  ret void
}

; The address is one of the other buffer: it is the pointer that is wrong.
; FAR: store of 4 bytes through parameter 0 is out of bounds
define ptx_kernel void @far(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %y = ptrtoint ptr addrspace(1) %b to i64
  %d = sub i64 %y, %x
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %d
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}

; NULL: kernel 'null', block (0, 0, 0), thread (0, 0, 0): store of 4 bytes goes through a null pointer: 0x10
; FAULT: kernel 'null', block (0, 0, 0), thread (0, 0, 0): access to address 0x10, which is not mapped
define ptx_kernel void @null() {
  %p = inttoptr i64 16 to ptr addrspace(1)
  store volatile float 1.0, ptr addrspace(1) %p, align 4
  ret void
}

; VECTOR: load of 16 bytes through parameter 0 is misaligned: {{.*}} is not a multiple of 16
define ptx_kernel void @vector(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %v = load <4 x float>, ptr addrspace(1) %a, align 16
  store <4 x float> %v, ptr addrspace(1) %out, align 16
  ret void
}

; A device is given four loads here, so the load is right. The store is not: @4 is what only the input begins at.
; SPLIT: arg1: tensor<4xf32> = 0 0 0 0
define ptx_kernel void @split_vector(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %v = load <4 x float>, ptr addrspace(1) %a, align 4
  store <4 x float> %v, ptr addrspace(1) %out, align 16
  ret void
}

; PROMISE: kernel 'promised': parameter 0 (0x{{.*}}04) is not aligned to 16 bytes, which the kernel was promised
define ptx_kernel void @promised(ptr addrspace(1) align 16 %a) {
  ret void
}

; SHARED: thread (32, 0, 0): store of 4 bytes is out of bounds: byte 128 of the shared variable @s of 128 bytes
define ptx_kernel void @shared(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float 1.0, ptr addrspace(3) %p, align 4
  ret void
}

; NEIGHBOUR: store of 4 bytes is out of bounds: byte {{.*}} of the shared variable @s of 128 bytes
define ptx_kernel void @neighbour() {
  %x = ptrtoint ptr addrspace(3) @s to i64
  %y = ptrtoint ptr addrspace(3) @other to i64
  %d = sub i64 %y, %x
  %p = getelementptr i8, ptr addrspace(3) @s, i64 %d
  store float 1.0, ptr addrspace(3) %p, align 4
  ret void
}

; UNWRITTEN: load of 4 bytes reads what no thread has written: byte 4 of the shared variable @s of 128 bytes
define ptx_kernel void @shared_unwritten(ptr addrspace(1) %out) {
  %p = getelementptr float, ptr addrspace(3) @s, i32 1
  store float 1.0, ptr addrspace(3) @s, align 4
  %v = load float, ptr addrspace(3) %p, align 4
  store float %v, ptr addrspace(1) %out, align 4
  ret void
}

; The variable is aligned to 4 bytes and the store needs 16.
; SHVECTOR: store of 16 bytes is misaligned
define ptx_kernel void @shared_vector() {
  store <4 x float> zeroinitializer, ptr addrspace(3) @s, align 16
  ret void
}

; UNINIT: load of 16 bytes through parameter 0 reads what nothing has written: {{.*}} (byte 0 of a registered range of 16 bytes)
; COPY: arg1: tensor<4xf32> = 0 1 2 3
define ptx_kernel void @copy(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %v = load <4 x float>, ptr addrspace(1) %a, align 16
  store <4 x float> %v, ptr addrspace(1) %out, align 16
  ret void
}

; What a thread has not written itself is all ones: of registers, on one way of two, as part of a vector, and in memory of
; its own.
; REGISTERS:      nan 2 nan nan{{$}}
; REGISTERS-NEXT: 1 2 nan nan{{$}}
define ptx_kernel void @registers(ptr addrspace(1) %out) {
entry:
  %a = alloca [2 x float], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 0
  br i1 %c, label %first, label %second
first:
  br label %join
second:
  br label %join
join:
  %x = phi float [ undef, %first ], [ 1.0, %second ]
  %v = fadd <2 x float> zeroinitializer, <float poison, float 2.0>
  %y = extractelement <2 x float> %v, i32 1
  %z = extractelement <2 x float> %v, i32 0
  %p = getelementptr float, ptr %a, i32 1
  store float 1.0, ptr %a, align 4
  %w = load float, ptr %p, align 4
  %r0 = insertelement <4 x float> poison, float %x, i32 0
  %r1 = insertelement <4 x float> %r0, float %y, i32 1
  %r2 = insertelement <4 x float> %r1, float %z, i32 2
  %r3 = insertelement <4 x float> %r2, float %w, i32 3
  %q = getelementptr <4 x float>, ptr addrspace(1) %out, i32 %t
  store <4 x float> %r3, ptr addrspace(1) %q, align 16
  ret void
}

; CONSTANT: store of 4 bytes writes to a constant: {{.*}} (byte 8 of @table of 16 bytes)
define ptx_kernel void @constant() {
  %p = getelementptr float, ptr addrspace(4) @table, i64 2
  %g = addrspacecast ptr addrspace(4) %p to ptr
  store volatile float 1.0, ptr %g, align 4
  ret void
}

; STACK: the thread's stack is full
define internal i32 @deep(i32 %n) noinline {
  %a = alloca [512 x i32], align 4
  %p = getelementptr i32, ptr %a, i32 %n
  store volatile i32 %n, ptr %p, align 4
  %m = add i32 %n, 1
  %k = and i32 %m, 511
  %r = call i32 @deep(i32 %k)
  %v = load volatile i32, ptr %p, align 4
  %s = add i32 %r, %v
  ret i32 %s
}
define ptx_kernel void @recursion() {
  %r = call i32 @deep(i32 0)
  ret void
}

; MEMCPY: load of 17 bytes through parameter 1 is out of bounds
; MEMORY: arg2: tensor<17xi8> = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 -1
define ptx_kernel void @memory(i64 %n, ptr addrspace(1) %a, ptr addrspace(1) %out) {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %out, ptr addrspace(1) %a, i64 %n, i1 false)
  ret void
}
