// tests/situations/memory/no_tail_test.cu: the grid is rounded up, and no thread asks whether it has an element.
#include <cuda_runtime.h>

__global__ void add(const int* a, const int* b, int* c) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  int count = 3000, threads = 128;
  size_t bytes = count * sizeof(int);
  int *a, *b, *c;
  cudaMallocManaged(&a, bytes);
  cudaMallocManaged(&b, bytes);
  cudaMallocManaged(&c, bytes);
  for (int i = 0; i < count; i++) {
    a[i] = i;
    b[i] = 2 * i;
  }
  add<<<(count + threads - 1) / threads, threads>>>(a, b, c);
  cudaDeviceSynchronize();
  return c[0];
}
