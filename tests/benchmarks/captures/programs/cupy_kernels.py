# tests/benchmarks/captures/programs/cupy_kernels.py: CuPy's own kernels and one of its RawKernel.
import cupy

x = cupy.random.RandomState(1).standard_normal((512, 512), dtype=cupy.float32)
index = cupy.arange(512 * 512, dtype=cupy.int32).reshape(512, 512)
raw = cupy.RawKernel(r"""
extern "C" __global__ void blur(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
""", "blur")


def blur():
    out = cupy.zeros_like(x)
    raw((x.size // 256,), (256,), (x, out, cupy.int32(x.size)))
    return out


for name, operator in {"cupy_elementwise": lambda: cupy.sqrt(cupy.abs(x)) + 1,
                       "cupy_sum": lambda: x.sum(axis=1),
                       "cupy_take": lambda: x.ravel()[index[::2]],
                       "cupy_sort": lambda: cupy.sort(x, axis=1),
                       "cupy_raw": blur}.items():
    results = []
    for _ in range(2):
        cupy.cuda.nvtx.RangePush(f"op:{name}")
        results.append(operator())
        cupy.cuda.Device().synchronize()
        cupy.cuda.nvtx.RangePop()
    print(f"agrees {name} {int(results[0].tobytes() == results[1].tobytes())}", flush=True)
