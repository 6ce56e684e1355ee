// kernels/deform/reference.cu: every output in double precision, with the scales of its error
// bound.
//
// One thread an output, plain loops, nothing shared with the variants. With HALVES coordinates,
// bilinear weights and their products with the attention weight are rounded to f16, by arithmetic
// in double precision: a number is a multiple of its step. magnitude = Σ|w·v|.
//
// accumulation is what a sum in halves may be off by, in units of 2⁻¹¹, in whichever order it is
// made. No partial sum passes the larger of the sums of products of one sign, and each step rounds
// by up to 2⁻¹¹ of the partial sum. n roundings that know nothing of each other make a walk, √n,
// and half as much again for the steps that are farther off than most. But a product that is the
// one before it once more (points of a level in one place) is rounded alike: such steps add up, at
// the mean of what the partial sum is on its way, a half.
//
//   TYPE    of value and weight, 0: f32, 1: f16, 2: bf16; locations f32 with the first, else f16
//   HALVES  1: rounded as the kernels round, 0: exact
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if TYPE == 0
using Value = float;
using Place = float;
#elif TYPE == 1
using Value = __half;
using Place = __half;
#else
using Value = __nv_bfloat16;
using Place = __half;
#endif

__device__ double wide(float v) { return v; }
__device__ double wide(__half v) { return __half2float(v); }
__device__ double wide(__nv_bfloat16 v) { return __bfloat162float(v); }

// The nearest f16, ties to even; beyond the largest, 65504, infinite.
__device__ double to_nearest_half(double v) {
  if (isnan(v) || isinf(v) || v == 0.0) return v;
  const int exponent =
      static_cast<int>(__double_as_longlong(fabs(v)) >> 52) - 1023;  // no f16 is subnormal in f64
  const double step = __longlong_as_double(
      static_cast<long long>((exponent < -14 ? -14 : exponent) - 10 + 1023) << 52);
  const double nearest = rint(v / step) * step;
  return fabs(nearest) > 65504.0 ? copysign(__longlong_as_double(0x7ff0000000000000), v) : nearest;
}

__device__ double rounded(double v) { return HALVES ? to_nearest_half(v) : v; }

extern "C" __global__ void deform_reference(
    const Value* value,       // [batch][rows][heads][channels]
    const long long* shapes,  // [levels][2]: height, width
    const long long* starts,  // [levels]
    const Place* loc,         // [batch][queries][heads][levels][points][2]
    const Value* weight,      // [batch][queries][heads][levels][points]
    double* reference,        // [batch][queries][heads][channels]
    double* accumulation,     // as reference
    double* magnitude,        // as reference
    long long batch, long long queries, long long rows, long long heads, long long levels,
    long long points, long long channels) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= batch * queries * heads * channels) return;
  const long long group = i / channels, channel = i % channels, head = group % heads;
  const long long image = group / heads / queries;
  double sum = 0.0, signs[2] = {}, terms = 0.0, repeated = 0.0;
  for (long long l = 0; l < levels; ++l) {
    const long long height = shapes[2 * l], width = shapes[2 * l + 1];
    const Value* const pixels =
        value + ((image * rows + starts[l]) * heads + head) * channels + channel;
    double before[4] = {};
    for (long long p = 0; p < points; ++p) {
      const long long sample = (group * levels + l) * points + p;
      const double x = rounded(wide(loc[2 * sample]) * static_cast<double>(width) + 0.5);
      const double y = rounded(wide(loc[2 * sample + 1]) * static_cast<double>(height) + 0.5);
      const bool inside = 0.0 < x && x < static_cast<double>(width + 1) && 0.0 < y &&
                          y < static_cast<double>(height + 1);
      if (!inside) continue;
      const double left = floor(x), top = floor(y);
      for (int down = 0; down < 2; ++down) {
        for (int across = 0; across < 2; ++across) {
          const double wx = across ? x - left : rounded(1.0 - (x - left));
          const double wy = down ? y - top : rounded(1.0 - (y - top));
          const double share = rounded(rounded(wx * wy) * wide(weight[sample]));
          const long long row = (static_cast<long long>(top) + down) * (width + 2) +
                                static_cast<long long>(left) + across;
          const double product = share * wide(pixels[row * heads * channels]);
          sum += product;
          signs[product < 0.0] += fabs(product);
          terms += product != 0.0;
          repeated += product != 0.0 && product == before[2 * down + across];
          before[2 * down + across] = product;
        }
      }
    }
  }
#if TYPE == 1
  if (isinf(to_nearest_half(sum))) sum = to_nearest_half(sum);
#endif
  reference[i] = sum;
  magnitude[i] = signs[0] + signs[1];
  accumulation[i] = fmax(signs[0], signs[1]) * (1.5 * sqrt(terms) + 1.0 + 0.5 * repeated);
}
