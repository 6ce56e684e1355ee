// kernels/patterns/reference.cu: every output in double precision, with the scales of its error
// bound.
//
// One thread an output element, plain loops, nothing shared with the variants. magnitude = Σ|x| of
// the terms, accumulation = magnitude·√L where L is their number.

extern "C" __global__ void reference_copy(const float* x,        // [n]
                                          double* reference,     // [elements]
                                          double* accumulation,  // [elements]
                                          double* magnitude,     // [elements]
                                          long long elements, long long offset, long long stride,
                                          long long per_lane) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  const long long vector = i / per_lane, part = i % per_lane;
  const double value = x[offset + vector * stride * per_lane + part];
  reference[i] = value;
  accumulation[i] = magnitude[i] = fabs(value);
}

// y[c, r] = x[r, c].
extern "C" __global__ void reference_transpose(const float* x,        // [rows, columns]
                                               double* reference,     // [columns, rows]
                                               double* accumulation,  // [columns, rows]
                                               double* magnitude,     // [columns, rows]
                                               long long rows, long long columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const double value = x[(i % rows) * columns + i / rows];
  reference[i] = value;
  accumulation[i] = magnitude[i] = fabs(value);
}

extern "C" __global__ void reference_gather(const float* x,        // [n]
                                            const int* index,      // [n]
                                            double* reference,     // [n]
                                            double* accumulation,  // [n]
                                            double* magnitude,     // [n]
                                            long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double value = x[index[i]];
  reference[i] = value;
  accumulation[i] = magnitude[i] = fabs(value);
}

// The sum of the first `terms` of each piece of `pitch` elements; the last piece may be short.
extern "C" __global__ void reference_sums(const float* x,        // [n]
                                          double* reference,     // [pieces]
                                          double* accumulation,  // [pieces]
                                          double* magnitude,     // [pieces]
                                          long long n, long long pieces, long long pitch,
                                          long long terms) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= pieces) return;
  const long long begin = i * pitch, end = begin + terms < n ? begin + terms : n;
  double sum = 0.0, absolute = 0.0;
  for (long long j = begin; j < end; ++j) {
    sum += x[j];
    absolute += fabs(static_cast<double>(x[j]));
  }
  reference[i] = sum;
  magnitude[i] = absolute;
  accumulation[i] = absolute * sqrt(static_cast<double>(end - begin));
}

extern "C" __global__ void reference_bins(const float* x,     // [n]
                                          const int* key,     // [n]
                                          double* reference,  // [bins], zeroed
                                          double* magnitude,  // [bins], zeroed
                                          long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double value = x[i];
  atomicAdd(reference + key[i], value);
  atomicAdd(magnitude + key[i], fabs(value));
}

extern "C" __global__ void reference_bins_scale(const int* bin_counts,    // [bins]
                                                const double* magnitude,  // [bins]
                                                double* accumulation,     // [bins]
                                                long long bins) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < bins) accumulation[i] = magnitude[i] * sqrt(static_cast<double>(bin_counts[i]));
}
