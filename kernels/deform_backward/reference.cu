// kernels/deform_backward/reference.cu: every gradient in double precision, with the scales of its
// error bound.
//
// Plain loops, nothing shared with the variants. Only a sample's place is rounded to f32, as the
// operator says: the gradient of a location jumps from one pixel to the next. magnitude is the sum
// of the absolute products, accumulation the same times the root of their number.
//
//   TYPE  of value, weight, locations and grad_out, 0: f32, 1: f16
#include <cuda_fp16.h>

#if TYPE == 0
using Number = float;
#else
using Number = __half;
#endif

__device__ float single(float v) { return v; }
__device__ float single(__half v) { return __half2float(v); }
__device__ double wide(Number v) { return single(v); }

struct Sizes {
  long long batch, queries, rows, heads, levels, points, channels;
};

// The corners of a sample, or inside is false.
struct Corners {
  bool inside;
  double height, width;
  double dx, dy;
  long long pixels[4];  // upper left, upper right, lower left, lower right: their first channels
};
__device__ Corners corners_of(long long sample, const long long* shapes, const long long* starts,
                              const Number* loc, const Sizes& s) {
  const long long l = sample / s.points % s.levels, group = sample / s.points / s.levels;
  const long long head = group % s.heads, image = group / s.heads / s.queries;
  const long long height = shapes[2 * l], width = shapes[2 * l + 1];
  const double x = fmaf(single(loc[2 * sample]), static_cast<float>(width), 0.5f);
  const double y = fmaf(single(loc[2 * sample + 1]), static_cast<float>(height), 0.5f);
  Corners c = {};
  c.inside = 0.0 < x && x < static_cast<double>(width + 1) && 0.0 < y &&
             y < static_cast<double>(height + 1);
  if (!c.inside) return c;
  c.height = static_cast<double>(height), c.width = static_cast<double>(width);
  c.dx = x - floor(x), c.dy = y - floor(y);
  const long long row = image * s.rows + starts[l] +
                        static_cast<long long>(floor(y)) * (width + 2) +
                        static_cast<long long>(floor(x));
  for (int i = 0; i < 4; ++i)
    c.pixels[i] = ((row + i / 2 * (width + 2) + i % 2) * s.heads + head) * s.channels;
  return c;
}

// One thread per sample and channel: four addends of grad_value. terms counts them.
extern "C" __global__ void reference_values(const long long* shapes,  // [levels][2]
                                            const long long* starts,  // [levels]
                                            const Number* loc, const Number* weight,
                                            const Number* grad_out,
                                            double* reference,  // [batch][rows][heads][channels]
                                            double* terms,      // as reference
                                            double* magnitude,  // as reference
                                            long long batch, long long queries, long long rows,
                                            long long heads, long long levels, long long points,
                                            long long channels) {
  const Sizes s = {batch, queries, rows, heads, levels, points, channels};
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long sample = i / channels, channel = i % channels;
  if (sample >= batch * queries * heads * levels * points) return;
  const Corners c = corners_of(sample, shapes, starts, loc, s);
  if (!c.inside) return;
  const double g = wide(grad_out[sample / points / levels * channels + channel]);
  for (int k = 0; k < 4; ++k) {
    const double share = (k / 2 ? c.dy : 1.0 - c.dy) * (k % 2 ? c.dx : 1.0 - c.dx);
    const double product = share * wide(weight[sample]) * g;
    atomicAdd(reference + c.pixels[k] + channel, product);
    atomicAdd(magnitude + c.pixels[k] + channel, fabs(product));
    atomicAdd(terms + c.pixels[k] + channel, 1.0);
  }
}

// terms becomes accumulation.
extern "C" __global__ void reference_scales(double* terms, const double* magnitude,
                                            long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) terms[i] = magnitude[i] * sqrt(terms[i]);
}

// One thread per sample: its gradients of location (x and y) and weight, sums over channels.
extern "C" __global__ void reference_samples(
    const Number* value, const long long* shapes, const long long* starts, const Number* loc,
    const Number* weight, const Number* grad_out,
    double* loc_reference,        // [batch][queries][heads][levels][points][2]
    double* loc_accumulation,     // as loc_reference
    double* loc_magnitude,        // as loc_reference
    double* weight_reference,     // [batch][queries][heads][levels][points]
    double* weight_accumulation,  // as weight_reference
    double* weight_magnitude,     // as weight_reference
    long long batch, long long queries, long long rows, long long heads, long long levels,
    long long points, long long channels) {
  const Sizes s = {batch, queries, rows, heads, levels, points, channels};
  const long long sample = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (sample >= batch * queries * heads * levels * points) return;
  const Corners c = corners_of(sample, shapes, starts, loc, s);
  double sums[3] = {}, absolute[3] = {};  // x, y, weight
  for (long long channel = 0; c.inside && channel < channels; ++channel) {
    const double g = wide(grad_out[sample / points / levels * channels + channel]);
    for (int k = 0; k < 4; ++k) {
      const double across = k % 2 ? c.dx : 1.0 - c.dx, down = k / 2 ? c.dy : 1.0 - c.dy;
      const double v = wide(value[c.pixels[k] + channel]);
      const double products[3] = {(k % 2 ? v : -v) * down * g, (k / 2 ? v : -v) * across * g,
                                  across * down * v * g};
      for (int n = 0; n < 3; ++n) {
        sums[n] += products[n];
        absolute[n] += fabs(products[n]);
      }
    }
  }
  const double root = sqrt(4.0 * static_cast<double>(channels));
  for (int n = 0; n < 2; ++n) {
    const double factor = c.inside ? wide(weight[sample]) * (n == 0 ? c.width : c.height) : 0.0;
    loc_reference[2 * sample + n] = sums[n] * factor;
    loc_magnitude[2 * sample + n] = absolute[n] * fabs(factor);
    loc_accumulation[2 * sample + n] = absolute[n] * fabs(factor) * root;
  }
  weight_reference[sample] = sums[2];
  weight_magnitude[sample] = absolute[2];
  weight_accumulation[sample] = absolute[2] * root;
}
