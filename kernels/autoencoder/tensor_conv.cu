// kernels/autoencoder/tensor_conv.cu: a convolution as a product on tensor cores, its columns never
// written.
//
// Against implicit_gemm_fp32: channels are innermost, so that a tap's columns are a box of the map
// that begins a pixel further, and the copy unit brings it, with zeros beyond the border. A warp
// fills a ring of stages with boxes and filters; two warpgroups multiply them where they lie, 64
// pixels each by all outputs of the tile. What follows happens in the registers that hold the sums:
// bias, ReLU, pool, or on the way back the ReLU's and the pool's gradient. Look at the share of
// cycles in which tensor cores work, at bytes from L2, and at the tiles beside 132 multiprocessors.
//
//   BF16, TAPS, MIRRORED, PARTS   see tensor_tile.cuh
//   COLUMNS   outputs of a tile: 64 or 128
//   STAGES    of the ring
//   SPLIT     blocks of a cluster, 1 or more, that share out a tile's taps and slices: each leaves
//             its sums in shared memory, and adds up those of some outputs over all of them in one
//             order. For maps with fewer tiles than there are multiprocessors
//   AFTER     what follows the sums:
//             0   they are stored as they are, in f32
//             1   with bias, in f32; RELU 1: after a ReLU
//             2   the same, rounded, as the next convolution reads it; of TAPS 4 a phase's pixels
//             3   bias, ReLU and pool, rounded, with two bits a place; EXACT 1: also in f32, as
//                 planes
//             4   a gradient where the map `y` is positive, else zero
//             5   the same of a pooled map, and from it to the place of each window's maximum
//   PAIRED    1: pairs of outputs may be stored at once
#include "autoencoder/tensor_cluster.cuh"
#include "autoencoder/tensor_tile.cuh"

namespace {
using namespace tensor;
constexpr int kPixels = 128, kConsumers = 256;
constexpr int kGroups = COLUMNS / 8 / SPLIT;  // of eight outputs, that a block stores
constexpr int kBytesOfA = kPixels * kSliceBytes, kBytesOfB = COLUMNS * kSliceBytes;
#if AFTER == 3 || AFTER == 5
constexpr int kTileWords = 8;  // of places: of 128 outputs that a pixel has, one in eight a word
#endif

struct Shared {
  unsigned char a[STAGES][PARTS * kBytesOfA];  // a pixel is a row
  unsigned char b[STAGES][PARTS * kBytesOfB];  // an output is a row
  unsigned long long full[STAGES], empty[STAGES];
};

struct Shape {
  int images, side;  // of the pixels that are gone through
  int box_rows;      // of a box of 8 columns; what is left of 128 pixels are images
  int slices;        // of channels
  int out, pitch;    // channels that there are, and that a pixel of the result has
  int pitch_a;       // that a pixel has which is read, in all parts
};

// A tile's first pixel. Blocks go on to the next tile of theirs, a grid further.
struct Tile {
  int x, y, image;
};
__device__ __forceinline__ Tile tile_of(const Shape& s, int tile) {
  const int across = (s.side + kBoxWidth - 1) / kBoxWidth;
  const int down = (s.side + s.box_rows - 1) / s.box_rows;
  const int images = kPixels / kBoxWidth / s.box_rows;
  return {tile % across * kBoxWidth, tile / across % down * s.box_rows,
          tile / across / down * images};
}
__device__ __forceinline__ int tiles_of(const Shape& s) {
  const int across = (s.side + kBoxWidth - 1) / kBoxWidth;
  const int down = (s.side + s.box_rows - 1) / s.box_rows;
  const int images = kPixels / kBoxWidth / s.box_rows;
  return across * down * ((s.images + images - 1) / images);
}

// A block's share of taps and slices.
struct Part {
  int first, last;
};
__device__ __forceinline__ Part part_of(const Shape& s) {
  const int all = TAPS * s.slices;
#if SPLIT > 1
  return {all * static_cast<int>(blockIdx.z) / SPLIT,
          all * (static_cast<int>(blockIdx.z) + 1) / SPLIT};
#else
  return {0, all};
#endif
}

// The ring's next stage, and the parity of its phase.
struct Turn {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next() {
    if (++stage < STAGES) return;
    stage = 0;
    parity ^= 1;
  }
};

__device__ void fill_ring(Shared& shared, const TensorMap& a, const TensorMap& b, const Shape& s) {
  const Part part = part_of(s);
  const int first_tap = part.first / s.slices, first_slice = part.first % s.slices;
  const int tiles = tiles_of(s);
  Turn turn;
  bool used = false;  // all stages, once
  for (int number = blockIdx.x; number < tiles; number += gridDim.x) {
    const Tile tile = tile_of(s, number);
    int tap = first_tap, slice = first_slice;
    for (int left = part.last - part.first; left > 0; --left) {
      const unsigned full = shared_address(&shared.full[turn.stage]);
      if (used) barrier_wait(shared_address(&shared.empty[turn.stage]), turn.parity ^ 1);
      barrier_arrive_expecting(full, PARTS * (kBytesOfA + kBytesOfB));
#pragma unroll
      for (int half = 0; half < PARTS; ++half) {
        const int channel = (slice + half * s.slices) * kSliceChannels;
        copy_pixels(shared_address(shared.a[turn.stage] + half * kBytesOfA), a, channel,
                    corner_of(tap, blockIdx.z, tile.x, tile.y, s.pitch_a), tile.image, full);
        copy_box(shared_address(shared.b[turn.stage] + half * kBytesOfB), b, channel,
                 static_cast<int>(blockIdx.y) * COLUMNS, filter_of(tap, blockIdx.z), full);
      }
      if (++slice == s.slices) slice = 0, ++tap;
      turn.next();
      used |= turn.stage == 0;
    }
  }
}

// Adds up `count` of the ring's stages and gives them back.
#if PARTS == 2
// Tensor cores cut off what a sum cannot hold, always towards zero: of a stage alone that stays
// small, and the stages' sums are added up with rounding.
__device__ void sum_up(float (&d)[COLUMNS / 2], Shared& shared, Turn& turn, int count) {
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
  for (int i = 0; i < count; ++i) {
    const int stage = turn.stage;
    barrier_wait(shared_address(&shared.full[stage]), turn.parity);
    const unsigned long long a =
        descriptor(shared_address(shared.a[stage]) + group * (kBytesOfA / 2));
    const unsigned long long b = descriptor(shared_address(shared.b[stage]));
    constexpr int kLeftOfA = kBytesOfA >> 4, kLeftOfB = kBytesOfB >> 4;
    float own[COLUMNS / 2] = {};
    hold(own);
    begin_products();
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      multiply(own, a + kLeftOfA + part * 2, b + part * 2);
      multiply(own, a + part * 2, b + kLeftOfB + part * 2);
    }
#pragma unroll
    for (int part = 0; part < 4; ++part) multiply(own, a + part * 2, b + part * 2);
    commit_products();
    wait_for_products<0>();
    hold(own);
    if (lane == 0) barrier_arrive(shared_address(&shared.empty[stage]));
    turn.next();
#pragma unroll
    for (int k = 0; k < COLUMNS / 2; ++k) d[k] += own[k];
  }
}
#else
__device__ void sum_up(float (&d)[COLUMNS / 2], Shared& shared, Turn& turn, int count) {
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
  int before = 0;
  for (int i = 0; i < count; ++i) {
    const int stage = turn.stage;
    barrier_wait(shared_address(&shared.full[stage]), turn.parity);
    const unsigned long long a =
        descriptor(shared_address(shared.a[stage]) + group * (kBytesOfA / 2));
    const unsigned long long b = descriptor(shared_address(shared.b[stage]));
    hold(d);
    begin_products();
#pragma unroll
    for (int part = 0; part < 4; ++part) multiply(d, a + part * 2, b + part * 2);
    commit_products();
    hold(d);
    // The stage before is read.
    wait_for_products<1>();
    if (i > 0 && lane == 0) barrier_arrive(shared_address(&shared.empty[before]));
    before = stage;
    turn.next();
  }
  wait_for_products<0>();
  hold(d);
  if (lane == 0) barrier_arrive(shared_address(&shared.empty[before]));
}
#endif

#if SPLIT > 1
static_assert(TAPS != 4 && AFTER != 3, "grid z has the blocks of a cluster");
// Sums over the cluster of the groups of outputs that this block stores.
__device__ void sum_over_cluster(float (&own)[kGroups * 4], const float (&d)[COLUMNS / 2],
                                 Shared& shared) {
  static_assert(COLUMNS / 2 * kConsumers * 4 <= STAGES * (kBytesOfA + kBytesOfB),
                "sums lie where the ring was");
  // All have read their boxes.
  wait_for_threads(1, kConsumers);
  float* const left = reinterpret_cast<float*>(shared.a) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < COLUMNS / 2; ++i) left[i * kConsumers] = d[i];
  wait_for_cluster();
  const unsigned first = shared_address(left) + blockIdx.z * kGroups * 4 * kConsumers * 4;
#pragma unroll
  for (int i = 0; i < kGroups * 4; ++i) own[i] = 0;
#pragma unroll
  for (int block = 0; block < SPLIT; ++block) {
    const unsigned from = in_block(first, block);
#pragma unroll
    for (int i = 0; i < kGroups * 4; ++i) {
      float share;
      asm volatile("ld.shared::cluster.f32 %0, [%1];"
                   : "=f"(share)
                   : "r"(from + i * kConsumers * 4)
                   : "memory");
      own[i] += share;
    }
  }
  // Nobody leaves while its sums are read.
  wait_for_cluster();
}
#endif

#if AFTER < 2
using Stored = float;
#else
using Stored = Element;
#endif

// Two neighbouring outputs of a pixel.
template <typename T>
__device__ __forceinline__ void store_pair(T* to, int column, int pitch, float x, float y) {
  if constexpr (sizeof(T) == 4) {
#if PAIRED
    if (column < pitch) *reinterpret_cast<float2*>(to + column) = make_float2(x, y);
#else
    if (column < pitch) to[column] = x;
    if (column + 1 < pitch) to[column + 1] = y;
#endif
  } else {
    // A pitch of bf16 is whole slices.
    const auto low = static_cast<unsigned>(rounded(x)), high = static_cast<unsigned>(rounded(y));
    if (column < pitch) *reinterpret_cast<unsigned*>(to + column) = low | high << 16;
  }
}

#if AFTER == 2 || AFTER >= 4
// The same in all parts; of one part they are rounded already.
__device__ __forceinline__ void store_parts(Element* to, int column, int pitch, float x, float y) {
#if PARTS == 1
  store_pair(to, column, pitch, x, y);
#else
#pragma unroll
  for (int part = 0; part < PARTS; ++part)
    store_pair(to + part * pitch, column, pitch, stored(x, part), stored(y, part));
#endif
}
#endif

// A lane's pixels: one in a row of the box, and the one below.
struct Pixels {
  int x, y, image;
};
__device__ __forceinline__ Pixels pixels_of(const Shape& s, int number) {
  const Tile tile = tile_of(s, number);
  const int row = threadIdx.x / 32 * 2, lane = threadIdx.x % 32;
  return {tile.x + lane / 4, tile.y + row % s.box_rows, tile.image + row / s.box_rows};
}
__device__ __forceinline__ int first_group() { return SPLIT > 1 ? blockIdx.z * kGroups : 0; }
__device__ __forceinline__ int first_column() {
  return static_cast<int>(blockIdx.y) * COLUMNS + first_group() * 8 + threadIdx.x % 4 * 2;
}
__device__ __forceinline__ long long pixel_at(int image, int side, int y, int x) {
  return (static_cast<long long>(image) * side + y) * side + x;
}

#if AFTER <= 2
// Sums, or what bias and ReLU leave of them.
__device__ void store(const float (&d)[kGroups * 4], const float* bias, Stored* y, const Shape& s,
                      int tile) {
  const Pixels own = pixels_of(s, tile);
  constexpr int kSteps = TAPS == 4 ? 2 : 1;  // from one of its pixels to the next
  constexpr int kParts = AFTER == 2 ? PARTS : 1;
  const int phase = TAPS == 4 ? blockIdx.z : 0;
  if (own.x >= s.side || own.image >= s.images) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (own.y + half >= s.side) continue;
    Stored* const to = y + pixel_at(own.image, s.side * kSteps, (own.y + half) * kSteps + phase / 2,
                                    own.x * kSteps + phase % 2) *
                               kParts * s.pitch;
#pragma unroll
    for (int j = 0; j < kGroups; ++j) {
      const int column = first_column() + j * 8;
      float v[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        v[e] = 0;
        if (column + e >= s.out) continue;
        v[e] = d[j * 4 + half * 2 + e];
#if AFTER >= 1
        v[e] += bias[column + e];
#if RELU
        v[e] = relu(v[e]);
#endif
#endif
#if AFTER == 2 && !BF16 && PARTS == 1
        v[e] = rounded(v[e]);
#endif
      }
#if AFTER == 2
      store_parts(to, column, s.pitch, v[0], v[1]);
#else
      store_pair(to, column, s.pitch, v[0], v[1]);
#endif
    }
  }
}
#endif

#if AFTER == 3
// The first maximum of each window: of a lane's two outputs it finishes one, and the lane of the
// pixel beside it the other. Bias and ReLU, which keep an order, follow the maximum; of a window
// without a number -1e38 is left.
__device__ void pool(const float (&d)[kGroups * 4], const float* bias, Element* y, unsigned* places,
                     float* exact, const Shape& s, int tile) {
  static_assert(COLUMNS == 128, "a word of places has an output in eight of 128");
  const Pixels own = pixels_of(s, tile);
  const int odd = threadIdx.x / 4 % 2, half_side = s.side / 2, words = gridDim.y * kTileWords;
  const bool inside = own.x < s.side && own.y < s.side && own.image < s.images;
  const long long window = pixel_at(own.image, half_side, own.y / 2, own.x / 2);
  const int first = first_column() + odd;
  Element* const to = y + window * PARTS * s.pitch + first;
  unsigned word = 0;
  constexpr int kBatch = 4;  // of biases, under way at once
  float biases[kBatch];
#pragma unroll
  for (int j = 0; j < kGroups; ++j) {
#pragma unroll
    for (int i = 0; j % kBatch == 0 && i < kBatch; ++i)
      biases[i] = bias[min(first + (j + i) * 8, s.out - 1)];
    float left[2], right[2];  // of the upper row and the lower
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* const v = d + j * 4 + half * 2;
      const float kept = odd ? v[1] : v[0];
      const float got = __shfl_xor_sync(0xffffffffu, odd ? v[0] : v[1], 4);
      left[half] = odd ? got : kept;
      right[half] = odd ? kept : got;
    }
    // If one of the two is NaN, fmaxf takes the other one.
    const float best = fmaxf(fmaxf(left[0], right[0]), fmaxf(left[1], right[1]));
    word |= (left[0] == best ? 0u : right[0] == best ? 1u : left[1] == best ? 2u : 3u) << 2 * j;
    const int output = first + j * 8;
    if (!inside || output >= s.pitch) continue;
    float value = 0;
    if (output < s.out) {
      value = best + biases[j % kBatch];
      value = value == value ? relu(value) : -1e38f;
    }
#pragma unroll
    for (int part = 0; part < PARTS; ++part) to[part * s.pitch + j * 8] = stored(value, part);
#if EXACT
    if (output < s.out)
      exact[pixel_at(own.image * s.out + output, half_side, own.y / 2, own.x / 2)] = value;
#endif
  }
  if (inside) places[window * words + blockIdx.y * kTileWords + threadIdx.x % 4 * 2 + odd] = word;
}
#endif

#if AFTER == 4 || AFTER == 5
// What decides over a thread's sums, asked for before the products, whose boxes take as long to
// come: a bit a sum, whether the map is positive there, and the places of its windows' maxima.
struct Gate {
  unsigned passes[2] = {};
#if AFTER == 5
  uint2 places[2] = {};
#endif
};
// `y`: the map whose gradient this is, after its ReLU.
__device__ __forceinline__ Gate gate_of(const Element* y, const unsigned* places, const Shape& s,
                                        int tile) {
  Gate gate;
  const Pixels own = pixels_of(s, tile);
  if (own.x >= s.side || own.image >= s.images) return gate;
  // A pitch is whole slices, with zeros after the last channel.
  struct alignas(2 * sizeof(Element)) Pair {
    Element first, second;
  };
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (own.y + half >= s.side) continue;
    const long long pixel = pixel_at(own.image, s.side, own.y + half, own.x);
    Pair maps[kGroups];
#pragma unroll
    for (int j = 0; j < kGroups; ++j) {
      const int column = first_column() + j * 8;
      maps[j] = {Element(0), Element(0)};
      if (column < s.pitch)
        maps[j] = *reinterpret_cast<const Pair*>(y + pixel * PARTS * s.pitch + column);
    }
#if AFTER == 5
    static_assert(COLUMNS == 128, "a word of places has an output in eight of 128");
    gate.places[half] = *reinterpret_cast<const uint2*>(
        places + (pixel * gridDim.y + blockIdx.y) * kTileWords + threadIdx.x % 4 * 2);
#endif
#pragma unroll
    for (int j = 0; j < kGroups; ++j) {
      const unsigned first = number(maps[j].first) > 0, second = number(maps[j].second) > 0;
      gate.passes[half] |= (first | second << 1) << 2 * j;
    }
  }
  return gate;
}

__device__ void pass_back(const float (&d)[kGroups * 4], const Gate& gate, Element* dx,
                          const Shape& s, int tile) {
  const Pixels own = pixels_of(s, tile);
  if (own.x >= s.side || own.image >= s.images) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (own.y + half >= s.side) continue;
#pragma unroll
    for (int j = 0; j < kGroups; ++j) {
      const int column = first_column() + j * 8;
      if (column >= s.pitch) continue;
      float v[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const bool passes = column + e < s.out && (gate.passes[half] >> (2 * j + e) & 1) != 0;
        const float sum = d[j * 4 + half * 2 + e];
        v[e] = !passes ? 0.0f : PARTS == 1 ? number(rounded(sum)) : sum;
      }
#if AFTER == 4
      const long long pixel = pixel_at(own.image, s.side, own.y + half, own.x);
      store_parts(dx + pixel * PARTS * s.pitch, column, s.pitch, v[0], v[1]);
#else
      const unsigned first = gate.places[half].x >> 2 * (first_group() + j) & 3,
                     second = gate.places[half].y >> 2 * (first_group() + j) & 3;
#pragma unroll
      for (unsigned place = 0; place < 4; ++place) {
        const long long at =
            pixel_at(own.image, 2 * s.side, 2 * (own.y + half) + place / 2, 2 * own.x + place % 2);
        store_parts(dx + at * PARTS * s.pitch, column, s.pitch, first == place ? v[0] : 0.0f,
                    second == place ? v[1] : 0.0f);
      }
#endif
    }
  }
}
#endif
}  // namespace

extern "C" __global__ void __launch_bounds__(288, 2 / PARTS)
    tensor_conv(const __grid_constant__ TensorMap a,  // maps, boxes of 128 pixels and a slice
                const __grid_constant__ TensorMap b,  // [filters][out][in], boxes of COLUMNS
                const float* __restrict__ bias,       // [out]
                const Element* __restrict__ y,        // of AFTER 4, 5: [N, S, S, pitch]
                unsigned* __restrict__ places,        // of AFTER 3, 5: [N, S', S', words]
                float* __restrict__ exact,            // of EXACT: [N, out, S/2, S/2]
                void* __restrict__ result,            // [N, S'', S'', pitch]
                int images, int side, int box_rows, int slices, int out, int pitch, int pitch_a) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Shape s = {images, side, box_rows, slices, out, pitch, pitch_a};
  if (threadIdx.x == 0)
    ring_init(shared_address(shared.full), shared_address(shared.empty), STAGES, kConsumers / 32);
  __syncthreads();
  if (threadIdx.x >= kConsumers) {
    if (threadIdx.x == kConsumers) fill_ring(shared, a, b, s);
  } else {
    const Part part = part_of(s);
    const int tiles = tiles_of(s);
    Turn turn;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#if AFTER >= 4
      const Gate gate = gate_of(y, places, s, tile);
#endif
      float sums[COLUMNS / 2] = {};
      sum_up(sums, shared, turn, part.last - part.first);
#if SPLIT > 1
      float d[kGroups * 4];
      sum_over_cluster(d, sums, shared);
#else
      float(&d)[COLUMNS / 2] = sums;
#endif
#if AFTER <= 2
      store(d, bias, static_cast<Stored*>(result), s, tile);
#elif AFTER == 3
      pool(d, bias, static_cast<Element*>(result), places, exact, s, tile);
#else
      pass_back(d, gate, static_cast<Element*>(result), s, tile);
#endif
    }
  }
}
