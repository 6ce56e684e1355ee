// kernels/roofs/bandwidth.cu: loops that move as many bytes as L2, L1 and shared memory can, and
// nothing else.
//
// Every loop keeps its loads alive by a sum that is stored under a condition the compiler cannot
// decide; each is checked against its own counters when the roofs are measured.

// L2: the whole working set is read `turns` times past L1 (ld.global.cg).
// `count` is a multiple of the number of threads times 4.
extern "C" __global__ void __launch_bounds__(512)
    roof_l2_read(const float4* from, float* sink, long long count, int turns) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long own = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
    // Another start each turn, so that no multiprocessor meets its own lines again.
    long long i = (own + static_cast<long long>(turn) * 4099 * 32) % count;
    for (long long done = 0; done < count; done += threads * 4) {
      float4 value[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(value[u].x), "=f"(value[u].y), "=f"(value[u].z), "=f"(value[u].w)
                     : "l"(from + i));
        i += threads;
        if (i >= count) i -= count;
      }
#pragma unroll
      for (int u = 0; u < 4; ++u) sum += value[u].x + value[u].y + value[u].z + value[u].w;
    }
  }
  if (sum == 1.5e30f) *sink = sum;
}

// L2, every block reads all of a window, from a place of its own on and in steps of `step` pieces.
// Pieces that lie side by side are far apart in time, so that hardly two multiprocessors ask for a
// line at once: those requests would reach L2 as one. `count` is a multiple of 512 times IN_FLIGHT,
// and its pieces of 512 have no divisor in common with `step`; `turns` is how often a block goes
// round.
#ifndef IN_FLIGHT
#define IN_FLIGHT 4
#endif
extern "C" __global__ void __launch_bounds__(512)
    roof_l2_window(const float4* from, float* sink, int count, int step, int turns) {
  constexpr int kLanes = 512;
  const int pieces = count / kLanes;
  int piece = static_cast<int>(static_cast<long long>(blockIdx.x) * pieces / gridDim.x);
  float sum = 0.0f;
  for (long long done = 0; done < static_cast<long long>(pieces) * turns; done += IN_FLIGHT) {
    float4 value[IN_FLIGHT];
#pragma unroll
    for (int u = 0; u < IN_FLIGHT; ++u) {
      asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(value[u].x), "=f"(value[u].y), "=f"(value[u].z), "=f"(value[u].w)
                   : "l"(from + static_cast<long long>(piece) * kLanes + threadIdx.x));
      piece += step;
      if (piece >= pieces) piece -= pieces;
    }
#pragma unroll
    for (int u = 0; u < IN_FLIGHT; ++u) sum += value[u].x + value[u].y + value[u].z + value[u].w;
  }
  if (sum == 1.5e30f) *sink = sum;
}

// L1: every block reads the same 32 KB `turns` times with 16-byte loads. The start moves every
// turn: ptxas lifts loads of an unchanging address out of the loop, volatile or not.
extern "C" __global__ void __launch_bounds__(1024)
    roof_l1_read(const float4* from, float* sink, int turns) {
  constexpr int kCount = 32 * 1024 / 16;
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int u = 0; u < kCount / 1024; ++u) {
      float4 value;
      asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                   : "l"(from + ((threadIdx.x + u * 1024 + turn * 32) & (kCount - 1))));
      sum += value.x + value.y + value.z + value.w;
    }
  }
  if (sum == 1.5e30f) *sink = sum;
}

// Shared memory: conflict-free 16-byte loads of 32 KB, `turns` times.
extern "C" __global__ void __launch_bounds__(1024) roof_shared_read(float* sink, int turns) {
  constexpr int kCount = 32 * 1024 / 16;
  __shared__ float4 tile[kCount];
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) tile[i] = make_float4(i, i, i, i);
  __syncthreads();
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int u = 0; u < kCount / 1024; ++u) {
      float4 value;
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                   : "r"(base + ((threadIdx.x + u * 1024 + turn * 32) & (kCount - 1)) * 16));
      sum += value.x + value.y + value.z + value.w;
    }
  }
  if (sum == 1.5e30f) *sink = sum;
}
