// tests/situations/order/shuffle_mask.cu: a shuffle names all lanes, and only half of them take part.
#include <cuda_runtime.h>

__global__ void first_half(const int* x, int* y) {
  int lane = threadIdx.x;
  int v = x[lane];
  if (lane < 16) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0) *y = v;
  }
}

int main() {
  int *x, *y;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMalloc(&y, sizeof(int));
  first_half<<<1, 32>>>(x, y);
  cudaDeviceSynchronize();
}
