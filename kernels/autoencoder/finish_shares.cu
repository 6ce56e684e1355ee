// kernels/autoencoder/finish_shares.cu: the shares of a split product are added up, in one order,
// and become what a whole sum would have.
//
// Look at the bytes of the shares: they are what more blocks cost.
//
//   SPLITS  shares
//   SIDE    of the maps that the shares have
//   FINISH  what becomes of sums: see below

constexpr int kBias = 0;    // bias, where there is one, and ReLU
constexpr int kMask = 1;    // zero where `other` is not positive
constexpr int kPool = 2;    // bias, ReLU, and of a 2×2 window the first maximum and its place
constexpr int kUnpool = 3;  // masked, and put to its place in a window of zeros of twice the side

constexpr int kPlane = SIDE * SIDE;

__device__ inline float sum_of(const float* __restrict__ shares, long long i, long long count) {
  float sum = 0;
#pragma unroll
  for (int s = 0; s < SPLITS; ++s) sum += shares[s * count + i];
  return sum;
}
__device__ inline float finished(float sum, int relu) { return relu && sum < 0 ? 0 : sum; }

extern "C" __global__ void __launch_bounds__(256)
    finish_shares(const float* __restrict__ shares,    // [SPLITS, planes, SIDE, SIDE]
                  const float* __restrict__ other,     // [targets]: bias; as a share: a mask
                  float* __restrict__ to,              // [planes, side, side]
                  unsigned char* __restrict__ places,  // of windows: written, or read
                  long long count,                     // of a share's numbers
                  int targets, int relu) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if constexpr (FINISH == kPool) {
    if (i >= count / 4) return;
    constexpr int kHalf = SIDE > 1 ? SIDE / 2 : 1;
    const long long plane = i / (kHalf * kHalf);
    const int window = i % (kHalf * kHalf);
    const long long corner = plane * kPlane + window / kHalf * 2 * SIDE + window % kHalf * 2;
    const float bias = other[plane % targets];
    float best = -1e38f;
    int won = 0;
#pragma unroll
    for (int place = 0; place < 4; ++place) {
      const float value =
          finished(sum_of(shares, corner + place / 2 * SIDE + place % 2, count) + bias, 1);
      if (value > best) best = value, won = place;
    }
    to[i] = best;
    places[i] = static_cast<unsigned char>(won);
    return;
  }
  if (i >= count) return;
  const float sum = sum_of(shares, i, count);
  if constexpr (FINISH == kBias) {
    const float bias = other != nullptr ? other[i / kPlane % targets] : 0.0f;
    to[i] = finished(sum + bias, relu);
    return;
  }
  const float masked = other[i] > 0 ? sum : 0.0f;
  if constexpr (FINISH == kUnpool) {
    const long long plane = i / kPlane;
    const int row = i % kPlane / SIDE, column = i % SIDE, won = places[i];
    float2* const rows = reinterpret_cast<float2*>(to);
    const long long corner = (plane * 2 * SIDE + 2 * row) * SIDE + column;
    rows[corner] = make_float2(won == 0 ? masked : 0.0f, won == 1 ? masked : 0.0f);
    rows[corner + SIDE] = make_float2(won == 2 ? masked : 0.0f, won == 3 ? masked : 0.0f);
    return;
  }
  to[i] = masked;
}
