# tests/emulator/foreign/triton_kernels.py: kernels in Triton; the .ptx files beside it are theirs.
"""Usage: python triton_kernels.py FOLDER. Needs the wheel triton and no GPU."""
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    a = tl.load(x + i, mask=live)
    b = tl.load(y + i, mask=live)
    tl.store(out + i, a + b, mask=live)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    live = i < columns
    v = tl.load(x + row * columns + i, mask=live, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=live)


@triton.jit
def layer_norm(x, weight, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    live = i < columns
    v = tl.load(x + row * columns + i, mask=live, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    d = tl.where(live, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / columns + eps)
    w = tl.load(weight + i, mask=live)
    tl.store(out + row * columns + i, d * scale * w, mask=live)


@triton.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, K, STEP):
        p = tl.load(a + m[:, None] * K + first + k[None, :])
        q = tl.load(b + (first + k[:, None]) * N + n[None, :])
        sums = tl.dot(p, q, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums)


@triton.jit
def histogram(values, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    v = tl.load(values + i, mask=live, other=0)
    tl.atomic_add(counts + v, 1, mask=live)


@triton.jit
def scan(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0))


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    v = tl.load(x + i, mask=live)
    tl.store(out + i, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=live)


@triton.jit
def transpose(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.program_id(1) * C + tl.arange(0, C)
    live = (r[:, None] < rows) & (c[None, :] < columns)
    tile = tl.load(x + r[:, None] * columns + c[None, :], mask=live)
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(tile), mask=tl.trans(live))


@triton.jit
def unmasked(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)  # fault: the last block reads beyond the end
    tl.store(out + i, v, mask=i < n)


F, I, H = "*fp32", "*i32", "*fp16"
KERNELS = [
    (add, {"x": F, "y": F, "out": F, "n": "i32"}, {"BLOCK": 256}),
    (softmax, {"x": F, "out": F, "columns": "i32"}, {"BLOCK": 256}),
    (layer_norm, {"x": F, "weight": F, "out": F, "columns": "i32", "eps": "fp32"}, {"BLOCK": 256}),
    (matmul, {"a": H, "b": H, "c": F, "K": "i32"}, {"M": 64, "N": 32, "STEP": 32}),
    (histogram, {"values": I, "counts": I, "n": "i32"}, {"BLOCK": 256}),
    (scan, {"x": F, "out": F}, {"BLOCK": 256}),
    (gelu, {"x": F, "out": F, "n": "i32"}, {"BLOCK": 256}),
    (transpose, {"x": F, "out": F, "rows": "i32", "columns": "i32"}, {"R": 32, "C": 32}),
    (unmasked, {"x": F, "out": F, "n": "i32"}, {"BLOCK": 256}),
]


def main(folder):
    for kernel, types, values in KERNELS:
        signature = {**types, **{name: "constexpr" for name in values}}
        source = triton.compiler.ASTSource(fn=kernel, signature=signature, constexprs=values)
        target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
        made = triton.compile(source, target=target, options={"num_warps": 4, "num_stages": 1})
        write_ptx(folder, "triton", kernel.__name__, f"Triton {triton.__version__}",
                  f"{made.metadata.shared} bytes of dynamic shared memory", made.asm["ptx"])


if __name__ == "__main__":
    import sys

    from written import write_ptx
    main(sys.argv[1])
