// kernels/engine/tensor_box.cu: one box of a tensor through shared memory to global memory.
#include "tensor_copy.cuh"

// Block (i, j) of 128 threads copies the box of 32 × 16 floats that begins at element (x + 32·i,
// y + 16·j) to to[j·gridDim.x + i], rows one after the other; what lies outside arrives as zeros.
extern "C" __global__ void __launch_bounds__(128)
    tensor_box(const __grid_constant__ TensorMap map, float* __restrict__ to, int x, int y) {
  constexpr int kWidth = 32, kHeight = 16;
  __shared__ alignas(128) float box[kWidth * kHeight];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned full = shared_address(&barrier);
  if (threadIdx.x == 0) barrier_init(full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_arrive_expecting(full, sizeof box);
    copy_box(shared_address(box), map, x + kWidth * static_cast<int>(blockIdx.x),
             y + kHeight * static_cast<int>(blockIdx.y), full);
  }
  barrier_wait(full, 0);
  const long long first =
      (static_cast<long long>(blockIdx.y) * gridDim.x + blockIdx.x) * (kWidth * kHeight);
  for (int k = threadIdx.x; k < kWidth * kHeight; k += 128) to[first + k] = box[k];
}
