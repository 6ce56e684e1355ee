// kernels/engine/widen.cu: elements of any type as doubles, for references that are not doubles.
//
//   TYPE  the place of the type in u8, i8, u16, i32, u32, i64, f16, bf16, f32, f64
#if TYPE == 0
using Value = unsigned char;
#elif TYPE == 1
using Value = signed char;
#elif TYPE == 2
using Value = unsigned short;
#elif TYPE == 3
using Value = int;
#elif TYPE == 4
using Value = unsigned;
#elif TYPE == 5
using Value = long long;
#elif TYPE == 6
#include <cuda_fp16.h>
using Value = __half;
#elif TYPE == 7
#include <cuda_bf16.h>
using Value = __nv_bfloat16;
#elif TYPE == 8
using Value = float;
#else
using Value = double;
#endif

#if TYPE == 6
__device__ double wide(Value value) { return __half2float(value); }
#elif TYPE == 7
__device__ double wide(Value value) { return __bfloat162float(value); }
#else
__device__ double wide(Value value) { return static_cast<double>(value); }
#endif

extern "C" __global__ void widen(const Value* __restrict__ values,  // [n]
                                 double* __restrict__ reference,    // [n]
                                 long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) reference[i] = wide(values[i]);
}
