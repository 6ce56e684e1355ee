// attention_row.cu: softmax(q·kᵀ / 8)·v for heads of 64, a block a query, scores in shared memory.

constexpr int kWidth = 64;

extern "C" __global__ void __launch_bounds__(64)
    block_a_query(const float* __restrict__ q,  // [queries, 64]
                  const float* __restrict__ k,  // [keys, 64]
                  const float* __restrict__ v,  // [keys, 64]
                  float* __restrict__ out,      // [queries, 64]
                  int keys) {
  extern __shared__ float scores[];
  const float* query = q + blockIdx.x * kWidth;
  for (int key = threadIdx.x; key < keys; key += kWidth) {
    float score = 0;
    for (int i = 0; i < kWidth; ++i) score += query[i] * k[key * kWidth + i];
    scores[key] = score / 8;
  }
  __syncthreads();
  float most = scores[0], weight = 0, sum = 0;
  for (int key = 1; key < keys; ++key) most = fmaxf(most, scores[key]);
  for (int key = 0; key < keys; ++key) {
    const float share = expf(scores[key] - most);
    weight += share;
    sum += share * v[key * kWidth + threadIdx.x];
  }
  out[blockIdx.x * kWidth + threadIdx.x] = sum / weight;
}

extern "C" __global__ void exact(const float* q, const float* k, const float* v, double* reference,
                                 double* magnitude, int keys) {
  double weight = 0, sum = 0, size = 0;
  for (int key = 0; key < keys; ++key) {
    double score = 0;
    for (int i = 0; i < kWidth; ++i)
      score += static_cast<double>(q[blockIdx.x * kWidth + i]) * k[key * kWidth + i];
    const double share = exp(score / 8), value = v[key * kWidth + threadIdx.x];
    weight += share;
    sum += share * value;
    size += share * fabs(value);
  }
  reference[blockIdx.x * kWidth + threadIdx.x] = sum / weight;
  magnitude[blockIdx.x * kWidth + threadIdx.x] = size / weight;
}
