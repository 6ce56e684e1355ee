// tests/exercises/students/atomics/emil.cu: by an author who knew only the text.
// the leader adds the number of all, the others have nothing to add
extern "C" __global__ void count(const int* __restrict__ groups, int* __restrict__ counts, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned who = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    int g = groups[i];
    unsigned m = __match_any_sync(who, g);
    int lane = threadIdx.x % 32;
    int add = lane == __ffs(m) - 1 ? __popc(m) : 0;
    atomicAdd(&counts[g], add);
  }
}
