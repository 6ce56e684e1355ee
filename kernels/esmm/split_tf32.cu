// kernels/esmm/split_tf32.cu: every value as two TF32 numbers whose sum it is, up to 2^-22 of it.

extern "C" __global__ void __launch_bounds__(256)
    split_tf32(const float* __restrict__ x,  // [count]
               float* __restrict__ high,     // [count]
               float* __restrict__ low,      // [count]
               long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned rounded, rest;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x[i]));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rest) : "f"(x[i] - __uint_as_float(rounded)));
  high[i] = __uint_as_float(rounded);
  low[i] = __uint_as_float(rest);
}
