//===- Passes.td - Host functions: library calls, layouts, runtime calls ----===//
#ifndef TRACE_CODEGEN_HOST_PASSES_TD
#define TRACE_CODEGEN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

// A *host function* is a func.func that is not private, has a body ending in trace.return, and is no fusion.

def LowerToLibrary : Pass<"trace-lower-to-library", "::mlir::ModuleOp"> {
  let summary = "Prims without a kernel and opaque bound symbols become calls of LibTorch operators";
  let description = [{
    Rewrites every op of a host function that has to run through LibTorch as a `trace.call_library`, with the operator's
    schema name and argument list:

    * opaque bound symbols, by their own name and arguments;
    * the library prims: `matmul` (`aten.mm`, `aten.bmm`; with several batch dimensions, also where they were flattened
      just before, `aten.matmul`, which copies nothing; with a fusion that only adds a bias, `aten.addmm`, which is what
      eager's linear computes, bit for bit), `convolution` and its gradients (the two gradients of one convolution are one `aten.convolution_backward`), `cumsum`, `cumprod`,
      `index`, `index_put`, `index_add` (`aten.embedding_dense_backward` where the base is zero and the slices are rows),
      `scatter`, `scatter_add`, `sort`, `topk`;
    * elementwise ops, reductions, data movement and indexing that stand outside a fusion (the fuser left them there
      because no kernel can hold them). A remark of category `trace-lower-to-library` names each.

    Calls of fusions, views, constants, `check_index`, `release` and `return` stay. Private functions that nothing
    names any more (gradient rules) are erased.

    Before:
    ```mlir
    %1 = trace.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32>
    %2 = trace.erfinv %1 : tensor<4x16xf32>
    ```
    After:
    ```mlir
    %1 = trace.call_library "aten.mm.default"(%a, %b) {arguments = [#trace.operand<0>, #trace.operand<1>]}
         : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %2 = trace.call_library "aten.erfinv.default"(%1) {arguments = [#trace.operand<0>]} : (tensor<4x16xf32>) -> tensor<4x16xf32>
    ```

    Precondition: bound symbols with a decomposition are claimed or inlined (`trace-claim`); no `get_grad` is left
    (`trace-split`). Fails, with an error at the op, on these, and on an op that no operator of LibTorch computes (random
    numbers, dynamic sizes).
  }];
  let dependentDialects = ["::mlir::trace::TraceDialect", "::mlir::func::FuncDialect"];
}

def AssignLayouts : Pass<"trace-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Every value of the host functions gets strides";
  let description = [{
    Until here a value is logical. This pass decides the strides of each, in elements, and writes them down: on
    ops of host functions as `trace.layouts` (one array per result), on fusion functions' and host functions'
    arguments and results as `trace.strides` (absent where contiguous).

    * A host function's argument has the strides that it states. A backward's argument takes those of what it stands for: the
      forward's saved result, argument or output; a cotangent those of its output.
    * Views (`transpose`, `slice`, `broadcast_in_dim`, `reshape`) are metadata: strides computed from the operand's. A
      `reshape` that no strides can express gets a contiguous copy of its operand (`aten.clone`) in front.
    * A fusion's results and matrix products are made in the layout in which they are wanted: where a value, or a transpose
      of it, is a result of the host function that states strides, in these; contiguous otherwise. A fusion called with several
      layouts is cloned per layout.
    * Other library calls give the strides that `result_strides` states, contiguous where absent.
    * Results of a host function have the strides that they state, contiguous where they state none; a copy is made where the
      value has others. A *saved* value keeps the layout that it has, a gradient that its consumer would have to copy
      anyway too.

    It also settles who owns what is returned: an output (role `output`, or none) that would share its buffer with an
    argument, with a constant, or with the same value returned before, is copied; an `alias` is not.

    Before:
    ```mlir
    func.func @f_forward(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
      %0 = trace.call @fused_sin(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %1 = trace.transpose %0 [1, 0] : tensor<4x8xf32>
      trace.return outputs(%1 : tensor<8x4xf32>)
    ```
    After: the fusion writes so that the transpose is contiguous.
    ```mlir
      %0 = trace.call @fused_sin(%x) {trace.layouts = [array<i64: 1, 4>]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %1 = trace.transpose %0 [1, 0] {trace.layouts = [array<i64: 4, 1>]} : tensor<4x8xf32>
    ```

    Precondition: `trace-lower-to-library`. Fails, with an error at the op, on a dynamic shape.
  }];
  let dependentDialects = ["::mlir::trace::TraceDialect", "::mlir::func::FuncDialect"];
}

def LowerHost : Pass<"trace-lower-host", "::mlir::ModuleOp"> {
  let summary = "Host functions become functions that call the runtime";
  let description = [{
    Replaces each host function by `@name(ctx: !llvm.ptr, args: !llvm.ptr, results: !llvm.ptr) -> i32` on arrays of
    AtenTensorHandles, in ops of the LLVM dialect and calls of the runtime's C functions (include/trace/Runtime/Runtime.h).
    It returns 0, or 1 with the runtime's message set, naming the operation and the user's file and line; then nothing
    is left allocated and no result is set.

    * Arguments are checked against their static type and strides first; one with other strides is copied into the expected
      ones (a cotangent may come expanded).
    * A fusion runs on the CPU by its entry; where a `gpu.binary @<fusion>__gpu` stands for it (`trace-gpu-to-binary`), its
      kernels are launched in the order of `trace.kernels`, on scratch buffers as `trace.scratch` says. An operand that may
      not start at a multiple of 16 bytes is copied first where it does not (`trace_rt_align`). The images become data of
      the module.
    * A fusion's result that only fusions read is a plain buffer of the pool; otherwise a tensor on a pool buffer. Views that
      only fusions read are an address; otherwise a handle, made at first use.
    * A buffer goes back to the pool, a handle is deleted, right after the last use of the value and of all its views;
      `trace.release`s, which say no less, are dropped.
    * Library calls, literal tensors, modules for a GPU and their kernels are entries of the module's table, made ready once when the module is loaded: the
      function `@trace_get_table(size: !llvm.ptr) -> !llvm.ptr` gives the table for `trace_rt_context_create`; `ctx` is what that returns.
      `aten.mm`, `aten.bmm`, `aten.addmm` and `aten.clone` have entries of their own in the runtime.
    * The types, roles and strides of the arguments and results stay as the attribute `trace.signature`, by which trace-run
      runs the lowered stage.

    Precondition: `trace-assign-layouts`, and `@<fusion>__entry` for each fusion called (`trace-lower-fusions-to-cpu`;
    where it is not there yet it is declared) or a `gpu.binary`. Fusion functions that are no longer called are erased. Fails, with an error
    at the op, on an op that has no host form.
  }];
  let dependentDialects = ["::mlir::trace::TraceDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def DescribeHost : Pass<"trace-describe-host", "::mlir::ModuleOp"> {
  let summary = "Prints what each host function does, as JSON";
  let description = [{
    For readers without a compiler: one line of JSON per host function with its numbered tensors (dtype, shape, strides in
    elements) and its steps (views, fusions, library calls, literals) in order. include/trace/Codegen/Host/DescribeHost.h has the
    format, python/torch_trace/standalone runs it. The module is not changed.

    ```mlir
    func.func @f_forward(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = trace.call @fused_sin(%x) {trace.layouts = [array<i64: 1>]} : (tensor<4xf32>) -> tensor<4xf32>
      trace.return outputs(%0 : tensor<4xf32>)
    // prints
    {"name":"f_forward","arguments":[0],"results":[1],"steps":[ {"op":"fusion","name":"fused_sin","operands":[0],"results":[1]} ]}
    ```

    Precondition: `trace-assign-layouts`. Fails, with an error at the op, on an op that has no host form.
  }];
  let options = [Option<"output", "output", "std::string", "\"\"", "The file to write to; empty: standard output">];
}

#endif
