// kernels/autoencoder/tensor_cluster.cuh: what blocks of a cluster do with each other's shared
// memory.
#pragma once

namespace tensor {

// All threads that have not ended have come here, and see what the others wrote before.
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
// An address of the block's own shared memory, as it is in that of a block of the cluster.
__device__ __forceinline__ unsigned in_block(unsigned address, int block) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
  return there;
}

}  // namespace tensor
