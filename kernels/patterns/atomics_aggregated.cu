// kernels/patterns/atomics_aggregated.cu: lanes that share a bin add among themselves first.
//
// Against atomics_global: the lanes with one key find each other (match), sum their values by
// shuffles, and the lowest of them adds once. A warp makes as many atomics as it has distinct bins.
// It pays when contention is high; with 32 distinct bins the search is all loss. Look at L2
// reduction sectors beside warp instructions. Needs compute capability 7.0.

extern "C" __global__ void __launch_bounds__(256)
    atomics_aggregated(const float* __restrict__ x,  // [n]
                       const int* __restrict__ key,  // [n], 0 ≤ key < bins
                       float* __restrict__ y,        // [bins], zeroed
                       long long n) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  // Lanes beyond the end keep step with the shuffles under a key that no bin has.
  const int bin = i < n ? key[i] : -1;
  const float value = i < n ? x[i] : 0.0f;
  const unsigned peers = __match_any_sync(kAllLanes, bin);
  float sum = 0.0f;
  for (unsigned rest = peers; __any_sync(kAllLanes, rest != 0); rest &= rest - 1) {
    const int from = rest != 0 ? __ffs(rest) - 1 : lane;
    const float other = __shfl_sync(kAllLanes, value, from);
    if (rest != 0) sum += other;
  }
  const bool lowest = lane == __ffs(peers) - 1;
  if (bin >= 0 && lowest) atomicAdd(y + bin, sum);
}
