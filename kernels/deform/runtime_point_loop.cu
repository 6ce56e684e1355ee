// kernels/deform/runtime_point_loop.cu: levels and points counted at run time, a sample after the
// other.
//
// The published kernel before its repair, as it is described: a thread has eight channels of one
// query, and a loop over levels with a loop over points inside loads a corner and adds it up before
// it goes on. Every sample asks for its own 4 bytes of location and 2 of weight. Offsets have 32
// bits and the image is a quotient of floats, as published. Look at the instructions for addresses
// in every sample.
//
//   CHANNELS  of a head, a multiple of 8
//   HEADS     heads of a query
#include "deform/half_samples.cuh"

extern "C" __global__ void runtime_point_loop(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [levels][2]
    const long long* __restrict__ starts,  // [levels]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][levels][points][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][levels][points]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows, int levels, int points) {
  constexpr int kLanes = CHANNELS / 8;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int group = i / kLanes, query = group / HEADS;
  if (query >= batch * queries) return;
  const int image = static_cast<int>(static_cast<float>(query) / static_cast<float>(queries));
  const int channel = group % HEADS * CHANNELS + i % kLanes * 8;
  const __half* const pixels = value + image * rows * HEADS * CHANNELS + channel;
  int sample = group * levels * points;
  Octet sum = zero_octet();
  for (int l = 0; l < levels; ++l) {
    const int height = static_cast<int>(shapes[2 * l]), width = static_cast<int>(shapes[2 * l + 1]);
    const int start = static_cast<int>(starts[l]);
    for (int p = 0; p < points; ++p, ++sample) {
      const __half2 location = reinterpret_cast<const __half2*>(loc)[sample];
      const __half attention = weight[sample];
      const HalfSample s = half_sample(location, height, width);
      if (!s.inside) continue;
      const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int row = start + s.row + corner_row(c, width + 2);
        add_weighed(sum, __hmul(corners.of[c], attention),
                    load_octet(pixels + row * (HEADS * CHANNELS)));
      }
    }
  }
  store_octet(out + group * CHANNELS + i % kLanes * 8, sum);
}
