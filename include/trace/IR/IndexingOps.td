//===- IndexingOps.td - Elements chosen by index tensors --------------------===//
#ifndef TRACE_INDEXING_OPS_TD
#define TRACE_INDEXING_OPS_TD

include "trace/IR/TraceDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Index tensors are i64. Indices out of range are an error at run time, raised where LibTorch runs the op; the code
// generator only takes an indexing op whose indices an earlier op has checked or whose range is known.

def Trace_CheckIndexOp : Trace_Op<"check_index", [SameOperandsAndResultType, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Indices of a dimension of `size`, checked at run time";
  let description = [{
    Raises an IndexError where an index is not in [0, size), or, with `wrap`, not in [-size, size); `wrap` adds `size` to
    negative indices. `ignore`, where given, is a value that is let through unchanged (cross_entropy's ignore_index).
    The effects keep it from being removed or moved past another check.

    ```mlir
    %c = trace.check_index %i size 10 wrap false : tensor<5xi64>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I64]>:$index, I64Attr:$size, BoolAttr:$wrap, OptionalAttr<I64Attr>:$ignore);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$index `size` $size `wrap` $wrap (`ignore` $ignore^)? attr-dict `:` type($index)";
}

def Trace_GatherOp : Trace_PureOp<"gather", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "torch.gather: result[i, j, ..] = x[.., index[i, j, ..], ..]";
  let description = [{
    The index stands at dimension `dim`; the result has the shape of `index`.

    ```mlir
    %r = trace.gather %x, %i dim 1 : tensor<4x8xf32>, tensor<4x1xi64>     // tensor<4x1xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, RankedTensorOf<[I64]>:$index, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $index `dim` $dim attr-dict `:` type($input) `,` type($index)";
  let hasVerifier = 1;
}

def Trace_TakeOp : Trace_PureOp<"take", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Whole slices of x along `dim`, chosen by an index tensor of any rank";
  let description = [{
    `result[a.., i.., b..] = x[a.., index[i..], b..]`: torch.index_select for a 1-d index, an embedding for `dim` 0.

    ```mlir
    %r = trace.take %w, %tokens dim 0 : tensor<100x16xf32>, tensor<2x8xi64>     // tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, RankedTensorOf<[I64]>:$index, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $index `dim` $dim attr-dict `:` type($input) `,` type($index)";
  let hasVerifier = 1;
}

def Trace_IndexAddOp : Trace_PureOp<"index_add", [Trace_Library, AllTypesMatch<["input", "result"]>]> {
  let summary = "x with slices added at places chosen along `dim`: the inverse of `take`";
  let description = [{
    `result = x; result[a.., index[i..], b..] += source[a.., i.., b..]` for all i, in index order (deterministic).

    ```mlir
    %r = trace.index_add %x, %i, %s dim 0 : tensor<100x16xf32>, tensor<2x8xi64>, tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, RankedTensorOf<[I64]>:$index, AnyRankedTensor:$source, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $index `,` $source `dim` $dim attr-dict `:` type($input) `,` type($index) `,` type($source)";
  let hasVerifier = 1;
}

class Trace_ScatterBase<string mnemonic, string what>
    : Trace_PureOp<mnemonic, [Trace_Library, AllTypesMatch<["input", "result"]>, AllShapesMatch<["index", "source"]>]> {
  let summary = what;
  let description = !strconcat(what, ". `index` and `source` have one shape, the operand's rank; `index` stands at `dim`.\n\n```mlir\n%r = trace.", mnemonic,
    " %x, %i, %s dim 1 : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>\n```\n");
  let arguments = (ins AnyRankedTensor:$input, RankedTensorOf<[I64]>:$index, AnyRankedTensor:$source, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $index `,` $source `dim` $dim attr-dict `:` type($input) `,` type($index) `,` type($source)";
  let hasVerifier = 1;
}
def Trace_ScatterAddOp : Trace_ScatterBase<"scatter_add", "torch.scatter_add: x[.., index[i], ..] += source[i]">;
def Trace_ScatterOp : Trace_ScatterBase<"scatter", "torch.scatter: x[.., index[i], ..] = source[i]; of equal indices one wins">;

def Trace_IndexOp : Trace_PureOp<"index", [Trace_Library]> {
  let summary = "x[.., i, j, ..] with index tensors at some dimensions (aten.index.Tensor)";
  let description = [{
    `indices[k]` stands at dimension `dims[k]`; index tensors have one shape (broadcast first). The result's shape is
    PyTorch's: the index shape where the indexed dimensions stand if they are adjacent, in front otherwise.

    ```mlir
    %r = trace.index %x[%i, %j] dims [0, 1] : tensor<4x8x2xf32>, tensor<5xi64>, tensor<5xi64> to tensor<5x2xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Variadic<RankedTensorOf<[I64]>>:$indices, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `[` $indices `]` `dims` $dims attr-dict `:` type($input) `,` type($indices) `to` type($result)";
  let hasVerifier = 1;
}

def Trace_IndexPutOp : Trace_PureOp<"index_put", [Trace_Library, AllTypesMatch<["input", "result"]>]> {
  let summary = "x with x[.., i, j, ..] = source (or += where `accumulate`)";
  let description = [{
    Indices as in `trace.index`; `source` has the shape that `trace.index` would give.

    ```mlir
    %r = trace.index_put %x, %s[%i, %j] dims [0, 1] accumulate true : tensor<4x8x2xf32>, tensor<5x2xf32>, tensor<5xi64>, tensor<5xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$source, Variadic<RankedTensorOf<[I64]>>:$indices,
                       DenseI64ArrayAttr:$dims, BoolAttr:$accumulate);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $source `[` $indices `]` `dims` $dims `accumulate` $accumulate attr-dict `:` type($input) `,` type($source) `,` type($indices)";
  let hasVerifier = 1;
}

class Trace_SortBase<string mnemonic, dag extra>
    : Trace_PureOp<mnemonic, [Trace_Library, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = !con((ins AnyRankedTensor:$input, I64Attr:$dim), extra);
  let results = (outs AnyRankedTensor:$values, RankedTensorOf<[I64]>:$indices);
  let hasVerifier = 1;
}
def Trace_SortOp : Trace_SortBase<"sort", (ins BoolAttr:$descending, BoolAttr:$stable)> {
  let summary = "Sorted values along `dim` and where they came from";
  let description = [{
    ```mlir
    %v, %i = trace.sort %x dim 1 descending false stable true : tensor<4x8xf32>
    ```
  }];
  let assemblyFormat = "$input `dim` $dim `descending` $descending `stable` $stable attr-dict `:` type($input)";
}
def Trace_TopkOp : Trace_SortBase<"topk", (ins I64Attr:$k, BoolAttr:$largest, BoolAttr:$sorted)> {
  let summary = "The k largest (or smallest) along `dim` and where they came from";
  let description = [{
    ```mlir
    %v, %i = trace.topk %x dim 1 k 2 largest true sorted true : tensor<4x8xf32>
    ```
  }];
  let assemblyFormat = "$input `dim` $dim `k` $k `largest` $largest `sorted` $sorted attr-dict `:` type($input)";
}

#endif
