//===- ReductionOps.td - Reductions and scans -------------------------------===//
#ifndef TRACE_REDUCTION_OPS_TD
#define TRACE_REDUCTION_OPS_TD

include "trace/IR/TraceDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Trace_ReduceOp<string mnemonic, string what>
    : Trace_PureOp<mnemonic, [Trace_Reduction, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = what;
  let description = !strconcat(what, " over `dims` (strictly increasing), which disappear from the shape; the element type stays.\n",
    "f16 and bf16 accumulate in f32. Nothing to reduce gives the neutral element (max and min: a verifier error).\n\n",
    "```mlir\n%r = trace.", mnemonic, " %x [1] : tensor<4x8xf32>    // tensor<4xf32>\n```\n");
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $dims attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Trace_ReduceSumOp : Trace_ReduceOp<"reduce_sum", "Sum"> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_ReduceProdOp : Trace_ReduceOp<"reduce_prod", "Product"> { let hasFolder = 1; }
def Trace_ReduceMaxOp : Trace_ReduceOp<"reduce_max", "Maximum, NaN if there is one,"> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_ReduceMinOp : Trace_ReduceOp<"reduce_min", "Minimum, NaN if there is one,"> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_ReduceAnyOp : Trace_ReduceOp<"reduce_any", "Logical or of i1"> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_ReduceAllOp : Trace_ReduceOp<"reduce_all", "Logical and of i1"> { let hasFolder = 1; let hasCanonicalizer = 1; }

class Trace_ArgReduceOp<string mnemonic, string what>
    : Trace_PureOp<mnemonic, [Trace_Reduction, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = what;
  let description = !strconcat(what, " along `dim`, as i64; the first of equals, a NaN before anything else.\n\n```mlir\n%r = trace.",
    mnemonic, " %x dim 1 : tensor<4x8xf32>    // tensor<4xi64>\n```\n");
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$dim);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` type($input)";
  let hasVerifier = 1;
}
def Trace_ArgmaxOp : Trace_ArgReduceOp<"argmax", "Index of the maximum">;
def Trace_ArgminOp : Trace_ArgReduceOp<"argmin", "Index of the minimum">;

class Trace_ScanOp<string mnemonic, string what>
    : Trace_PureOp<mnemonic, [Trace_Library, SameOperandsAndResultType]> {
  let summary = what;
  let description = !strconcat(what, " along `dim`: result[i] is over elements 0..i.\n\n```mlir\n%r = trace.", mnemonic,
    " %x dim 1 : tensor<4x8xf32>\n```\n");
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` type($input)";
  let hasVerifier = 1;
}
def Trace_CumsumOp : Trace_ScanOp<"cumsum", "Running sum">;
def Trace_CumprodOp : Trace_ScanOp<"cumprod", "Running product">;

#endif
