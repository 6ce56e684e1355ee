// tests/emulator/hopper/swizzled_boxes.cu: boxes by maps that swizzle, as they lie in shared
// memory, and stored again by the same maps.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kRows = 16;

// One block of 128 threads. Boxes of 16 rows of 32, 64 and 128 bytes that begin at row 3 of `in`;
// `lay` gets their words in the order of shared memory, one box after the other, 512 words each.
extern "C" __global__ void swizzled_boxes(const __grid_constant__ TensorMap narrow,
                                          const __grid_constant__ TensorMap middle,
                                          const __grid_constant__ TensorMap wide,
                                          const __grid_constant__ TensorMap copy, unsigned* lay) {
  __shared__ alignas(1024) unsigned boxes[3][kRows * 32];
  __shared__ alignas(8) unsigned long long full_at[1];
  const unsigned full = shared_address(full_at);
  if (threadIdx.x == 0) {
    barrier_init(full, 1);
    barrier_init_fence();
    barrier_arrive_expecting(full, kRows * (32 + 64 + 128));
    copy_box(shared_address(boxes[0]), narrow, 0, 3, full);
    copy_box(shared_address(boxes[1]), middle, 0, 3, full);
    copy_box(shared_address(boxes[2]), wide, 0, 3, full);
  }
  __syncthreads();
  barrier_wait(full, 0);
  for (int b = 0; b < 3; ++b) {
    for (int i = threadIdx.x; i < kRows * (8 << b); i += 128) lay[b * kRows * 32 + i] = boxes[b][i];
  }
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&copy),
        "r"(0), "r"(0), "r"(shared_address(boxes[2]))
        : "memory");
    commit_stores();
    wait_until_stored();
  }
}
