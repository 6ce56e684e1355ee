# tests/benchmarks/captures/programs/training_loop.py: a small training loop in NVTX ranges, for 60 s
# or as many steps as its argument says.
import sys
import time

import torch

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 0
torch.manual_seed(1)
layers = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.GELU(), torch.nn.LayerNorm(1024),
                             torch.nn.Linear(1024, 64)).cuda()
optimizer = torch.optim.AdamW(layers.parameters(), lr=1e-3)
x = torch.randn(256, 512, device="cuda")
wanted = torch.randint(0, 64, (256,), device="cuda")
start, step = time.monotonic(), 0
while (step < steps) if steps else (time.monotonic() - start < 60):
    with torch.cuda.nvtx.range("forward"):
        scores = torch.softmax(layers(x), 1)
        loss = torch.nn.functional.cross_entropy(scores, wanted)
    with torch.cuda.nvtx.range("backward"):
        optimizer.zero_grad()
        loss.backward()
    with torch.cuda.nvtx.range("optimizer"):
        optimizer.step()
    step += 1
    if step % 20 == 0:
        torch.cuda.synchronize()
        time.sleep(0.02)
print("steps", step, "loss", loss.item())
