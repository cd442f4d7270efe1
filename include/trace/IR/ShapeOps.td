//===- ShapeOps.td - Index maps, constants ----------------------------------===//
#ifndef TRACE_SHAPE_OPS_TD
#define TRACE_SHAPE_OPS_TD

include "trace/IR/TraceDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Trace_ConstantOp : Trace_PureOp<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A literal tensor";
  let description = [{
    Mostly splats (Python numbers that Dynamo guards on): `trace.constant dense<0.5> : tensor<4x8xf32>`. A splat costs
    nothing in a fusion, whatever its shape.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Trace_FullOp : Trace_PureOp<"full"> {
  let summary = "A tensor with one value everywhere, of a size known at run time";
  let description = [{
    `sizes` gives the dynamic dimensions, in order. With a static type, use `trace.constant`.

    ```mlir
    %r = trace.full 1.0 : f32 [%n] : tensor<?x8xf32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value, Variadic<Index>:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `[` $sizes `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Trace_IotaOp : Trace_PureOp<"iota"> {
  let summary = "result[.., i, ..] = i along one dimension";
  let description = [{
    ```mlir
    %r = trace.iota 1 : tensor<4x8xi64>      // every row is 0, 1, .. 7
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Trace_BroadcastInDimOp : Trace_PureOp<"broadcast_in_dim", [Trace_ViewLike]> {
  let summary = "Places dimension i of the operand at dimension dims[i] of a larger result";
  let description = [{
    `dims` is strictly increasing; an operand's dimension is 1 or equals the result's.

    ```mlir
    %r = trace.broadcast_in_dim %b [1] : tensor<8xf32> to tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $dims attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Trace_ReshapeOp : Trace_PureOp<"reshape", [Trace_ViewLike]> {
  let summary = "The same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %r = trace.reshape %x : tensor<4x8xf32> to tensor<32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Trace_TransposeOp : Trace_PureOp<"transpose", [Trace_ViewLike, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Dimension i of the result is dimension perm[i] of the operand";
  let description = [{
    ```mlir
    %r = trace.transpose %x [1, 0] : tensor<4x8xf32>     // tensor<8x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $perm attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Trace_SliceOp : Trace_PureOp<"slice", [Trace_ViewLike, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Elements starts, starts + strides, .. below limits, in every dimension";
  let description = [{
    `0 <= starts <= limits <= size`, `strides >= 1`.

    ```mlir
    %r = trace.slice %x [0, 2] to [4, 8] by [1, 2] : tensor<4x8xf32>    // tensor<4x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits,
                       DenseI64ArrayAttr:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $starts `to` $limits `by` $strides attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Trace_PadOp : Trace_PureOp<"pad", [Trace_DataMovement, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Adds `low` elements before, `high` after and `interior` between, of one value";
  let description = [{
    As XLA's pad: the inverse of `slice`, and its gradient. `low` and `high` may be negative (they cut);
    `interior >= 0`. `value` is a 0-d tensor of the operand's element type.

    ```mlir
    %r = trace.pad %x, %zero low [0, 2] high [0, 0] interior [0, 1] : tensor<4x3xf32>   // tensor<4x7xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, 0DTensorOf<[AnyType]>:$value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $value `low` $low `high` $high `interior` $interior attr-dict `:` type($input) `,` type($value)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Trace_CatOp : Trace_PureOp<"cat", [Trace_DataMovement, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Joins tensors along one dimension";
  let description = [{
    ```mlir
    %r = trace.cat %a, %b dim 1 : tensor<4x2xf32>, tensor<4x3xf32>     // tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` type($inputs)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Trace_ReverseOp : Trace_PureOp<"reverse", [Trace_DataMovement, SameOperandsAndResultType]> {
  let summary = "Reverses the order along some dimensions (torch.flip)";
  let description = [{
    ```mlir
    %r = trace.reverse %x [1] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $dims attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
