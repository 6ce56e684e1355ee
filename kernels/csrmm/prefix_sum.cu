// kernels/csrmm/prefix_sum.cu: counts to first positions, in one block: a prepare step.
//
// A running total walks the counts 1024 at a time: a warp sums its 32 by shuffles, the first warp
// sums the warps. One multiprocessor is enough for a step that runs once per matrix.

extern "C" __global__ void __launch_bounds__(1024)
    exclusive_sums(const int* __restrict__ counts,  // [count]
                   int* __restrict__ first,         // [count + 1], its last element the total
                   int count) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  __shared__ int of_warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int total = 0;
  for (int base = 0; base < count; base += 1024) {
    const int i = base + static_cast<int>(threadIdx.x);
    const int mine = i < count ? counts[i] : 0;
    int sum = mine;  // of this lane and those before it
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const int before = __shfl_up_sync(kAllLanes, sum, distance);
      if (lane >= distance) sum += before;
    }
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      int warps = of_warps[lane];
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const int before = __shfl_up_sync(kAllLanes, warps, distance);
        if (lane >= distance) warps += before;
      }
      of_warps[lane] = warps;
    }
    __syncthreads();
    if (i < count) first[i] = total + (warp > 0 ? of_warps[warp - 1] : 0) + sum - mine;
    total += of_warps[31];
    __syncthreads();
  }
  if (threadIdx.x == 0) first[count] = total;
}
