//===- RandomOps.td - Counter-based random numbers --------------------------===//
#ifndef TRACE_RANDOM_OPS_TD
#define TRACE_RANDOM_OPS_TD

include "trace/IR/TraceDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Philox4x32-10: element e (row-major) of stream s under a 64-bit seed is word e % 4 of the block with
// counter (lo32(e / 4), hi32(e / 4), s, 0) and key (lo32(seed), hi32(seed)). The ops are pure: equal seed and stream
// give equal numbers, so the backward may draw a dropout mask again instead of keeping it. The seed is an argument
// with role rng_state, drawn from PyTorch's default generator at each call; not bit-equal to PyTorch's generators.
// Normal numbers come in pairs (Box-Muller): of the words a of element 2k and b of element 2k + 1, let
// u = ((a >> 8) + 1) * 2^-24 in (0, 1], v = (b >> 8) * 2^-24 in [0, 1), r = sqrt(-2 ln u); then element 2k is
// r * cos(2 pi v) and element 2k + 1 is r * sin(2 pi v), computed in f32 (f64 for f64 results).
class Trace_RandomOp<string mnemonic, string what> : Trace_PureOp<mnemonic> {
  let summary = what;
  let description = !strconcat(what, ", from Philox4x32-10 with the given seed and stream.\n\n```mlir\n%r = trace.", mnemonic,
    " %seed stream 3 : tensor<i64> to tensor<4x8xf32>\n```\n");
  let arguments = (ins 0DTensorOf<[I64]>:$seed, I64Attr:$stream);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$seed `stream` $stream attr-dict `:` type($seed) `to` type($result)";
  let hasVerifier = 1;
}
def Trace_RandomUniformOp : Trace_RandomOp<"random_uniform", "Uniform in [0, 1): the upper 24 bits of the word times 2^-24">;
def Trace_RandomNormalOp : Trace_RandomOp<"random_normal", "Normal with mean 0 and variance 1 (Box-Muller over words 2k and 2k+1)">;

#endif
