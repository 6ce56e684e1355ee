// tests/emulator/hopper/cluster.cuh: blocks of a cluster and copies out of shared memory, for
// kernels of the tests.
#pragma once

#include "tensor_copy.cuh"

// source: PTX ISA, "mapa", "barrier.cluster", "mbarrier.arrive", "cp.async.bulk".

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ unsigned cluster_size() {
  unsigned size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

// Where what lies at an address of this block lies in the block of a rank.
__device__ __forceinline__ unsigned mapped(unsigned address, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
__device__ __forceinline__ float load_from(unsigned address) {
  float value;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}
__device__ __forceinline__ void add_to(unsigned address, unsigned value) {
  asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
__device__ __forceinline__ void add_to(unsigned address, float value) {
  asm volatile("red.shared::cluster.add.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}
// An arrival at a barrier of any block of the cluster.
__device__ __forceinline__ void barrier_arrive_at(unsigned address) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(address)
               : "memory");
}

// Copies after this fence see what threads wrote before it.
__device__ __forceinline__ void copies_see() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void store_bytes(void* to, unsigned from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int left>
__device__ __forceinline__ void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory");
}
__device__ __forceinline__ void wait_until_stored() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
