# tests/emulator/foreign/numba_kernels.py: kernels in Numba; the .ptx files beside it are theirs.
"""Usage: python numba_kernels.py FOLDER. Needs the wheels numba and numba-cuda and no GPU."""
import math

import numba
from numba import cuda, float32, float64, int32


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def tiled(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, a.shape[1], 16):
        left[ty, tx] = a[row, k + tx]
        right[ty, tx] = b[k + ty, column]
        cuda.syncthreads()
        for j in range(16):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    c[row, column] = total


def block_sum(x, out):
    parts = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    parts[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            parts[t] += parts[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = parts[0]


def bins(values, counts):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, values[i], 1)


def warp_max(x, out):
    v = x[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        v = max(v, cuda.shfl_down_sync(0xFFFFFFFF, v, step))
    if cuda.laneid == 0:
        out[cuda.grid(1) // 32] = v


def heat(x, out):
    column, row = cuda.grid(2)
    if 0 < row < x.shape[0] - 1 and 0 < column < x.shape[1] - 1:
        out[row, column] = 0.25 * (x[row - 1, column] + x[row + 1, column]
                                   + x[row, column - 1] + x[row, column + 1])


def waves(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.sqrt(math.fabs(math.sin(x[i]))) + math.exp(-x[i])


def divisors(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        p, q = a[i], b[i]
        while q != 0:
            p, q = q, p % q
        out[i] = p


def beyond(x, out):
    i = cuda.grid(1)
    if i <= x.size:
        out[i] = x[i]  # fault: one thread too many


def hasty(x, out):
    parts = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    parts[t] = x[t]
    out[t] = parts[63 - t]  # fault: no syncthreads before it


V, M, N = float32[::1], float32[:, ::1], int32[::1]
KERNELS = [(saxpy, (float32, V, V)), (tiled, (M, M, M)), (block_sum, (V, V)), (bins, (N, N)),
           (warp_max, (V, V)), (heat, (M, M)), (waves, (float64[::1], float64[::1])),
           (divisors, (N, N, N)), (beyond, (V, V)), (hasty, (V, V))]


def main(folder):
    version = f"Numba {numba.__version__}, numba-cuda {importlib.metadata.version('numba-cuda')}"
    for kernel, types in KERNELS:
        ptx, _ = cuda.compile_ptx(kernel, types, cc=(9, 0), lineinfo=True)
        write_ptx(folder, "numba", kernel.__name__, version, "no dynamic shared memory", ptx)


if __name__ == "__main__":
    import importlib.metadata
    import sys

    from written import write_ptx
    main(sys.argv[1])
