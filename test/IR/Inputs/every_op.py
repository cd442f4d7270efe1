"""Fails where the dialect has an op that a test file does not hold: every_op.py <folder of .td files> <test>."""

import pathlib
import re
import sys

folder, test = map(pathlib.Path, sys.argv[1:])
text = "".join(path.read_text() for path in sorted(folder.glob("*.td")))
# A definition names the mnemonic as its class's first argument; classes that are templates pass theirs on.
mnemonics = re.findall(r'^def Trace_\w+Op *: *Trace_\w+<"(\w+)"', text, re.MULTILINE)
assert len(mnemonics) > 100, "the definitions are not written as expected"
missing = [name for name in mnemonics if not re.search(rf"trace\.{name}\b", test.read_text())]
if missing:
    sys.exit(f"{test} lacks " + ", ".join(missing))
