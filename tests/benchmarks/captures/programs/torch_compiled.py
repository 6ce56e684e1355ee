# tests/benchmarks/captures/programs/torch_compiled.py: functions that torch.compile makes Triton
# kernels of.
import torch
from torch.nn import functional as F

import operators


def compiled(function, *shapes):
    def make():
        inputs = [torch.randn(*shape, device="cuda") for shape in shapes]
        fast = torch.compile(function)
        fast(*inputs)
        return lambda: fast(*inputs)
    return make


operators.run({
    "compiled_norm": compiled(lambda x: F.gelu(F.layer_norm(x, (1024,))), (512, 1024)),
    "compiled_softmax": compiled(lambda x: torch.softmax(x * 0.5, 1), (512, 777)),
    "compiled_pointwise": compiled(lambda x, y: torch.sigmoid(x) * y + 1, (1000, 300), (1000, 300)),
    "compiled_sum": compiled(lambda x: (x * x).sum(0), (512, 1024)),
})
