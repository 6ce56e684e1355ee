# tests/benchmarks/captures/programs/layer_norm.py: PyTorch's layer norm of 2048 rows, some times, each
# with another result. Its numbers repeat, so that a capture of it is small; they are made on the host,
# so that each tensor has an allocation of its own.
import torch

rows, columns = 2048, 4096
index = torch.arange(rows)[:, None] * 5 + torch.arange(columns)
x = ((index % 61).float() / 8).cuda()
weight = ((torch.arange(columns) % 4).float() / 4 + 0.5).cuda()
bias = ((torch.arange(columns) % 3).float() / 2).cuda()
for step in range(4):
    torch.cuda.nvtx.range_push(f"step{step}")
    y = torch.nn.functional.layer_norm(x, (columns,), weight, bias)
    torch.cuda.nvtx.range_pop()
    x = torch.roll(x, 1, 1)
torch.cuda.synchronize()
print("mean of the last row", y[-1].mean().item())
