// tests/emulator/calibration/unmeasured.cu: patterns for which h200.csv has no figures yet.
//
// They lie beside the measured ones: the other pairing of 16-byte lanes, pairs with bank conflicts,
// and lanes that share the addresses of atomics in other ways. `warpscope_calibration` runs them on
// a device; its rows then belong into h200.csv, and the kernels to their families.

#define KERNEL(name)                                                                  \
  extern "C" __global__ void name(const float* __restrict__ x, float* __restrict__ y, \
                                  const int* __restrict__ index, int n)

constexpr int kThreads = 256;

__device__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <typename Read>
__device__ void through_float4(const float* x, float* y, Read read) {
  __shared__ float4 s[kThreads];
  const int t = threadIdx.x;
  s[t] = reinterpret_cast<const float4*>(x)[t];
  __syncthreads();
  reinterpret_cast<float4*>(y)[element()] = s[read(t)];
}

// Lanes t and t xor 2 share an address.
KERNEL(float4_second_neighbours) {
  through_float4(x, y, [](int t) { return (t & 1) | (t & ~3) >> 1; });
}

// Neighbours share an address, and all sixteen addresses begin in the same bank.
KERNEL(float4_neighbours_in_one_bank) {
  through_float4(x, y, [](int t) { return (t & 31) / 2 * 8 + t / 32; });
}

// Neighbours share an address, and the sixteen addresses begin in four banks.
KERNEL(float4_neighbours_two_ways) {
  through_float4(x, y, [](int t) { return (t & 31) / 2 * 2 + t / 32; });
}

// Four lanes share an address.
KERNEL(float4_fours) {
  through_float4(x, y, [](int t) { return t / 4; });
}

// Lanes of a quarter-warp share an address.
KERNEL(float4_quarters) {
  through_float4(x, y, [](int t) { return t / 8; });
}

// Only the lower half of each warp reads, in pairs.
KERNEL(float4_neighbours_half_a_warp) {
  __shared__ float4 s[kThreads];
  const int t = threadIdx.x;
  s[t] = reinterpret_cast<const float4*>(x)[t];
  __syncthreads();
  if ((t & 31) < 16) reinterpret_cast<float4*>(y)[element()] = s[(t / 2) ^ 1];
}

// Eight lanes read, four of each of two quarters, in 32 banks: one wavefront if they go together.
KERNEL(float4_eight_lanes_apart) {
  __shared__ float4 s[kThreads];
  const int t = threadIdx.x, lane = t & 31;
  s[t] = reinterpret_cast<const float4*>(x)[t];
  __syncthreads();
  if ((lane & 4) == 0 && lane < 16)
    reinterpret_cast<float4*>(y)[element()] = s[lane / 8 * 4 + lane % 4];
}

// The same of nine lanes.
KERNEL(float4_nine_lanes_apart) {
  __shared__ float4 s[kThreads];
  const int t = threadIdx.x, lane = t & 31;
  s[t] = reinterpret_cast<const float4*>(x)[t];
  __syncthreads();
  if (((lane & 4) == 0 && lane < 16) || lane == 31)
    reinterpret_cast<float4*>(y)[element()] = s[lane == 31 ? 16 : lane / 8 * 4 + lane % 4];
}

// One lane of each quarter reads, and they store 16 bytes each to shared memory too.
KERNEL(float4_four_lanes_apart) {
  __shared__ float4 s[kThreads], to[kThreads];
  const int t = threadIdx.x, lane = t & 31;
  s[t] = reinterpret_cast<const float4*>(x)[t];
  __syncthreads();
  if (lane % 8 == 3) to[lane / 8 + (t & ~31)] = s[lane / 8 * 3];
  __syncthreads();
  reinterpret_cast<float4*>(y)[element()] = to[t & ~28];
}

// Sixteen lanes of 8 bytes read, eight of each half, in 32 banks.
KERNEL(float2_sixteen_lanes_apart) {
  __shared__ float2 s[kThreads];
  const int t = threadIdx.x, lane = t & 31;
  s[t] = reinterpret_cast<const float2*>(x)[t];
  __syncthreads();
  if ((lane & 8) == 0) reinterpret_cast<float2*>(y)[element()] = s[lane / 16 * 8 + lane % 8];
}

KERNEL(reduction_pairs) {
  const int i = element();
  atomicAdd(y + i / 2, x[i]);
}

KERNEL(reduction_fours) {
  const int i = element();
  atomicAdd(y + i / 4, x[i]);
}

KERNEL(reduction_one_address) { atomicAdd(y, x[element()]); }

// As above, of integers, which the hardware can add across a warp.
KERNEL(reduction_one_address_of_integers) {
  atomicAdd(reinterpret_cast<int*>(y), index[element()]);
}

// Two addresses of one sector, one with a single lane and one with the other 31.
KERNEL(reduction_uneven) {
  const int i = element();
  atomicAdd(y + ((i & 31) != 0), x[i]);
}

// Eight lanes on each of four addresses of four sectors.
KERNEL(reduction_four_sectors) {
  const int i = element();
  atomicAdd(y + (i & 3) * 8, x[i]);
}

KERNEL(reduction_scattered) {
  const int i = element();
  atomicAdd(y + index[i], x[i]);
}

KERNEL(reduction_of_doubles) {
  const int i = element();
  atomicAdd(reinterpret_cast<double*>(y) + (i & 3), static_cast<double>(x[i]));
}

KERNEL(atomic_pairs) {
  const int i = element();
  y[4096 + i] = atomicAdd(y + i / 2, x[i]);
}

KERNEL(atomic_four_addresses) {
  const int i = element();
  int* sums = reinterpret_cast<int*>(y);
  sums[4096 + i] = atomicAdd(sums + (i & 3), index[i]);
}

KERNEL(atomic_scattered) {
  const int i = element();
  y[4096 + i] = atomicAdd(y + index[i], x[i]);
}
