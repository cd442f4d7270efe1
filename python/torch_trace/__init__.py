"""torch_trace: an MLIR compiler for PyTorch training.

Use it as `torch.compile(model, backend="trace")`; no import is needed.
"""
