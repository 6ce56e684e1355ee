// kernels/led/async_copy.cuh: copies from global to shared memory that pass by the registers.
#pragma once

// The address of shared memory as the copy's instruction takes it.
__device__ __forceinline__ unsigned shared_address(const void* to) {
  return static_cast<unsigned>(__cvta_generic_to_shared(to));
}

// `Bytes` is 4 or 16; both addresses are multiples of it. 16 bytes go past L1 as well. source: PTX
// ISA, cp.async.
template <int Bytes>
__device__ __forceinline__ void copy_async(unsigned to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
  }
}

// What this thread has issued since the last commit becomes a group.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `Pending` of this thread's groups are under way.
template <int Pending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}
