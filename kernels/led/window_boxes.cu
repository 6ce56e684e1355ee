// kernels/led/window_boxes.cu: the window of neighbouring LEDs, copied by the hardware in boxes.
//
// Against window_strips: one thread of a producer warp starts bulk tensor copies, a box of BOX
// columns × STRIP rows × FRAME_TILE frames each, and mbarriers tell the warps of the LEDs when a
// strip has arrived and the producer when its place is free. No warp spends instructions on
// copying, none waits for the slowest of the block, and a block goes on to its next group without
// emptying the ring: blocks are as many as multiprocessors and take the groups in turn.
//
//   GROUP  LEDs and warps of a block, beside the producer     FRAME_TILE  frames resident together
//   STRIP  rows of a strip     STAGES  strips of the ring     BOXES  resident side by side
//   B, UINT8, RAW  see operand.cuh
//
// A row of a box is 128 bytes of f32 or 64 of u8: a request of a warp reads two whole rows of an
// LED's block of 64 columns, which then lie in different banks.
#define WINDOW_COLUMNS (BOXES * (UINT8 ? 64 : 32))
#include "led/strip.cuh"
#include "tensor_copy.cuh"

constexpr int kBox = WINDOW_COLUMNS / BOXES;  // columns
constexpr int kBoxRow = kBox * static_cast<int>(sizeof(Value));
constexpr int kBoxFrame = STRIP * kBoxRow;
constexpr int kBoxBytes = FRAME_TILE * kBoxFrame;
constexpr int kStageBytes = BOXES * kBoxBytes;
constexpr int kBarriers = STAGES * kStageBytes;

// What a block works at: a group of LEDs in one channel, for one tile of frames.
struct Item {
  int tile, c, group;
  int4 window;  // top row, left column, rows, columns
  int strips;
};

__device__ __forceinline__ Item item_at(int item, const int4* windows, int channels, int groups) {
  Item at;
  at.group = item % groups;
  at.c = item / groups % channels;
  at.tile = item / groups / channels;
  at.window = windows[static_cast<long long>(at.c) * groups + at.group];
  at.strips = (at.window.z + STRIP - 1) / STRIP;
  return at;
}

__device__ __forceinline__ Quad read_shared(unsigned address) {
#if UINT8
  Quad value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
#else
  Quad value;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(address));
#endif
  return value;
}

extern "C" __global__ void __launch_bounds__(32 * GROUP + 32, 1)
    window_boxes(const Value* __restrict__ values,          // [C, N, B, B]
                 const int* __restrict__ positions,         // [C, N, 2]
                 const __grid_constant__ TensorMap frames,  // [F, C·H, W]
                 const int* __restrict__ order,             // [C, N]
                 const int4* __restrict__ windows,          // [C, groups]
                 Output* __restrict__ out,                  // [F, N, C] or [F, C, N]
                 int leds, int channels, int height, int width, int frame_count, int planar,
                 int groups) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  extern __shared__ __align__(1024) unsigned char ring[];  // [STAGES][BOXES][FRAME_TILE][STRIP]
  const unsigned base = shared_address(ring);
  const unsigned full = base + kBarriers, empty = full + STAGES * 8;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int items = (frame_count + FRAME_TILE - 1) / FRAME_TILE * channels * groups;
  if (threadIdx.x == 0) ring_init(full, empty, STAGES, GROUP);
  __syncthreads();

  int turn = 0;         // strips that have passed through the ring
  if (warp == GROUP) {  // the producer
    if (lane != 0) return;
    for (int item = blockIdx.x; item < items; item += gridDim.x) {
      const Item at = item_at(item, windows, channels, groups);
      for (int first = 0; first < at.window.w; first += WINDOW_COLUMNS) {
        const int boxes = min((at.window.w - first + kBox - 1) / kBox, BOXES);
        for (int strip = 0; strip < at.strips; ++strip, ++turn) {
          const int stage = turn % STAGES;
          if (turn >= STAGES) barrier_wait(empty + stage * 8, (turn / STAGES + 1) & 1);
          barrier_arrive_expecting(full + stage * 8, boxes * kBoxBytes);
          for (int box = 0; box < boxes; ++box) {
            copy_box(base + stage * kStageBytes + box * kBoxBytes, frames,
                     at.window.y + first + box * kBox, at.c * height + at.window.x + strip * STRIP,
                     at.tile * FRAME_TILE, full + stage * 8);
          }
        }
      }
    }
    return;
  }

  for (int item = blockIdx.x; item < items; item += gridDim.x) {
    const Item at = item_at(item, windows, channels, groups);
    const int place_in_order = at.group * GROUP + warp;
    const bool has_led = place_in_order < leds;  // the last group may have fewer
    const int n = has_led ? order[static_cast<long long>(at.c) * leds + place_in_order] : 0;
    const int2 place = place_of(positions, shape, n, at.c);
    const Value* const led = pattern_of(values, shape, n, at.c);
    const auto strip_of = [&](int strip) {
      return strip_at(at.window.x + strip * STRIP, place.x, has_led);
    };
    Sum sum[FRAME_TILE] = {};
    for (int first = 0; first < at.window.w; first += WINDOW_COLUMNS) {
      const int left = place.y - at.window.y - first;
      unsigned offset[kQuadsOfLane];  // of the lane's quad in a row of frame 0
#pragma unroll
      for (int q = 0; q < kQuadsOfLane; ++q) {
        const int column = max(column_of(left, lane, q), 0);
        offset[q] = column / kBox * kBoxBytes + column % kBox * static_cast<int>(sizeof(Value));
      }
      Quad pattern[kSteps][kQuadsOfLane];
#pragma unroll
      for (int step = 0; step < kSteps; ++step)
        load_step(pattern[step], led, strip_of(0), step, left, lane);
      for (int strip = 0; strip < at.strips; ++strip, ++turn) {
        const int stage = turn % STAGES;
        const Strip here = strip_of(strip);
        // All warps wait for every strip, also for one without rows of theirs: who ran ahead would
        // give back a later use of this place.
        barrier_wait(full + stage * 8, (turn / STAGES) & 1);
        const unsigned pixels = base + stage * kStageBytes;
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          const int row = row_of(here, step, lane);
#pragma unroll
          for (int q = 0; q < kQuadsOfLane; ++q) {
            if (row >= here.last || column_of(left, lane, q) < 0) continue;
            const unsigned from = pixels + offset[q] + (place.x + row - here.row) * kBoxRow;
#pragma unroll
            for (int f = 0; f < FRAME_TILE; ++f) {
              sum[f] = multiply_add(pattern[step][q], read_shared(from + f * kBoxFrame), sum[f]);
            }
          }
        }
        __syncwarp();
        if (lane == 0) barrier_arrive(empty + stage * 8);
#pragma unroll
        for (int step = 0; step < kSteps; ++step)
          load_step(pattern[step], led, strip_of(strip + 1), step, left, lane);
      }
    }
    Sum mine = 0;
#pragma unroll
    for (int f = 0; f < FRAME_TILE; ++f) {
      const Sum total = __shfl_sync(kAllLanes, warp_sum(sum[f]), 0);
      if (lane == f) mine = total;
    }
    const int f = at.tile * FRAME_TILE + lane;
    if (has_led && lane < FRAME_TILE && f < frame_count) {
      out[output_index(shape, f, n, at.c)] = finished(mine);
    }
  }
#endif
}
