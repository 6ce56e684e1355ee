// kernels/autoencoder/pool_windows.cu: a thread owns a window, and takes each of its rows at once.
//
// Against pool_scatter: a window's row is 8 bytes, one load of two words, so that neighbouring
// lanes fill their sectors. Backward every pixel lies in one window, so its thread writes all four
// of them: no clearing and no atomics. Look at the sectors per request and at the bytes written.
#include "autoencoder/windows.cuh"

__device__ Best best_of(const float* __restrict__ x, const Window& at) {
  const float2 upper = *reinterpret_cast<const float2*>(x + at.first);
  const float2 lower = *reinterpret_cast<const float2*>(x + at.below);
  Best best;
  best.take(upper.x, 0);
  best.take(upper.y, 1);
  best.take(lower.x, 2);
  best.take(lower.y, 3);
  return best;
}

extern "C" __global__ void __launch_bounds__(256)
    pool_windows_forward(const float* __restrict__ x,    // [planes, 2·half, 2·half]
                         float* __restrict__ y,          // [planes, half, half]
                         unsigned* __restrict__ argmax,  // as y: 0 … 3
                         long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  const Best best = best_of(x, at);
  y[i] = best.value;
  argmax[i] = best.place;
}

// Without places, for a pass that has no gradient.
extern "C" __global__ void __launch_bounds__(256)
    pool_windows_values(const float* __restrict__ x,  // [planes, 2·half, 2·half]
                        float* __restrict__ y,        // [planes, half, half]
                        long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  const Best best = best_of(x, at);
  y[i] = best.value;
}

extern "C" __global__ void __launch_bounds__(256)
    pool_windows_backward(const float* __restrict__ dy,         // [planes, half, half]
                          const unsigned* __restrict__ argmax,  // as dy
                          float* __restrict__ dx,               // [planes, 2·half, 2·half]
                          long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  const unsigned place = argmax[i];
  const float d = dy[i];
  const float2 upper = make_float2(place == 0 ? d : 0.0f, place == 1 ? d : 0.0f);
  const float2 lower = make_float2(place == 2 ? d : 0.0f, place == 3 ? d : 0.0f);
  // Counted in pairs: through two pointers into dx the second store would be split into words.
  float2* const rows = reinterpret_cast<float2*>(dx);
  rows[at.first / 2] = upper;
  rows[at.below / 2] = lower;
}
