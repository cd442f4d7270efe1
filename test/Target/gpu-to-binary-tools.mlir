// What ptxas says is read from its messages: here from a program that says what ptxas says of a kernel that spills, and
// of a function that it did not inline.
// RUN: split-file %s %t
// RUN: chmod +x %t/ptxas
// RUN: trace-opt %t/f.mlir --trace-gpu-to-binary="format=cubin ptxas=%t/ptxas" | FileCheck %s
// The places where it is looked for: the environment, and toolkits by option and environment.
// RUN: env TORCH_TRACE_PTXAS=%t/ptxas trace-opt %t/f.mlir --trace-gpu-to-binary="format=cubin" | FileCheck %s
// RUN: mkdir -p %t/toolkit/bin
// RUN: cp %t/ptxas %t/toolkit/bin
// RUN: trace-opt %t/f.mlir --trace-gpu-to-binary="format=cubin toolkit=%t/toolkit" | FileCheck %s
// RUN: env CUDA_HOME=%t/toolkit trace-opt %t/f.mlir --trace-gpu-to-binary="format=cubin" | FileCheck %s
// RUN: env CUDA_HOME= CUDA_PATH=%t/toolkit trace-opt %t/f.mlir --trace-gpu-to-binary="format=cubin" | FileCheck %s
// A tool that ends badly, and one that writes nothing.
// RUN: chmod +x %t/silent
// RUN: not trace-opt %t/f.mlir --trace-gpu-to-binary="format=cubin ptxas=%t/silent" 2>&1 | FileCheck %s --check-prefix=SILENT

// CHECK: gpu.binary @f__gpu {trace.kernels = [{name = "first", registers = 255 : i64, shared = 49152 : i64, spills = 1200 : i64, stack = 512 : i64}, {name = "second", registers = 16 : i64, shared = 0 : i64, spills = 0 : i64, stack = 0 : i64}, {name = "unknown"}]}
// CHECK-SAME: bin = "machine code\0A"
// SILENT: error: '{{.*}}silent' failed{{$}}

//--- f.mlir
gpu.module @f__gpu attributes {trace.kernels = [{name = "first"}, {name = "second"}, {name = "unknown"}]} {
  llvm.func @first() attributes {nvvm.kernel} { llvm.return }
  llvm.func @second() attributes {nvvm.kernel} { llvm.return }
}

//--- ptxas
#!/bin/sh
while [ "$1" != "-o" ]; do shift; done
echo "machine code" > "$2"
cat <<END
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for helper
    1024 bytes stack frame, 100 bytes spill stores, 100 bytes spill loads
ptxas info    : Function properties for first
    512 bytes stack frame, 400 bytes spill stores, 600 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 512 bytes cumulative stack size, 49152 bytes smem, 380 bytes cmem[0]
ptxas info    : Compile time = 35.9 ms
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 16 registers, used 0 barriers
END

//--- silent
#!/bin/sh
exit 3
