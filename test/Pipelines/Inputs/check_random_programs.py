"""check_random_programs.py FROM TO OPS [trace-run options]: random programs with these seeds go through the passes, and the
joint and its two halves must give the same numbers. Prints the seeds that fail, with the commands to see it again."""

import os
import subprocess
import sys
import tempfile

first, last, ops = (int(a) for a in sys.argv[1:4])
run_options = sys.argv[4:] or ["--f64"]
generator = os.path.join(os.path.dirname(__file__), "random_program.py")
failed = []
for seed in range(first, last + 1):
    with tempfile.TemporaryDirectory() as folder:
        captured, joint, split = (os.path.join(folder, name) for name in ("f.trace.mlir", "f.joint.mlir", "f.split.mlir"))
        commands = [
            [sys.executable, generator, str(seed), str(ops)],
            ["trace-opt", captured, "--compile-to=joint", "-o", joint],
            ["trace-opt", joint, "--compile-from=joint", "--compile-to=split", "--verify-stages", "-o", split],
            ["trace-run", "--interpret", "--int-range=6", joint, "--function=f", f"--compare={split}", "--no-print", *run_options],
        ]
        for command in commands:
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode:
                failed.append(seed)
                print(f"seed {seed}: {' '.join(command)}\n{result.stdout}{result.stderr}")
                break
            if command is commands[0]:
                with open(captured, "w") as file:
                    file.write(result.stdout)
print(f"{last - first + 1 - len(failed)} of {last - first + 1} agree")
sys.exit(bool(failed))
