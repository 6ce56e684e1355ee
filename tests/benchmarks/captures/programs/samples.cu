// tests/benchmarks/captures/programs/samples.cu: launches in the spirit of the toolkit's samples: a
// template, dynamic shared memory, a cluster, TMA with and without a tensor map, a cooperative
// launch, a list of pointers, a linked list, managed memory, 16 streams.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cuda/barrier>
#include <vector>

// nvcc -std=c++17 -arch=sm_90 -lineinfo samples.cu -o samples

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

template <typename T, int kThreads>
__global__ void row_sums(const T* in, T* out, int columns) {
  extern __shared__ unsigned char raw[];
  T* part = reinterpret_cast<T*>(raw);
  T sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += in[size_t(blockIdx.x) * columns + i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void __cluster_dims__(4, 1, 1) cluster_histogram(const int* in, int* bins, int n) {
  __shared__ int own[64];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i] & 255;
    atomicAdd(cluster.map_shared_rank(own, bin / 64) + bin % 64, 1);
  }
  cluster.sync();
  if (threadIdx.x < 64) atomicAdd(bins + cluster.block_rank() * 64 + threadIdx.x, own[threadIdx.x]);
}

__global__ void bulk_copy(const float* in, float* out) {
  __shared__ alignas(128) float tile[1024];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, in + size_t(blockIdx.x) * 1024,
                                  cuda::aligned_size_t<16>(sizeof tile), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    out[size_t(blockIdx.x) * 1024 + i] = 2 * tile[i];
}

__global__ void tensor_copy(const __grid_constant__ CUtensorMap map, float* out, int columns) {
  __shared__ alignas(128) float tile[32][32];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(
        &tile, &map, blockIdx.x * 32, blockIdx.y * 32, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    const int row = blockIdx.y * 32 + i / 32, column = blockIdx.x * 32 + i % 32;
    out[size_t(row) * columns + column] = tile[i / 32][i % 32] + 1;
  }
}

__global__ void grid_sum(const float* in, float* parts, float* out, int n) {
  cg::grid_group grid = cg::this_grid();
  float sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
  parts[grid.thread_rank()] = sum;
  grid.sync();
  if (grid.thread_rank() != 0) return;
  float total = 0;
  for (int i = 0; i < int(grid.size()); ++i) total += parts[i];
  *out = total;
}

__global__ void sum_of_arrays(const float* const* arrays, int count, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += arrays[k][i];
  out[i] = sum;
}

struct Node {
  Node* next;
  float value, pad;
};
__global__ void walk(const Node* first, float* out) {
  float sum = 0;
  for (const Node* node = first; node != nullptr; node = node->next) sum += node->value;
  *out = sum;
}

__global__ void saxpy(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

__global__ void float_atomics(const float* x, float* sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(sum + (i & 7), x[i]);
}

#define CHECK(call)                                              \
  do {                                                           \
    const cudaError_t error = (call);                            \
    if (error != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error)); \
      return 1;                                                  \
    }                                                            \
  } while (false)

int main() {
  constexpr int kRows = 512, kColumns = 512, n = kRows * kColumns;
  std::vector<float> host(n);
  std::vector<int> whole(n);
  for (int i = 0; i < n; ++i) host[i] = float(i % 101) / 7, whole[i] = i * 31;
  float *in, *out, *parts;
  int *integers, *bins;
  CHECK(cudaMalloc(&in, 4 * n));
  CHECK(cudaMalloc(&out, 4 * n));
  CHECK(cudaMalloc(&parts, 4 * n));
  CHECK(cudaMalloc(&integers, 4 * n));
  CHECK(cudaMalloc(&bins, 4 * 256));
  CHECK(cudaMemcpy(in, host.data(), 4 * n, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(integers, whole.data(), 4 * n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(bins, 0, 4 * 256));
  CHECK(cudaMemset(out, 0, 4 * n));
  row_sums<float, 128><<<kRows, 128, 128 * 4>>>(in, out, kColumns);
  cluster_histogram<<<16, 256>>>(integers, bins, n);
  bulk_copy<<<n / 1024, 128>>>(in, out);

  CUtensorMap map{};
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                         &found));
  const cuuint64_t extents[] = {kColumns, kRows}, strides[] = {4 * kColumns};
  const cuuint32_t box[] = {32, 32}, steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, extents, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  tensor_copy<<<dim3(kColumns / 32, kRows / 32), 128>>>(map, out, kColumns);

  int count = n;
  void* arguments[] = {&in, &parts, &out, &count};
  CHECK(cudaLaunchCooperativeKernel(grid_sum, dim3(64), dim3(128), arguments));

  float* arrays[4];
  float** list;
  for (int k = 0; k < 4; ++k) {
    CHECK(cudaMalloc(&arrays[k], 4 * 10000));
    CHECK(cudaMemcpy(arrays[k], host.data() + 100 * k, 4 * 10000, cudaMemcpyHostToDevice));
  }
  CHECK(cudaMalloc(&list, sizeof arrays));
  CHECK(cudaMemcpy(list, arrays, sizeof arrays, cudaMemcpyHostToDevice));
  sum_of_arrays<<<40, 256>>>(list, 4, out, 10000);

  std::vector<Node> nodes(1000);
  Node* chain;
  CHECK(cudaMalloc(&chain, sizeof(Node) * nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i)
    nodes[i] = {i + 1 < nodes.size() ? chain + (i * 7 + 7) % nodes.size() : nullptr, float(i), 0};
  for (size_t i = 0; i + 1 < nodes.size(); ++i) nodes[i].next = chain + i + 1;
  CHECK(cudaMemcpy(chain, nodes.data(), sizeof(Node) * nodes.size(), cudaMemcpyHostToDevice));
  walk<<<1, 1>>>(chain, out);

  float* managed;
  CHECK(cudaMallocManaged(&managed, 4 * 5000));
  for (int i = 0; i < 5000; ++i) managed[i] = float(i);
  saxpy<<<20, 256>>>(in, managed, 0.5f, 5000);
  CHECK(cudaDeviceSynchronize());

  cudaStream_t streams[16];
  for (int k = 0; k < 16; ++k) {
    CHECK(cudaStreamCreate(&streams[k]));
    saxpy<<<32 + k, 256, 0, streams[k]>>>(in, parts + 16000 * k, 0.5f, 8192);
  }
  CHECK(cudaMemset(parts, 0, 4 * 8));
  float_atomics<<<200, 256>>>(in, parts, n);
  CHECK(cudaDeviceSynchronize());
  std::printf("done\n");
  return 0;
}
