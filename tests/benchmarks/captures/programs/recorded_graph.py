# tests/benchmarks/captures/programs/recorded_graph.py: records a CUDA graph in one thread while
# another one launches kernels, and says whether the recording survived.
import threading
import time

import torch

x = torch.randn(512, 512, device="cuda")
weights = torch.randn(512, 512, device="cuda")
side, stop = torch.cuda.Stream(), threading.Event()


def launch_always():
    with torch.cuda.stream(torch.cuda.Stream()):
        while not stop.is_set():
            (x + 1).relu()


def step():
    return torch.softmax(x @ weights, 1)


step()
torch.cuda.synchronize()
other = threading.Thread(target=launch_always)
other.start()
time.sleep(1)  # its allocations come from the cache by now
good = 0
try:
    for _ in range(5):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side):
            for _ in range(200):
                y = step()
        graph.replay()
        torch.cuda.synchronize()
        good += 1
finally:
    stop.set()
    other.join()
print("graph recordings that survived:", good, "of 5")
