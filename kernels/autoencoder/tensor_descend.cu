// kernels/autoencoder/tensor_descend.cu: all gradients of a step from their shares, and the
// SGD update with them.
//
// Against tensor_shares and ten launches of sgd: one launch for five layers, or for some of them
// where the others' shares are still to come. A block has 32
// neighbouring channels of one output, a warp one of the filter's places at a time, so that lanes
// read neighbouring words of every share; what a place has lies in shared memory until the block
// writes each channel's nine weights side by side. After an upsampling sixteen places become nine
// taps again there: each meets four of them. Layers of few weights have many shares instead: in
// their blocks the warps share out the shares of 32 sums. Every sum has one order. Look at its
// bytes: the shares of all layers, and each parameter once in and out.
#include "autoencoder/tensor_gradients.cuh"

namespace {
using tensor::place_of;
using tensor::sum_of;
constexpr int kTaps = 9, kImageChannels = 3, kGathered = kTaps * kImageChannels + 1, kPlaces = 16;
constexpr int kWarps = kTaps, kThreads = kWarps * 32, kLanes = 32;

// What belongs to one layer.
struct Layer {
  const float* shares;       // [count][planes][rows][columns]
  const float* bias_shares;  // [count][planes][rows]
  int count, planes, rows, columns;

  __device__ long long words() const { return static_cast<long long>(planes) * rows * columns; }
};

struct Descent {
  float *parameters, *gradients;
  float lr;
  __device__ void take(long long i, float slope) const {
    gradients[i] = slope;
    parameters[i] -= lr * slope;
  }
};

__device__ int chunks_of(int channels) { return (channels + kLanes - 1) / kLanes; }

// The nine weights of 32 channels of output `out`.
template <int planes>
__device__ void descend_dense(const Descent& to, const Layer& l, long long first, int block) {
  // Rows four banks apart, so that nine taps of four channels lie in as many.
  __shared__ float sums[planes][kLanes + 4];
  const int chunks = chunks_of(l.columns), out = block / chunks, base = block % chunks * kLanes;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (base + lane < l.columns)
    for (int plane = warp; plane < planes; plane += kWarps)
      sums[plane][lane] = sum_of(
          l.shares + (static_cast<long long>(plane) * l.rows + out) * l.columns + base + lane,
          l.words(), 0, l.count, 1);
  __syncthreads();
  const int of = threadIdx.x / kTaps, tap = threadIdx.x % kTaps;
  if (base + of >= l.columns) return;
  float slope = 0;
  if (planes == kTaps) {
    slope = sums[tap][of];
  } else {
    for (int i = 0; i < 4; ++i)
      slope += sums[place_of(tap / 3, i / 2) * 4 + place_of(tap % 3, i % 2)][of];
  }
  to.take(first + (static_cast<long long>(out) * l.columns + base) * kTaps + threadIdx.x, slope);
}

// 32 sums, a lane each, whose shares the warps share out: `sum` gives a warp's part. The first
// warp has the whole.
template <typename Sum>
__device__ float sum_over_warps(Sum sum) {
  __shared__ float parts[kWarps][kLanes];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  parts[warp][lane] = sum(warp);
  __syncthreads();
  float all = 0;
  for (int part = 0; part < kWarps; ++part) all += parts[part][lane];
  return all;
}

// The first layer: an output's columns, and the one after them.
__device__ void descend_columns(const Descent& to, const Layer& l, int block) {
  const int i = block * kLanes + static_cast<int>(threadIdx.x % 32), all = l.rows * kGathered;
  const float slope = sum_over_warps([&](int warp) {
    return i < all ? sum_of(l.shares + i, l.words(), warp, l.count, kWarps) : 0.0f;
  });
  if (threadIdx.x >= 32 || i >= all) return;
  const int out = i / kGathered, column = i % kGathered;
  const bool bias = column == kGathered - 1;
  to.take(bias ? l.rows * (kGathered - 1) + out : out * (kGathered - 1) + column, slope);
}

// The last layer, whose outputs' places are rows of one plane: a tap of 32 channels.
__device__ void descend_gathered(const Descent& to, const Layer& l, long long first, int block) {
  const int chunks = chunks_of(l.columns), out = block / chunks / kTaps;
  const int tap = block / chunks % kTaps;
  const int in = block % chunks * kLanes + static_cast<int>(threadIdx.x % 32);
  const float slope = sum_over_warps([&](int warp) {
    float sum = 0;
    for (int i = 0; i < 4 && in < l.columns; ++i) {
      const int place = place_of(tap / 3, i / 2) * 4 + place_of(tap % 3, i % 2);
      sum += sum_of(l.shares + (place * kImageChannels + out) * l.columns + in, l.words(), warp,
                    l.count, kWarps);
    }
    return sum;
  });
  if (threadIdx.x >= 32 || in >= l.columns) return;
  to.take(first + (static_cast<long long>(out) * l.columns + in) * kTaps + tap, slope);
}

// Biases of 32 outputs: `outs` per place. If there are sixteen places, the window's own four count;
// if there are nine, the middle one.
__device__ void descend_biases(const Descent& to, const Layer& l, long long first, int outs,
                               int block) {
  const int out = block * kLanes + static_cast<int>(threadIdx.x % 32);
  const bool filter = l.planes == kTaps;
  const float slope = sum_over_warps([&](int warp) {
    constexpr int kMiddle = 4, kOwn[] = {5, 6, 9, 10};
    float sum = 0;
    for (int i = 0; i < (filter ? 1 : 4) && out < outs; ++i)
      sum += sum_of(l.bias_shares + (filter ? kMiddle : kOwn[i]) * outs + out,
                    static_cast<long long>(l.planes) * l.rows, warp, l.count, kWarps);
    return sum;
  });
  if (threadIdx.x < 32 && out < outs) to.take(first + out, slope);
}
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    tensor_descend(const float* __restrict__ shares1,  // [count][channels][28]
                   const float* __restrict__ shares2,  // [count][9][half][channels]
                   const float* __restrict__ shares3,  // [count][9][half][half]
                   const float* __restrict__ shares4,  // [count][16][channels][half]
                   const float* __restrict__ shares5,  // [count][48][channels]
                   const float* __restrict__ biases2, const float* __restrict__ biases3,
                   const float* __restrict__ biases4, const float* __restrict__ biases5,
                   float* __restrict__ parameters,  // ten tensors
                   float* __restrict__ gradients,   // the same
                   int channels, int count1, int count2, int count3, int count4, int count5,
                   int first_block, float lr) {
  const Descent to = {parameters, gradients, lr};
  const int all = channels, half = channels / 2, places = kPlaces * kImageChannels;
  const Layer l1 = {shares1, nullptr, count1, 1, all, kGathered};
  const Layer l2 = {shares2, biases2, count2, kTaps, half, all};
  const Layer l3 = {shares3, biases3, count3, kTaps, half, half};
  const Layer l4 = {shares4, biases4, count4, kPlaces, all, half};
  const Layer l5 = {shares5, biases5, count5, 1, places, all};
  const long long first2 = static_cast<long long>(all) * kGathered;
  const long long first3 = first2 + static_cast<long long>(half) * all * kTaps + half;
  const long long first4 = first3 + static_cast<long long>(half) * half * kTaps + half;
  const long long first5 = first4 + static_cast<long long>(all) * half * kTaps + all;
  // Blocks of one kind after the other: Conv4 and 5, Conv3, Conv2, Conv1.
  int block = static_cast<int>(blockIdx.x) + first_block;
  const auto is_mine = [&block](int blocks) {
    if (block < blocks) return true;
    block -= blocks;
    return false;
  };
  if (is_mine(kImageChannels * kTaps * chunks_of(all)))
    return descend_gathered(to, l5, first5, block);
  if (is_mine(all * chunks_of(half))) return descend_dense<kPlaces>(to, l4, first4, block);
  if (is_mine(chunks_of(all))) return descend_biases(to, l4, first5 - all, all, block);
  if (is_mine(1))
    return descend_biases(to, {shares5, biases5, count5, kPlaces, kImageChannels, all},
                          first5 + static_cast<long long>(all) * kImageChannels * kTaps,
                          kImageChannels, block);
  if (is_mine(half * chunks_of(half))) return descend_dense<kTaps>(to, l3, first3, block);
  if (is_mine(chunks_of(half))) return descend_biases(to, l3, first4 - half, half, block);
  if (is_mine(half * chunks_of(all))) return descend_dense<kTaps>(to, l2, first2, block);
  if (is_mine(chunks_of(half))) return descend_biases(to, l2, first3 - half, half, block);
  descend_columns(to, l1, block);
}
