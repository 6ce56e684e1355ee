// tests/engine/planted_by_others/structure_factor.cu: X-ray scattering intensity  I(q) = | sum_j
// f_j exp(i q.r_j) |^2  by direct summation. atoms is [natoms][4] = x, y, z, f ; q is [3][nq] ;
// intensity is [nq]. natoms <= MAXATOMS.
#define MAXATOMS 1024

extern "C" __global__ void __launch_bounds__(256)
    structure_factor(const float4* __restrict__ atoms, const float* __restrict__ q,
                     float* __restrict__ intensity, int natoms, int nq) {
  __shared__ float4 atom[MAXATOMS];
  const int count = min(natoms, MAXATOMS);
  for (int j = threadIdx.x; j < count; j += blockDim.x) atom[j] = atoms[j];
  __syncthreads();

  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nq) return;
  const float qx = q[i];
  const float qy = q[nq + i];
  const float qz = q[2 * nq + i];

  float re = 0.0f;
  float im = 0.0f;
#pragma unroll 4
  for (int j = 0; j < count; ++j) {
    const float4 a = atom[j];
    const float phase = fmaf(qx, a.x, fmaf(qy, a.y, qz * a.z));
    const float c = __cosf(phase);
    const float s = __sinf(phase);
    re = fmaf(a.w, c, re);
    im = fmaf(a.w, s, im);
  }
  intensity[i] = re * re + im * im;
}
