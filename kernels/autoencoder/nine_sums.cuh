// kernels/autoencoder/nine_sums.cuh: what a plane adds to the nine weights between two channels.
#pragma once

// `pixels`: the input's plane; `gradient`: the output's, of the same side. Pixels outside the map
// are zero.
__device__ inline void add_plane(float (&sums)[9], const float* __restrict__ pixels,
                                 const float* __restrict__ gradient, int side) {
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const float d = gradient[row * side + column];
#pragma unroll
      for (int tap = 0; tap < 9; ++tap) {
        const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
        if (r >= 0 && r < side && q >= 0 && q < side) sums[tap] += d * pixels[r * side + q];
      }
    }
  }
}
