// tests/emulator/corpus/good_kernels.cu: kernels in the styles of public code, each of them right.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
#define IN const float* __restrict__

// --- element by element ---
__global__ void copy_grid_stride(IN x, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = x[i];
}
__global__ void relu(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(x[i], 0.f);
}
__global__ void gelu(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  out[i] = 0.5f * v * (1.f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}
template <typename T, int PER>
__global__ void scale_several(const T* __restrict__ x, T* out, int n) {
  const int begin = (blockIdx.x * blockDim.x) * PER + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const int i = begin + k * blockDim.x;
    if (i < n) out[i] = T(3) * x[i];
  }
}
__global__ void copy_float4(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(x)[i];
  if (i < n % 4) out[n / 4 * 4 + i] = x[n / 4 * 4 + i];
}
__global__ void reverse(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = x[i];
}
__global__ void rotate_by_seven(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[(i + 7) % n] = x[i];
}
__global__ void three_point(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (x[max(i - 1, 0)] + x[i] + x[min(i + 1, n - 1)]) / 3.f;
}
__global__ void three_point_halo(IN x, float* out, int n) {
  __shared__ float tile[130];
  const int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x + 1;
  tile[t] = x[min(i, n - 1)];
  if (threadIdx.x == 0) tile[0] = x[max(i - 1, 0)];
  if (threadIdx.x == 127) tile[129] = x[min(i + 1, n - 1)];
  __syncthreads();
  if (i < n) out[i] = (tile[t - 1] + tile[t] + (i + 1 < n ? tile[t + 1] : tile[t])) / 3.f;
}
__global__ void median_of_three(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[max(i - 1, 0)], b = x[i], c = x[min(i + 1, n - 1)];
  out[i] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}
__global__ void halves(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __half2float(__float2half(x[i]));
}
__global__ void half_pairs(IN x, float* out, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 >= n) {
    if (i < n) out[i] = 2 * x[i];
    return;
  }
  const __half2 v = __hadd2(__floats2half2_rn(x[i], x[i + 1]), __floats2half2_rn(x[i], x[i + 1]));
  out[i] = __low2float(v);
  out[i + 1] = __high2float(v);
}
__global__ void polynomial(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaf(fmaf(fmaf(0.5f, x[i], -1.f), x[i], 2.f), x[i], 0.25f);
}
struct Clamp {
  float low, high;
  __device__ float operator()(float v) const { return v < low ? low : v > high ? high : v; }
};
template <typename F>
__device__ void apply(const float* x, float* out, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = f(x[i]);
}
__global__ void clamp(IN x, float* out, int n) { apply(x, out, n, Clamp{0.2f, 0.7f}); }
__global__ void with_lambda(IN x, float* out, int n) {
  const float factor = 4.f;
  apply(x, out, n, [=](float v) { return factor * v - 1.f; });
}
__device__ const float kTable[4] = {0.f, 1.f, 4.f, 9.f};
__global__ void table_lookup(IN x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = kTable[static_cast<int>(x[i] * 4) & 3];
}
__global__ void async_copy(IN x, float* out, int n) {
  __shared__ alignas(16) float tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x], &x[i], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x] + 1.f;
}

// --- two inputs ---
__global__ void saxpy(IN x, IN y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.f * x[i] + y[i];
}
__global__ void hypotenuse(IN x, IN y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}
__global__ void complex_product(IN x, IN y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 >= n) return;
  const float2 a = make_float2(x[2 * i], x[2 * i + 1]), b = make_float2(y[2 * i], y[2 * i + 1]);
  out[2 * i] = a.x * b.x - a.y * b.y;
  out[2 * i + 1] = a.x * b.y + a.y * b.x;
}
namespace net {
template <typename T>
__global__ void layer_mix(const T* x, const T* y, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * (T(1) - y[i]) + y[i];
}
}  // namespace net
template __global__ void net::layer_mix<float>(const float*, const float*, float*, int);
template __global__ void scale_several<float, 4>(const float*, float*, int);

// Matrices of 32 by 32.
__global__ void matmul_naive(IN a, IN b, float* c, int) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += a[row * 32 + k] * b[k * 32 + col];
  c[row * 32 + col] = sum;
}
__global__ void matmul_tiled(IN a, IN b, float* c, int) {
  __shared__ float ta[16][16], tb[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int t = 0; t < 32; t += 16) {
    ta[y][x] = a[row * 32 + t + x];
    tb[y][x] = b[(t + y) * 32 + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[row * 32 + col] = sum;
}
__global__ void matmul_registers(IN a, IN b, float* c, int) {
  const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum[4] = {};
  for (int k = 0; k < 32; ++k) {
    const float4 v = *reinterpret_cast<const float4*>(b + k * 32 + x);
    const float left = a[row * 32 + k];
    sum[0] += left * v.x, sum[1] += left * v.y, sum[2] += left * v.z, sum[3] += left * v.w;
  }
  *reinterpret_cast<float4*>(c + row * 32 + x) = make_float4(sum[0], sum[1], sum[2], sum[3]);
}
__global__ void matmul_double_buffer(IN a, IN b, float* c, int) {
  __shared__ float tb[2][8][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tb[0][y][x] = b[y * 32 + x];
  float sum[4] = {};
  for (int t = 0; t < 4; ++t) {
    __syncthreads();
    if (t < 3) tb[(t + 1) & 1][y][x] = b[((t + 1) * 8 + y) * 32 + x];
    for (int k = 0; k < 8; ++k)
      for (int r = 0; r < 4; ++r) sum[r] += a[(r * 8 + y) * 32 + t * 8 + k] * tb[t & 1][k][x];
  }
  for (int r = 0; r < 4; ++r) c[(r * 8 + y) * 32 + x] = sum[r];
}

// --- transpositions of 32 by 32 ---
__global__ void transpose_naive(IN x, float* out, int) { out[threadIdx.x * 32 + threadIdx.y + blockIdx.x * 8] = x[(threadIdx.y + blockIdx.x * 8) * 32 + threadIdx.x]; }
__global__ void transpose_padded(IN x, float* out, int) {
  __shared__ float tile[32][33];
  for (int j = threadIdx.y; j < 32; j += blockDim.y) tile[j][threadIdx.x] = x[j * 32 + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += blockDim.y) out[j * 32 + threadIdx.x] = tile[threadIdx.x][j];
}
__global__ void transpose_swizzled(IN x, float* out, int) {
  __shared__ float tile[32][32];
  for (int j = threadIdx.y; j < 32; j += blockDim.y) tile[j][threadIdx.x ^ j] = x[j * 32 + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += blockDim.y) out[j * 32 + threadIdx.x] = tile[threadIdx.x][j ^ threadIdx.x];
}
__global__ void transpose_by_shuffle(IN x, float* out, int) {
  const int lane = threadIdx.x;
  for (int j = 0; j < 32; ++j) {
    const float v = x[((lane + j) & 31) * 32 + lane];
    out[lane * 32 + ((lane + j) & 31)] = v;
    __syncwarp();
  }
}

// --- sums of blocks: out[blockIdx.x] is the sum of 256 elements ---
__global__ void sum_interleaved(IN x, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void sum_sequential(IN x, float* out, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void sum_last_warp(IN x, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 128; d > 16; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    float v = s[t];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}
__device__ float warp_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
__device__ float block_sum(float v) {
  __shared__ float s[8];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < 8 ? s[threadIdx.x] : 0.f;
  return threadIdx.x < 32 ? warp_sum(v) : 0.f;
}
__global__ void sum_by_warps(IN x, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = block_sum(i < n ? x[i] : 0.f);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
__global__ void sum_cooperative(IN x, float* out, int n) {
  __shared__ float s[8];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = cg::reduce(warp, i < n ? x[i] : 0.f, cg::plus<float>());
  if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = v;
  block.sync();
  if (block.thread_rank() == 0) {
    float all = 0;
    for (int w = 0; w < 8; ++w) all += s[w];
    out[blockIdx.x] = all;
  }
}
__global__ void sum_by_atomics(IN x, float* out, int n) {
  __shared__ float s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&s, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = s;
}

// --- rows of 64: one block per row ---
__global__ void softmax_rows(IN x, float* out, int n) {
  const int row = blockIdx.x, lane = threadIdx.x;
  const float a = x[row * 64 + lane], b = x[row * 64 + lane + 32];
  float most = fmaxf(a, b);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  const float ea = expf(a - most), eb = expf(b - most), sum = warp_sum(ea + eb);
  out[row * 64 + lane] = ea / sum;
  out[row * 64 + lane + 32] = eb / sum;
}
__global__ void softmax_online(IN x, float* out, int n) {
  const int row = blockIdx.x;
  if (threadIdx.x != 0) return;
  float most = -3e38f, sum = 0;
  for (int k = 0; k < 64; ++k) {
    const float v = x[row * 64 + k], next = fmaxf(most, v);
    sum = sum * expf(most - next) + expf(v - next);
    most = next;
  }
  for (int k = 0; k < 64; ++k) out[row * 64 + k] = expf(x[row * 64 + k] - most) / sum;
}
__global__ void rms_norm_rows(IN x, float* out, int n) {
  const int row = blockIdx.x, lane = threadIdx.x;
  const float2 v = reinterpret_cast<const float2*>(x + row * 64)[lane];
  const float scale = rsqrtf(warp_sum(v.x * v.x + v.y * v.y) / 64 + 1e-5f);
  reinterpret_cast<float2*>(out + row * 64)[lane] = make_float2(v.x * scale, v.y * scale);
}
__global__ void layer_norm_rows(IN x, float* out, int n) {
  __shared__ float sums[2][2];
  const int t = threadIdx.x;
  const float v = x[blockIdx.x * 64 + t], sum = warp_sum(v), squares = warp_sum(v * v);
  if (t % 32 == 0) sums[0][t / 32] = sum, sums[1][t / 32] = squares;
  __syncthreads();
  const float mean = (sums[0][0] + sums[0][1]) / 64;
  const float variance = (sums[1][0] + sums[1][1]) / 64 - mean * mean;
  out[blockIdx.x * 64 + t] = (v - mean) * rsqrtf(variance + 1e-5f);
}
__global__ void row_maximum_place(IN x, float* out, int n) {
  float best = x[blockIdx.x * 64 + threadIdx.x], other = x[blockIdx.x * 64 + threadIdx.x + 32];
  int at = threadIdx.x;
  if (other > best) best = other, at += 32;
  for (int d = 16; d > 0; d /= 2) {
    const float v = __shfl_down_sync(~0u, best, d);
    const int place = __shfl_down_sync(~0u, at, d);
    if (v > best || (v == best && place < at)) best = v, at = place;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = at;
}

// --- whole numbers: x in [0, n) ---
__global__ void histogram_global(const int* x, int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&out[x[i] % 16], 1);
}
__global__ void histogram_shared(const int* x, int* out, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[x[i] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
__global__ void histogram_by_match(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bin = x[i] & 15;
  const unsigned peers = __match_any_sync(__activemask(), bin);
  if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&out[bin], __popc(peers));
}
__global__ void count_bits(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __popc(x[i]);
}
__global__ void xor_shift(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i] + 1;
  v ^= v << 13, v ^= v >> 17, v ^= v << 5;
  out[i] = static_cast<int>(v);
}
__global__ void gather(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[x[i]];
}
__global__ void scan_double_buffer(const int* x, int* out, int n) {
  __shared__ int s[2][256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int from = 0;
  s[0][t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2, from ^= 1) {
    s[from ^ 1][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
    __syncthreads();
  }
  if (i < n) out[i] = s[from][t];
}
__global__ void scan_blelloch(const int* x, int* out, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t, own = i < n ? x[i] : 0;
  s[t] = own;
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    const int k = (t + 1) * 2 * d - 1;
    if (k < 256) s[k] += s[k - d];
  }
  __syncthreads();
  if (t == 0) s[255] = 0;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    const int k = (t + 1) * 2 * d - 1;
    if (k < 256) {
      const int left = s[k - d];
      s[k - d] = s[k];
      s[k] += left;
    }
  }
  __syncthreads();
  if (i < n) out[i] = s[t] + own;
}
__global__ void scan_by_warps(const int* x, int* out, int n) {
  __shared__ int sums[8];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t & 31;
  int v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += left;
  }
  if (lane == 31) sums[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) v += sums[w];
  if (i < n) out[i] = v;
}
__global__ void sort_bitonic(const int* x, int* out, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0x7fffffff;
  for (int k = 2; k <= 256; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int other = t ^ j;
      if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
        const int kept = s[t];
        s[t] = s[other];
        s[other] = kept;
      }
    }
  }
  __syncthreads();
  if (i < n) out[i] = s[t];
}
__global__ void sort_odd_even(const int* x, int* out, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0x7fffffff;
  __syncthreads();
  for (int turn = 0; turn < 256; ++turn) {
    const int k = 2 * t + (turn & 1);
    if (k + 1 < 256 && s[k] > s[k + 1]) {
      const int kept = s[k];
      s[k] = s[k + 1];
      s[k + 1] = kept;
    }
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
}
// Even numbers of each block, in order, then −1.
__global__ void keep_even(const int* x, int* out, int n) {
  __shared__ int counts[8];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t & 31, warp = t / 32;
  const bool is = i < n && x[i] % 2 == 0;
  const unsigned votes = __ballot_sync(~0u, is);
  if (lane == 0) counts[warp] = __popc(votes);
  if (i < n) out[i] = -1;
  __syncthreads();
  int at = __popc(votes & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) at += counts[w];
  if (is) out[blockIdx.x * 256 + at] = x[i];
}
__global__ void life(const int* x, int* out, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, side = 30;
  if (i >= side * side) return;
  const int r = i / side, c = i % side;
  int near = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc)
      if (dr != 0 || dc != 0) near += x[(r + dr + side) % side * side + (c + dc + side) % side] & 1;
  out[i] = near == 3 || (near == 2 && (x[i] & 1) != 0);
}
__global__ void greatest_by_cas(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int seen = atomicAdd(&out[0], 0);
  while (seen < x[i]) {
    const int before = atomicCAS(&out[0], seen, x[i]);
    if (before == seen) break;
    seen = before;
  }
}
__global__ void dot_of_bytes(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __dp4a(x[i], 0x01020304, 5);
}
__global__ void local_array(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int last[8];
  for (int k = 0; k < 8; ++k) last[k] = x[(i + k) % n];
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += last[(x[i] + k) & 7] * k;
  out[i] = sum;
}
__global__ void __launch_bounds__(128) warp_vote(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int is = i < n ? x[i] > n / 2 : 0;
  const int any = __any_sync(~0u, is), all = __all_sync(~0u, is);
  if (i < n) out[i] = any + 2 * all;
}
__global__ void recursive_sum(const int* x, int* out, int n) {
  struct Tree {
    static __device__ int of(const int* x, int begin, int end) {
      if (end - begin == 1) return x[begin];
      const int middle = (begin + end) / 2;
      return of(x, begin, middle) + of(x, middle, end);
    }
  };
  if (blockIdx.x == 0 && threadIdx.x < 4) out[threadIdx.x] = Tree::of(x, 8 * threadIdx.x, 8 * threadIdx.x + 8);
}
