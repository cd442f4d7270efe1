import torch
import torch_trace  # only for the look inside: torch.compile finds the backend by itself

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.GELU(), torch.nn.Linear(32, 1))
compiled = torch.compile(model, backend="trace")
x = torch.randn(64, 8)
loss = (compiled(x) - x.sum(1, keepdim=True)).square().mean()
loss.backward()
print(f"loss {loss.item():.4f}, |dL/dW1| {model[0].weight.grad.norm().item():.4f}")
print({k: v for k, v in torch_trace.report(compiled)[0].items() if k != "compile_seconds"})
