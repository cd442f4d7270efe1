"""`./dev new-pass Folder Name`: a pass's skeleton, with one name in include, lib and test.

`./dev new-pass Schedule SinkCasts` adds `def SinkCasts : Pass<"trace-sink-casts", …>` to
include/trace/Schedule/Passes.td, lib/Schedule/SinkCasts.cpp and test/Schedule/sink-casts.mlir (+ -invalid.mlir). The
skeleton compiles and does nothing; its test fails until it says what the pass is for."""

from __future__ import annotations

import re

from common import LLVM_BIN, ROOT, Stop, run

TD_HEAD = """//===- Passes.td - Passes of {folder} ---------------------------*- tablegen -*-===//
#ifndef TRACE_{guard}_PASSES_TD
#define TRACE_{guard}_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // TRACE_{guard}_PASSES_TD
"""

HEADER = """//===- Passes.h - Passes of {folder} -------------------------------*- C++ -*-===//
#ifndef TRACE_{guard}_PASSES_H
#define TRACE_{guard}_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "trace/IR/TraceDialect.h"

namespace mlir::trace {{

#define GEN_PASS_DECL
#include "trace/{folder}/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "trace/{folder}/Passes.h.inc"

}} // namespace mlir::trace

#endif // TRACE_{guard}_PASSES_H
"""

TD_ENTRY = """def {name} : Pass<"trace-{kebab}", "::mlir::func::FuncOp"> {{
  let summary = "TODO: one line";
  let description = [{{
    TODO: what it does; before and after (from test/{folder}/{kebab}.mlir); what it requires of its input; how it
    fails; why it stands where it stands in the pipeline.
  }}];
}}

"""

SOURCE = """//===- {name}.cpp - TODO: one line {dashes}===//
#include "trace/IR/TraceOps.h"
#include "trace/{folder}/Passes.h"

namespace {space} {{
#define GEN_PASS_DEF_{macro}
#include "trace/{folder}/Passes.h.inc"
}} // namespace {space}

using namespace mlir;
using namespace mlir::trace;

namespace {{
struct {name} : {space}::impl::{name}Base<{name}> {{
  void runOnOperation() override {{
    func::FuncOp func = getOperation();
    (void)func;
  }}
}};
}} // namespace
"""

TEST = """// RUN: trace-opt %s --trace-{kebab} | FileCheck %s

// CHECK-LABEL: func.func @example
// CHECK: TODO: what the pass leaves
func.func @example(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %y = trace.sin %x : tensor<4xf32>
  trace.return outputs(%y : tensor<4xf32>)
}}
"""

INVALID = """// RUN: trace-opt %s --trace-{kebab} --split-input-file --verify-diagnostics

// TODO: one function per way to fail, each with its expected-error; remove this file when the pass cannot fail.
"""


def main(args: list[str]) -> int:
    if len(args) != 2 or not re.fullmatch(r"[A-Z]\w*(/[A-Z]\w*)*", args[0]) or not re.fullmatch(r"[A-Z]\w+", args[1]):
        print(__doc__)
        return 2
    folder, name = args
    kebab = re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
    words = {
        "folder": folder, "name": name, "kebab": kebab, "macro": name.upper(),
        "guard": folder.replace("/", "_").upper(), "dashes": "-" * max(3, 47 - len(name)),
    }  # fmt: skip
    library = ROOT / "lib" / folder / "CMakeLists.txt"
    if not library.exists():
        raise Stop(f"lib/{folder} is not there; a new folder needs a CMakeLists.txt first (docs/adding-a-pass.md)")
    source = ROOT / "lib" / folder / f"{name}.cpp"
    if source.exists():
        raise Stop(f"lib/{folder}/{name}.cpp is there already")
    td = ROOT / "include/trace" / folder / "Passes.td"
    if not td.exists():
        td.parent.mkdir(parents=True, exist_ok=True)
        td.write_text(TD_HEAD.format(**words))
        (td.parent / "Passes.h").write_text(HEADER.format(**words))
    # The namespace is that of the folder's other passes.
    space = re.search(r"^namespace (mlir::trace[\w:]*) \{", (td.parent / "Passes.h").read_text(), re.M)
    words["space"] = space.group(1) if space else "mlir::trace"
    text = td.read_text()
    at = text.rfind("#endif")
    td.write_text(text[:at] + TD_ENTRY.format(**words) + text[at:] if at >= 0 else text + TD_ENTRY.format(**words))
    source.write_text(SOURCE.format(**words))
    tests = ROOT / "test" / folder
    tests.mkdir(parents=True, exist_ok=True)
    (tests / f"{kebab}.mlir").write_text(TEST.format(**words))
    (tests / f"{kebab}-invalid.mlir").write_text(INVALID.format(**words))
    for path in (td, source, tests / f"{kebab}.mlir", tests / f"{kebab}-invalid.mlir"):
        print(path.relative_to(ROOT))
    # The order of the includes depends on the names.
    run(LLVM_BIN / "clang-format", "-i", source, td.parent / "Passes.h")
    print(f"Next: docs/adding-a-pass.md. Then ./dev build && build/bin/trace-opt --trace-{kebab} <file>")
    return 0
