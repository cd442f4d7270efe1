; All threads of a block reach a barrier, or the launch fails and says who does not. The other kinds of barrier work too.
; RUN: not trace-gpu-sim %s --kernel=missed --block=64 2>&1 | FileCheck %s --check-prefix=MISSED
; RUN: not trace-gpu-sim %s --kernel=missed --block=64 --no-checks --seed=5 2>&1 | FileCheck %s --check-prefix=MISSED
; RUN: not trace-gpu-sim %s --kernel=divergent --block=32 2>&1 | FileCheck %s --check-prefix=DIVERGENT
; RUN: not trace-gpu-sim %s --kernel=shuffle_instead --block=64 2>&1 | FileCheck %s --check-prefix=SHUFFLE
; RUN: not trace-gpu-sim %s --kernel=number --block=32 2>&1 | FileCheck %s --check-prefix=NUMBER
; RUN: trace-gpu-sim %s --kernel=reductions --block=48 --arg=3xi32 --print=0 --orders=3 | FileCheck %s --check-prefix=REDUCE
; RUN: trace-gpu-sim %s --kernel=half --block=96 --arg=64xi32 --print=0 --orders=3 | FileCheck %s --check-prefix=HALF
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)

; MISSED: kernel 'missed', block (0, 0, 0), thread (0, 0, 0): waits for ever at a barrier that only 40 of 64 threads reach
; MISSED-SAME: at 'call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)'; thread (40, 0, 0) has exited
define ptx_kernel void @missed() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 40
  br i1 %c, label %in, label %out
in:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
out:
  ret void
}

; As many arrive as must, but lanes of one warp at different instructions.
; DIVERGENT: threads of one warp wait at different barriers
define ptx_kernel void @divergent() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
b:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
out:
  ret void
}

; SHUFFLE: waits for ever at a barrier that only {{.*}} of 64 threads reach
; SHUFFLE-SAME: thread (1, 0, 0) waits in another warp operation, with mask 0xffffffff at '%x = call i32 @llvm.nvvm.shfl.sync.bfly.i32
define ptx_kernel void @shuffle_instead() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 0
  br i1 %c, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
b:
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %out
out:
  ret void
}

; NUMBER: barrier 16 does not exist
define ptx_kernel void @number() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 16)
  ret void
}

; REDUCE: arg0: tensor<3xi32> = 20 0 1
define ptx_kernel void @reductions(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %out, i32 1
  %q = getelementptr i32, ptr addrspace(1) %out, i32 2
  %c = icmp ult i32 %t, 20
  %n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %c)
  %all = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 %c)
  %any = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %c)
  %all32 = zext i1 %all to i32
  %any32 = zext i1 %any to i32
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %done
write:
  store i32 %n, ptr addrspace(1) %out, align 4
  store i32 %all32, ptr addrspace(1) %p, align 4
  store i32 %any32, ptr addrspace(1) %q, align 4
  br label %done
done:
  ret void
}

; Two of three warps meet at a barrier of their own.
; HALF: arg0: tensor<64xi32> = 63 62 {{.*}} 1 0
define ptx_kernel void @half(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %r = sub i32 63, %t
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %r
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %c = icmp ult i32 %t, 64
  br i1 %c, label %in, label %done
in:
  store i32 %t, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %v = load i32, ptr addrspace(3) %q, align 4
  store i32 %v, ptr addrspace(1) %o, align 4
  br label %done
done:
  ret void
}
