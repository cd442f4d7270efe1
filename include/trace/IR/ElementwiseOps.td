//===- ElementwiseOps.td - One element in, one element out ------------------===//
#ifndef TRACE_ELEMENTWISE_OPS_TD
#define TRACE_ELEMENTWISE_OPS_TD

include "trace/IR/TraceDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Broadcasting and type promotion are explicit: all operands of an elementwise op have one shape, and (but for
// `where`, `convert`, comparisons and predicates) one element type.

class Trace_UnaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : Trace_PureOp<mnemonic, !listconcat([Trace_Elementwise, SameOperandsAndResultType], traits)> {
  let summary = formula;
  let description = !strconcat("`result[i] = ", formula, "`, as PyTorch computes it for the element type.\n\n```mlir\n%r = trace.",
                               mnemonic, " %x : tensor<4x8xf32>\n```\n");
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

class Trace_BinaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : Trace_PureOp<mnemonic, !listconcat([Trace_Elementwise, SameOperandsAndResultType], traits)> {
  let summary = formula;
  let description = !strconcat("`result[i] = ", formula, "`, as PyTorch computes it for the element type; operands of one type (broadcast and promote first).\n\n```mlir\n%r = trace.",
                               mnemonic, " %a, %b : tensor<4x8xf32>\n```\n");
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

class Trace_PredicateOp<string mnemonic, string formula>
    : Trace_PureOp<mnemonic, [Trace_Elementwise, SameOperandsAndResultShape, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = formula;
  let description = !strconcat("`result[i] = ", formula, "`, an `i1` per element.\n\n```mlir\n%r = trace.", mnemonic,
                               " %x : tensor<4xf32>   // tensor<4xi1>\n```\n");
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs RankedTensorOf<[I1]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

class Trace_CompareOp<string mnemonic, string formula, list<Trait> traits = []>
    : Trace_PureOp<mnemonic, !listconcat([Trace_Elementwise, SameTypeOperands, SameOperandsAndResultShape, DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {
  let summary = formula;
  let description = !strconcat("`result[i] = ", formula, "`, an `i1` per element; a comparison with NaN is false, but for `ne`.\n\n```mlir\n%r = trace.", mnemonic,
                               " %a, %b : tensor<4xf32>   // tensor<4xi1>\n```\n");
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs RankedTensorOf<[I1]>:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

// ---- unary
def Trace_AbsOp : Trace_UnaryOp<"abs", "|x|"> { let hasFolder = 1; }
def Trace_NegOp : Trace_UnaryOp<"neg", "-x"> { let hasFolder = 1; }
def Trace_SignOp : Trace_UnaryOp<"sign", "sign(x)">;
def Trace_ExpOp : Trace_UnaryOp<"exp", "e^x"> { let hasFolder = 1; }
def Trace_Exp2Op : Trace_UnaryOp<"exp2", "2^x">;
def Trace_Expm1Op : Trace_UnaryOp<"expm1", "e^x - 1, exact near 0">;
def Trace_LogOp : Trace_UnaryOp<"log", "ln x"> { let hasFolder = 1; }
def Trace_Log2Op : Trace_UnaryOp<"log2", "log2 x">;
def Trace_Log10Op : Trace_UnaryOp<"log10", "log10 x">;
def Trace_Log1pOp : Trace_UnaryOp<"log1p", "ln(1 + x), exact near 0">;
def Trace_SqrtOp : Trace_UnaryOp<"sqrt", "sqrt(x)"> { let hasFolder = 1; }
def Trace_RsqrtOp : Trace_UnaryOp<"rsqrt", "1 / sqrt(x)">;
def Trace_ReciprocalOp : Trace_UnaryOp<"reciprocal", "1 / x">;
def Trace_SinOp : Trace_UnaryOp<"sin", "sin(x)">;
def Trace_CosOp : Trace_UnaryOp<"cos", "cos(x)">;
def Trace_TanOp : Trace_UnaryOp<"tan", "tan(x)">;
def Trace_AsinOp : Trace_UnaryOp<"asin", "asin(x)">;
def Trace_AcosOp : Trace_UnaryOp<"acos", "acos(x)">;
def Trace_AtanOp : Trace_UnaryOp<"atan", "atan(x)">;
def Trace_SinhOp : Trace_UnaryOp<"sinh", "sinh(x)">;
def Trace_CoshOp : Trace_UnaryOp<"cosh", "cosh(x)">;
def Trace_TanhOp : Trace_UnaryOp<"tanh", "tanh(x)">;
def Trace_AsinhOp : Trace_UnaryOp<"asinh", "asinh(x)">;
def Trace_AcoshOp : Trace_UnaryOp<"acosh", "acosh(x)">;
def Trace_AtanhOp : Trace_UnaryOp<"atanh", "atanh(x)">;
def Trace_ErfOp : Trace_UnaryOp<"erf", "erf(x)">;
def Trace_ErfcOp : Trace_UnaryOp<"erfc", "1 - erf(x), exact for large x">;
def Trace_ErfinvOp : Trace_UnaryOp<"erfinv", "erf^-1(x)">;
def Trace_LgammaOp : Trace_UnaryOp<"lgamma", "ln |gamma(x)|">;
def Trace_DigammaOp : Trace_UnaryOp<"digamma", "d/dx ln gamma(x)">;
def Trace_SigmoidOp : Trace_UnaryOp<"sigmoid", "1 / (1 + e^-x)">;
def Trace_ReluOp : Trace_UnaryOp<"relu", "x < 0 ? 0 : x (NaN and -0.0 stay)"> { let hasFolder = 1; }
def Trace_CeilOp : Trace_UnaryOp<"ceil", "smallest integer >= x"> { let hasFolder = 1; }
def Trace_FloorOp : Trace_UnaryOp<"floor", "largest integer <= x"> { let hasFolder = 1; }
def Trace_RoundOp : Trace_UnaryOp<"round", "nearest integer, ties to even"> { let hasFolder = 1; }
def Trace_TruncOp : Trace_UnaryOp<"trunc", "integer part of x"> { let hasFolder = 1; }
def Trace_BitwiseNotOp : Trace_UnaryOp<"bitwise_not", "~x (of i1: not x)"> { let hasFolder = 1; }

// ---- predicates
def Trace_IsnanOp : Trace_PredicateOp<"isnan", "x is NaN">;
def Trace_IsinfOp : Trace_PredicateOp<"isinf", "x is an infinity">;
def Trace_IsfiniteOp : Trace_PredicateOp<"isfinite", "x is neither NaN nor infinite">;
def Trace_SignbitOp : Trace_PredicateOp<"signbit", "x has its sign bit set">;
def Trace_LogicalNotOp : Trace_PredicateOp<"logical_not", "x == 0"> { let hasFolder = 1; }

// ---- binary
def Trace_AddOp : Trace_BinaryOp<"add", "a + b", [Commutative]> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_SubOp : Trace_BinaryOp<"sub", "a - b"> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_MulOp : Trace_BinaryOp<"mul", "a * b", [Commutative]> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_DivOp : Trace_BinaryOp<"div", "a / b (true division; floating point only)"> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_DivFloorOp : Trace_BinaryOp<"div_floor", "floor(a / b), as torch.div(rounding_mode='floor')">;
def Trace_DivTruncOp : Trace_BinaryOp<"div_trunc", "trunc(a / b), as torch.div(rounding_mode='trunc')">;
def Trace_RemainderOp : Trace_BinaryOp<"remainder", "a - floor(a / b) * b, the sign of b (Python's %)">;
def Trace_FmodOp : Trace_BinaryOp<"fmod", "a - trunc(a / b) * b, the sign of a (C's fmod)">;
def Trace_PowOp : Trace_BinaryOp<"pow", "a^b"> { let hasCanonicalizer = 1; }
def Trace_Atan2Op : Trace_BinaryOp<"atan2", "angle of the point (b, a)">;
def Trace_HypotOp : Trace_BinaryOp<"hypot", "sqrt(a^2 + b^2)">;
def Trace_CopysignOp : Trace_BinaryOp<"copysign", "|a| with the sign of b">;
def Trace_NextafterOp : Trace_BinaryOp<"nextafter", "the next number after a towards b">;
def Trace_MaximumOp : Trace_BinaryOp<"maximum", "max(a, b), NaN if either is; -0.0 < 0.0", [Commutative]> { let hasFolder = 1; }
def Trace_MinimumOp : Trace_BinaryOp<"minimum", "min(a, b), NaN if either is; -0.0 < 0.0", [Commutative]> { let hasFolder = 1; }
def Trace_FmaxOp : Trace_BinaryOp<"fmax", "max(a, b), the other if one is NaN", [Commutative]> { let hasFolder = 1; }
def Trace_FminOp : Trace_BinaryOp<"fmin", "min(a, b), the other if one is NaN", [Commutative]> { let hasFolder = 1; }
def Trace_BitwiseAndOp : Trace_BinaryOp<"bitwise_and", "a & b (of i1: and)", [Commutative]> { let hasFolder = 1; }
def Trace_BitwiseOrOp : Trace_BinaryOp<"bitwise_or", "a | b (of i1: or)", [Commutative]> { let hasFolder = 1; }
def Trace_BitwiseXorOp : Trace_BinaryOp<"bitwise_xor", "a ^ b (of i1: xor)", [Commutative]> { let hasFolder = 1; }
def Trace_ShiftLeftOp : Trace_BinaryOp<"shift_left", "a << b (0 where b is not less than the width)">;
def Trace_ShiftRightOp : Trace_BinaryOp<"shift_right", "a >> b, arithmetic">;

// ---- comparisons
def Trace_EqOp : Trace_CompareOp<"eq", "a == b", [Commutative]> { let hasFolder = 1; }
def Trace_NeOp : Trace_CompareOp<"ne", "a != b", [Commutative]> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Trace_LtOp : Trace_CompareOp<"lt", "a < b"> { let hasFolder = 1; }
def Trace_LeOp : Trace_CompareOp<"le", "a <= b"> { let hasFolder = 1; }
def Trace_GtOp : Trace_CompareOp<"gt", "a > b"> { let hasFolder = 1; }
def Trace_GeOp : Trace_CompareOp<"ge", "a >= b"> { let hasFolder = 1; }

// ---- the rest
def Trace_WhereOp : Trace_PureOp<"where", [Trace_Elementwise, AllTypesMatch<["on_true", "on_false", "result"]>,
                                           SameOperandsAndResultShape]> {
  let summary = "c ? a : b";
  let description = [{
    ```mlir
    %r = trace.where %c, %a, %b : tensor<4xf32>      // %c: tensor<4xi1>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I1]>:$condition, AnyRankedTensor:$on_true, AnyRankedTensor:$on_false);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($on_true)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Trace_ClampOp : Trace_PureOp<"clamp", [Trace_Elementwise, SameOperandsAndResultType]> {
  let summary = "min(max(x, low), high), NaN if x is";
  let description = [{
    An op of its own beside `maximum` and `minimum` because PyTorch's gradient differs: all of it to `x` where
    `low <= x <= high`, none elsewhere.
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$low, AnyRankedTensor:$high);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $low `,` $high attr-dict `:` type($input)";
  let hasFolder = 1;
}

def Trace_ConvertOp : Trace_PureOp<"convert", [Trace_Elementwise, SameOperandsAndResultShape]> {
  let summary = "Changes the element type";
  let description = [{
    Rounds to nearest even between floating-point types; truncates towards zero from floating point to integer, as
    PyTorch's CPU does (out of range is what PyTorch's CPU gives on x86); anything but zero becomes true.
    A narrowing conversion that the user wrote is never removed (`convert(convert(x, bf16), f32)` rounds).

    ```mlir
    %r = trace.convert %x : tensor<4xbf16> to tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
}

def Trace_BitcastOp : Trace_PureOp<"bitcast", [Trace_Elementwise, SameOperandsAndResultShape]> {
  let summary = "The same bits as another element type of the same width";
  let description = [{
    ```mlir
    %r = trace.bitcast %x : tensor<4xf32> to tensor<4xi32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

#endif
