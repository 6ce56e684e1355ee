// tests/emulator/calibration/shared.cu: bank patterns whose wavefronts an H200 counted.
//
// Launched as the kernels of global.cu. Each warp reads what another has written, so that nothing
// stays in registers.

#define KERNEL(name)                                                                  \
  extern "C" __global__ void name(const float* __restrict__ x, float* __restrict__ y, \
                                  const int* __restrict__ index, int n)

constexpr int kThreads = 256;

__device__ int place() { return blockIdx.x * kThreads + threadIdx.x; }

template <int Stride>
__device__ void through_stride(const float* x, float* y) {
  __shared__ float s[kThreads * Stride];
  const int t = threadIdx.x;
  s[t * Stride] = x[t];
  __syncthreads();
  y[place()] = s[(t ^ 32) * Stride];
}

KERNEL(bank_stride_1) { through_stride<1>(x, y); }
KERNEL(bank_stride_2) { through_stride<2>(x, y); }
KERNEL(bank_stride_4) { through_stride<4>(x, y); }
KERNEL(bank_stride_8) { through_stride<8>(x, y); }
KERNEL(bank_stride_16) { through_stride<16>(x, y); }
KERNEL(bank_stride_32) { through_stride<32>(x, y); }
KERNEL(bank_stride_33) { through_stride<33>(x, y); }

// Writes lane t's element of type T at Stride · t, then reads where `read` says.
template <typename T, int Stride = 1, typename Read>
__device__ void through_elements(const float* x, float* y, Read read) {
  __shared__ T s[kThreads * Stride];
  const int t = threadIdx.x;
  s[t * Stride] = reinterpret_cast<const T*>(x)[t];
  __syncthreads();
  reinterpret_cast<T*>(y)[place()] = s[read(t)];
}

KERNEL(one_word) {
  through_elements<float>(x, y, [](int t) { return (t / 32) ^ 1; });
}

KERNEL(two_words_of_one_bank) {
  through_elements<float>(x, y, [](int t) { return (t & 1) * 32 + 64; });
}

KERNEL(bank_bytes) {
  __shared__ unsigned char s[4 * kThreads];
  const int t = threadIdx.x;
  s[t] = reinterpret_cast<const unsigned char*>(x)[t];
  __syncthreads();
  reinterpret_cast<unsigned char*>(y)[place()] = s[t ^ 32];
}

KERNEL(float2_contiguous) {
  through_elements<float2>(x, y, [](int t) { return t ^ 32; });
}

KERNEL(float2_stride_2) {
  through_elements<float2, 2>(x, y, [](int t) { return 2 * (t ^ 32); });
}

// Both halves of a warp read the same sixteen elements: still a wavefront each.
KERNEL(float2_halves_alike) {
  through_elements<float2>(x, y, [](int t) { return (t & 15) + 32; });
}

KERNEL(float4_contiguous) {
  through_elements<float4>(x, y, [](int t) { return t ^ 32; });
}

KERNEL(float4_stride_2) {
  through_elements<float4, 2>(x, y, [](int t) { return 2 * (t ^ 32); });
}

// All lanes share an address: two wavefronts, not four.
KERNEL(float4_one_address) {
  through_elements<float4>(x, y, [](int t) { return (t / 32) ^ 1; });
}

// Lanes t and t xor 1 share an address: two wavefronts, not four.
KERNEL(float4_neighbours) {
  through_elements<float4>(x, y, [](int t) { return (t / 2) ^ 1; });
}

KERNEL(float4_rows_of_four) {
  through_elements<float4>(x, y, [](int t) { return (t & 7) * 4 + (t & 31) / 8; });
}

KERNEL(float4_row_stride_8) {
  through_elements<float4>(x, y, [](int t) { return (t & 31) * 8 + t / 32; });
}

constexpr int kTile = 32, kRows = kThreads / kTile;

KERNEL(transpose_by_columns) {
  __shared__ float s[kTile * kTile];
  const int column = threadIdx.x % kTile, first = threadIdx.x / kTile;
  for (int row = first; row < first + kTile; row += kRows) {
    s[row * kTile + column] = x[row * kTile + column];
  }
  __syncthreads();
  for (int row = first; row < first + kTile; row += kRows) {
    y[row * kTile + column] = s[column * kTile + row];
  }
}

KERNEL(transpose_swizzled) {
  __shared__ float s[kTile * kTile];
  const int column = threadIdx.x % kTile, first = threadIdx.x / kTile;
  for (int row = first; row < first + kTile; row += kRows) {
    s[row * kTile + (column ^ row)] = x[row * kTile + column];
  }
  __syncthreads();
  for (int row = first; row < first + kTile; row += kRows) {
    y[row * kTile + column] = s[column * kTile + (row ^ column)];
  }
}

// Ever fewer warps take part; the others' instructions are predicated off.
KERNEL(tree_sum) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
#pragma unroll 1
  for (int apart = kThreads / 2; apart > 0; apart /= 2) {
    if (t < apart) s[t] += s[t + apart];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
