// tests/emulator/libraries/cuda_parts.cu: kernels that use libcu++ and cooperative groups.
//
// Each has 1024 whole numbers x from -50 to 49, and writes y. libraries_test.cpp has what each
// kernel gives.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>

namespace cg = cooperative_groups;

constexpr int kTile = 128;
#define KERNEL(name) extern "C" __global__ void name(const int* x, int* y, int n)

__device__ int thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Atomics.

KERNEL(counted_bins) {
  const int i = thread_index();
  if (i >= n) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> bin(y[x[i] & 15]);
  bin.fetch_add(1, cuda::memory_order_relaxed);
}

KERNEL(shared_atomics) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> most, sum;
  if (threadIdx.x == 0) {
    new (&most) cuda::atomic<int, cuda::thread_scope_block>(-1000);
    new (&sum) cuda::atomic<int, cuda::thread_scope_block>(0);
  }
  __syncthreads();
  most.fetch_max(x[thread_index()]);
  int seen = sum.load();
  while (!sum.compare_exchange_weak(seen, seen + x[thread_index()])) {
  }
  __syncthreads();
  y[thread_index()] = most.load() + 1000 * sum.load();
}

// The block that is counted last adds up what all wrote.
__device__ cuda::std::atomic<unsigned> arrived{0};
__device__ int part[8];

KERNEL(last_block) {
  __shared__ bool last;
  cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  int sum = cg::reduce(warp, x[thread_index()], cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(&part[blockIdx.x], sum);
  block.sync();
  if (threadIdx.x == 0) {
    last = arrived.fetch_add(1, cuda::std::memory_order_acq_rel) == gridDim.x - 1;
  }
  block.sync();
  if (!last || threadIdx.x != 0) return;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  int total = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) {
    total += cuda::atomic_ref<int, cuda::thread_scope_device>(part[k]).load();
  }
  y[0] = total;
}

// Types of cuda::std.

__device__ cuda::std::optional<int> root_of(int v) {
  for (int k = 0; k * k <= v; ++k)
    if (k * k == v) return k;
  return cuda::std::nullopt;
}

KERNEL(std_types) {
  const int i = thread_index();
  if (i >= n) return;
  cuda::std::array<int, 3> near = {x[i], x[cuda::std::max(i - 1, 0)],
                                   x[cuda::std::min(i + 1, n - 1)]};
  int low = near[0], high = near[0];
  for (const int v : near) {
    low = cuda::std::min(low, v);
    high = cuda::std::max(high, v);
  }
  const auto [a, b] = cuda::std::make_tuple(low, high);
  y[i] = root_of(x[i]).value_or(-1) + 100 * (b - a) + cuda::std::popcount(static_cast<unsigned>(i));
}

KERNEL(spans) {
  const cuda::std::span<const int> in(x, n);
  const cuda::std::mdspan<int, cuda::std::extents<int, cuda::std::dynamic_extent, 32>> out(y,
                                                                                           n / 32);
  const int i = thread_index();
  const auto row = in.subspan(i / 32 * 32, 32);
  out(i / 32, i % 32) = row[31 - i % 32];
}

KERNEL(std_complex) {
  const int i = thread_index();
  const cuda::std::complex<float> z(x[i], i % 7), w = z * z - cuda::std::conj(z);
  y[i] = static_cast<int>(w.real()) + static_cast<int>(w.imag());
}

// Barriers and copies.

KERNEL(barrier_tile) {
  __shared__ int tile[kTile];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, kTile);
  __syncthreads();
  tile[threadIdx.x] = x[thread_index()];
  auto token = barrier.arrive();
  barrier.wait(cuda::std::move(token));
  const int other = tile[kTile - 1 - threadIdx.x];
  barrier.arrive_and_wait();
  tile[threadIdx.x] = other + 1;
  barrier.arrive_and_wait();
  y[thread_index()] = tile[threadIdx.x ^ 1];
}

KERNEL(copied_tile) {
  __shared__ alignas(16) int tile[kTile];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, x + blockIdx.x * kTile, cuda::aligned_size_t<16>(sizeof(tile)),
                     barrier);
  barrier.arrive_and_wait();
  y[thread_index()] = tile[kTile - 1 - threadIdx.x];
}

KERNEL(piped_tiles) {
  constexpr int kStages = 2;
  __shared__ alignas(16) int tiles[kStages][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const int count = n / kTile;
  int sum = 0;
  for (int tile = 0, ahead = 0; tile < count; ++tile) {
    for (; ahead < count && ahead < tile + kStages; ++ahead) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tiles[ahead % kStages], x + ahead * kTile, sizeof(tiles[0]),
                         pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += tiles[tile % kStages][kTile - 1 - threadIdx.x] * (tile + 1);
    pipeline.consumer_release();
  }
  y[threadIdx.x] = sum;
}

KERNEL(thread_pipe) {
  __shared__ int tile[2][kTile];
  auto pipeline = cuda::make_pipeline();
  for (int k = 0; k < 2; ++k) {
    pipeline.producer_acquire();
    cuda::memcpy_async(&tile[k][threadIdx.x], &x[k * kTile + threadIdx.x], sizeof(int), pipeline);
    pipeline.producer_commit();
  }
  cuda::pipeline_consumer_wait_prior<1>(pipeline);
  int sum = tile[0][threadIdx.x];
  pipeline.consumer_release();
  cuda::pipeline_consumer_wait_prior<0>(pipeline);
  sum += 3 * tile[1][threadIdx.x];
  pipeline.consumer_release();
  y[threadIdx.x] = sum;
}

KERNEL(group_copy) {
  __shared__ int tile[kTile];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, x + blockIdx.x * kTile, sizeof(tile));
  cg::wait(block);
  y[thread_index()] = tile[threadIdx.x ^ 5];
}

KERNEL(split_barrier) {
  __shared__ int tile[kTile];
  cg::thread_block block = cg::this_thread_block();
  tile[threadIdx.x] = x[thread_index()];
  auto token = block.barrier_arrive();
  const int own = x[thread_index()] * 2;
  block.barrier_wait(cuda::std::move(token));
  y[thread_index()] = own + tile[(threadIdx.x + 64) % kTile];
}

KERNEL(latched) {
  __shared__ int head;
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Latch) char room[sizeof(Latch)];
  Latch& latch = *reinterpret_cast<Latch*>(room);
  if (threadIdx.x == 0) new (&latch) Latch(1);
  __syncthreads();
  if (threadIdx.x == 0) {
    head = x[blockIdx.x * kTile];
    latch.count_down();
  }
  latch.wait();
  y[thread_index()] = head;
}

KERNEL(one_at_a_time) {
  __shared__ int sum;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> free;
  if (threadIdx.x == 0) {
    sum = 0;
    new (&free) cuda::binary_semaphore<cuda::thread_scope_block>(1);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    free.acquire();
    sum += x[thread_index()];
    free.release();
  }
  __syncthreads();
  y[thread_index()] = sum;
}

// Groups that are larger than a warp, and results that go to an atomic.

KERNEL(wide_tiles) {
  __shared__ cg::block_tile_memory<kTile> scratch;
  const auto block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<64>(block);
  const int sum = cg::reduce(tile, x[thread_index()], cg::plus<int>());
  const int before = cg::exclusive_scan(tile, x[thread_index()], cg::plus<int>());
  y[thread_index()] = sum + 10000 * before;
}

KERNEL(updated_atomic) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(y[blockIdx.x]);
  cg::reduce_update_async(tile, sum, x[thread_index()], cg::plus<int>());
}

KERNEL(packed_output) {
  __shared__ int kept;
  if (threadIdx.x == 0) kept = 0;
  __syncthreads();
  const int own = x[thread_index()];
  y[thread_index()] = 0;
  __syncthreads();
  if (own > 25) {
    const cg::coalesced_group group = cg::coalesced_threads();
    const int base = cg::invoke_one_broadcast(
        group, [&] { return atomicAdd(&kept, static_cast<int>(group.size())); });
    y[blockIdx.x * kTile + base + group.thread_rank()] = 1;
  }
}

int main() {
  const int n = 1024;
  int *x, *y;
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, n * sizeof(int));
  cudaMemset(y, 0, n * sizeof(int));
  counted_bins<<<cuda::ceil_div(n, kTile), kTile>>>(x, y, n);
  shared_atomics<<<8, kTile>>>(x, y, n);
  last_block<<<8, kTile>>>(x, y, n);
  std_types<<<8, kTile>>>(x, y, n);
  spans<<<8, kTile>>>(x, y, n);
  std_complex<<<8, kTile>>>(x, y, n);
  barrier_tile<<<8, kTile>>>(x, y, n);
  copied_tile<<<8, kTile>>>(x, y, n);
  piped_tiles<<<1, kTile>>>(x, y, n);
  thread_pipe<<<1, kTile>>>(x, y, n);
  group_copy<<<8, kTile>>>(x, y, n);
  split_barrier<<<8, kTile>>>(x, y, n);
  latched<<<8, kTile>>>(x, y, n);
  one_at_a_time<<<8, kTile>>>(x, y, n);
  wide_tiles<<<8, kTile>>>(x, y, n);
  updated_atomic<<<8, kTile>>>(x, y, n);
  packed_output<<<8, kTile>>>(x, y, n);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
