//===- Passes.td - Kernels for the CPU --------------------------------------===//
#ifndef TRACE_CODEGEN_CPU_PASSES_TD
#define TRACE_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerFusionsToCpu : Pass<"trace-lower-fusions-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Makes vectorised loops of every fusion function";
  let description = [{
    For each `func.func @f(tensors) -> (tensors)` with `trace.fusion` this adds `func.func @f__entry(!llvm.ptr)` and its
    kernels `@f__kernel<i>(!llvm.ptr, i64 lo, i64 hi, i64 tid)`; the fusion function itself stays, for whoever looks at
    its types and layouts, until the host code has been lowered.

    The entry takes an array of data pointers: the operands in order, then the results in order. Shapes and strides are
    constants of the code: operands have the strides that `trace.strides` gives, contiguous ones without; so have
    results. An element of i1 is a byte, 0 or 1. Accesses assume the alignment of an element only.

    A kernel runs over [lo, hi) of its parallel units; the entry hands it to `trace_rt_parallel_for`. Scratch memory
    between kernels comes from `trace_rt_scratch`. Results do not depend on how the units are spread over threads:
    reductions are cut into chunks by shape alone and combined in a fixed order (lanes by halves, vectors pairwise).

    What a fusion becomes is decided by the schedule (include/trace/Codegen/Kernel/Schedule.h), which a remark of
    category `trace-lower-fusions-to-cpu` prints.

    ```mlir
    func.func private @fused_mul(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32> attributes {trace.fusion} {
      %r = trace.mul %a, %b : tensor<1000xf32>
      trace.return outputs(%r : tensor<1000xf32>)
    }
    // adds
    func.func private @fused_mul__kernel0(%args: !llvm.ptr, %lo: i64, %hi: i64, %tid: i64) {
      ... scf.for ... { vector.load ... arith.mulf ... vector.store }
          scf.for ... { vector.maskedload ... arith.mulf ... vector.maskedstore }
    }
    func.func @fused_mul__entry(%args: !llvm.ptr) {
      ... call @trace_rt_parallel_for(kernel0, %args, units, grain)
    }
    ```

    Precondition: every operation in a fusion function satisfies `trace::kernel::canEmit`; one that does not is an error at
    the operation.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "0", "Width of vectors in bits; 0: as wide as this machine's">,
    Option<"exactRounding", "exact-rounding", "bool", "false",
           "Round f16 and bf16 after every operation, as eager does, not only where a program can see it">
  ];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "LLVM::LLVMDialect", "math::MathDialect",
                           "memref::MemRefDialect", "scf::SCFDialect", "vector::VectorDialect"];
}

#endif
