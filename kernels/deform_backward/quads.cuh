// kernels/deform_backward/quads.cuh: four channels per lane: one load and one atomic of 16 bytes
// per corner.
#pragma once

#include "deform_backward/samples.cuh"

constexpr unsigned kAll = 0xffffffffu;
constexpr int kGroupLanes = CHANNELS / 4;  // a power of two that divides a warp

__device__ __forceinline__ float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__device__ __forceinline__ float4 scaled(float share, float4 g) {
  return make_float4(share * g.x, share * g.y, share * g.z, share * g.w);
}

// The group that a thread has four channels of, and which of its lanes it is.
__device__ __forceinline__ Group group_of_thread(int batch, int queries) {
  return group_at(blockIdx.x * (blockDim.x / kGroupLanes) + threadIdx.x / kGroupLanes, batch,
                  queries);
}
__device__ __forceinline__ int lane_of_group() {
  return static_cast<int>(threadIdx.x % kGroupLanes);
}
// A lane's channels of grad_out; zeros if there is no group. Its lanes take part in shuffles.
__device__ __forceinline__ float4 gradient_of(const Value* __restrict__ grad_out,
                                              const Group& group) {
  if (!group.is_there) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  return load_quad(grad_out + static_cast<long long>(group.index) * CHANNELS + 4 * lane_of_group());
}

// The products of four channels with the corners. value: the lane's channels of the image's first
// pixel.
__device__ __forceinline__ Products products_of(const Value* __restrict__ value, const Sample& s,
                                                const Level& level, float4 g) {
  const Value* const upper = value + s.row * kPixelStride;
  const Value* const lower = upper + level.columns() * kPixelStride;
  return {dot(g, load_quad(upper)), dot(g, load_quad(upper + kPixelStride)),
          dot(g, load_quad(lower)), dot(g, load_quad(lower + kPixelStride))};
}

// Adds the gradient of four channels to each corner: red.global.add.v4.f32, from sm_90 on.
__device__ __forceinline__ void add_to_corners(float* __restrict__ grad_value, const Sample& s,
                                               const Level& level, float attention, float4 g) {
  float* const upper = grad_value + s.row * kPixelStride;
  float* const lower = upper + level.columns() * kPixelStride;
  const float left = 1.0f - s.dx, top = 1.0f - s.dy;
  const auto add = [&](float* to, float share) {
    atomicAdd(reinterpret_cast<float4*>(to), scaled(share * attention, g));
  };
  add(upper, top * left);
  add(upper + kPixelStride, top * s.dx);
  add(lower, s.dy * left);
  add(lower + kPixelStride, s.dy * s.dx);
}
