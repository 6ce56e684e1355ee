# tests/benchmarks/captures/programs/profiled.py: a program under torch.profiler; prints how many
# events of each kernel its own trace has.
import collections

import torch
from torch.profiler import ProfilerActivity, profile

x = torch.randn(512, 1024, device="cuda")
torch.nn.functional.layer_norm(x, (1024,))
torch.cuda.synchronize()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as trace:
    for _ in range(20):
        y = torch.softmax(torch.nn.functional.layer_norm(x, (1024,)), 1) @ x.t()
    torch.cuda.synchronize()
counts = collections.Counter()
for event in trace.events():
    if event.device_type == torch.autograd.DeviceType.CUDA:
        counts[event.name[:60]] += 1
print("traced", sorted(counts.items()), flush=True)
