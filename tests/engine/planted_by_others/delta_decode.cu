// tests/engine/planted_by_others/delta_decode.cu: Decodes delta-of-delta coded time stamps (as in
// Gorilla-type time-series stores). Every tile of 512 zigzag-coded second differences starts from
// its own base stamp:
//   step += unzigzag(in[k]);  stamp += step;  out[k] = base[tile] + stamp
// Launch with 512 threads.
#define TILE 512

extern "C" __global__ void __launch_bounds__(TILE)
    delta_decode(const unsigned* __restrict__ in, const int* __restrict__ base,
                 int* __restrict__ out, int ntiles) {
  __shared__ int val[TILE];
  const int tid = threadIdx.x;

  unsigned nxt = (int)blockIdx.x < ntiles ? in[(size_t)blockIdx.x * TILE + tid] : 0u;
  int nxt_base = (int)blockIdx.x < ntiles ? base[blockIdx.x] : 0;
  for (int tile = blockIdx.x; tile < ntiles; tile += gridDim.x) {
    val[tid] = (int)nxt;
    const int tile_base = nxt_base;
    const int following = tile + gridDim.x;
    if (following < ntiles) {
      nxt = in[(size_t)following * TILE + tid];
      nxt_base = base[following];
    }
    __syncthreads();  // tile staged

    if (tid == 0) {
      int step = 0;
      int stamp = 0;
      for (int k = 0; k < TILE; ++k) {
        const unsigned z = (unsigned)val[k];
        step += (int)(z >> 1) ^ -(int)(z & 1u);
        stamp += step;
        val[k] = stamp;
      }
    }
    __syncthreads();  // stamps ready

    out[(size_t)tile * TILE + tid] = tile_base + val[tid];
    __syncthreads();  // tile consumed
  }
}
