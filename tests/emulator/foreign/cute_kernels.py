# tests/emulator/foreign/cute_kernels.py: kernels in CuTe DSL; the .ptx files beside it are theirs.
"""Usage: python cute_kernels.py FOLDER. Needs the wheel nvidia-cutlass-dsl and no GPU."""
import cutlass
import cutlass.cute as cute


@cute.kernel
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < cute.size(a):
        c[i] = a[i] + b[i]


@cute.kernel
def transpose(a: cute.Tensor, b: cute.Tensor):
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    memory = cutlass.utils.SmemAllocator()
    tile = memory.allocate_tensor(cutlass.Float32, cute.make_layout((16, 16), stride=(17, 1)))
    tile[ty, tx] = a[by * 16 + ty, bx * 16 + tx]
    cute.arch.sync_threads()
    b[bx * 16 + ty, by * 16 + tx] = tile[tx, ty]


@cute.kernel
def warp_sum(a: cute.Tensor, b: cute.Tensor):
    t = cute.arch.thread_idx()[0]
    row = cute.arch.block_idx()[0]
    total = cutlass.Float32(0)
    for k in range(0, cute.size(a, mode=[1]), 32):
        total += a[row, k + t]
    for step in cutlass.range_constexpr(5):
        total += cute.arch.shuffle_sync_bfly(total, offset=1 << step)
    if t == 0:
        b[row] = total


@cute.kernel
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    row, column = by * 16 + ty, bx * 16 + tx
    total = cutlass.Float32(0)
    for k in range(cute.size(a, mode=[1])):
        total += a[row, k] * b[k, column]
    c[row, column] = total


@cute.kernel
def vectors(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    fours = cute.zipped_divide(a, (4,))
    outs = cute.zipped_divide(b, (4,))
    outs[(None, (i,))] = fours[(None, (i,))].load() * 3.0


@cute.kernel
def softplus(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < cute.size(a):
        b[i] = cute.math.log(1.0 + cute.math.exp(a[i]))


@cute.kernel
def beyond(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    b[i] = a[i] + 1.0  # fault: no test of the size


def launcher(kernel, grid, block):
    count = len(kernel.__wrapped__.__code__.co_varnames[:kernel.__wrapped__.__code__.co_argcount])
    if count == 2:
        @cute.jit
        def two(a: cute.Tensor, b: cute.Tensor):
            kernel(a, b).launch(grid=grid, block=block)
        return two

    @cute.jit
    def three(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        kernel(a, b, c).launch(grid=grid, block=block)
    return three


def tensor(*shape):
    order = tuple(reversed(range(len(shape))))
    return cute.runtime.make_fake_compact_tensor(cutlass.Float32, shape, stride_order=order,
                                                 assumed_align=16)


def kernels():
    n = cute.sym_int()
    return [(add, [tensor(n)] * 3, (4, 1, 1), (128, 1, 1)),
            (transpose, [tensor(32, 48), tensor(48, 32)], (3, 2, 1), (16, 16, 1)),
            (warp_sum, [tensor(8, 96), tensor(8)], (8, 1, 1), (32, 1, 1)),
            (product, [tensor(32, 24), tensor(24, 32), tensor(32, 32)], (2, 2, 1), (16, 16, 1)),
            (vectors, [tensor(1024), tensor(1024)], (2, 1, 1), (128, 1, 1)),
            (softplus, [tensor(n)] * 2, (4, 1, 1), (128, 1, 1)),
            (beyond, [tensor(n)] * 2, (4, 1, 1), (128, 1, 1))]


def main(folder):
    version = f"CuTe DSL {importlib.metadata.version('nvidia-cutlass-dsl')}"
    for kernel, tensors, grid, block in kernels():
        made = cute.compile(launcher(kernel, grid, block), *tensors,
                            options="--keep-ptx --generate-line-info --gpu-arch sm_90a")
        write_ptx(folder, "cute", kernel.__name__, version, f"grid {grid}, block {block}",
                  made.__ptx__)


if __name__ == "__main__":
    import importlib.metadata
    import sys

    from written import write_ptx
    main(sys.argv[1])
