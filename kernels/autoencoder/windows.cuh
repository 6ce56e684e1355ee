// kernels/autoencoder/windows.cuh: where 2×2 windows lie in a map of twice the side.
#pragma once

struct Window {
  long long small;  // the window's index in the small map
  long long first;  // its upper left pixel in the large one
  long long below;  // the pixel below that
};

__device__ inline long long thread_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// `half`: side of the small map.
__device__ inline Window window_at(long long small, int half) {
  const int column = small % half, row = small / half % half;
  const long long first = (small / half / half * 2 * half + 2 * row) * 2 * half + 2 * column;
  return {small, first, first + 2 * half};
}

// The first maximum of a window: a value has to be greater, which no NaN is, so that a window of
// nothing but NaN or −Inf gives the start value.
struct Best {
  float value = -1e38f;
  unsigned place = 0;
  __device__ void take(float other, unsigned at) {
    if (other > value) value = other, place = at;
  }
};
