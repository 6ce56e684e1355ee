// kernels/patterns/reduction_warp.cu: one warp sums a piece alone: two 16-byte loads, five
// shuffles.
//
// Against reduction_shuffle: 32 lanes × 8 elements are a whole piece of 256, so nothing crosses
// warps: no shared memory, no barrier, and two loads are in flight. Look at DRAM busy: memory is
// what is left.

extern "C" __global__ void __launch_bounds__(256)
    reduction_warp(const float4* __restrict__ x,  // [n / 4]
                   float* __restrict__ y,         // [ceil(n / 256)], sums of 256 elements
                   long long quads, long long pieces) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  constexpr int kQuadsPerPiece = 64;
  const int lane = threadIdx.x % 32;
  const long long piece = static_cast<long long>(blockIdx.x) * 8 + threadIdx.x / 32;
  if (piece >= pieces) return;
  const long long first = piece * kQuadsPerPiece + lane;
  const float4 none = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const float4 a = first < quads ? x[first] : none;
  const float4 b = first + 32 < quads ? x[first + 32] : none;
  float sum = ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w));
#pragma unroll
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(kAllLanes, sum, s);
  if (lane == 0) y[piece] = sum;
}
