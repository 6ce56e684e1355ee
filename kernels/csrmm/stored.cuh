// kernels/csrmm/stored.cuh: weights, B and C in any type, and the type in which products are
// summed.
#pragma once

//   TYPE  0: f32, 1: f16, 2: bf16, whose sums are f32; 3: f64, whose sums are f64
#if TYPE == 3
using Element = double;
using Sum = double;
__device__ __forceinline__ Sum loaded(double value) { return value; }
__device__ __forceinline__ Element stored(double value) { return value; }
#else
#include "csrmm/element.cuh"
using Sum = float;
__device__ __forceinline__ Sum loaded(Element value) { return to_float(value); }
__device__ __forceinline__ Element stored(float value) { return to_element(value); }
#endif
