# tests/benchmarks/captures/programs/torch_eager.py: operators of PyTorch as it runs them by itself,
# also through cuBLAS and cuDNN.
import torch
from torch.nn import functional as F

import operators


def of(operator, *shapes, dtype=torch.float32):
    def make():
        inputs = [torch.randn(*shape, device="cuda", dtype=dtype) for shape in shapes]
        return lambda: operator(*inputs)
    return make


def of_indices(operator):
    def make():
        table = torch.randn(4096, 128, device="cuda")
        index = torch.randint(0, 4096, (2048,), device="cuda")
        return lambda: operator(table, index)
    return make


def index_add(table, index):
    rows = torch.ones(index.numel(), table.shape[1], device="cuda") / 3
    return torch.zeros_like(table).index_add_(0, index % 64, rows)


torch.backends.cudnn.benchmark = False
operators.run({
    "layer_norm": of(lambda x: F.layer_norm(x, (1024,)), (512, 1024)),
    "group_norm": of(lambda x: F.group_norm(x, 8), (8, 64, 32, 32)),
    "batch_norm": of(lambda x: F.batch_norm(x, None, None, training=True), (8, 64, 32, 32)),
    "softmax": of(lambda x: torch.softmax(x, -1), (512, 1024)),
    "softmax_long": of(lambda x: torch.softmax(x, -1), (16, 20000)),
    "sum": of(lambda x: x.sum(), (1 << 19,)),
    "sum_rows": of(lambda x: x.sum(1), (512, 1024)),
    "argmax": of(lambda x: x.argmax(1), (512, 1024)),
    "norm": of(lambda x: x.norm(), (1 << 19,)),
    "index_select": of_indices(lambda t, i: t.index_select(0, i)),
    "embedding": of_indices(lambda t, i: F.embedding(i, t)),
    "gather": of_indices(lambda t, i: t.gather(0, i[:, None].expand(-1, 128))),
    "index_add": of_indices(index_add),
    "cumsum": of(lambda x: x.cumsum(1), (512, 1024)),
    "sort": of(lambda x: x.sort(1), (64, 1024)),
    "topk": of(lambda x: x.topk(16, 1), (64, 4096)),
    "transpose": of(lambda x: x.t().contiguous(), (768, 512)),
    "gelu": of(F.gelu, (512, 1024)),
    "matmul_fp32": of(torch.mm, (256, 256), (256, 256)),
    "matmul_fp16": of(torch.mm, (512, 512), (512, 512), dtype=torch.float16),
    "bmm_bf16": of(torch.bmm, (8, 128, 128), (8, 128, 128), dtype=torch.bfloat16),
    "linear": of(F.linear, (256, 512), (128, 512), (128,)),
    "conv_fp32": of(lambda x, w: F.conv2d(x, w, padding=1), (4, 32, 32, 32), (64, 32, 3, 3)),
    "conv_fp16": of(lambda x, w: F.conv2d(x, w, padding=1), (4, 32, 32, 32), (64, 32, 3, 3),
                    dtype=torch.float16),
    "attention": of(F.scaled_dot_product_attention, *[(2, 4, 128, 64)] * 3, dtype=torch.float16),
    "foreach": of(lambda *x: torch._foreach_add(list(x), 1.0), *[(1000,)] * 8),
    "dropout": of(lambda x: (torch.manual_seed(3), F.dropout(x, 0.5))[1], (512, 512)),
    "upsample": of(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (2, 16, 32, 32)),
    "max_pool": of(lambda x: F.max_pool2d(x, 2), (4, 32, 64, 64)),
})
