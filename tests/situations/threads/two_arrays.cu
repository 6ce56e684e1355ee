// tests/situations/threads/two_arrays.cu: two arrays share the dynamic memory, and the first is longer than its place.
#include <cuda_runtime.h>

__global__ void smallest(const double* values, int count, double* value, int* place) {
  extern __shared__ int places[];
  double* kept = reinterpret_cast<double*>(&places[count]);
  int t = threadIdx.x;
  places[t] = t;
  kept[t] = t < count ? values[t] : 1e300;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d && kept[t + d] < kept[t]) {
      kept[t] = kept[t + d];
      places[t] = places[t + d];
    }
    __syncthreads();
  }
  if (t == 0) {
    *value = kept[0];
    *place = places[0];
  }
}

int main() {
  const int count = 40, threads = 64;
  double *values, *value;
  int* place;
  cudaMalloc(&values, count * sizeof(double));
  cudaMalloc(&value, sizeof(double));
  cudaMalloc(&place, sizeof(int));
  smallest<<<1, threads, threads * (sizeof(int) + sizeof(double))>>>(values, count, value, place);
  cudaDeviceSynchronize();
}
