; Two threads of a block, one of which writes, must have a barrier between them, whatever the order they happen to run in.
; A shuffle is no barrier for memory; bar.warp.sync is one for the lanes of its mask.
; RUN: not trace-gpu-sim %s --kernel=write_write --block=32 --arg=32xf32 2>&1 | FileCheck %s --check-prefix=WW
; RUN: not trace-gpu-sim %s --kernel=read_write --block=64 --arg=64xf32 2>&1 | FileCheck %s --check-prefix=RW
; RUN: not trace-gpu-sim %s --kernel=read_write --block=64 --arg=64xf32 --seed=3 2>&1 | FileCheck %s --check-prefix=RW
; RUN: not trace-gpu-sim %s --kernel=shuffle_only --block=32 --arg=32xf32 2>&1 | FileCheck %s --check-prefix=SHUFFLE
; RUN: trace-gpu-sim %s --kernel=warp_sync --block=32 --arg=32xf32 --print=0 --orders=4 | FileCheck %s --check-prefix=SYNC
; RUN: not trace-gpu-sim %s --kernel=warp_sync --block=64 --arg=64xf32 2>&1 | FileCheck %s --check-prefix=WARPS
; RUN: trace-gpu-sim %s --kernel=barriers --block=64 --arg=64xf32 --print=0 --orders=4 | FileCheck %s --check-prefix=BARRIERS
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [65 x float] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)

; WW: kernel 'write_write', block (0, 0, 0), thread (1, 0, 0): store of 4 bytes of byte 0 of the shared variable @s of 260 bytes
; WW-SAME: races with a store by block (0, 0, 0), thread (0, 0, 0) at 'store i32 %t, ptr addrspace(3) @s, align 4'
define ptx_kernel void @write_write(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr addrspace(3) @s, align 4
  ret void
}

; Each thread reads what it wrote, and then its neighbour's place is overwritten.
; RW: kernel 'read_write', block (0, 0, 0), thread ({{.*}}): {{load|store}} of 4 bytes of byte {{.*}} of the shared variable @s
; RW-SAME: races with a {{load|store}} by block (0, 0, 0)
define ptx_kernel void @read_write(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @s, i32 %t
  %q = getelementptr float, ptr addrspace(3) %p, i32 1
  %o = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float 1.0, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load float, ptr addrspace(3) %p, align 4
  store float %v, ptr addrspace(1) %o, align 4
  store float 2.0, ptr addrspace(3) %q, align 4
  ret void
}

; SHUFFLE: races with a store
define ptx_kernel void @shuffle_only(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %n = xor i32 %t, 1
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %n
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %t, ptr addrspace(3) %p, align 4
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  %v = load i32, ptr addrspace(3) %q, align 4
  %w = add i32 %v, %x
  store i32 %w, ptr addrspace(1) %o, align 4
  ret void
}

; In a second warp lane 0 writes where lane 31 of the first one reads: that is not ordered.
; SYNC: arg0: tensor<32xf32> = 1 2 3 {{.*}} 30 31 32
; WARPS: races with a
define ptx_kernel void @warp_sync(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @s, i32 %t
  %q = getelementptr float, ptr addrspace(3) %p, i32 1
  %o = getelementptr float, ptr addrspace(1) %out, i32 %t
  %f = uitofp i32 %t to float
  store float %f, ptr addrspace(3) %p, align 4
  %is31 = icmp eq i32 %t, 31
  br i1 %is31, label %last, label %join
last:
  store float 32.0, ptr addrspace(3) %q, align 4
  br label %join
join:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %v = load float, ptr addrspace(3) %q, align 4
  store float %v, ptr addrspace(1) %o, align 4
  ret void
}

; BARRIERS: arg0: tensor<64xf32> = 63 62 61 {{.*}} 2 1 0
define ptx_kernel void @barriers(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @s, i32 %t
  %r = sub i32 63, %t
  %q = getelementptr float, ptr addrspace(3) @s, i32 %r
  %o = getelementptr float, ptr addrspace(1) %out, i32 %t
  %f = uitofp i32 %t to float
  store float %f, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load float, ptr addrspace(3) %q, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 0.0, ptr addrspace(3) %p, align 4
  store float %v, ptr addrspace(1) %o, align 4
  ret void
}
