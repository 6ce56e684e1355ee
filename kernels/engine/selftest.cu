// kernels/engine/selftest.cu: a copy whose sectors, requests and multiply-adds are known exactly.

// Every lane loads 4 bytes, does `fmas` multiply-adds, and stores 4 bytes.
extern "C" __global__ void selftest_copy(const float* __restrict__ from, float* __restrict__ to,
                                         float factor, int fmas) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  float value = from[i];
#pragma unroll 1
  for (int k = 0; k < fmas; ++k) value = fmaf(value, factor, factor);
  to[i] = value;
}
