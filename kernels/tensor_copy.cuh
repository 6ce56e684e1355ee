// kernels/tensor_copy.cuh: boxes of tensors copied to shared memory, and the barriers that tell.
#pragma once

// A thread says how many bytes a phase of a barrier waits for, then asks for copies that count them
// down as they arrive; whoever waits for the phase sees the bytes. Barriers are 8 bytes of shared
// memory, destinations multiples of 128 bytes, both given as addresses inside the window.
// source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier" and
// "Data Movement and Conversion Instructions: cp.async.bulk, cp.async.bulk.tensor".

// What the launch passes for a tensor and its boxes: a `const __grid_constant__` parameter.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// A phase ends with `arrivals` arrivals and no byte outstanding. A block barrier must follow before
// other threads use it.
__device__ __forceinline__ void barrier_init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes the barriers that this thread initialised known to the unit that copies.
__device__ __forceinline__ void barrier_init_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// By one thread, before the block's first barrier: of every stage of a ring a barrier that one copy
// fills and one that `readers` empty, 8 bytes a stage each.
__device__ __forceinline__ void ring_init(unsigned full, unsigned empty, int stages, int readers) {
  for (int stage = 0; stage < stages; ++stage) {
    barrier_init(full + stage * 8, 1);
    barrier_init(empty + stage * 8, readers);
  }
  barrier_init_fence();
}

__device__ __forceinline__ void barrier_arrive(unsigned barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(barrier)
               : "memory");
}

// Arrives, and has the phase wait for `bytes` of copies too.
__device__ __forceinline__ void barrier_arrive_expecting(unsigned barrier, unsigned bytes) {
  asm volatile(
      "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(
          barrier),
      "r"(bytes)
      : "memory");
}

// Waits until the phase of this parity is over: 0 for the first, 1 for the second, 0 for the third.
__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred over;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
      "@over bra OVER;\n"
      "bra AGAIN;\n"
      "OVER:\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Waits until `threads` threads of the block, whole warps, have come to barrier `id` of 1 … 15.
__device__ __forceinline__ void wait_for_threads(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Copies bytes that lie side by side: source, destination and length in whole 16 bytes.
__device__ __forceinline__ void copy_bytes(unsigned destination, const void* source, unsigned bytes,
                                           unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(destination),
      "l"(source), "r"(bytes), "r"(barrier)
      : "memory");
}

// Copies the box of a two-dimensional tensor that begins at element (x, y), x innermost and at a
// multiple of 16 bytes. source: another x ends in "illegal instruction" on an H200.
__device__ __forceinline__ void copy_box(unsigned destination, const TensorMap& map, int x, int y,
                                         unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(destination),
      "l"(&map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

// The same of a three-dimensional tensor.
__device__ __forceinline__ void copy_box(unsigned destination, const TensorMap& map, int x, int y,
                                         int z, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3, %4}], [%5];" ::"r"(destination),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
}
