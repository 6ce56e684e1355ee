// kernels/autoencoder/first_layer_wgrad.cu: gradients of the weights that read the image, through
// ReLU and pool.
//
// Against argmax_wgrad of pool_fused_argmax.cu, where lanes are windows, so that each reads the
// pixels of its own: here lanes are outputs, and the sixteen pixels of a window in three channels
// are one broadcast for all of them. A lane's gradient goes to one of four places, three others get
// zero and are multiplied all the same: 108 products for 12 loads, and no sum crosses lanes. Look
// at the share of multiply-adds, and at wavefronts of shared memory.
//
//   OUT, HALF, SPLITS  channels, side of the pooled map, shares of the windows
constexpr int kIn = 3, kTile = 32, kThreads = 256, kPixels = 16 * kIn, kSums = 9 * kIn + 1;
constexpr int kWindows = HALF * HALF, kSide = 2 * HALF;

extern "C" __global__ void __launch_bounds__(kThreads)
    first_layer_wgrad(const float* __restrict__ x,               // [images, 3, 2·half, 2·half]
                      const float* __restrict__ dy,              // [images, out, half, half]
                      const unsigned char* __restrict__ places,  // as dy
                      float* __restrict__ shares,                // [splits, 28, out]
                      int images) {
  __shared__ alignas(16) float pixels[kTile][kPixels];
  __shared__ float gradients[kTile][kThreads + 1];
  // Rows of 65 words, so that 32 windows of an output lie in as many banks.
  __shared__ unsigned char won[kTile][kThreads + 4];
  const int thread = threadIdx.x, first_out = blockIdx.y * kThreads, share = blockIdx.x;
  const int all = (images * kWindows + kTile - 1) / kTile, end = (share + 1) * all / SPLITS;
  float sums[kSums] = {};
  for (int tile = share * all / SPLITS; tile < end; ++tile) {
    __syncthreads();  // nobody reads the tile before any more
    for (int e = thread; e < kTile * kPixels; e += kThreads) {
      const int window = tile * kTile + e / kPixels, pixel = e % 16, in = e % kPixels / 16;
      const int image = window / kWindows;
      const int r = window % kWindows / HALF * 2 + pixel / 4 - 1;
      const int q = window % HALF * 2 + pixel % 4 - 1;
      const bool inside =
          image < images && static_cast<unsigned>(r) < kSide && static_cast<unsigned>(q) < kSide;
      pixels[e / kPixels][e % kPixels] =
          inside ? x[((static_cast<long long>(image) * kIn + in) * kSide + r) * kSide + q] : 0.0f;
    }
    // A warp takes 32 windows of an output at once.
    const int window = tile * kTile + thread % kTile, image = window / kWindows;
#pragma unroll 8
    for (int out = thread / kTile; out < kThreads; out += kThreads / kTile) {
      const bool there = image < images && first_out + out < OUT;
      const long long i =
          (static_cast<long long>(image) * OUT + first_out + out) * kWindows + window % kWindows;
      gradients[thread % kTile][out] = there ? dy[i] : 0.0f;
      won[thread % kTile][out] = there ? places[i] : 0;
    }
    __syncthreads();
#pragma unroll 2
    for (int w = 0; w < kTile; ++w) {
      const float d = gradients[w][thread];
      const int its_place = won[w][thread];
      sums[kSums - 1] += d;
#pragma unroll
      for (int in = 0; in < kIn; ++in) {
        float window_pixels[16];
#pragma unroll
        for (int row = 0; row < 4; ++row) {
          const float4 four = *reinterpret_cast<const float4*>(&pixels[w][16 * in + 4 * row]);
          window_pixels[4 * row] = four.x, window_pixels[4 * row + 1] = four.y;
          window_pixels[4 * row + 2] = four.z, window_pixels[4 * row + 3] = four.w;
        }
#pragma unroll
        for (int place = 0; place < 4; ++place) {
          const float here = its_place == place ? d : 0.0f;
#pragma unroll
          for (int tap = 0; tap < 9; ++tap)
            sums[9 * in + tap] +=
                here * window_pixels[(place / 2 + tap / 3) * 4 + place % 2 + tap % 3];
        }
      }
    }
  }
  if (first_out + thread >= OUT) return;
#pragma unroll
  for (int s = 0; s < kSums; ++s)
    shares[(static_cast<long long>(share) * kSums + s) * OUT + first_out + thread] = sums[s];
}

// A block adds up 32 sums, a warp an eighth of the shares of each.
extern "C" __global__ void __launch_bounds__(kThreads)
    add_first_layer(const float* __restrict__ shares,
                    float* __restrict__ dw,    // [out, 3, 3, 3]
                    float* __restrict__ db) {  // [out]
  constexpr int kLanes = 32, kParts = kThreads / kLanes;
  __shared__ float parts[kParts][kLanes];
  const int lane = threadIdx.x % kLanes, part = threadIdx.x / kLanes;
  const int i = blockIdx.x * kLanes + lane;
  const bool there = i < kSums * OUT;
  float sum = 0;
#pragma unroll 16
  for (int s = part * SPLITS / kParts; s < (part + 1) * SPLITS / kParts; ++s)
    sum += there ? shares[s * kSums * OUT + i] : 0.0f;
  parts[part][lane] = sum;
  __syncthreads();
  if (part > 0 || !there) return;
#pragma unroll
  for (int p = 1; p < kParts; ++p) sum += parts[p][lane];
  const int out = i % OUT, of = i / OUT;
  if (of < kSums - 1) {
    dw[out * (kSums - 1) + of] = sum;
  } else {
    db[out] = sum;
  }
}
