// kernels/engine/compare.cu: compares an output with its reference and finds the worst element.
//
// result[0] elements beyond their bound, result[1] the index of the worst with all bits turned, 0
// without one, result[2] its error over the bound as the bits of a double (non-negative doubles
// compare like their bits). Two kernels, because the largest error is known after all elements. A
// NaN agrees only with a NaN, an infinity only with itself. With `bit_exact` the reference is
// rounded to the output's type, elements with another bit are beyond, and the error is in steps
// from one number of that type to the next (−0 and 0 are one apart).
//
//   TYPE  of the output, 0: f32, 1: f16, 2: bf16, 3: u32, 4: i32, 5: u16, 6: u8, 7: i8, 8: i64,
//         9: f64; the value of each but large i64 is a double as well
#if TYPE == 1
#include <cuda_fp16.h>
using Value = __half;
__device__ double wide(Value value) { return __half2float(value); }
__device__ Value narrow(double value) { return __float2half_rn(static_cast<float>(value)); }
__device__ short bits_of(Value value) { return __half_as_short(value); }
#define BITS short
#elif TYPE == 2
#include <cuda_bf16.h>
using Value = __nv_bfloat16;
__device__ double wide(Value value) { return __bfloat162float(value); }
__device__ Value narrow(double value) { return __float2bfloat16_rn(static_cast<float>(value)); }
__device__ short bits_of(Value value) { return __bfloat16_as_short(value); }
#define BITS short
#elif TYPE == 9
using Value = double;
__device__ double wide(Value value) { return value; }
__device__ Value narrow(double value) { return value; }
__device__ long long bits_of(Value value) { return __double_as_longlong(value); }
#define BITS long long
#elif TYPE == 3
using Value = unsigned;
#elif TYPE == 4
using Value = int;
#elif TYPE == 5
using Value = unsigned short;
#elif TYPE == 6
using Value = unsigned char;
#elif TYPE == 7
using Value = signed char;
#elif TYPE == 8
using Value = long long;
#else
using Value = float;
__device__ double wide(Value value) { return value; }
__device__ Value narrow(double value) { return static_cast<float>(value); }
__device__ int bits_of(Value value) { return __float_as_int(value); }
#define BITS int
#endif

#ifdef BITS
// Its place among the numbers of its type: neighbours are one apart.
__device__ long long place_of(Value value) {
  const BITS bits = bits_of(value);
  const BITS most = static_cast<BITS>(~(1ull << (8 * sizeof(BITS) - 1)));
  return bits >= 0 ? bits : static_cast<BITS>(bits ^ most);
}

// 0: every bit is equal.
__device__ double steps_between(Value value, double expected) {
  const Value reference = narrow(expected);
  const double a = wide(value), b = wide(reference);
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0.0 : 1e300;
  const long long from = place_of(value), to = place_of(reference);
  return from == to ? 0.0 : fmax(1.0, fabs(static_cast<double>(from) - static_cast<double>(to)));
}
#else
__device__ double wide(Value value) { return static_cast<double>(value); }

__device__ double steps_between(Value value, double expected) {
  const bool holds = fabs(expected) <= 9007199254740991.0 && expected == floor(expected);
  const auto whole = static_cast<long long>(holds ? expected : 0.0);
  if (!holds || static_cast<long long>(static_cast<Value>(whole)) != whole) return 1e300;
  const auto number = static_cast<long long>(value);
  return number == whole
             ? 0.0
             : fmax(1.0, fabs(static_cast<double>(number) - static_cast<double>(whole)));
}
#endif

// How each element is judged.
struct Bounds {
  const double *reference, *accumulation, *magnitude;
  double by_accumulation, by_magnitude, by_reference, absolute;
  int bit_exact;
};

// An element's error over its bound, or in steps. 0: it passes without an error.
__device__ double error_of(const Value* out, const Bounds& b, long long i, bool& passes) {
  const double expected = b.reference[i];
  if (b.bit_exact != 0) {
    const double steps = steps_between(out[i], expected);
    passes = steps == 0;
    return steps;
  }
  const double value = wide(out[i]);
  passes = true;
  if ((isnan(value) && isnan(expected)) || value == expected) return 0;
  const double bound = b.by_accumulation * b.accumulation[i] + b.by_magnitude * b.magnitude[i] +
                       b.by_reference * fabs(expected) + b.absolute;
  const double error = fabs(value - expected);
  // False for NaN; an infinite reference has an infinite bound, which must let nothing pass.
  passes = !isinf(expected) && error <= bound;
  const double ratio = error / bound;
  if (ratio <= 1e299) return ratio;
  return isfinite(error) ? 1e299 : 1e300;  // as compare_output.cpp
}

extern "C" __global__ void compare(const Value* out, const double* reference,
                                   const double* accumulation, const double* magnitude,
                                   long long count, double by_accumulation, double by_magnitude,
                                   double by_reference, double absolute, int bit_exact,
                                   unsigned long long* result) {
  const Bounds bounds{reference,    accumulation, magnitude, by_accumulation,
                      by_magnitude, by_reference, absolute,  bit_exact};
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned long long bad = 0, worst = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    bool passes;
    const double error = error_of(out, bounds, i, passes);
    bad += passes ? 0 : 1;
    worst = max(worst, static_cast<unsigned long long>(__double_as_longlong(error)));
  }
  if (bad != 0) atomicAdd(result, bad);
  if (worst != 0) atomicMax(result + 2, worst);
}

// After `compare`: where the first of the worst elements is.
extern "C" __global__ void locate(const Value* out, const double* reference,
                                  const double* accumulation, const double* magnitude,
                                  long long count, double by_accumulation, double by_magnitude,
                                  double by_reference, double absolute, int bit_exact,
                                  unsigned long long* result) {
  const Bounds bounds{reference,    accumulation, magnitude, by_accumulation,
                      by_magnitude, by_reference, absolute,  bit_exact};
  const unsigned long long worst = result[2];
  if (worst == 0) return;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    bool passes;
    const double error = error_of(out, bounds, i, passes);
    if (static_cast<unsigned long long>(__double_as_longlong(error)) == worst) {
      atomicMax(result + 1, ~static_cast<unsigned long long>(i));  // the first: ~ turns the order
      return;
    }
  }
}
