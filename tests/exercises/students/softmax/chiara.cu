// tests/exercises/students/softmax/chiara.cu: by an author who knew only the text.
// One pass for maximum and sum together ("online softmax"), float4 where rows are aligned.
namespace {

constexpr float kLowest = -3.402823466e38f;

struct Part {
  float most = kLowest, sum = 0.f;
  __device__ __forceinline__ void take(float v) {
    const float d = v - most;
    const float e = expf(-fabsf(d));  // exp(smaller - larger)
    sum = d > 0 ? fmaf(sum, e, 1.f) : sum + e;
    most = fmaxf(most, v);
  }
};

template <bool vectors>
__device__ __forceinline__ void run(const float* __restrict__ row, float* __restrict__ out,
                                    int columns, float2* parts) {
  const int t = threadIdx.x;
  Part p;
  if constexpr (vectors) {
    const float4* row4 = reinterpret_cast<const float4*>(row);
    for (int i = t; i < columns / 4; i += 128) {
      const float4 v = row4[i];
      p.take(v.x), p.take(v.y), p.take(v.z), p.take(v.w);
    }
  } else {
    for (int i = t; i < columns; i += 128) p.take(row[i]);
  }

  float most = p.most;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
  float sum = p.sum * expf(p.most - most);  // lanes without elements: 0 * 0
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (t % 32 == 0) parts[t / 32] = make_float2(most, sum);
  __syncthreads();
  most = kLowest;
#pragma unroll
  for (int w = 0; w < 4; ++w) most = fmaxf(most, parts[w].x);
  sum = 0;
#pragma unroll
  for (int w = 0; w < 4; ++w) sum += parts[w].y * expf(parts[w].x - most);
  const float scale = 1.f / sum;

  if constexpr (vectors) {
    const float4* row4 = reinterpret_cast<const float4*>(row);
    float4* out4 = reinterpret_cast<float4*>(out);
    for (int i = t; i < columns / 4; i += 128) {
      float4 v = row4[i];
      v.x = expf(v.x - most) * scale;
      v.y = expf(v.y - most) * scale;
      v.z = expf(v.z - most) * scale;
      v.w = expf(v.w - most) * scale;
      out4[i] = v;
    }
  } else {
    for (int i = t; i < columns; i += 128) out[i] = expf(row[i] - most) * scale;
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128)
    softmax(const float* __restrict__ x, float* __restrict__ y, int columns) {
  __shared__ float2 parts[4];
  const float* row = x + blockIdx.x * columns;
  float* out = y + blockIdx.x * columns;
  if (columns % 4 == 0)
    run<true>(row, out, columns, parts);
  else
    run<false>(row, out, columns, parts);
}
