# tests/benchmarks/captures/programs/two_gpus.py: a program on two GPUs: `both` launches kernels on
# each, `nccl` adds tensors of two processes by NCCL, whose kernels wait for each other.
import os
import sys

import torch


def both():
    results = []
    for device in range(2):
        with torch.cuda.device(device):
            torch.cuda.nvtx.range_push(f"op:gpu{device}")
            x = torch.arange(100_000, device=f"cuda:{device}", dtype=torch.float32) + device
            results.append(torch.softmax(x.view(100, 1000) / 100, 1).sum())
            torch.cuda.nvtx.range_pop()
    for device in range(2):
        torch.cuda.synchronize(device)
    print("both done", [round(float(r), 3) for r in results], flush=True)


def rank(index):
    import torch.distributed as distributed
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    torch.cuda.set_device(index)
    distributed.init_process_group("nccl", rank=index, world_size=2)
    x = torch.full((1 << 20,), float(index + 1), device="cuda")
    for _ in range(3):
        distributed.all_reduce(x)
    torch.cuda.synchronize()
    # (1 + 2), twice doubled.
    if index == 0:
        print("all reduced" if bool((x == 12).all()) else f"wrong {x[0].item()}", flush=True)
    distributed.destroy_process_group()


if __name__ == "__main__":
    if torch.cuda.device_count() < 2:
        print("there is one GPU")
    elif sys.argv[1] == "both":
        both()
    else:
        import torch.multiprocessing
        torch.multiprocessing.spawn(rank, nprocs=2)
