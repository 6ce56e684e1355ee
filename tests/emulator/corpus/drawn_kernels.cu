// tests/emulator/corpus/drawn_kernels.cu: kernels in further styles of public code, each of them
// right for any size and block shape that its case may draw.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

// --- groups of lanes ---
__global__ void sum_tiles_of_eight(const int* x, int* out, int n) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = cg::reduce(tile, i < n ? x[i] : 0, cg::plus<int>());
  if (tile.thread_rank() == 0) out[i / 8] = sum;
}
// One pass of a radix sort per block: numbers with the bit clear come first, in order.
__global__ void radix_split(const unsigned* x, unsigned* out, int n, int bit) {
  __shared__ int zeros_of[33];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t & 31, warp = t / 32;
  const bool in = i < n;
  const unsigned v = in ? x[i] : 0;
  const bool zero = in && (v >> bit & 1) == 0;
  const unsigned votes = __ballot_sync(~0u, zero);
  if (lane == 0) zeros_of[warp] = __popc(votes);
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) {
      const int count = zeros_of[w];
      zeros_of[w] = sum;
      sum += count;
    }
    zeros_of[32] = sum;
  }
  __syncthreads();
  const int before = zeros_of[warp] + __popc(votes & ((1u << lane) - 1));
  if (in) out[blockIdx.x * blockDim.x + (zero ? before : zeros_of[32] + t - before)] = v;
}
// Keys ascend: one atomic per run of equal keys in a warp.
__global__ void segmented_sum(const int* key, const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int k = i < n ? key[i] : -1;
  int v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_down_sync(~0u, v, d), other_key = __shfl_down_sync(~0u, k, d);
    if (lane + d < 32 && other_key == k) v += other;
  }
  const int left = __shfl_up_sync(~0u, k, 1);
  if (k >= 0 && (lane == 0 || left != k)) atomicAdd(&out[k], v);
}
// Each row's largest four, found one after another by its warp.
__global__ void top_four(const float* x, float* out, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float last = __int_as_float(0x7f800000);
  int last_at = -1;
  for (int k = 0; k < 4; ++k) {
    float best = -1;
    int at = columns;
    for (int c = lane; c < columns; c += 32) {
      const float v = x[row * columns + c];
      const bool free = v < last || (v == last && c > last_at);
      if (free && (v > best)) best = v, at = c;
    }
    for (int d = 16; d > 0; d /= 2) {
      const float v = __shfl_xor_sync(~0u, best, d);
      const int c = __shfl_xor_sync(~0u, at, d);
      if (v > best || (v == best && c < at)) best = v, at = c;
    }
    last = best, last_at = at;
    if (lane == 0) out[row * 4 + k] = best;
  }
}

// --- sparse and graph ---
__global__ void spmv_csr_vector(const int* begins, const int* columns, const float* values,
                                const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int e = begins[row] + lane; e < begins[row + 1]; e += 32) sum += values[e] * x[columns[e]];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}
__global__ void spmv_ell(const int* columns, const float* values, const float* x, float* y, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    const int c = columns[k * rows + row];
    if (c >= 0) sum += values[k * rows + row] * x[c];
  }
  y[row] = sum;
}
__global__ void spmv_coo(const int* row, const int* column, const float* values, const float* x, float* y, int count) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < count; e += gridDim.x * blockDim.x)
    atomicAdd(&y[row[e]], values[e] * x[column[e]]);
}
__global__ void bfs_level(const int* begins, const int* neighbours, const int* frontier, int size,
                          int* distance, int* next, int* next_size, int level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int v = frontier[i];
  for (int e = begins[v]; e < begins[v + 1]; ++e) {
    const int to = neighbours[e];
    if (atomicCAS(&distance[to], -1, level) == -1) next[atomicAdd(next_size, 1)] = to;
  }
}
__global__ void floyd_warshall(int* d, int n) {
  for (int k = 0; k < n; ++k) {
    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
      const int r = e / n, c = e % n;
      if (r == k || c == k) continue;
      const int through = d[r * n + k] + d[k * n + c];
      if (through < d[e]) d[e] = through;
    }
    __syncthreads();
  }
}
// Keys are above 0. Which thread of equal keys wins is open, how many win is not.
__global__ void hash_insert(const int* keys, int* table, int* distinct, int n, int slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = keys[i];
  unsigned slot = static_cast<unsigned>(key) * 2654435761u % slots;
  while (true) {
    const int before = atomicCAS(&table[slot], 0, key);
    if (before == 0) atomicAdd(distinct, 1);
    if (before == 0 || before == key) return;
    slot = (slot + 1) % slots;
  }
}

// --- whole-grid order ---
// Blocks take their parts in order and add what those before them found.
__global__ void scan_look_back(const int* x, int* out, int n, unsigned* ticket, int* state, int* sums, int* totals) {
  __shared__ int warp_sums[32], part, before;
  if (threadIdx.x == 0) part = atomicAdd(ticket, 1u);
  __syncthreads();
  const int t = threadIdx.x, lane = t & 31, i = part * blockDim.x + t;
  int v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += left;
  }
  if (lane == 31) warp_sums[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) v += warp_sums[w];
  if (t == blockDim.x - 1) {
    atomicExch(&sums[part], v);
    __threadfence();
    atomicExch(&state[part], 1);
    int sum = 0;
    for (int p = part - 1; p >= 0;) {
      const int seen = atomicAdd(&state[p], 0);
      if (seen == 0) continue;
      __threadfence();
      if (seen == 2) {
        sum += atomicAdd(&totals[p], 0);
        break;
      }
      sum += atomicAdd(&sums[p], 0);
      --p;
    }
    atomicExch(&totals[part], sum + v);
    __threadfence();
    atomicExch(&state[part], 2);
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = v + before;
}
// The last block to end adds the sums of all.
__global__ void sum_by_last_block(const int* x, int* sums, unsigned* ended, int* out, int n) {
  __shared__ int s[256];
  __shared__ bool last;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  s[threadIdx.x] = sum;
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
  }
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(ended, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += static_cast<volatile int*>(sums)[b];
  *out = all;
}
__global__ void merge_by_search(const int* a, int na, const int* b, int nb, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= na + nb) return;
  const bool of_a = i < na;
  const int v = of_a ? a[i] : b[i - na];
  const int* other = of_a ? b : a;
  int low = 0, high = of_a ? nb : na;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (of_a ? other[middle] < v : other[middle] <= v) low = middle + 1; else high = middle;
  }
  out[(of_a ? i : i - na) + low] = v;
}

// --- images and fields: blocks of two and three dimensions ---
__global__ void stencil_seven(const float* u, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  const auto at = [&](int i, int j, int k) {
    return i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz ? 0.f : u[(k * ny + j) * nx + i];
  };
  out[(z * ny + y) * nx + x] = 0.5f * at(x, y, z) + 0.0625f * (at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) +
                               at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1));
}
__global__ void jacobi_five(const float* u, const float* f, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int i = y * w + x;
  const bool edge = x == 0 || y == 0 || x == w - 1 || y == h - 1;
  out[i] = edge ? u[i] : 0.25f * (u[i - 1] + u[i + 1] + u[i - w] + u[i + w] - f[i]);
}
__global__ void conv3x3_tiled(const float* image, const float* filter, float* out, int w, int h) {
  extern __shared__ float tile[];
  const int tw = blockDim.x + 2, th = blockDim.y + 2, x0 = blockIdx.x * blockDim.x - 1, y0 = blockIdx.y * blockDim.y - 1;
  for (int e = threadIdx.y * blockDim.x + threadIdx.x; e < tw * th; e += blockDim.x * blockDim.y) {
    const int x = x0 + e % tw, y = y0 + e / tw;
    tile[e] = x >= 0 && y >= 0 && x < w && y < h ? image[y * w + x] : 0.f;
  }
  __syncthreads();
  const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) sum += filter[r * 3 + c] * tile[(threadIdx.y + r) * tw + threadIdx.x + c];
  out[y * w + x] = sum;
}
__global__ void im2col_3x3(const float* image, float* columns, int w, int h) {
  const int ow = w - 2, oh = h - 2;
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < 9 * ow * oh; e += gridDim.x * blockDim.x) {
    const int k = e / (ow * oh), p = e % (ow * oh);
    columns[e] = image[(p / ow + k / 3) * w + p % ow + k % 3];
  }
}
__global__ void maxpool_two(const float* image, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int ow = (w + 1) / 2, oh = (h + 1) / 2;
  if (x >= ow || y >= oh) return;
  float best = -1e30f;
  for (int r = 2 * y; r < min(2 * y + 2, h); ++r)
    for (int c = 2 * x; c < min(2 * x + 2, w); ++c) best = fmaxf(best, image[r * w + c]);
  out[y * ow + x] = best;
}
__global__ void sobel(const unsigned char* image, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const auto at = [&](int i, int j) -> int { return image[min(max(j, 0), h - 1) * w + min(max(i, 0), w - 1)]; };
  const int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1);
  const int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1);
  out[y * w + x] = min((abs(gx) + abs(gy)) / 4, 255);
}
// Without contraction, so that a CPU counts the same steps.
__global__ void mandelbrot(int* out, int w, int h, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float cr = __fadd_rn(__fmul_rn(x, 0.03125f), -2.f), ci = __fadd_rn(__fmul_rn(y, 0.03125f), -1.f);
  float r = 0, i = 0;
  int steps = 0;
  while (steps < most) {
    const float rr = __fmul_rn(r, r), ii = __fmul_rn(i, i);
    if (__fadd_rn(rr, ii) > 4.f) break;
    i = __fadd_rn(__fmul_rn(__fmul_rn(2.f, r), i), ci);
    r = __fadd_rn(__fsub_rn(rr, ii), cr);
    ++steps;
  }
  out[y * w + x] = steps;
}

// --- numbers ---
// 2^log points per block; threads take several butterflies where there are fewer of them.
__global__ void fft_radix_two(const float2* x, float2* out, int log) {
  extern __shared__ float2 points[];
  const int n = 1 << log;
  for (int i = threadIdx.x; i < n; i += blockDim.x) points[__brev(i) >> (32 - log)] = x[blockIdx.x * n + i];
  for (int half = 1; half < n; half *= 2) {
    __syncthreads();
    for (int b = threadIdx.x; b < n / 2; b += blockDim.x) {
      const int k = b % half, at = b / half * 2 * half + k;
      float sn, cs;
      sincospif(-static_cast<float>(k) / half, &sn, &cs);
      const float2 u = points[at], v = points[at + half], w = {v.x * cs - v.y * sn, v.x * sn + v.y * cs};
      points[at] = {u.x + w.x, u.y + w.y};
      points[at + half] = {u.x - w.x, u.y - w.y};
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = points[i];
}
__global__ void rope(const float2* x, float2* out, int tokens, int pairs) {
  const int token = blockIdx.y, p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  const float angle = token * powf(10000.f, -static_cast<float>(p) / pairs);
  float sn, cs;
  sincosf(angle, &sn, &cs);
  const float2 v = x[token * pairs + p];
  out[token * pairs + p] = {v.x * cs - v.y * sn, v.x * sn + v.y * cs};
}
// One query per thread, keys and values by tiles of 16, heads of 16 numbers.
__global__ void flash_attention(const float* q, const float* k, const float* v, float* out, int n) {
  __shared__ float keys[16][16], values[16][16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float query[16], sum[16] = {}, most = -1e30f, weight = 0;
  for (int d = 0; d < 16; ++d) query[d] = i < n ? q[i * 16 + d] : 0;
  for (int begin = 0; begin < n; begin += 16) {
    const int count = min(16, n - begin);
    for (int e = threadIdx.x; e < count * 16; e += blockDim.x) {
      keys[e / 16][e % 16] = k[begin * 16 + e];
      values[e / 16][e % 16] = v[begin * 16 + e];
    }
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      float score = 0;
      for (int d = 0; d < 16; ++d) score += query[d] * keys[j][d];
      score *= 0.25f;
      const float higher = fmaxf(most, score), scale = expf(most - higher), share = expf(score - higher);
      weight = weight * scale + share;
      for (int d = 0; d < 16; ++d) sum[d] = sum[d] * scale + share * values[j][d];
      most = higher;
    }
    __syncthreads();
  }
  if (i >= n) return;
  for (int d = 0; d < 16; ++d) out[i * 16 + d] = sum[d] / weight;
}
__global__ void kmeans_assign(const float* points, const float* centres, int* nearest, int n, int centre_count) {
  extern __shared__ float near[];
  for (int e = threadIdx.x; e < 3 * centre_count; e += blockDim.x) near[e] = centres[e];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 1e30f;
  for (int c = 0; c < centre_count; ++c) {
    float distance = 0;
    for (int d = 0; d < 3; ++d) {
      const float apart = points[d * n + i] - near[c * 3 + d];
      distance = __fadd_rn(distance, __fmul_rn(apart, apart));
    }
    if (distance < best) best = distance, nearest[i] = c;
  }
}
__global__ void nbody_tiles(const float4* bodies, float4* out, int n) {
  extern __shared__ float4 others[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = i < n ? bodies[i] : float4{};
  float3 pull = {};
  for (int begin = 0; begin < n; begin += blockDim.x) {
    if (begin + threadIdx.x < n) others[threadIdx.x] = bodies[begin + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < min(static_cast<int>(blockDim.x), n - begin); ++j) {
      const float4 o = others[j];
      const float dx = o.x - own.x, dy = o.y - own.y, dz = o.z - own.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = o.w * r * r * r;
      pull.x += dx * s, pull.y += dy * s, pull.z += dz * s;
    }
    __syncthreads();
  }
  if (i < n) out[i] = {pull.x, pull.y, pull.z, own.w};
}
__global__ void half_axpy(const __half2* x, __half2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hfma2(__float2half2_rn(0.5f), x[i], y[i]);
}
// One warp per 16 × 8 of C = A B, with A by rows and B by columns.
__global__ void matmul_mma(const __half* a, const __half* b, float* c, int m, int n, int k) {
  const int lane = threadIdx.x & 31, row = lane / 4, pair = lane % 4 * 2;
  const int r0 = blockIdx.y * 16, c0 = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8;
  if (c0 >= n) return;
  float d[4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    const auto of = [](const __half* at) { return *reinterpret_cast<const unsigned*>(at); };
    const __half* const left = a + (r0 + row) * k + k0 + pair;
    const unsigned a0 = of(left), a1 = of(left + 8 * k), a2 = of(left + 8), a3 = of(left + 8 * k + 8);
    const __half* const right = b + (c0 + row) * k + k0 + pair;
    const unsigned b0 = of(right), b1 = of(right + 8);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
  float* const out = c + (r0 + row) * n + c0 + pair;
  out[0] = d[0], out[1] = d[1], out[8 * n] = d[2], out[8 * n + 1] = d[3];
}
__device__ uint4 philox(uint4 counter, unsigned key0, unsigned key1) {
  for (int round = 0; round < 10; ++round) {
    const unsigned h0 = __umulhi(0xD2511F53u, counter.x), l0 = 0xD2511F53u * counter.x;
    const unsigned h1 = __umulhi(0xCD9E8D57u, counter.z), l1 = 0xCD9E8D57u * counter.z;
    counter = {h1 ^ counter.y ^ key0, l1, h0 ^ counter.w ^ key1, l0};
    key0 += 0x9E3779B9u, key1 += 0xBB67AE85u;
  }
  return counter;
}
__global__ void philox_numbers(uint4* out, int n, unsigned key0, unsigned key1) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = philox({static_cast<unsigned>(i), 0, 0, 0}, key0, key1);
}
__global__ void monte_carlo_circle(int* inside, int each, unsigned key) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int hits = 0;
  for (int k = 0; k < each; ++k) {
    const uint4 r = philox({static_cast<unsigned>(i), static_cast<unsigned>(k), 0, 0}, key, 0);
    const unsigned long long x = r.x >> 16, y = r.y >> 16;
    hits += x * x + y * y < (1ull << 32);
  }
  for (int d = 16; d > 0; d /= 2) hits += __shfl_xor_sync(~0u, hits, d);
  if (threadIdx.x % 32 == 0) atomicAdd(inside, hits);
}
__global__ void black_scholes(const float* price, const float* strike, float* call, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = price[i], k = strike[i], rate = 0.02f, sigma = 0.3f, years = 1.5f, root = sigma * sqrtf(years);
  const float d1 = (logf(s / k) + (rate + 0.5f * sigma * sigma) * years) / root;
  call[i] = s * normcdff(d1) - k * expf(-rate * years) * normcdff(d1 - root);
}
// One tridiagonal system per thread, interleaved.
__global__ void thomas_solver(const float* right, float* x, float* scratch, int systems, int n) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float c = 0, d = 0;
  for (int i = 0; i < n; ++i) {
    const float m = 4.f - (i == 0 ? 0.f : c);
    d = (right[i * systems + s] + (i == 0 ? 0.f : d)) / m;
    c = 1.f / m;
    scratch[i * systems + s] = c;
    x[i * systems + s] = d;
  }
  for (int i = n - 2; i >= 0; --i) x[i * systems + s] += scratch[i * systems + s] * x[(i + 1) * systems + s];
}
__global__ void lu_tile(float* a, int n) {
  extern __shared__ float tile_of[];
  for (int e = threadIdx.x; e < n * n; e += blockDim.x) tile_of[e] = a[blockIdx.x * n * n + e];
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    for (int r = k + 1 + threadIdx.x; r < n; r += blockDim.x) tile_of[r * n + k] /= tile_of[k * n + k];
    __syncthreads();
    const int left = n - k - 1;
    for (int e = threadIdx.x; e < left * left; e += blockDim.x) {
      const int r = k + 1 + e / left, c = k + 1 + e % left;
      tile_of[r * n + c] -= tile_of[r * n + k] * tile_of[k * n + c];
    }
    __syncthreads();
  }
  for (int e = threadIdx.x; e < n * n; e += blockDim.x) a[blockIdx.x * n * n + e] = tile_of[e];
}

// --- bytes ---
__global__ void count_matches(const char* text, int length, const char* word, int word_length, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool same = i + word_length <= length;
  for (int k = 0; same && k < word_length; ++k) same = text[i + k] == word[k];
  const int here = __syncthreads_count(same);
  if (threadIdx.x == 0 && here > 0) atomicAdd(count, here);
}
__global__ void crc_of_messages(const unsigned char* text, unsigned* crc, int messages, int length) {
  __shared__ unsigned table[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    unsigned c = b;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
    table[b] = c;
  }
  __syncthreads();
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= messages) return;
  unsigned c = ~0u;
  for (int k = 0; k < length; ++k) c = table[(c ^ text[m * length + k]) & 255] ^ c >> 8;
  crc[m] = ~c;
}
