// kernels/autoencoder/pool_places.cu: places of maxima, for a library whose pools keep none.
//
// Its gradient of a pool finds the maxima again, in the map and in the pooled map. So forward the
// windows are read a second time for their places, and backward, before the time begins, a map is
// made that has its maxima where they are given. Look at the bytes: places_of_maxima reads all that
// the library has read.
#include "autoencoder/windows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    places_of_maxima(const float* __restrict__ x,    // [planes, 2·half, 2·half]
                     unsigned* __restrict__ argmax,  // [planes, half, half]: 0 … 3
                     long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  Best best;
  best.take(x[at.first], 0);
  best.take(x[at.first + 1], 1);
  best.take(x[at.below], 2);
  best.take(x[at.below + 1], 3);
  argmax[i] = best.place;
}

// One at the place, zero around it: no two values of a window tie.
extern "C" __global__ void __launch_bounds__(256)
    map_of_places(const unsigned* __restrict__ argmax,  // [planes, half, half]: 0 … 3
                  float* __restrict__ map,              // [planes, 2·half, 2·half]
                  float* __restrict__ pooled,           // as argmax
                  long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  const unsigned place = argmax[i];
  for (unsigned k = 0; k < 4; ++k)
    map[(k < 2 ? at.first : at.below) + k % 2] = k == place ? 1.0f : 0.0f;
  pooled[i] = 1;
}
