// reference.cu: energies in double precision.
extern "C" __global__ void exact(const float* particles,  // [n, 8]
                                 double* reference,       // [n]
                                 int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* p = particles + 8 * i;
  double square = 0;
  for (int k = 4; k < 7; ++k) square += static_cast<double>(p[k]) * p[k];
  reference[i] = 0.5 * p[3] * square;
}
