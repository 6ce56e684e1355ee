// tests/emulator/hopper/attention.cu: 64 rows of softmax(Q · Kᵀ) · V of f16, heads of 64: the
// result of the first product becomes the A of the second in registers.
#include "../tests/emulator/hopper/wgmma.cuh"

// 64 rows of 128 bytes, swizzled.
__device__ void load(unsigned char* tile, const unsigned char* from) {
  for (int p = threadIdx.x; p < 64 * 8; p += 128) {
    *reinterpret_cast<uint4*>(tile + swizzled(p * 16, 128)) =
        *reinterpret_cast<const uint4*>(from + p * 16);
  }
}

__device__ unsigned two_halves(float low, float high) {
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

extern "C" __global__ void __launch_bounds__(128)
    attention(const unsigned char* __restrict__ q,  // rows × 64 halves
              const unsigned char* __restrict__ k,  // keys × 64
              const unsigned char* __restrict__ v,  // keys × 64
              float* __restrict__ out, int keys, float scale) {
  __shared__ __align__(1024) unsigned char tile_q[64 * 128], tile_k[64 * 128], tile_v[64 * 128];
  load(tile_q, q + static_cast<long long>(blockIdx.x) * 64 * 128);
  float o[32], most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
  for (int i = 0; i < 32; ++i) o[i] = 0;
  for (int first = 0; first < keys; first += 64) {
    __syncthreads();
    load(tile_k, k + static_cast<long long>(first) * 128);
    load(tile_v, v + static_cast<long long>(first) * 128);
    proxy_fence();
    __syncthreads();
    float s[32];
    for (int i = 0; i < 32; ++i) s[i] = 0;
    hold(s);
    warpgroup_fence();
    for (int step = 0; step < 128; step += 32) {
      PRODUCT_SHARED("+f", "m64n64k16.f32.f16.f16", ", 1, 1, 0, 0", s,
                     descriptor(shared_address(tile_q) + step, 16, 1024, 128),
                     descriptor(shared_address(tile_k) + step, 16, 1024, 128), step);
    }
    warpgroup_commit();
    warpgroup_wait<0>();
    hold(s);
    // A row lies in four neighbouring lanes; a thread has two rows.
    for (int row = 0; row < 2; ++row) {
      float now = most[row];
      for (int i = 0; i < 32; ++i) {
        if (i / 2 % 2 == row) now = fmaxf(now, s[i] * scale);
      }
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
      const float old = __expf(most[row] - now);
      most[row] = now;
      sum[row] *= old;
      for (int i = 0; i < 32; ++i) {
        if (i / 2 % 2 != row) continue;
        o[i] *= old;
        s[i] = __expf(s[i] * scale - now);
        sum[row] += s[i];
      }
    }
    unsigned p[4][4];
    for (int step = 0; step < 4; ++step) {
      for (int r = 0; r < 4; ++r) {
        p[step][r] = two_halves(s[8 * step + 2 * r], s[8 * step + 2 * r + 1]);
      }
      hold(p[step]);
    }
    hold(o);
    warpgroup_fence();
    for (int step = 0; step < 4; ++step) {
      PRODUCT_REGISTERS("+f", "m64n64k16.f32.f16.f16", ", 1, 1, 1", o, p[step],
                        descriptor(shared_address(tile_v) + step * 2048, 8192, 1024, 128), 1);
    }
    warpgroup_commit();
    warpgroup_wait<0>();
    hold(o);
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int row = 0; row < 2; ++row) {
    sum[row] += __shfl_xor_sync(~0u, sum[row], 1);
    sum[row] += __shfl_xor_sync(~0u, sum[row], 2);
  }
  for (int i = 0; i < 32; ++i) {
    const int row = blockIdx.x * 64 + 16 * warp + lane / 4 + 8 * (i / 2 % 2);
    out[row * 64 + 8 * (i / 4) + 2 * (lane % 4) + i % 2] = o[i] / sum[i / 2 % 2];
  }
}
