// tests/exercises/students/atomics/deniz.cu: by an author who knew only the text.
// atomics.cu: the first half of the block takes the even elements, the second half the odd ones,
// so that a warp sees 64 elements' worth of a run.
extern "C" __global__ void count(const int* __restrict__ groups, int* __restrict__ counts, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + (t < 128 ? 2 * t : 2 * (t - 128) + 1);
  const bool inside = i < n;
  const unsigned active = __ballot_sync(0xffffffffu, inside);
  if (inside) {
    const int g = groups[i];
    const unsigned peers = __match_any_sync(active, g);
    const int leader = __ffs(peers) - 1;
    if ((t & 31) == leader) atomicAdd(&counts[g], __popc(peers));
  }
}
