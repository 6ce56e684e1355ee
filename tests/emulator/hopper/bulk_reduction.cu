// tests/emulator/hopper/bulk_reduction.cu: column sums, greatest values and bits of a matrix, each
// block's added to the result by bulk reductions.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kColumns = 256;

template <typename T>
__device__ __forceinline__ unsigned place_of(T* shared) {
  return shared_address(shared);
}

// 256 threads, a column each; a block takes `rows` rows.
extern "C" __global__ void bulk_reduction(const int* __restrict__ values,  // rows · grid × 256
                                          float* sums, int* most, unsigned* bits, int rows) {
  __shared__ alignas(16) float own_sums[kColumns];
  __shared__ alignas(16) int own_most[kColumns];
  __shared__ alignas(16) unsigned own_bits[kColumns];
  const int column = threadIdx.x;
  float sum = 0;
  int greatest = -1 << 30;
  unsigned seen = 0;
  for (int r = 0; r < rows; ++r) {
    const int value = values[(blockIdx.x * rows + r) * kColumns + column];
    sum += static_cast<float>(value);
    greatest = max(greatest, value);
    seen |= 1u << (value & 31);
  }
  own_sums[column] = sum;
  own_most[column] = greatest;
  own_bits[column] = seen;
  copies_see();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(sums),
      "r"(place_of(own_sums)), "r"(kColumns * 4)
      : "memory");
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(most),
      "r"(place_of(own_most)), "r"(kColumns * 4)
      : "memory");
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%0], [%1], %2;" ::"l"(bits),
      "r"(place_of(own_bits)), "r"(kColumns * 4)
      : "memory");
  commit_stores();
  wait_until_stored();
}
