//===- Passes.td - Kernels for NVIDIA GPUs ----------------------------------===//
#ifndef TRACE_CODEGEN_GPU_PASSES_TD
#define TRACE_CODEGEN_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerFusionsToGpu : Pass<"trace-lower-fusions-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Makes a gpu.module with the kernels of every fusion function";
  let description = [{
    For each `func.func @f(tensors) -> (tensors)` with `trace.fusion` this adds `gpu.module @f__gpu` with its kernels
    `@f__kernel<i>`, which are launched in order; the fusion function itself stays, for whoever looks at its types and
    layouts, until the host code has been lowered.

    A kernel takes the addresses of the buffers that it touches, as memrefs of static size in global memory. On the
    gpu.module, `trace.kernels` says for each kernel its launch (`grid`, `block`), its static shared memory in bytes
    (`shared`), the number of registers that the launch was planned for (`max_registers`), how its threads share the work
    (`mapping`; `lanes`, the elements of one access; `unroll`, accesses in a row; `bytes_in_flight`, what a thread asks for
    before it needs the first) and `slots`: for each parameter the number of the fusion's pointer that it is (operands in
    order, then results, then scratch buffers).
    `trace.scratch` has the sizes of the scratch buffers in bytes. A pointer must be a multiple of 16 bytes. Shapes and
    strides are constants of the code: operands have the strides that `trace.strides` gives, contiguous ones without; so
    have results. An element of i1 is a byte, 0 or 1.

    The schedule (include/trace/Codegen/Kernel/Schedule.h) says which kernels a fusion needs, the launch
    (include/trace/Codegen/GPU/Launch.h) what each thread does; a remark of category `trace-lower-fusions-to-gpu` prints
    both. Accesses are 16 bytes wide where the shape is a multiple of that and the address provably too. Rows are reduced by
    shuffles inside a warp and through shared memory across warps, columns through shared memory, more than a block can
    hold through partial results in scratch memory and a second kernel. No atomics: results do not depend on the order in
    which blocks run.

    ```mlir
    func.func private @fused_mul(%a: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<4096xf32> attributes {trace.fusion} {
      %r = trace.mul %a, %b : tensor<4096xf32>
      trace.return outputs(%r : tensor<4096xf32>)
    }
    // adds
    gpu.module @fused_mul__gpu attributes {trace.kernels = [{block = array<i64: 128, 1, 1>, grid = array<i64: 8, 1, 1>, ...
      gpu.func @fused_mul__kernel0(%a: memref<4096xf32, 1>, %b: memref<4096xf32, 1>, %r: memref<4096xf32, 1>) kernel {
        ... vector.load ... arith.mulf ... vector.store ...
    ```

    Precondition: every operation in a fusion function satisfies `trace::kernel::canEmit`; one that does not is an error
    at the operation.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"", "The GPU: sm_80, sm_86, sm_89, sm_90, sm_100, or a variant of one">,
    Option<"exactRounding", "exact-rounding", "bool", "false",
           "Round f16 and bf16 after every operation, as eager does, not only where a program can see it">,
    Option<"lanes", "lanes", "unsigned", "0", "Elements per access, at most; 0: by the types">,
    Option<"unroll", "unroll", "unsigned", "0", "Accesses in flight per thread; 0: by the size of the kernel">,
    Option<"threads", "threads", "unsigned", "0", "Threads of a block; 0: by occupancy">
  ];
  let dependentDialects = ["arith::ArithDialect", "::mlir::gpu::GPUDialect", "LLVM::LLVMDialect", "math::MathDialect",
                           "memref::MemRefDialect", "scf::SCFDialect", "vector::VectorDialect"];
}

#endif
