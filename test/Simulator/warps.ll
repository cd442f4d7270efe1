; What lanes exchange, for each kind of operation, under several orders of the threads; and a lane that never comes.
; RUN: trace-gpu-sim %s --kernel=shuffles --block=32 --arg=32x4xi32 --print=0 --orders=3 | FileCheck %s --check-prefix=SHUFFLE
; RUN: trace-gpu-sim %s --kernel=segments --block=40 --arg=40x2xf32 --print=0 --orders=3 | FileCheck %s --check-prefix=SEGMENT
; RUN: trace-gpu-sim %s --kernel=votes --block=32 --arg=6xi32 --print=0 --orders=3 | FileCheck %s --check-prefix=VOTE
; RUN: trace-gpu-sim %s --kernel=reductions --block=32 --arg=8xi32 --print=0 --orders=3 | FileCheck %s --check-prefix=REDUCE
; RUN: trace-gpu-sim %s --kernel=matches --block=32 --arg=32x3xi32 --print=0 --orders=3 | FileCheck %s --check-prefix=MATCH
; RUN: trace-gpu-sim %s --kernel=halves --block=32 --arg=32xi32 --print=0 --orders=3 | FileCheck %s --check-prefix=HALVES
; RUN: not trace-gpu-sim %s --kernel=never --block=32 2>&1 | FileCheck %s --check-prefix=NEVER
; RUN: not trace-gpu-sim %s --kernel=exited --block=32 2>&1 | FileCheck %s --check-prefix=EXITED
; RUN: not trace-gpu-sim %s --kernel=whole --block=20 2>&1 | FileCheck %s --check-prefix=SHORT
; RUN: not trace-gpu-sim %s --kernel=outside --block=32 2>&1 | FileCheck %s --check-prefix=OUTSIDE
; RUN: not trace-gpu-sim %s --kernel=unmasked --block=32 2>&1 | FileCheck %s --check-prefix=UNMASKED
; RUN: not trace-gpu-sim %s --kernel=disagree --block=32 2>&1 | FileCheck %s --check-prefix=DISAGREE
; RUN: not trace-gpu-sim %s --kernel=masks --block=32 2>&1 | FileCheck %s --check-prefix=MASKS
; RUN: not trace-gpu-sim %s --kernel=masks --block=32 --no-checks --seed=9 2>&1 | FileCheck %s --check-prefix=MASKS
; RUN: trace-gpu-sim %s --kernel=registers --grid=2,3,1 --block=4,5,2 --arg=6x40x10xi32 --print=0 --orders=2 | FileCheck %s --check-prefix=REGS
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.warpid()
declare i32 @llvm.nvvm.read.ptx.sreg.warpsize()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.ge()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.sync.down.f32p(i32, float, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.redux.sync.min(i32, i32)
declare i32 @llvm.nvvm.redux.sync.max(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umin(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umax(i32, i32)
declare i32 @llvm.nvvm.redux.sync.and(i32, i32)
declare i32 @llvm.nvvm.redux.sync.or(i32, i32)
declare i32 @llvm.nvvm.redux.sync.xor(i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32, i64)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; bfly by 1, up by 2, down by 3, lane 5: a lane that would read beyond the warp gets its own value.
; SHUFFLE:      1 0 3 5{{$}}
; SHUFFLE-NEXT: 0 1 4 5{{$}}
; SHUFFLE-NEXT: 3 0 5 5{{$}}
; SHUFFLE-NEXT: 2 1 6 5{{$}}
; SHUFFLE:      29 26 31 5{{$}}
; SHUFFLE-NEXT: 28 27 29 5{{$}}
; SHUFFLE-NEXT: 31 28 30 5{{$}}
; SHUFFLE-NEXT: 30 29 31 5{{$}}
define ptx_kernel void @shuffles(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  %b = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %t, i32 2, i32 0)
  %c = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %t, i32 3, i32 31)
  %d = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 5, i32 31)
  %v0 = insertelement <4 x i32> poison, i32 %a, i32 0
  %v1 = insertelement <4 x i32> %v0, i32 %b, i32 1
  %v2 = insertelement <4 x i32> %v1, i32 %c, i32 2
  %v3 = insertelement <4 x i32> %v2, i32 %d, i32 3
  %p = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  store <4 x i32> %v3, ptr addrspace(1) %p, align 16
  ret void
}

; Segments of 8 lanes (the mask of lanes in bits 8 to 12), and the predicate: down by 2 is in the segment or not. The second
; warp has 8 lanes.
; SEGMENT: 2 1{{$}}
; SEGMENT: 7 1{{$}}
; SEGMENT-NEXT: 6 0{{$}}
; SEGMENT-NEXT: 7 0{{$}}
; SEGMENT-NEXT: 10 1{{$}}
; SEGMENT: 38 0{{$}}
; SEGMENT-NEXT: 39 0{{$}}
define ptx_kernel void @segments(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = uitofp i32 %t to float
  ; 0x181f: segments of 8, up to lane 31.
  %r = call {float, i1} @llvm.nvvm.shfl.sync.down.f32p(i32 -1, float %f, i32 2, i32 6175)
  %v = extractvalue {float, i1} %r, 0
  %c = extractvalue {float, i1} %r, 1
  %n = uitofp i1 %c to float
  %v0 = insertelement <2 x float> poison, float %v, i32 0
  %v1 = insertelement <2 x float> %v0, float %n, i32 1
  %p = getelementptr <2 x float>, ptr addrspace(1) %out, i32 %t
  store <2 x float> %v1, ptr addrspace(1) %p, align 8
  ret void
}

; VOTE: arg0: tensor<6xi32> = 31 0 1 0 1 -1
define ptx_kernel void @votes(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 5
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %c)
  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %c)
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %c)
  %uni = call i1 @llvm.nvvm.vote.uni.sync(i32 -1, i1 %c)
  %same = call i1 @llvm.nvvm.vote.uni.sync(i32 -1, i1 false)
  %active = call i32 @llvm.nvvm.activemask()
  %all32 = zext i1 %all to i32
  %any32 = zext i1 %any to i32
  %uni32 = zext i1 %uni to i32
  %same32 = zext i1 %same to i32
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %done
write:
  %p1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  %p2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  %p3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  %p4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  %p5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store i32 %ballot, ptr addrspace(1) %out, align 4
  store i32 %all32, ptr addrspace(1) %p1, align 4
  store i32 %any32, ptr addrspace(1) %p2, align 4
  store i32 %uni32, ptr addrspace(1) %p3, align 4
  store i32 %same32, ptr addrspace(1) %p4, align 4
  store i32 %active, ptr addrspace(1) %p5, align 4
  br label %done
done:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

; Of -1 to 30: the sum, and the others.
; REDUCE: arg0: tensor<8xi32> = 464 -1 30 0 -1 0 -1 -32
define ptx_kernel void @reductions(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = sub i32 %t, 1
  %a = call i32 @llvm.nvvm.redux.sync.add(i32 %x, i32 -1)
  %b = call i32 @llvm.nvvm.redux.sync.min(i32 %x, i32 -1)
  %c = call i32 @llvm.nvvm.redux.sync.max(i32 %x, i32 -1)
  %d = call i32 @llvm.nvvm.redux.sync.umin(i32 %x, i32 -1)
  %e = call i32 @llvm.nvvm.redux.sync.umax(i32 %x, i32 -1)
  %f = call i32 @llvm.nvvm.redux.sync.and(i32 %x, i32 -1)
  %g = call i32 @llvm.nvvm.redux.sync.or(i32 %x, i32 -1)
  %h = call i32 @llvm.nvvm.redux.sync.xor(i32 %x, i32 -1)
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %done
write:
  %v0 = insertelement <8 x i32> poison, i32 %a, i32 0
  %v1 = insertelement <8 x i32> %v0, i32 %b, i32 1
  %v2 = insertelement <8 x i32> %v1, i32 %c, i32 2
  %v3 = insertelement <8 x i32> %v2, i32 %d, i32 3
  %v4 = insertelement <8 x i32> %v3, i32 %e, i32 4
  %v5 = insertelement <8 x i32> %v4, i32 %f, i32 5
  %v6 = insertelement <8 x i32> %v5, i32 %g, i32 6
  %v7 = insertelement <8 x i32> %v6, i32 %h, i32 7
  store <8 x i32> %v7, ptr addrspace(1) %out, align 16
  br label %done
done:
  ret void
}

; Lanes of equal value (the lane modulo 4); then all the same, and all but one.
; MATCH: 286331153 -1 0{{$}}
; MATCH-NEXT: 572662306 -1 0{{$}}
define ptx_kernel void @matches(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = and i32 %t, 3
  %a = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %m)
  %b = call {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32 -1, i64 7)
  %last = icmp eq i32 %t, 31
  %w = zext i1 %last to i64
  %c = call {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32 -1, i64 %w)
  %b0 = extractvalue {i32, i1} %b, 0
  %c1 = extractvalue {i32, i1} %c, 1
  %c32 = zext i1 %c1 to i32
  %p = getelementptr [3 x i32], ptr addrspace(1) %out, i32 %t
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  %r = getelementptr i32, ptr addrspace(1) %p, i32 2
  store i32 %a, ptr addrspace(1) %p, align 4
  store i32 %b0, ptr addrspace(1) %q, align 4
  store i32 %c32, ptr addrspace(1) %r, align 4
  ret void
}

; Two halves of a warp, each with its own mask and at its own instruction.
; HALVES: arg0: tensor<32xi32> = 1 0 3 2 {{.*}} 15 14 18 19 16 17 {{.*}} 30 31 28 29
define ptx_kernel void @halves(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 16
  br i1 %c, label %low, label %high
low:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 65535, i32 %t, i32 1, i32 31)
  br label %join
high:
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -65536, i32 %t, i32 2, i32 31)
  br label %join
join:
  %v = phi i32 [%a, %low], [%b, %high]
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

; NEVER: kernel 'never', block (0, 0, 0), thread (9, 0, 0): waits for ever at a barrier that only 1 of 32 threads reach
; NEVER-SAME: thread (0, 0, 0) waits in another warp operation, with mask 0xffffffff
define ptx_kernel void @never() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 9
  br i1 %c, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %done
b:
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  br label %done
done:
  ret void
}

; EXITED: kernel 'exited', block (0, 0, 0), thread (8, 0, 0): a shuffle reads from lane 9, which has exited (mask 0xffffffff) at '%x = call i32
define ptx_kernel void @exited() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 9
  br i1 %c, label %done, label %b
b:
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  br label %done
done:
  ret void
}

; SHORT: a shuffle reads from lane 20, which does not exist
define ptx_kernel void @whole() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 16, i32 31)
  %y = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 20, i32 31)
  ret void
}

; OUTSIDE: thread (16, 0, 0): the mask 0xffff of a shuffle does not hold the thread's own lane 16
define ptx_kernel void @outside() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 65535, i32 %t, i32 1, i32 31)
  ret void
}

; UNMASKED: a shuffle reads from lane 16, which is not in the mask (mask 0xffff)
define ptx_kernel void @unmasked() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 16
  br i1 %c, label %a, label %done
a:
  %x = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 65535, i32 %t, i32 1, i32 31)
  br label %done
done:
  ret void
}

; Every other lane leaves out lane 0.
; DISAGREE: thread (0, 0, 0): waits for ever in a warp operation with mask 0xffffffff at '%x = call i32 @llvm.nvvm.shfl.sync.bfly
; DISAGREE-SAME: thread (1, 0, 0) waits in another warp operation, with mask 0xfffffffe
define ptx_kernel void @disagree() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %m = sub i32 -1, %odd
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %m, i32 %t, i32 2, i32 31)
  ret void
}

; Two halves of a warp that do not agree on who takes part.
; MASKS: lanes of one warp meet at different instructions, here and at '%{{[xy]}} = call i32 @llvm.nvvm.shfl.sync.bfly
define ptx_kernel void @masks() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 16
  %m = select i1 %c, i32 65535, i32 -1
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %m, i32 %t, i32 1, i32 31)
  %y = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 1, i32 31)
  ret void
}

; Of each thread: its place in the block and the block's in the grid as digits, their extents as digits, lane, warp, and
; the masks of lanes below and from its own.
; REGS: 0 0 452 231 0 0 32 0 -1 7{{$}}
; REGS: 300 0 452 231 3 0 32 7 -8 7{{$}}
; REGS: 341 120 452 231 7 1 32 127 -128 7{{$}}
define ptx_kernel void @registers(ptr addrspace(1) %out) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %bz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %gz = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %t = call i32 @digits(i32 %tx, i32 %ty, i32 %tz)
  %b = call i32 @digits(i32 %bx, i32 %by, i32 %bz)
  %n = call i32 @digits(i32 %nx, i32 %ny, i32 %nz)
  %g = call i32 @digits(i32 %gx, i32 %gy, i32 %gz)
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %warp = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  %lt = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %ge = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.ge()
  %x0 = mul i32 %tz, 5
  %x1 = add i32 %x0, %ty
  %x2 = mul i32 %x1, 4
  %thread = add i32 %x2, %tx
  %y0 = mul i32 %bz, 3
  %y1 = add i32 %y0, %by
  %y2 = mul i32 %y1, 2
  %block = add i32 %y2, %bx
  %z0 = mul i32 %block, 40
  %z = add i32 %z0, %thread
  %p = getelementptr [10 x i32], ptr addrspace(1) %out, i32 %z
  store i32 %t, ptr addrspace(1) %p, align 4
  call void @put(ptr addrspace(1) %p, i32 1, i32 %b)
  call void @put(ptr addrspace(1) %p, i32 2, i32 %n)
  call void @put(ptr addrspace(1) %p, i32 3, i32 %g)
  call void @put(ptr addrspace(1) %p, i32 4, i32 %lane)
  call void @put(ptr addrspace(1) %p, i32 5, i32 %warp)
  call void @put(ptr addrspace(1) %p, i32 6, i32 %size)
  call void @put(ptr addrspace(1) %p, i32 7, i32 %lt)
  call void @put(ptr addrspace(1) %p, i32 8, i32 %ge)
  call void @put(ptr addrspace(1) %p, i32 9, i32 7)
  ret void
}
define internal i32 @digits(i32 %x, i32 %y, i32 %z) {
  %a = mul i32 %x, 100
  %b = mul i32 %y, 10
  %c = add i32 %a, %b
  %d = add i32 %c, %z
  ret i32 %d
}
define internal void @put(ptr addrspace(1) %p, i32 %i, i32 %v) {
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}
