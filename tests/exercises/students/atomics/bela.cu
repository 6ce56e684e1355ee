// tests/exercises/students/atomics/bela.cu: by an author who knew only the text.
/* no __match_any_sync needed: 4 ballots, one per bit of the group.
   lane g then knows which lanes have group g. */
extern "C" __global__ void count(const int* __restrict__ groups, int* __restrict__ counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  int g = 0;
  if (i < n) g = groups[i];

  unsigned mine = __ballot_sync(~0u, i < n);
#pragma unroll
  for (int bit = 0; bit < 4; ++bit) {
    unsigned ones = __ballot_sync(~0u, (g >> bit) & 1);
    mine &= (lane >> bit) & 1 ? ones : ~ones;
  }
  if (lane < 16 && mine != 0) atomicAdd(counts + lane, __popc(mine));
}
