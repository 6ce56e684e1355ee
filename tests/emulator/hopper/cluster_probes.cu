// tests/emulator/hopper/cluster_probes.cu: one pattern of access each, many times over, from whose
// counters rules of cost can be fitted.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kTimes = 64;
constexpr int kWords = 4096;

// Fills the block's words; where those of the rank at `distance` are.
template <typename T>
__device__ unsigned words_at(T (&words)[kWords], int distance) {
  for (int i = threadIdx.x; i < kWords; i += 32) words[i] = i;
  cluster_sync();
  return mapped(shared_address(words), cluster_rank() ^ distance);
}
// Once all blocks have done with each other's words.
__device__ void leave(float* out, float value) {
  cluster_sync();
  out[blockIdx.x * 32 + threadIdx.x] = value;
}
// A barrier of one arrival that copies report to.
__device__ unsigned made(unsigned long long* barrier) {
  if (threadIdx.x == 0) {
    barrier_init(shared_address(barrier), 1);
    barrier_init_fence();
  }
  cluster_sync();
  return shared_address(barrier);
}

// 32 threads per block, clusters of 2. `stride`: words from lane to lane. `distance` to the rank
// that is read: 0 is the own block, by its mapped address.
extern "C" __global__ void remote_loads(float* out, int stride, int distance) {
  __shared__ alignas(128) float words[kWords];
  const unsigned from = words_at(words, distance);
  float sum = 0;
  for (int t = 0; t < kTimes; ++t) {
    sum += load_from(from + 4 * ((threadIdx.x * stride + t) % kWords));
  }
  leave(out, sum);
}

// The same with 16 bytes per lane.
extern "C" __global__ void remote_wide_loads(float* out, int stride, int distance) {
  __shared__ alignas(128) float words[kWords];
  const unsigned from = words_at(words, distance);
  float sum = 0;
  for (int t = 0; t < kTimes; ++t) {
    float a, b, c, d;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "r"(from + 16 * ((threadIdx.x * stride + t) % (kWords / 4)))
                 : "memory");
    sum += a + b + c + d;
  }
  leave(out, sum);
}

extern "C" __global__ void remote_stores(float* out, int stride, int distance) {
  __shared__ alignas(128) float words[kWords];
  const unsigned to = words_at(words, distance);
  for (int t = 0; t < kTimes; ++t) {
    asm volatile(
        "st.shared::cluster.f32 [%0], %1;" ::"r"(to + 4 * ((threadIdx.x * stride) % kWords)),
        "f"(1.0f)
        : "memory");
    __syncwarp();
  }
  cluster_sync();
  out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x];
}

// stride 0: all lanes add to one word.
extern "C" __global__ void remote_atomics(float* out, int stride, int distance) {
  __shared__ alignas(128) unsigned words[kWords];
  const unsigned to = words_at(words, distance);
  for (int t = 0; t < kTimes; ++t) add_to(to + 4 * ((threadIdx.x * stride) % kWords), 1u);
  cluster_sync();
  out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x];
}

// `bytes` bytes to byte `offset` of 4096 for each time. kind 0: copies, 1: adds f32, 2: adds u32.
extern "C" __global__ void bulk_out(float* out, int bytes, int offset, int kind) {
  __shared__ alignas(128) float words[kWords];
  for (int i = threadIdx.x; i < kWords; i += 32) words[i] = 1;
  copies_see();
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int t = 0; t < kTimes; ++t) {
    char* const to = reinterpret_cast<char*>(out) + (blockIdx.x * kTimes + t) * 8192 + offset;
    if (kind == 0) {
      store_bytes(to, shared_address(words), bytes);
    } else if (kind == 1) {
      asm volatile(
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
          "r"(shared_address(words)), "r"(bytes)
          : "memory");
    } else {
      asm volatile(
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to),
          "r"(shared_address(words)), "r"(bytes)
          : "memory");
    }
  }
  commit_stores();
  wait_until_stored();
}

// `bytes` bytes from byte `offset` on, to each block of the mask; only rank 0 copies.
extern "C" __global__ void bulk_in(const float* in, float* out, int bytes, int offset, int mask) {
  __shared__ alignas(128) float words[kWords];
  __shared__ alignas(8) unsigned long long barriers[1];
  const unsigned full = made(barriers);
  const bool gets = (mask >> cluster_rank() & 1) != 0;
  for (int t = 0; t < kTimes; ++t) {
    if (threadIdx.x == 0 && gets) barrier_arrive_expecting(full, bytes);
    if (threadIdx.x == 0 && cluster_rank() == 0) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
          "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(words)),
          "l"(reinterpret_cast<const char*>(in) + t * 8192 + offset), "r"(bytes), "r"(full),
          "h"(static_cast<short>(mask))
          : "memory");
    }
    if (gets) barrier_wait(full, t & 1);
    cluster_sync();
  }
  out[blockIdx.x * 32 + threadIdx.x] = gets ? words[threadIdx.x % (bytes / 4)] : 0;
}

// `bytes` bytes from shared memory to that of the other block.
extern "C" __global__ void bulk_across(float* out, int bytes) {
  __shared__ alignas(128) float words[kWords / 2], got[kWords / 2];
  __shared__ alignas(8) unsigned long long barriers[1];
  for (int i = threadIdx.x; i < kWords / 2; i += 32) words[i] = i;
  copies_see();
  const unsigned full = made(barriers), other = cluster_rank() ^ 1;
  for (int t = 0; t < kTimes; ++t) {
    if (threadIdx.x == 0) {
      barrier_arrive_expecting(full, bytes);
      asm volatile(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(mapped(shared_address(got), other)),
          "r"(shared_address(words)), "r"(bytes), "r"(mapped(full, other))
          : "memory");
    }
    barrier_wait(full, t & 1);
    cluster_sync();
  }
  out[blockIdx.x * 32 + threadIdx.x] = got[threadIdx.x % (bytes / 4)];
}
