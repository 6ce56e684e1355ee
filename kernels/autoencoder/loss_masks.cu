// kernels/autoencoder/loss_masks.cu: a warp adds up by shuffles of its first LANES lanes, which
// their mask names.
//
// Against loss_block_atomic: the warp diverges before it shuffles. All 32 lanes (0xffffffff), lanes
// 0 to 15 (0x0000ffff) or lane 0 alone (0x00000001) go into the branch, and a shuffle waits for
// every lane that its mask names, so that it must name those and no other. What the others have
// comes through shared memory. Look at active lanes, and at what shuffles save.
#include "autoencoder/squares.cuh"

extern "C" __global__ void __launch_bounds__(256)
    loss_masks(const float* __restrict__ p,  // [count]
               const float* __restrict__ t,  // [count]
               float* __restrict__ loss,     // [1], cleared
               long long count) {
  __shared__ float of_lane[256], of_warp[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long i = thread_index();
  float sum = i < count ? squared_difference(p, t, i) : 0.0f;
  of_lane[threadIdx.x] = sum;
  __syncwarp();
  if (lane < LANES) {
    for (int other = lane + LANES; other < 32; other += LANES) sum += of_lane[warp * 32 + other];
    for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_down_sync(MASK, sum, step, LANES);
    sum = __shfl_sync(MASK, sum, 0);
    if (lane == 0) of_warp[warp] = sum;
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int other = 1; other < 8; ++other) sum += of_warp[other];
  atomicAdd(loss, sum / count);
}
