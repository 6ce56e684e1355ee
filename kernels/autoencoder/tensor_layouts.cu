// kernels/autoencoder/tensor_layouts.cu: maps and weights as convolutions on tensor cores read
// them: channels innermost, padded with zeros to whole slices, rounded.
//
// Filters lie as [filter][row][pitch], a row for every channel of the result, and along it the
// channels that are summed over. Where an upsampling stands before the layer, sixteen filters say
// what a pixel before it gives to the pixels −1 to 2 around the window that it becomes: the weights
// that meet there are added up first.
//
//   BF16, PARTS   see tensor_tile.cuh
#define TAPS 1
#include "autoencoder/tensor_tile.cuh"

namespace {
using namespace tensor;
constexpr int kTaps = 9, kImageChannels = 3, kOnes = kTaps * kImageChannels, kPlaces = 16;

enum Kind : int { forward, back, folded_forward, folded_back, columns, spread, gathered };

struct Weights {
  const float* w;  // [out][in][9]
  int out, in;
};

// The taps that meet at pixel `place` − 1 of −1 to 2: 2; 1 and 2; 0 and 1; 0.
__device__ float folded(const Weights& f, int out, int in, int place) {
  const float* const w = f.w + (static_cast<long long>(out) * f.in + in) * kTaps;
  const int down = place / 4, across = place % 4;
  float sum = 0;
  for (int y = max(0, 2 - down); y <= min(2, 3 - down); ++y)
    for (int x = max(0, 2 - across); x <= min(2, 3 - across); ++x) sum += w[y * 3 + x];
  return sum;
}

// The weight of a filter in a row, at channel k of what is summed over; zero beyond the last.
__device__ float weight(const Weights& f, Kind kind, int filter, int row, int k) {
  switch (kind) {
    case forward:
      return k < f.in ? f.w[(static_cast<long long>(row) * f.in + k) * kTaps + filter] : 0;
    case back:
      return k < f.out ? f.w[(static_cast<long long>(k) * f.in + row) * kTaps + filter] : 0;
    case folded_forward:
      return k < f.in ? folded(f, row, k, filter) : 0;
    case folded_back:
      return k < f.out ? folded(f, k, row, filter) : 0;
    case columns:
      return k < f.in * kTaps ? f.w[row * f.in * kTaps + k] : 0;
    case spread:
      return k < f.in ? folded(f, row % f.out, k, row / f.out) : 0;
    case gathered:
      return k < kPlaces * f.out ? folded(f, k % f.out, row, k / f.out) : 0;
  }
  return 0;
}
__device__ int filters_of(Kind kind) {
  return kind <= back ? kTaps : kind <= folded_back ? kPlaces : 1;
}
__device__ int rows_of(const Weights& f, Kind kind) {
  const bool backward = kind == back || kind == folded_back || kind == gathered;
  return kind == spread ? kPlaces * f.out : backward ? f.in : f.out;
}
__device__ int depth_of(const Weights& f, Kind kind) {
  switch (kind) {
    case back:
    case folded_back:
      return f.out;
    case columns:
      return f.in * kTaps;
    case gathered:
      return kPlaces * f.out;
    default:
      return f.in;
  }
}

// One number of a layer's filters.
__device__ void write_filter(const Weights& f, Kind kind, Element* to, long long i) {
  const int own = padded(depth_of(f, kind)), pitch = PARTS * own, rows = rows_of(f, kind);
  if (i >= static_cast<long long>(filters_of(kind)) * rows * pitch) return;
  const int k = static_cast<int>(i % pitch), row = static_cast<int>(i / pitch % rows);
  to[i] = stored(weight(f, kind, static_cast<int>(i / pitch / rows), row, k % own), k / own);
}

__device__ long long thread_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    tensor_map(const float* __restrict__ from,  // [outer, channels, inner]
               Element* __restrict__ to,        // [outer, inner, pitch]
               long long count, int channels, int inner, int pitch) {
  const long long i = thread_index();
  if (i >= count) return;
  const int own = pitch / PARTS, part = static_cast<int>(i % pitch) / own;
  const long long pixel = i / pitch, channel = i % own;
  to[i] = channel < channels
              ? stored(from[(pixel / inner * channels + channel) * inner + pixel % inner], part)
              : Element(0);
}

// The columns of images: nine neighbours of each channel, and a one, whose product with the
// gradient is the bias' gradient. A thread has 16 bytes of a pixel. Where it is takes divisions, of
// 32 bits: of 64 they took longer than all the bytes.
extern "C" __global__ void __launch_bounds__(256)
    tensor_columns(const float* __restrict__ x,  // [N, 3, S, S]
                   Element* __restrict__ to,     // [N, S, S, PARTS, a slice]
                   long long count, int side) {
  constexpr int kPieceChannels = 16 / sizeof(Element), kPitch = PARTS * kSliceChannels;
  constexpr unsigned kPieces = kPitch / kPieceChannels;
  static_assert(kOnes < kSliceChannels, "a pixel's columns are one slice");
  const long long i = thread_index() * kPieceChannels;
  if (i >= count) return;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned pixel = thread / kPieces, line = pixel / side, image = line / side;
  const int channel = static_cast<int>(thread % kPieces) * kPieceChannels;
  const int part = channel / kSliceChannels, first = channel % kSliceChannels;
  const int row = static_cast<int>(line - image * side);
  const int column = static_cast<int>(pixel - line * side);
  const float* const planes = x + static_cast<long long>(image) * kImageChannels * side * side;
  struct alignas(16) Piece {
    Element channels[kPieceChannels];
  } piece = {};
#pragma unroll
  for (int e = 0; first <= kOnes && e < kPieceChannels; ++e) {
    const int k = first + e, y = row + k % kTaps / 3 - 1, z = column + k % 3 - 1;
    float value = k == kOnes ? 1.0f : 0.0f;
    if (k < kOnes && y >= 0 && y < side && z >= 0 && z < side)
      value = planes[(k / kTaps * side + y) * side + z];
    piece.channels[e] = stored(value, part);
  }
  *reinterpret_cast<Piece*>(to + i) = piece;
}

extern "C" __global__ void __launch_bounds__(256)
    tensor_filters(const float* __restrict__ w,  // [out][in][9]
                   Element* __restrict__ to,     // [filters][rows][pitch]
                   int out, int in, int kind) {
  write_filter({w, out, in}, static_cast<Kind>(kind), to, thread_index());
}

// All that a step reads. In a layer in the middle a block takes a tile of weights to shared memory,
// which lie side by side for an output, and writes its filters of both directions; in the first and
// the last layer each thread has a number.
constexpr int kTileOut = 16, kTileIn = 32;
__device__ int tiles_of(const Weights& f) {
  return padded(f.out) / kTileOut * (padded(f.in) / kTileIn);
}

// What a weight's nine taps are in all filters, each to `to` and a `step` further: themselves or,
// after an upsampling, the sums of those that meet at a place. A second part lies a pitch further.
template <bool behind_upsampling>
__device__ __forceinline__ void write_filters(const float* taps, Element* to, long long step,
                                              int pitch) {
  float w[kTaps];
#pragma unroll
  for (int i = 0; i < kTaps; ++i) w[i] = taps[i];
#pragma unroll
  for (int filter = 0; filter < (behind_upsampling ? kPlaces : kTaps); ++filter) {
    float sum = behind_upsampling ? 0.0f : w[behind_upsampling ? 0 : filter];
    const int down = filter / 4, across = filter % 4;
#pragma unroll
    for (int i = 0; behind_upsampling && i < kTaps; ++i) {
      const int y = i / 3, x = i % 3;
      if (y >= 2 - down && y <= 3 - down && x >= 2 - across && x <= 3 - across) sum += w[i];
    }
#pragma unroll
    for (int part = 0; part < PARTS; ++part) to[filter * step + part * pitch] = stored(sum, part);
  }
}

template <bool behind_upsampling>
__device__ void write_tile(const Weights& f, Element* forward_filters, Element* back_filters,
                           int tile) {
  // Rows of an odd number of words, so that outputs lie in as many banks.
  constexpr int kRow = kTileIn * kTaps + 1;
  __shared__ float w[kTileOut * kRow];
  const int across = padded(f.in) / kTileIn;
  const int first_out = tile / across * kTileOut, first_in = tile % across * kTileIn;
  const int width = min(kTileIn, f.in - first_in) * kTaps;
#pragma unroll 6
  for (int i = threadIdx.x; i < kTileOut * kTileIn * kTaps; i += 256) {
    const int out = i / (kTileIn * kTaps), word = i % (kTileIn * kTaps);
    const bool there = first_out + out < f.out && word < width;
    w[out * kRow + word] =
        there ? f.w[(static_cast<long long>(first_out + out) * f.in + first_in) * kTaps + word] : 0;
  }
  __syncthreads();
  const int pitch = padded(f.in), back_pitch = padded(f.out);
  for (int i = threadIdx.x; i < kTileOut * kTileIn; i += 256) {
    const int in = i % kTileIn, out = i / kTileIn;
    if (first_out + out >= f.out || first_in + in >= pitch) continue;
    write_filters<behind_upsampling>(
        w + out * kRow + in * kTaps,
        forward_filters + static_cast<long long>(first_out + out) * PARTS * pitch + first_in + in,
        static_cast<long long>(f.out) * PARTS * pitch, pitch);
  }
  for (int i = threadIdx.x; i < kTileOut * kTileIn; i += 256) {
    const int out = i % kTileOut, in = i / kTileOut;
    if (first_in + in >= f.in || first_out + out >= back_pitch) continue;
    write_filters<behind_upsampling>(
        w + out * kRow + in * kTaps,
        back_filters + static_cast<long long>(first_in + in) * PARTS * back_pitch + first_out + out,
        static_cast<long long>(f.in) * PARTS * back_pitch, back_pitch);
  }
}

extern "C" __global__ void __launch_bounds__(256)
    tensor_filters_of_step(const float* __restrict__ parameters,  // ten tensors
                           Element* __restrict__ f1, Element* __restrict__ f2,
                           Element* __restrict__ f3, Element* __restrict__ f4,
                           Element* __restrict__ f5, Element* __restrict__ b2,
                           Element* __restrict__ b3, Element* __restrict__ b4,
                           Element* __restrict__ b5, int channels) {
  const int all = channels, half = channels / 2;
  const Weights w1 = {parameters, all, kImageChannels};
  const Weights w2 = {w1.w + all * (kOnes + 1), half, all};
  const Weights w3 = {w2.w + half * all * kTaps + half, half, half};
  const Weights w4 = {w3.w + half * half * kTaps + half, all, half};
  const Weights w5 = {w4.w + all * half * kTaps + all, kImageChannels, all};
  // Blocks of one kind after the other.
  int block = blockIdx.x;
  const auto is_mine = [&block](int blocks) {
    if (block < blocks) return true;
    block -= blocks;
    return false;
  };
  if (is_mine(tiles_of(w4))) return write_tile<true>(w4, f4, b4, block);
  if (is_mine(tiles_of(w2))) return write_tile<false>(w2, f2, b2, block);
  if (is_mine(tiles_of(w3))) return write_tile<false>(w3, f3, b3, block);
  const auto rest = [&block](const Weights& f, Kind kind, Element* to) {
    const int numbers = filters_of(kind) * rows_of(f, kind) * PARTS * padded(depth_of(f, kind));
    const int blocks = (numbers + 255) / 256, mine = block;
    block -= blocks;
    if (mine < 0 || mine >= blocks) return;
    write_filter(f, kind, to, static_cast<long long>(mine) * 256 + threadIdx.x);
  };
  rest(w1, columns, f1);
  rest(w5, spread, f5);
  rest(w5, gathered, b5);
}
