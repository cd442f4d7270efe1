//===- LibraryOps.td - Matrix products and convolutions ---------------------===//
#ifndef TRACE_LIBRARY_OPS_TD
#define TRACE_LIBRARY_OPS_TD

include "trace/IR/TraceDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Trace_MatmulOp : Trace_PureOp<"matmul", [Trace_Library, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Batched matrix product";
  let description = [{
    `B.. x M x K` times `B.. x K x N`, with equal batch dimensions (broadcast first); f16 and bf16 accumulate in f32.
    Transposed operands are `trace.transpose`s, which cost nothing.

    ```mlir
    %r = trace.matmul %a, %b : tensor<2x4x8xf32>, tensor<2x8x16xf32>     // tensor<2x4x16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

defvar convolution_attributes = (ins DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
                                     BoolAttr:$transposed, DenseI64ArrayAttr:$output_padding, I64Attr:$groups);

def Trace_ConvolutionOp : Trace_PureOp<"convolution", [Trace_Library]> {
  let summary = "aten.convolution without a bias";
  let description = [{
    `input` is N x C_in x spatial.., `weight` is C_out x C_in/groups x kernel.. (transposed: C_in x C_out/groups x
    kernel..), 1 to 3 spatial dimensions. A bias is a broadcast add.

    ```mlir
    %y = trace.convolution %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>,
           transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64}
         : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
    ```
  }];
  let arguments = !con((ins AnyRankedTensor:$input, AnyRankedTensor:$weight), convolution_attributes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $weight attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Trace_ConvolutionInputGradOp : Trace_PureOp<"convolution_input_grad", [Trace_Library]> {
  let summary = "The cotangent of a convolution's input";
  let description = "The result has the shape of the convolution's input; attributes are the convolution's.";
  let arguments = !con((ins AnyRankedTensor:$grad, AnyRankedTensor:$weight), convolution_attributes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$grad `,` $weight attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Trace_ConvolutionWeightGradOp : Trace_PureOp<"convolution_weight_grad", [Trace_Library]> {
  let summary = "The cotangent of a convolution's weight";
  let description = "The result has the shape of the convolution's weight; attributes are the convolution's.";
  let arguments = !con((ins AnyRankedTensor:$grad, AnyRankedTensor:$input), convolution_attributes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$grad `,` $input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif
