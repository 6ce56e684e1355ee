// tests/emulator/calibration/divergence.cu: partial and diverged warps that an H200 counted.
//
// Requests follow where lanes part and meet again. Launched as the kernels of global.cu, but
// `partial_warp` with blocks of 40 threads. Each column of x begins 1024 floats after the last.

#define KERNEL(name)                                                                  \
  extern "C" __global__ void name(const float* __restrict__ x, float* __restrict__ y, \
                                  const int* __restrict__ index, int n)

__device__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

constexpr int kColumn = 1024;

// Lane l takes part in l + 1 rounds.
KERNEL(rounds_by_lane) {
  const int i = element(), last = threadIdx.x & 31;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k <= last; ++k) sum += x[k * kColumn + i];
  y[i] = sum;
}

KERNEL(nested_rounds) {
  const int i = element();
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < 4; ++r) {
#pragma unroll 1
    for (int k = 0; k <= ((threadIdx.x + r) & 3); ++k) sum += x[(r * 4 + k) * kColumn + i];
  }
  y[i] = sum;
}

// The compiler unrolls both loops and puts loads into arms of their own: more requests.
KERNEL(nested_rounds_unrolled) {
  const int i = element();
  float sum = 0;
  for (int r = 0; r < 4; ++r) {
    for (int k = 0; k <= ((threadIdx.x + r) & 3); ++k) sum += x[(r * 4 + k) * kColumn + i];
  }
  y[i] = sum;
}

// The loops run once; that they might run longer keeps both arms branches.
KERNEL(both_arms) {
  constexpr int kLong = 1000000;
  const int i = element();
  float value;
  if (i & 1) {
    value = x[i];
    for (int k = 0; k < n; k += kLong) value = value * 1.5f + x[i + 2 * kColumn + k];
  } else {
    value = x[i + 8 * kColumn];
    for (int k = 0; k < n; k += kLong) value = value / (1.0f + x[i + 16 * kColumn + k]);
  }
  y[i] = value;
}

KERNEL(early_return) {
  if ((threadIdx.x & 31) >= 20) return;
  const int i = element();
  y[i] = x[i];
}

KERNEL(partial_warp) {
  const int i = element();
  y[i] = x[i];
}

KERNEL(tail) {
  const int i = element();
  if (i < n - 24) y[i] = x[i];
}
