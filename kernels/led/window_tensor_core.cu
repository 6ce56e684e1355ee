// kernels/led/window_tensor_core.cu: a group of LEDs over its window is a small matrix product, on
// tensor cores.
//
// Against window_boxes: LEDs are the rows of a product, eight frames its columns, and the sum runs
// over the pixels of the window; a pattern is zero outside its block. A pixel is then read from
// shared memory once for all LEDs of the group and a pattern value once for all eight frames, not
// both for every product. Patterns come by bulk copies as well, a strip's rows of an LED in one.
// Look at the time beside that of window_boxes: products were not the limit, and the many small
// copies and the addresses of the matrices' parts are work that it does not have.
//
// f32 goes as TF32 parts: x = upper + lower, and lower·lower is left out (TERMS 3), or as the
// nearest TF32 numbers (TERMS 1). Bytes are multiplied exactly. A pixel that is not finite makes
// NaN of zeros as well, so sums that are not finite are computed again from the block alone.
//
//   B  side of a block, whose rows are whole 16 bytes     GROUP  LEDs, at most 32
//   STRIP  rows of a strip     STAGES  strips of the ring     BOXES  resident side by side
//   WARPS  beside the producer     TERMS  of f32, as above     UINT8, RAW  see operand.cuh
#define QUADS 1
#include "led/pieces.cuh"
#include "tensor_copy.cuh"

#if UINT8
using Partial = int;
#else
using Partial = float;
#endif

constexpr int kFrames = 8, kLedsOfTile = 16;  // of one matrix instruction
constexpr int kTiles = (GROUP + kLedsOfTile - 1) / kLedsOfTile;
constexpr int kOctets = 2 * kTiles;  // a lane reads parts of one LED of each eight
constexpr int kValueBytes = sizeof(Value);
constexpr int kPiece = 16 / kValueBytes;  // pixels that a lane reads at once
// Pixels of a box: its row is 64 bytes per frame, so that a warp reads one row of all eight frames
// in four wavefronts.
constexpr int kChunk = 4 * kPiece;
constexpr int kBoxRow = kFrames * 64, kBoxBytes = STRIP * kBoxRow;
constexpr int kRowBytes = B * kValueBytes;
constexpr int kSlotBytes = STRIP * kRowBytes + 128;  // of an LED's rows, and room to align them
constexpr int kImageBytes = BOXES * kBoxBytes;
constexpr int kStageBytes = kImageBytes + (GROUP * kSlotBytes + 127) / 128 * 128;
constexpr int kResults = kTiles * kLedsOfTile * kFrames;
constexpr int kWorkers = 32 * WARPS;
constexpr int kPartial = STAGES * kStageBytes, kBarriers = kPartial + WARPS * kResults * 4;
// Where warps outnumber rows, several share a row.
constexpr int kWarpsOfRow = WARPS > STRIP ? WARPS / STRIP : 1, kRowStep = WARPS / kWarpsOfRow;
static_assert(GROUP <= 32 && GROUP * kFrames <= kWorkers, "a thread an output");
static_assert(WARPS % kWarpsOfRow == 0 && kRowBytes % 16 == 0, "whole rows, whole copies");

// What a block works at in one turn: a group's item for eight frames.
struct Work {
  int item, tile;
  bool some;  // the last turn has no work for some blocks
};

// Items come with the most work first; every other turn goes backwards, so that the block with the
// most has the least next.
__device__ __forceinline__ Work work_of(int turn, int items, int tiles) {
  const int blocks = gridDim.x, block = blockIdx.x;
  const int place = turn * blocks + (turn % 2 == 0 ? block : blocks - 1 - block);
  return {place / tiles, place % tiles, place < items * tiles};
}

__device__ __forceinline__ int4 window_at(const int4* windows, const Work& work) {
  return work.some ? windows[work.item] : make_int4(0, 0, 0, 0);
}

// (LED, row and column in the window, channel); LED −1: none.
__device__ __forceinline__ int4 led_at(const int4* item_leds, const Work& work, int slot) {
  if (!work.some || slot >= GROUP) return make_int4(-1, 0, 0, 0);
  return item_leds[static_cast<long long>(work.item) * GROUP + slot];
}

// Byte of a stage where the first column of an LED's block stands in the strip's first row, when
// the block begins at `column` of the resident ones. Pieces of one chunk lie 64 bytes apart in the
// banks for neighbouring LEDs: f32 is then read without conflicts.
__device__ __forceinline__ int place_of_slot(int slot, int column) {
  const int begin = kImageBytes + slot * kSlotBytes;
  const int wanted = 64 * (slot % 2) + column * kValueBytes;  // in the banks, in whole 16 bytes
  return begin + (((wanted - begin + 15) & ~15) & 127);
}

__device__ __forceinline__ uint4 read_piece(unsigned address) {
  uint4 piece;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)
               : "r"(address));
  return piece;
}

// The piece of a pattern's row at `address`, which begins at `column` of the block: zeros outside.
__device__ __forceinline__ uint4 pattern_piece(unsigned address, int column, bool in_row) {
  uint4 piece = make_uint4(0, 0, 0, 0);
#if UINT8
  const auto word = [&](unsigned& value, int j) {
    if (in_row && static_cast<unsigned>(column + 4 * j) < B)
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address + 4 * j));
  };
  word(piece.x, 0);
  word(piece.y, 1);
  word(piece.z, 2);
  word(piece.w, 3);
#else
  if (in_row && static_cast<unsigned>(column) < B) piece = read_piece(address);
#endif
  return piece;
}

// sum += the products of 16 LEDs and 8 frames. Which term of the sum a register is does not matter
// as long as both sides agree: a lane's words of a piece stand for its terms, two by two.
// source: PTX ISA, "Matrix Fragments for mma".
#if UINT8
__device__ __forceinline__ void multiply_words(int (&sum)[4], unsigned a0, unsigned a1, unsigned a2,
                                               unsigned a3, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
#else
__device__ __forceinline__ void multiply_words(float (&sum)[4], unsigned a0, unsigned a1,
                                               unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
#endif

__device__ __forceinline__ void multiply_pieces(Partial (&sum)[4], const uint4& a, const uint4& a8,
                                                const uint4& b) {
  multiply_words(sum, a.x, a8.x, a.y, a8.y, b.x, b.y);
  multiply_words(sum, a.z, a8.z, a.w, a8.w, b.z, b.w);
}

// Applies to each word.
template <typename F>
__device__ __forceinline__ uint4 each(const uint4& piece, F f) {
  return make_uint4(f(piece.x), f(piece.y), f(piece.z), f(piece.w));
}

// Parts of f32: `upper` is a TF32 number and `lower` the exact rest, of which tensor cores read the
// upper bits.
__device__ __forceinline__ uint4 upper(const uint4& piece) {
  return each(piece, [](unsigned x) { return x & 0xffffe000u; });
}
__device__ __forceinline__ uint4 lower(const uint4& piece) {
  return each(piece, [](unsigned x) {
    return __float_as_uint(__uint_as_float(x) - __uint_as_float(x & 0xffffe000u));
  });
}
__device__ __forceinline__ uint4 nearest(const uint4& piece) {
  return each(piece, [](unsigned x) {
    unsigned rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(x)));
    return rounded;
  });
}

// The stages in turn, with the parity of the phase that ends when a stage is filled.
struct Ring {
  int stage = 0, phase = 0;
  __device__ __forceinline__ void advance() {
    if (++stage == STAGES) stage = 0, phase ^= 1;
  }
};

// The same for values in parts; `rest` has the products with a lower part.
__device__ __forceinline__ void multiply_parts(Partial (&sum)[4], Partial (&rest)[4],
                                               const uint4& a, const uint4& a8, const uint4& b) {
#if UINT8
  multiply_pieces(sum, a, a8, b);
#elif TERMS == 1
  multiply_pieces(sum, nearest(a), nearest(a8), nearest(b));
#else
  multiply_pieces(rest, upper(a), upper(a8), lower(b));
  multiply_pieces(sum, upper(a), upper(a8), upper(b));
  multiply_pieces(rest, lower(a), lower(a8), upper(b));
#endif
}

extern "C" __global__ void __launch_bounds__(kWorkers + 32, 1)
    window_tensor_core(const Value* __restrict__ values,       // [C, N, B, B]
                       const int* __restrict__ positions,      // [C, N, 2]
                       const Value* __restrict__ frames,       // [F, C, H, W]
                       const __grid_constant__ TensorMap map,  // [C·H, F, W]
                       const int4* __restrict__ windows,       // [items]: row of the map, column,
                                                               // rows, columns
                       const int4* __restrict__ item_leds,     // [items, GROUP], see led_at
                       Output* __restrict__ out,               // [F, N, C] or [F, C, N]
                       int leds, int channels, int height, int width, int frame_count, int planar,
                       int items) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  // STAGES of pixels, [BOXES][STRIP][8] rows of 64 bytes, and patterns; partial results; barriers
  extern __shared__ __align__(1024) unsigned char memory[];
  Partial* const partial = reinterpret_cast<Partial*>(memory + kPartial);
  const unsigned base = shared_address(memory);
  const unsigned full = base + kBarriers, empty = full + STAGES * 8;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int tiles = (frame_count + kFrames - 1) / kFrames;
  const int turns = (items * tiles + gridDim.x - 1) / gridDim.x;
  if (threadIdx.x == 0) ring_init(full, empty, STAGES, WARPS);
  __syncthreads();

  Ring ring;
  // What an item needs is read from memory one turn ahead.
  Work work = work_of(0, items, tiles);
  int4 next_window = window_at(windows, work);
  if (warp == WARPS) {    // the producer: a lane an LED, and a lane a box
    bool filled = false;  // every stage once
    int4 next_led = led_at(item_leds, work, lane);
    for (int turn = 0; turn < turns; ++turn) {
      const int4 window = next_window, led = next_led;
      const int first_frame = work.tile * kFrames;
      work = work_of(turn + 1, items, tiles);
      next_window = window_at(windows, work);
      next_led = led_at(item_leds, work, lane);
      const Value* const pattern = pattern_of(values, shape, max(led.x, 0), led.w);
      for (int first = 0; first < window.w; first += BOXES * kChunk) {
        const int boxes = min((window.w - first + kChunk - 1) / kChunk, BOXES);
        const int column = led.z - first;
        const bool has_columns = led.x >= 0 && column < boxes * kChunk && column + B > 0;
        const int slot = place_of_slot(lane, column);
        for (int top = 0; top < window.z; top += STRIP) {
          const int from = max(top - led.y, 0), to = min(top + STRIP - led.y, B);
          const unsigned bytes = has_columns && to > from ? (to - from) * kRowBytes : 0;
          const unsigned all = __reduce_add_sync(kAllLanes, bytes) + boxes * kBoxBytes;
          const unsigned stage = base + ring.stage * kStageBytes, barrier = full + ring.stage * 8;
          if (filled) barrier_wait(empty + ring.stage * 8, ring.phase ^ 1);
          if (lane == 0) barrier_arrive_expecting(barrier, all);
          __syncwarp();
          if (lane < boxes) {
            copy_box(stage + lane * kBoxBytes, map, window.y + first + lane * kChunk, first_frame,
                     window.x + top, barrier);
          }
          if (bytes != 0) {
            copy_bytes(stage + slot + (from + led.y - top) * kRowBytes, pattern + from * B, bytes,
                       barrier);
          }
          ring.advance();
          filled = filled || ring.stage == 0;
        }
      }
    }
    return;
  }

  // Lanes are LEDs and pieces as the matrix fragments have them.
  const int octet = lane / 4, lane_column = lane % 4 * kPiece;
  const int first_row = warp / kWarpsOfRow, first_chunk = warp % kWarpsOfRow;
  int4 next_led[kOctets];
#pragma unroll
  for (int i = 0; i < kOctets; ++i) next_led[i] = led_at(item_leds, work, 8 * i + octet);
  for (int turn = 0; turn < turns; ++turn) {
    const int4 window = next_window;
    const int f = work.tile * kFrames + threadIdx.x % kFrames;  // of the thread's output
    const int4 mine = led_at(item_leds, work, threadIdx.x / kFrames);
    work = work_of(turn + 1, items, tiles);
    next_window = window_at(windows, work);
    int led_row[kOctets], led_column[kOctets];
#pragma unroll
    for (int i = 0; i < kOctets; ++i) {
      led_row[i] = next_led[i].x < 0 ? 0x40000000 : next_led[i].y;  // below every window
      led_column[i] = next_led[i].z;
      next_led[i] = led_at(item_leds, work, 8 * i + octet);
    }
    Partial sum[kTiles][4] = {}, rest[kTiles][4] = {};
    for (int first = 0; first < window.w; first += BOXES * kChunk) {
      const int boxes = min((window.w - first + kChunk - 1) / kChunk, BOXES);
      int column[kOctets], offset[kOctets];  // of the lane's piece of the first chunk
#pragma unroll
      for (int i = 0; i < kOctets; ++i) {
        const int left = led_column[i] - first;
        column[i] = lane_column - left;
        offset[i] = place_of_slot(8 * i + octet, left) + column[i] * kValueBytes;
      }
      for (int top = 0; top < window.z; top += STRIP) {
        barrier_wait(full + ring.stage * 8, ring.phase);
        const unsigned stage = base + ring.stage * kStageBytes;
        // Tensor cores cut off where they add: the sum of a strip stays short.
        Partial strip_sum[kTiles][4] = {};
#pragma unroll
        for (int r = first_row; r < STRIP; r += kRowStep) {
          bool in_row[kOctets], some[kTiles];
#pragma unroll
          for (int i = 0; i < kOctets; ++i)
            in_row[i] = static_cast<unsigned>(top + r - led_row[i]) < B;
#pragma unroll
          for (int m = 0; m < kTiles; ++m)
            some[m] = __any_sync(kAllLanes, in_row[2 * m] || in_row[2 * m + 1]);
#pragma unroll 2
          for (int chunk = first_chunk; chunk < boxes; chunk += kWarpsOfRow) {
            const uint4 b = read_piece(stage + chunk * kBoxBytes + r * kBoxRow + lane * 16);
#pragma unroll
            for (int m = 0; m < kTiles; ++m) {
              if (!some[m]) continue;
              uint4 a[2];
#pragma unroll
              for (int h = 0; h < 2; ++h) {
                const int i = 2 * m + h;
                a[h] = pattern_piece(stage + offset[i] + r * kRowBytes + chunk * 64,
                                     column[i] + chunk * kChunk, in_row[i]);
              }
              multiply_parts(strip_sum[m], rest[m], a[0], a[1], b);
            }
          }
        }
#pragma unroll
        for (int m = 0; m < kTiles; ++m) {
#pragma unroll
          for (int k = 0; k < 4; ++k) sum[m][k] += strip_sum[m][k];
        }
        __syncwarp();
        if (lane == 0) barrier_arrive(empty + ring.stage * 8);
        ring.advance();
      }
    }

    wait_for_threads(1, kWorkers);  // the last turn's results have been read
#pragma unroll
    for (int m = 0; m < kTiles; ++m) {
      Partial* const result = partial + warp * kResults + m * kLedsOfTile * kFrames + lane * 2;
#pragma unroll
      for (int k = 0; k < 4; ++k) result[k / 2 * (8 * kFrames) + k % 2] = sum[m][k] + rest[m][k];
    }
    wait_for_threads(1, kWorkers);
    const bool has_output = mine.x >= 0 && f < frame_count;
    Partial total = 0;
    if (has_output) {
      for (int w = 0; w < WARPS; ++w) total += partial[w * kResults + threadIdx.x];
    }
#if !UINT8
    for (unsigned odd = __ballot_sync(kAllLanes, has_output && !isfinite(total)); odd != 0;
         odd &= odd - 1) {
      const int from = __ffs(odd) - 1;
      const int n = __shfl_sync(kAllLanes, mine.x, from), c = __shfl_sync(kAllLanes, mine.w, from);
      const int2 place = place_of(positions, shape, n, c);
      const Value* const image =
          pixel_of(frames, shape, __shfl_sync(kAllLanes, f, from), c, place.x, place.y);
      const float anew = __shfl_sync(
          kAllLanes,
          warp_sum(products_of_lane(pattern_of(values, shape, n, c), image, width, lane)), 0);
      if (lane == from) total = anew;
    }
#endif
    if (has_output) out[output_index(shape, f, mine.x, mine.w)] = finished(static_cast<Sum>(total));
  }
#endif
}
