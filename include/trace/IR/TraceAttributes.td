//===- TraceAttributes.td - Roles and call arguments ------------------------===//
#ifndef TRACE_ATTRIBUTES_TD
#define TRACE_ATTRIBUTES_TD

include "trace/IR/TraceDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Trace_RoleKind : I32EnumAttr<"RoleKind", "what an argument or a result stands for", [
    I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Parameter", 1, "parameter">,
    I32EnumAttrCase<"Buffer", 2, "buffer">, I32EnumAttrCase<"Constant", 3, "constant">,
    I32EnumAttrCase<"Cotangent", 4, "cotangent">, I32EnumAttrCase<"Gradient", 5, "gradient">,
    I32EnumAttrCase<"Saved", 6, "saved">, I32EnumAttrCase<"Mutated", 7, "mutated">,
    I32EnumAttrCase<"Alias", 8, "alias">, I32EnumAttrCase<"RngState", 9, "rng_state">,
    I32EnumAttrCase<"Output", 10, "output">]> {
  let cppNamespace = "::mlir::trace";
  let genSpecializedAttr = 0;
}

class Trace_Attr<string name, string mnemonic_> : AttrDef<Trace_Dialect, name> { let mnemonic = mnemonic_; }

def Trace_RoleAttr : Trace_Attr<"Role", "role"> {
  let summary = "The role of a function's argument or result";
  let description = [{
    Attached as `trace.role` to arguments and results. This attribute and `trace.requires_grad`, `trace.strides` and
    `trace.non_differentiable` are the whole contract between the front end and the compiler.

    | role | on | index | name |
    |---|---|---|---|
    | `input` | argument | position among the user's inputs | |
    | `parameter`, `buffer` | argument | | the module's name of it |
    | `constant` | argument | | |
    | `rng_state` | argument | | |
    | `output` | result | position among the user's outputs | |
    | `mutated` | result | the argument that receives the value | |
    | `alias` | result | the argument of which the value is a view | |
    | `gradient` | result | the argument of which it is the gradient | |
    | `saved` | result, argument | position among the saved values | |
    | `cotangent` | argument | the output of which it is the cotangent | |

    ```mlir
    %x: tensor<4x8xf32> {trace.role = #trace.role<input 0>, trace.requires_grad}
    %w: tensor<16x8xf32> {trace.role = #trace.role<parameter "fc.weight">, trace.requires_grad}
    ```
  }];
  let parameters = (ins "RoleKind":$kind, "std::optional<int64_t>":$index, "StringAttr":$name);
  let hasCustomAssemblyFormat = 1;
}

def Trace_OperandRefAttr : Trace_Attr<"OperandRef", "operand"> {
  let summary = "The place of an SSA operand in a library call's argument list";
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
}

#endif
