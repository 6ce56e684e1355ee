// kernels/roofs/arithmetic.cu: chains of multiply-adds that keep the FP32, half2 and dp4a pipes
// full.
//
// Eight chains a lane hide the latency of each; factors come as arguments, so that they are
// registers as in a kernel of use, and differ from lane to lane.
#include <cuda_fp16.h>

// 128 FMAs a lane and turn: 8 chains of 16. 2 · 128 FLOP.
extern "C" __global__ void __launch_bounds__(512)
    roof_fp32(float* sink, float factor, float addend, int turns) {
  float chain[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) chain[i] = threadIdx.x + i;
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

// The same with two halves a lane: 4 · 128 FLOP.
extern "C" __global__ void __launch_bounds__(512)
    roof_half2(float* sink, float factor, float addend, int turns) {
  __half2 chain[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) chain[i] = __float2half2_rn(0.001f * (threadIdx.x + i));
  const float lane = 0.001f * (threadIdx.x % 32);
  const __half2 by = __floats2half2_rn(factor - lane, factor + lane);
  const __half2 plus = __floats2half2_rn(addend + lane, addend - lane);
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
      for (int i = 0; i < 8; ++i) chain[i] = __hfma2(chain[i], by, plus);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += __low2float(chain[i]) + __high2float(chain[i]);
  if (sum == 1.5e30f) *sink = sum;
}

// Four products of bytes and their sum: 8 · 128 operations a lane and turn.
extern "C" __global__ void __launch_bounds__(512) roof_dp4a(int* sink, int seed, int turns) {
  int chain[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) chain[i] = threadIdx.x + i;
  const int left = (seed + static_cast<int>(threadIdx.x)) * 0x01c88647, right = left ^ 0x5a3c96e1;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
      for (int i = 0; i < 8; ++i) chain[i] = __dp4a(k % 2 != 0 ? left : right, left, chain[i]);
    }
  }
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum ^= chain[i];
  if (sum == 0x12345678) *sink = sum;
}
