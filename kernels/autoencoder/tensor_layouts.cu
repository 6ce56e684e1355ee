// kernels/autoencoder/tensor_layouts.cu: maps and weights as convolutions on tensor cores read
// them: channels innermost, padded with zeros to whole slices, rounded.
//
// Filters lie as [filter][row][pitch], a row for every channel of the result, and along it the
// channels that are summed over. Where an upsampling stands before the layer, sixteen filters say
// what a pixel before it gives to the pixels −1 to 2 around the window that it becomes: the weights
// that meet there are added up first.
//
//   BF16   see tensor_tile.cuh
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
__device__ int padded(int channels) {
  return (channels + kSliceChannels - 1) / kSliceChannels * kSliceChannels;
}

// One number of a layer's filters.
__device__ void write_filter(const Weights& f, Kind kind, Element* to, long long i) {
  const int pitch = padded(depth_of(f, kind)), rows = rows_of(f, kind);
  if (i >= static_cast<long long>(filters_of(kind)) * rows * pitch) return;
  const int k = static_cast<int>(i % pitch), row = static_cast<int>(i / pitch % rows);
  to[i] = rounded(weight(f, kind, static_cast<int>(i / pitch / rows), row, k));
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
  const long long pixel = i / pitch, channel = i % pitch;
  to[i] = channel < channels
              ? rounded(from[(pixel / inner * channels + channel) * inner + pixel % inner])
              : Element(0);
}

// The columns of images: nine neighbours of each channel, and a one, whose product with the
// gradient is the bias' gradient.
extern "C" __global__ void __launch_bounds__(256)
    tensor_columns(const float* __restrict__ x,  // [N, 3, S, S]
                   Element* __restrict__ to,     // [N, S, S, pitch]
                   long long count, int side, int pitch) {
  const long long i = thread_index();
  if (i >= count) return;
  const int k = static_cast<int>(i % pitch);
  const long long pixel = i / pitch, image = pixel / side / side;
  float value = k == kOnes ? 1.0f : 0.0f;
  if (k < kOnes) {
    const int row = static_cast<int>(pixel / side % side) + k % kTaps / 3 - 1;
    const int column = static_cast<int>(pixel % side) + k % 3 - 1;
    if (row >= 0 && row < side && column >= 0 && column < side)
      value = x[((image * kImageChannels + k / kTaps) * side + row) * side + column];
  }
  to[i] = rounded(value);
}

extern "C" __global__ void __launch_bounds__(256)
    tensor_filters(const float* __restrict__ w,  // [out][in][9]
                   Element* __restrict__ to,     // [filters][rows][pitch]
                   int out, int in, int kind) {
  write_filter({w, out, in}, static_cast<Kind>(kind), to, thread_index());
}

// All that a step reads, a layer and direction a row of the grid.
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
  const long long i = thread_index();
  switch (blockIdx.y) {
    case 0:
      return write_filter(w1, columns, f1, i);
    case 1:
      return write_filter(w2, forward, f2, i);
    case 2:
      return write_filter(w3, forward, f3, i);
    case 3:
      return write_filter(w4, folded_forward, f4, i);
    case 4:
      return write_filter(w5, spread, f5, i);
    case 5:
      return write_filter(w2, back, b2, i);
    case 6:
      return write_filter(w3, back, b3, i);
    case 7:
      return write_filter(w4, folded_back, b4, i);
    default:
      return write_filter(w5, gathered, b5, i);
  }
}
