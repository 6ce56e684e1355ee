// kernels/autoencoder/loss_one_kernel.cu: loss and gradient by one launch: the block that comes
// last adds up the sums of all.
//
// Against loss_fused_gradient: no second launch that waits for the first. Blocks count themselves;
// the one that finds all others gone reads their sums, in an order that never changes, so that two
// runs give the same bits, and the count is zero again. Look at the fence before the count, without
// which sums might be read before they are there.
#include "autoencoder/squares.cuh"

extern "C" __global__ void __launch_bounds__(256)
    loss_one_kernel(const float* __restrict__ p,  // [count]
                    const float* __restrict__ t,  // [count]
                    float* partial_sums,          // [blocks], at most 256
                    unsigned* arrived,            // [1], 0 before and after every launch
                    float* __restrict__ loss,     // [1]
                    float* __restrict__ dp,       // [count]
                    long long count) {
  __shared__ bool last;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  float sum = 0;
  for (long long i = thread_index(); i < count; i += stride) {
    const float difference = p[i] - t[i];
    dp[i] = 2 * difference / count;
    sum += difference * difference;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) {
    partial_sums[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  sum = sum_of_block(threadIdx.x < gridDim.x ? __ldcg(partial_sums + threadIdx.x) : 0.0f);
  if (threadIdx.x == 0) *loss = sum / count;
}
