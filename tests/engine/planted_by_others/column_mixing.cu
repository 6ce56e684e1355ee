// tests/engine/planted_by_others/column_mixing.cu: Explicit vertical mixing of a tracer in
// atmospheric columns. One thread holds one column of NLEV levels; q is [NLEV][ncol], updated in
// place. kdiff is [ncol] (non-dimensional diffusivity, at most 0.4).
#define NLEV 80

extern "C" __global__ void __launch_bounds__(1024, 2)
    column_mixing(float* __restrict__ q, const float* __restrict__ kdiff, int ncol, int nsteps) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= ncol) return;

  float lev[NLEV];
#pragma unroll
  for (int k = 0; k < NLEV; ++k) lev[k] = q[(size_t)k * ncol + col];

  const float kd = kdiff[col];
#pragma unroll 1
  for (int step = 0; step < nsteps; ++step) {
    float flux_below = 0.0f;
#pragma unroll
    for (int k = 0; k < NLEV - 1; ++k) {
      const float flux = kd * (lev[k + 1] - lev[k]);
      lev[k] += flux - flux_below;
      flux_below = flux;
    }
    lev[NLEV - 1] -= flux_below;
  }

#pragma unroll
  for (int k = 0; k < NLEV; ++k) q[(size_t)k * ncol + col] = lev[k];
}
