// kernels/engine/compare.cu: holds an output to its reference and finds the worst element.
//
// result[0] elements beyond their bound, result[1] index of the worst, result[2] its error over the
// bound as the bits of a double (non-negative doubles compare like their bits). A NaN agrees only
// with a NaN, an infinity only with itself.
//
//   TYPE  of the output, 0: f32, 1: f16, 2: bf16, 3: u32, of which each value is a double as well
#if TYPE == 1
#include <cuda_fp16.h>
using Value = __half;
__device__ double wide(Value value) { return __half2float(value); }
#elif TYPE == 2
#include <cuda_bf16.h>
using Value = __nv_bfloat16;
__device__ double wide(Value value) { return __bfloat162float(value); }
#elif TYPE == 3
using Value = unsigned;
__device__ double wide(Value value) { return value; }
#else
using Value = float;
__device__ double wide(Value value) { return value; }
#endif

extern "C" __global__ void compare(const Value* out, const double* reference,
                                   const double* accumulation, const double* magnitude,
                                   long long count, double by_accumulation, double by_magnitude,
                                   double by_reference, double absolute,
                                   unsigned long long* result) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned long long bad = 0, worst = 0;
  long long worst_at = -1;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const double value = wide(out[i]), expected = reference[i];
    if ((isnan(value) && isnan(expected)) || value == expected) continue;
    const double bound = by_accumulation * accumulation[i] + by_magnitude * magnitude[i] +
                         by_reference * fabs(expected) + absolute;
    const double error = fabs(value - expected);
    // False for NaN; an infinite reference has an infinite bound, which nothing may hide behind.
    const bool passes = !isinf(expected) && error <= bound;
    bad += passes ? 0 : 1;
    double ratio = error / bound;
    if (!(ratio <= 1e300)) ratio = 1e300;
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(ratio));
    if (bits > worst) {
      worst = bits;
      worst_at = i;
    }
  }
  if (bad != 0) atomicAdd(result, bad);
  if (worst_at >= 0 && atomicMax(result + 2, worst) < worst) {
    // Another thread may pass this one; the index then is of an element nearly as bad.
    atomicExch(result + 1, static_cast<unsigned long long>(worst_at));
  }
}
