// kernels/roofs/tensor_operands.cuh: pseudo-random operands of tensor cores, by type.
#pragma once

//   TYPE  0: f16, 1: bf16, 2: tf32, 3: signed bytes
// Zeros, and values that repeat, run at a higher clock than data: they must never be timed.

// A register of operands: two of 16 bits, one of tf32, or four bytes.
__device__ __forceinline__ unsigned random_operands(unsigned i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  i ^= i >> 16;
#if TYPE == 0
  return (i & 0x83ff83ffu) | 0x38003800u;  // ±[0.5, 1) with 10 random bits each
#elif TYPE == 1
  return (i & 0x807f807fu) | 0x3f003f00u;  // ±[0.5, 1) with 7 random bits each
#elif TYPE == 2
  return (i & 0x807fe000u) | 0x3f000000u;  // ±[0.5, 1) with 10 random bits
#else
  return i;
#endif
}
