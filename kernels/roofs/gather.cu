// kernels/roofs/gather.cu: device memory read in short segments, each somewhere else.
//
//   SEGMENT    bytes that lie together: 32 or 64, read by 2 or 4 lanes of 16 bytes
//   IN_FLIGHT  segments that a lane has on their way at once
//
// Every segment of the array is read once, in an order that no page, line or prefetcher follows:
// the place of an item is a mixing of its number's bits that can be undone, so none comes twice.

constexpr unsigned kLanes = SEGMENT / 16;

__device__ __forceinline__ unsigned mixed(unsigned x, unsigned bits) {
  const unsigned mask = (1u << bits) - 1, half = (bits + 1) / 2;
  x = x * 0x9e3779b1u & mask;
  x ^= x >> half;
  x = x * 0x85ebca6bu & mask;
  x ^= x >> half;
  x = x * 0xc2b2ae35u & mask;
  return x ^ x >> half;
}

extern "C" __global__ void roof_gather(const float4* __restrict__ from,  // [2^bits · kLanes]
                                       float* sink,
                                       unsigned bits) {  // 2^bits segments, below 2^31
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned items = blockDim.x / kLanes;
  const unsigned first = blockIdx.x * items * IN_FLIGHT + threadIdx.x / kLanes;
  float4 value[IN_FLIGHT];
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) {
    const long long segment = mixed(first + u * items, bits);
    value[u] = __ldcs(from + segment * kLanes + lane);
  }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u) sum += value[u].x + value[u].y + value[u].z + value[u].w;
  if (sum == 1.5e30f) *sink = sum;
}
