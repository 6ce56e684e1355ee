// kernels/roofs/arithmetic.cu: chains of multiply-adds that keep the FP32 and FP16 pipes full.
#include <cuda_fp16.h>

// 128 independent-in-eight FMAs a turn: 8 chains of 16. 2 · 128 FLOP a lane and turn.
extern "C" __global__ void __launch_bounds__(512) roof_fp32(float* sink, int turns) {
  float chain[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) chain[i] = threadIdx.x + i;
  const float factor = 1.0001f, addend = 0.5f;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
      for (int i = 0; i < 8; ++i) chain[i] = fmaf(chain[i], factor, addend);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += chain[i];
  if (sum == 1.5e30f) *sink = sum;
}

// The same with two halves a lane: 4 · 128 FLOP a lane and turn.
extern "C" __global__ void __launch_bounds__(512) roof_fp16(float* sink, int turns) {
  __half2 chain[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) chain[i] = __float2half2_rn(0.001f * (threadIdx.x + i));
  const __half2 factor = __float2half2_rn(0.5f), addend = __float2half2_rn(0.25f);
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
      for (int i = 0; i < 8; ++i) chain[i] = __hfma2(chain[i], factor, addend);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += __low2float(chain[i]) + __high2float(chain[i]);
  if (sum == 1.5e30f) *sink = sum;
}
