// tests/engine/planted_by_others/baked_mlp.cu: Inference of a small residual MLP whose weights are
// baked into the code as constants (as an exporter would do), one sample per thread, WIDTH
// features. x and y are [WIDTH][nsamples].
#define WIDTH 32
#define LAYERS 16

__device__ constexpr float weight(int layer, int row, int col) {
  unsigned h = (unsigned)(layer * WIDTH * WIDTH + row * WIDTH + col) + 1u;
  h *= 0x9e3779b1u;
  h ^= h >> 15;
  h *= 0x85ebca77u;
  h ^= h >> 13;
  return ((float)(h & 0xffffu) - 32767.5f) * (1.0f / 262144.0f);
}

template <int LAYER>
__device__ __forceinline__ void run_layers(float (&act)[WIDTH]) {
  if constexpr (LAYER < LAYERS) {
    float acc[WIDTH];
#pragma unroll
    for (int row = 0; row < WIDTH; ++row) acc[row] = act[row];
#pragma unroll
    for (int col = 0; col < WIDTH; ++col) {
#pragma unroll
      for (int row = 0; row < WIDTH; ++row)
        acc[row] = fmaf(weight(LAYER, row, col), act[col], acc[row]);
    }
#pragma unroll
    for (int row = 0; row < WIDTH; ++row) act[row] = fmaxf(acc[row], 0.0f);
    run_layers<LAYER + 1>(act);
  }
}

extern "C" __global__ void __launch_bounds__(128)
    baked_mlp(const float* __restrict__ x, float* __restrict__ y, int nsamples) {
  const int stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nsamples; i += stride) {
    float act[WIDTH];
#pragma unroll
    for (int f = 0; f < WIDTH; ++f) act[f] = x[(size_t)f * nsamples + i];
    run_layers<0>(act);
#pragma unroll
    for (int f = 0; f < WIDTH; ++f) y[(size_t)f * nsamples + i] = act[f];
  }
}
