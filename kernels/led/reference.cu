// kernels/led/reference.cu: every output in double precision, with the scales of its error bound.
//
// One thread an output, plain loops, nothing shared with the variants. magnitude = Σ|a·b|,
// accumulation = magnitude·√(B²) = magnitude·B. Sums of bytes are integers below 2⁵³: exact.
//
//   UINT8  1: patterns and frames are bytes

#if UINT8
using Value = unsigned char;
#else
using Value = float;
#endif

extern "C" __global__ void led_reference(const Value* values,   // [C, N, B, B]
                                         const int* positions,  // [C, N, 2]: top row, left column
                                         const Value* frames,   // [F, C, H, W]
                                         double* reference,     // [F, N, C] or [F, C, N]
                                         double* accumulation,  // as reference
                                         double* magnitude,     // as reference
                                         long long leds, long long channels, long long height,
                                         long long width, long long block, long long frame_count,
                                         int planar, double divisor) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= frame_count * leds * channels) return;
  const long long f = i / (leds * channels), place = i % (leds * channels);
  const long long n = planar ? place % leds : place / channels;
  const long long c = planar ? place / leds : place % channels;
  const long long led = c * leds + n;
  const Value* const pattern = values + led * block * block;
  const Value* const image =
      frames + ((f * channels + c) * height + positions[2 * led]) * width + positions[2 * led + 1];
  double sum = 0.0, absolute = 0.0;
  for (long long row = 0; row < block; ++row) {
    for (long long column = 0; column < block; ++column) {
      const double product = static_cast<double>(pattern[row * block + column]) *
                             static_cast<double>(image[row * width + column]);
      sum += product;
      absolute += fabs(product);
    }
  }
  reference[i] = sum / divisor;
  magnitude[i] = absolute / divisor;
  accumulation[i] = absolute / divisor * static_cast<double>(block);
}
