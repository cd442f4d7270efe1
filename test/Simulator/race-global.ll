; Nothing orders threads of different blocks, and only barriers those of one. Atomic accesses do not race with each other.
; RUN: not trace-gpu-sim %s --kernel=blocks --grid=2 --arg=1xi32 2>&1 | FileCheck %s --check-prefix=BLOCKS
; RUN: not trace-gpu-sim %s --kernel=blocks --grid=2 --arg=1xi32 --unregistered 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; RUN: trace-gpu-sim %s --kernel=blocks --grid=1 --arg=1xi32 --print=0 | FileCheck %s --check-prefix=ONE
; RUN: not trace-gpu-sim %s --kernel=reads_then_write --grid=2 --arg=2xi32=0 2>&1 | FileCheck %s --check-prefix=READ
; RUN: not trace-gpu-sim %s --kernel=bytes --block=4 --arg=4xi8 2>&1 | FileCheck %s --check-prefix=HALVES
; RUN: trace-gpu-sim %s --kernel=halves --block=4 --arg=4xi16 --print=0 | FileCheck %s --check-prefix=PACKED
; RUN: trace-gpu-sim %s --kernel=atomic --grid=3 --block=40 --arg=1xi32=0 --print=0 | FileCheck %s --check-prefix=ATOMIC
; RUN: not trace-gpu-sim %s --kernel=atomic_then_read --grid=1 --block=40 --arg=1xi32=0 --arg=40xi32 2>&1 | FileCheck %s --check-prefix=MIXED
; RUN: not trace-gpu-sim %s --kernel=read_only --block=1 --arg=2xi32=0 2>&1 | FileCheck %s --check-prefix=CACHE
; RUN: not trace-gpu-sim %s --kernel=parameter_read_only --grid=1 --arg=1xi32=0 --arg=1xi32 --no-checks --print=7 2>&1 | FileCheck %s --check-prefix=PRINT
; RUN: not trace-gpu-sim %s --kernel=ticket --block=8 --arg=1xi32=0 --arg=8xi32 --orders=3 2>&1 | FileCheck %s --check-prefix=TICKET
; RUN: not trace-gpu-sim %s --kernel=ticket_of_block --grid=8 --arg=1xi32=0 --arg=8xi32 --orders=3 2>&1 | FileCheck %s --check-prefix=TICKET
; RUN: trace-gpu-sim %s --kernel=ticket --block=8 --arg=1xi32=0 --arg=8xi32 --print=0,1 | FileCheck %s --check-prefix=NUMBERED
; RUN: trace-gpu-sim %s --kernel=shared_value --grid=4 --block=40 --arg=1xi32=5 --arg=160xi32 --print=1 --orders=3 | FileCheck %s --check-prefix=VALUE
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; BLOCKS: kernel 'blocks', block (1, 0, 0), thread (0, 0, 0): store of 4 bytes through parameter 0 of {{.*}} (byte 0 of a registered range of 4 bytes)
; BLOCKS-SAME: races with a store by block (0, 0, 0), thread (0, 0, 0) at 'store i32 7, ptr addrspace(1) %out, align 4'; here at 'store i32 7
; UNKNOWN: store of 4 bytes through parameter 0 of 0x{{[0-9a-f]*}} races with a store by block (0, 0, 0)
; ONE: arg0: tensor<1xi32> = 7
define ptx_kernel void @blocks(ptr addrspace(1) %out) {
  store i32 7, ptr addrspace(1) %out, align 4
  ret void
}

; READ: races with a
define ptx_kernel void @reads_then_write(ptr addrspace(1) %a) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %b
  %v = load i32, ptr addrspace(1) %a, align 4
  %w = add i32 %v, %b
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

; Neighbouring bytes are not the same bytes, but these overlap.
; HALVES: races with a store
define ptx_kernel void @bytes(ptr addrspace(1) %a) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %h = lshr i32 %t, 1
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %h
  store i8 1, ptr addrspace(1) %p, align 1
  ret void
}

; PACKED: arg0: tensor<4xi16> = 0 1 2 3
define ptx_kernel void @halves(ptr addrspace(1) %a) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i16, ptr addrspace(1) %a, i32 %t
  %v = trunc i32 %t to i16
  store i16 %v, ptr addrspace(1) %p, align 2
  ret void
}

; ATOMIC: arg0: tensor<1xi32> = 120
define ptx_kernel void @atomic(ptr addrspace(1) %a) {
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 syncscope("device") monotonic, align 4
  ret void
}

; The last thread to add may read its own result, but not what the others have added.
; MIXED: load of 4 bytes through parameter 0 {{.*}} races with an atomic access
define ptx_kernel void @atomic_then_read(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic, align 4
  %isLast = icmp eq i32 %t, 39
  br i1 %isLast, label %read, label %done
read:
  %v = load i32, ptr addrspace(1) %a, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  br label %done
done:
  ret void
}

; No race, but a result that depends on who comes first.
; TICKET: trace-gpu-sim: buffer 1 depends on the order of threads: orders 0 and 1 differ
; NUMBERED: arg0: tensor<1xi32> = 8
; NUMBERED: arg1: tensor<8xi32> = 0 1 2 3 4 5 6 7
define ptx_kernel void @ticket(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %old, ptr addrspace(1) %p, align 4
  ret void
}

define ptx_kernel void @ticket_of_block(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %b
  store i32 %old, ptr addrspace(1) %p, align 4
  ret void
}

; What everybody reads and nobody writes, and a value that a thread writes and reads itself.
; VALUE: arg1: tensor<160xi32> = 10 10 10
define ptx_kernel void @shared_value(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, 40
  %i = add i32 %row, %t
  %v = load i32, ptr addrspace(1) %a, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store volatile i32 %v, ptr addrspace(1) %p, align 4
  %w = load volatile i32, ptr addrspace(1) %p, align 4
  %u = load volatile i32, ptr addrspace(1) %a, align 4
  %s = add i32 %w, %u
  store volatile i32 %s, ptr addrspace(1) %p, align 4
  ret void
}

; CACHE: load of 4 bytes through parameter 0 may be served from a read-only cache, but {{.*}} was written in this launch by block (0, 0, 0), thread (0, 0, 0) at 'store i32 1
define ptx_kernel void @read_only(ptr addrspace(1) %a) {
  %q = getelementptr i32, ptr addrspace(1) %a, i32 1
  store i32 1, ptr addrspace(1) %a, align 4
  %v = load i32, ptr addrspace(1) %a, align 4, !invariant.load !0
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; PRINT: --print=7: there is no such buffer
define ptx_kernel void @parameter_read_only(ptr addrspace(1) noalias readonly %a, ptr addrspace(1) %out) {
  %v = load i32, ptr addrspace(1) %a, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}

!0 = !{}
