"""lit's configuration. Parameters (./dev test sets them):

build_dir=PATH     the build folder whose bin/ holds the tools (default: build/)
roundtrip=1        every trace-opt also prints its input as text and as bytecode, parses that again and compares
verify_stages=1    every trace-opt runs the stages' verifiers after the passes (tools that have the switch)
runtime=1          it is an error, and no reason to leave tests out, that the runtime library is not there
asan=1             the tools were built with sanitizers
"""

import glob
import os
import subprocess
import sys

import lit.formats

config.name = "torch-trace"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ll", ".test"]
config.excludes = ["Inputs", "python"]
config.test_source_root = os.path.dirname(__file__)

root = os.path.dirname(config.test_source_root)
build = lit_config.params.get("build_dir", os.path.join(root, "build"))
config.test_exec_root = os.path.join(build, "test")
tools = os.path.join(build, "bin")
llvm_tools = lit_config.params.get("llvm_tools", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([tools, llvm_tools, config.environment["PATH"]])
# A check's variables end with its label, and a prefix that checks nothing is a mistake.
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --allow-unused-prefixes=false"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if os.path.exists(os.path.join(build, "lib", "libtrace_runtime.so")):
    config.available_features.add("runtime")
elif lit_config.params.get("runtime") == "1":
    lit_config.fatal("libtrace_runtime.so is not there; run ./dev build first")
if lit_config.params.get("asan"):
    config.available_features.add("asan")
    # LLVM's shared libraries are not built with sanitizers: their allocations at exit are not ours to report, and their
    # containers carry no annotations. Nor do they know of poisoned memory: a bump allocator that our code has begun
    # (inline, poisoning) and the library goes on with (not unpoisoning) would be reported at each attribute.
    config.environment.setdefault("ASAN_OPTIONS", "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0")
    config.environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1")

# What the machine can run, for tests of the code generated for a CPU.
try:
    with open("/proc/cpuinfo") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), [])
except OSError:
    flags = []
for feature, needed in (
    ("x86-64-v3", ("avx2", "bmi2", "fma", "f16c", "movbe")),
    ("x86-64-v4", ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")),
):
    if all(flag in flags for flag in needed):
        config.available_features.add(feature)

trace_opt = os.path.join(tools, "trace-opt")
switches = []
if os.path.exists(trace_opt):
    help_text = subprocess.run([trace_opt, "--help"], capture_output=True, text=True).stdout
    if lit_config.params.get("roundtrip") == "1":
        switches.append("--verify-roundtrip")
    if lit_config.params.get("verify_stages") == "1" and "--verify-stages" in help_text:
        switches.append("--verify-stages")
else:
    lit_config.fatal(f"{trace_opt} is not there; run ./dev build first")
config.substitutions.append((r"(?<![\w./-])trace-opt(?![\w-])", " ".join([trace_opt, *switches])))

# The Python with torch, for tests that compare with eager.
venv = os.path.join(root, ".venv")
python = os.path.join(venv, "bin", "python")
if not os.path.exists(python):
    python = sys.executable
config.substitutions.append(("%python", python))
# Where the compiler looks for ptxas and libdevice when CUDA is not installed: triton, which comes with torch, has them.
config.environment["VIRTUAL_ENV"] = venv
# Who makes machine code where there is no ptxas.
nvjitlink = [os.path.join(venv, "lib/python3*/site-packages/nvidia/cu13/lib"), "/usr/local/cuda*/lib*"]
if any(glob.glob(os.path.join(folder, "libnvJitLink.so.1[23]")) for folder in nvjitlink):
    config.available_features.add("nvjitlink")
if glob.glob(os.path.join(venv, "lib", "python3*", "site-packages", "torch", "__init__.py")):
    config.available_features.add("torch")
