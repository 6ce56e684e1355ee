// kernels/autoencoder/pack_weights.cu: weights are brought to the order in which tiles read them.
//
// Against a product that reads [out, in, 3, 3]: neighbouring targets lie side by side, so that a
// tile's row is copied in pieces of 16 bytes, and a stage has one tap. A block takes the filters of
// 32 sources and 32 targets as rows of memory have them and leaves them in shared memory, in rows
// of 289 words, so that either channel may be a warp's. Look at the sectors of loads and stores,
// which are those of the arrays, and at the bytes, which are few beside a map's.
//
//   JOBS  where all layers are packed by one launch: kind, out, in, rows, columns, first weight and
//         first packed number of each, a layer of grid y
#include "autoencoder/packed_weights.cuh"

constexpr int kChannels = 32, kThreads = 256;

__device__ inline void pack(const float* __restrict__ w, float* __restrict__ packed, int kind,
                            int out, int in, int rows, int columns) {
  __shared__ float filters[kChannels][kChannels * 9 + 1];
  if (kind == kThreeOutputs) {
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < in * 48; i += gridDim.x * kThreads)
      packed[i] = three_outputs_weight(w, in, i);
    return;
  }
  const bool back = kind == kDgrad || kind == kFoldedDgrad;
  const int sources = back ? out : in, targets = back ? in : out;
  const int across = columns / kChannels, down = (sources + kChannels - 1) / kChannels;
  const int taps = taps_of(kind), values = phases_of(kind) * taps * kChannels * kChannels;
  if (blockIdx.x >= across * down) return;
  const int first_target = blockIdx.x % across * kChannels;
  const int first_source = blockIdx.x / across * kChannels;
  const int first_out = back ? first_source : first_target;
  const int first_in = back ? first_target : first_source;
  for (int i = threadIdx.x; i < kChannels * kChannels * 9; i += kThreads) {
    const int row = i / (kChannels * 9), at = i % (kChannels * 9);
    const bool there = first_out + row < out && first_in * 9 + at < in * 9;
    filters[row][at] =
        there ? w[(static_cast<long long>(first_out + row) * in + first_in) * 9 + at] : 0.0f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < values; i += kThreads) {
    const int target = i % kChannels, source = i / kChannels % kChannels;
    const int tap = i / (kChannels * kChannels) % taps, phase = i / (kChannels * kChannels) / taps;
    if (first_source + source >= sources) continue;
    const float* const filter = back ? &filters[source][9 * target] : &filters[target][9 * source];
    packed[(phase * rows + tap * sources + first_source + source) * columns + first_target +
           target] =
        first_target + target < targets ? packed_weight(kind, filter, phase, tap) : 0.0f;
  }
  // Rows that fill the last stage.
  if (first_source > 0) return;
  const int rest = rows - taps * sources;
  for (int i = threadIdx.x; i < phases_of(kind) * rest * kChannels; i += kThreads) {
    const int phase = i / kChannels / rest, row = taps * sources + i / kChannels % rest;
    packed[(phase * rows + row) * columns + first_target + i % kChannels] = 0;
  }
}

#ifdef JOBS

struct Job {
  int kind, out, in, rows, columns, first_weight, first_packed;
};
__constant__ Job jobs[] = JOBS;

extern "C" __global__ void __launch_bounds__(kThreads)
    pack_all(const float* __restrict__ parameters, float* __restrict__ packed) {
  const Job job = jobs[blockIdx.y];
  pack(parameters + job.first_weight, packed + job.first_packed, job.kind, job.out, job.in,
       job.rows, job.columns);
}

#else

extern "C" __global__ void __launch_bounds__(kThreads)
    pack_weights(const float* __restrict__ w,  // [out, in, 3, 3]
                 float* __restrict__ packed,   // [phases, rows, columns], zeros at their ends
                 int kind, int out, int in, int rows, int columns) {
  pack(w, packed, kind, out, in, rows, columns);
}

#endif
