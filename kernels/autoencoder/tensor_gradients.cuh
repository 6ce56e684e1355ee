// kernels/autoencoder/tensor_gradients.cuh: gradients of parameters from the shares that tensor
// cores left.
#pragma once

namespace tensor {

// The places −1 to 2 around a window, counted from 0, at which a tap meets the pixel before the
// upsampling: 2 and 3 for tap 0, 1 and 2 for tap 1, 0 and 1 for tap 2.
__device__ __forceinline__ int place_of(int tap, int second) { return 2 - tap + second; }

// Of one layer.
struct Shares {
  const float* shares;       // [count][planes][rows][columns]
  const float* bias_shares;  // [count][planes][rows]
  int count, rows, columns;

  __device__ float sum(int planes, int plane, int row, int column) const {
    float all = 0;
    for (int share = 0; share < count; ++share)
      all += shares[((static_cast<long long>(share) * planes + plane) * rows + row) * columns +
                    column];
    return all;
  }
  __device__ float bias_sum(int planes, int plane, int row) const {
    float all = 0;
    for (int share = 0; share < count; ++share)
      all += bias_shares[(static_cast<long long>(share) * planes + plane) * rows + row];
    return all;
  }

  // Of a filter of 3×3 between the channels `out` and `in`.
  __device__ float of_filter(int out, int in, int tap) const { return sum(9, tap, out, in); }
  __device__ float of_bias(int out) const { return bias_sum(9, 4, out); }

  // Of a layer behind an upsampling: sixteen planes, a place each.
  __device__ float of_folded(int out, int in, int tap) const {
    float all = 0;
    for (int i = 0; i < 4; ++i)
      all += sum(16, place_of(tap / 3, i / 2) * 4 + place_of(tap % 3, i % 2), out, in);
    return all;
  }
  __device__ float of_folded_bias(int out) const {
    return bias_sum(16, 5, out) + bias_sum(16, 6, out) + bias_sum(16, 9, out) +
           bias_sum(16, 10, out);
  }

  // Of the last layer: its outputs' places are rows of one plane.
  __device__ float of_gathered(int out, int in, int tap, int outs) const {
    float all = 0;
    for (int i = 0; i < 4; ++i) {
      const int place = place_of(tap / 3, i / 2) * 4 + place_of(tap % 3, i % 2);
      all += sum(1, 0, place * outs + out, in);
    }
    return all;
  }
  __device__ float of_gathered_bias(int out, int outs) const {
    return bias_sum(1, 0, 5 * outs + out) + bias_sum(1, 0, 6 * outs + out) +
           bias_sum(1, 0, 9 * outs + out) + bias_sum(1, 0, 10 * outs + out);
  }
};

}  // namespace tensor
