// tests/engine/warp_marks/parts.cuh: hand-placed marks, and the barriers and copies of the kernels.
#pragma once

// A warp adds up the clock cycles that it spends in each of up to three spans, from one mark to the
// next. With MARKS=0 the kernel is what a person would write without marks. With MARKED_SPAN=3 all
// spans are added up, else the one of that number: each mark less disturbs the kernel less.
#if MARKS
__device__ unsigned no_mark = 0;

// ptxas reads the lower half of the clock by S2UR where it is added up in a uniform register, and
// what follows waits for it. It reads both halves by CS2R, as it reads the clock of a probe. On an
// H200, S2UR made double_buffer 6.8 % slower, and CS2R 0.5 %.
#if CLOCK_BITS == 64
using Clock = long long;
#else
using Clock = unsigned;
#endif

struct Marks {
  Clock sum[3] = {0, 0, 0}, last = 0;
  __device__ static Clock now() {
    Clock cycles;
#if CLOCK_BITS == 64
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
#else
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
#endif
    return cycles;
  }
  // On sm_90, a clock that is read after bar.sync may be read before the barrier is complete. A
  // load is held, and so is what follows a branch on its result.
  __device__ static void hold() {
    asm volatile(
        "{ .reg .b32 v; .reg .pred p; ld.global.u32 v, [%0]; setp.ne.u32 p, v, 0; @p trap; }" ::"l"(
            &no_mark)
        : "memory");
  }
  __device__ void begin() { last = now(); }
  // The end of a span, and the beginning of the next one.
  __device__ void end(int span) {
    const Clock at = now();
    if (MARKED_SPAN == 3 || MARKED_SPAN == span) sum[span] += at - last;
    last = at;
  }
  __device__ void end_at_barrier(int span) {
    hold();
    end(span);
  }
  __device__ void write(long long* out) const {  // out: [blocks, warps of a block, 4]
    if (threadIdx.x % 32 != 0) return;
    const long long warp = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    for (int k = 0; k < 3; ++k) out[warp * 4 + k] = sum[k];
  }
};
#else
struct Marks {
  __device__ void begin() {}
  __device__ void end(int) {}
  __device__ void end_at_barrier(int) {}
  __device__ void write(long long*) const {}
};
#endif

using Barrier = unsigned long long;

__device__ inline unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}
__device__ inline void init(Barrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ inline void fence_init() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ inline void arrive_expecting(Barrier* barrier, int bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
// The operands of a wait, worked out before the mark: the compiler keeps what follows after it.
struct Awaited {
  unsigned address, parity;
};
__device__ inline Awaited awaited(Barrier* barrier, int parity) {
  Awaited of{shared_address(barrier), static_cast<unsigned>(parity)};
  asm volatile("" : "+r"(of.address), "+r"(of.parity));
  return of;
}
__device__ inline bool has_completed(const Awaited& of) {
  unsigned done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
      "p; }"
      : "=r"(done)
      : "r"(of.address), "r"(of.parity)
      : "memory");
  return done != 0;
}
__device__ inline void wait(const Awaited& of) {
  while (!has_completed(of)) {
  }
}
__device__ inline void bulk_load(void* to, const void* from, int bytes, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}
__device__ inline void bulk_store(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ inline void async_load(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}
__device__ inline void named_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ inline void named_arrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
// A chain of multiply-adds that takes about 4 · n cycles.
__device__ inline float chain(float x, int n) {
#pragma unroll 8
  for (int k = 0; k < n; ++k) x = x * 0.999f + 0.5f;
  return x;
}
