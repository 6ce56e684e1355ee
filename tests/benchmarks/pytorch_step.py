# tests/benchmarks/pytorch_step.py: prints what PyTorch takes for the autoencoder's training step.
#
#   python3 tests/benchmarks/pytorch_step.py
#
# Five convolutions of 3×3 as in scenes/autoencoder, 64 images of 3×32×32, mean of squares, SGD. The
# step is captured as one CUDA graph and replayed. It prints the median of 60 replays in µs, for
# each precision and layout, and once more compiled. It needs PyTorch with CUDA and a GPU.
import statistics

import torch
from torch import nn
from torch.nn import functional as F

IMAGES, SIDE, REPLAYS = 64, 32, 60


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        sides = [(3, 256), (256, 128), (128, 128), (128, 256), (256, 3)]
        self.conv = nn.ModuleList(nn.Conv2d(i, o, 3, padding=1) for i, o in sides)

    def forward(self, x):
        for conv in self.conv[:2]:
            x = F.max_pool2d(F.relu(conv(x)), 2)
        for conv in self.conv[2:4]:
            x = F.interpolate(F.relu(conv(x)), scale_factor=2, mode="nearest")
        return self.conv[4](x)


def replays(step):
    """Times of a captured step, in µs."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(20):
        graph.replay()
    times = []
    for _ in range(REPLAYS):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return times


def measure(precision, innermost, compiled):
    torch.backends.cudnn.allow_tf32 = precision != "fp32"
    torch.manual_seed(0)
    layout = torch.channels_last if innermost else torch.contiguous_format
    net = Autoencoder().cuda().to(memory_format=layout)
    images = torch.rand(IMAGES, 3, SIDE, SIDE, device="cuda").to(memory_format=layout)
    descent = torch.optim.SGD(net.parameters(), lr=0.001, fused=True)

    def loss_of(x):
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=precision == "bf16"):
            return F.mse_loss(net(x), x)

    forward = torch.compile(loss_of) if compiled else loss_of

    def step():
        descent.zero_grad(set_to_none=True)
        forward(images).backward()
        descent.step()

    return statistics.median(replays(step))


def main():
    torch.backends.cudnn.benchmark = True
    print(f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, "
          f"{torch.cuda.get_device_name()}")
    for compiled in (False, True):
        for precision in ("fp32", "tf32", "bf16"):
            for innermost in (False, True):
                time = measure(precision, innermost, compiled)
                print(f"{precision}, {'channels last' if innermost else 'planes'}, "
                      f"{'compiled' if compiled else 'as it is'}: {time:.1f} µs", flush=True)


if __name__ == "__main__":
    main()
