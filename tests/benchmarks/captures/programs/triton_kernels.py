# tests/benchmarks/captures/programs/triton_kernels.py: kernels written in Triton by hand.
import torch
import triton
import triton.language as tl

import operators


@triton.jit
def scaled_add(x, y, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) * factor + tl.load(y + at, mask=inside),
             mask=inside)


@triton.jit
def row_softmax(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * columns + at, power / tl.sum(power, 0), mask=at < columns)


@triton.jit
def product(a, b, c, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, n, BLOCK):
        inner = k + tl.arange(0, BLOCK)
        total += tl.dot(tl.load(a + rows[:, None] * n + inner[None, :]),
                        tl.load(b + inner[:, None] * n + columns[None, :]))
    tl.store(c + rows[:, None] * n + columns[None, :], total)


def make_add():
    x, y = torch.randn(100_003, device="cuda"), torch.randn(100_003, device="cuda")

    def run():
        out = torch.empty_like(x)
        scaled_add[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), 0.3, BLOCK=1024)
        return out
    return run


def make_softmax():
    x = torch.randn(300, 700, device="cuda")

    def run():
        out = torch.empty_like(x)
        row_softmax[(x.shape[0],)](x, out, x.shape[1], BLOCK=1024)
        return out
    return run


def make_product():
    a = torch.randn(256, 256, device="cuda", dtype=torch.float16)

    def run():
        out = torch.empty(256, 256, device="cuda")
        product[(4, 4)](a, a, out, 256, BLOCK=64)
        return out
    return run


operators.run({"triton_add": make_add, "triton_softmax": make_softmax,
               "triton_product": make_product})
