// kernels/engine/read_all.cu: reads a buffer from end to end, which leaves only clean lines in L2.

// source: 16-byte words; sink is written only if all of them add up to an unlikely value, so that
// the reads cannot be dropped.
extern "C" __global__ void __launch_bounds__(256)
    read_all(const uint4* __restrict__ source, unsigned* sink, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const uint4 word = source[i];
    sum += word.x ^ word.y ^ word.z ^ word.w;
  }
  if (sum == 0x9e3779b9u) *sink = sum;
}
