// tests/situations/memory/particles.cu: one member of a large structure is read, then the same of an array by itself.
#include <cuda_runtime.h>
#include <vector>

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void sum_masses(const Particle* p, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = p[i].mass * 2;
}
__global__ void sum_masses_apart(const float* mass, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mass[i] * 2;
}

int main() {
  const int n = 1 << 14;
  Particle* p;
  float *mass, *out;
  cudaMalloc(&p, n * sizeof(Particle));
  cudaMalloc(&mass, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  sum_masses<<<n / 256, 256>>>(p, out, n);
  sum_masses_apart<<<n / 256, 256>>>(mass, out, n);
  cudaDeviceSynchronize();
}
