// kernels/autoencoder/pack_weights.cu: weights are brought to the order in which tiles read them.
//
// Against a product that reads [out, in, 3, 3]: neighbouring targets lie side by side, so that a
// tile's row is copied in pieces of 16 bytes, and a stage has one tap. A block takes the filters of
// 32 targets and 8 sources as rows of memory have them and leaves them in shared memory, in rows of
// an odd number of words, so that either channel may be a warp's; then each thread has the nine
// weights of one pair and writes all that is made of them. Look at the sectors of loads and stores,
// which are those of the arrays, and at the bytes, which are few beside a map's.
//
//   KINDS  a bit for each kind that is packed
//   JOBS   where all layers are packed by one launch: kind, out, in, rows, columns, first weight,
//          first packed number and first block of each
#include "autoencoder/packed_weights.cuh"

constexpr int kTargets = 32, kSources = 8, kThreads = kTargets * kSources;
constexpr int kWords = kTargets * (kSources * 9 + 1);  // no less than kSources·(kTargets·9 + 1)

template <int kKind>
__device__ inline void pack_filters(float (&filters)[kWords], const float* __restrict__ w,
                                    float* __restrict__ packed, int out, int in, int rows,
                                    int columns, int block) {
  constexpr bool kBack = goes_back(kKind);
  constexpr int kOuts = kBack ? kSources : kTargets, kIns = kBack ? kTargets : kSources;
  constexpr int kTaps = taps_of(kKind), kPhases = phases_of(kKind);
  const int sources = kBack ? out : in, across = columns / kTargets;
  const int first_target = block % across * kTargets, first_source = block / across * kSources;
  const int first_out = kBack ? first_source : first_target;
  const int first_in = kBack ? first_target : first_source;
#pragma unroll
  for (int first = 0; first < kOuts * kIns * 9; first += kThreads) {
    const int i = first + threadIdx.x;
    const int row = i / (kIns * 9), at = i % (kIns * 9);
    const bool there = first_out + row < out && first_in * 9 + at < in * 9;
    filters[row * (kIns * 9 + 1) + at] =
        there ? w[(static_cast<long long>(first_out + row) * in + first_in) * 9 + at] : 0.0f;
  }
  __syncthreads();
  const int target = threadIdx.x % kTargets, source = threadIdx.x / kTargets;
  float filter[9];
#pragma unroll
  for (int tap = 0; tap < 9; ++tap)
    filter[tap] =
        filters[(kBack ? source : target) * (kIns * 9 + 1) + 9 * (kBack ? target : source) + tap];
  float* const to = packed + first_target + target;
  if (first_source + source < sources) {
#pragma unroll
    for (int phase = 0; phase < kPhases; ++phase) {
#pragma unroll
      for (int tap = 0; tap < kTaps; ++tap)
        to[(phase * rows + tap * sources + first_source + source) * columns] =
            packed_weight(kKind, filter, phase, tap);
    }
  }
  // Rows that fill the last stage.
  if (first_source > 0) return;
  for (int phase = 0; phase < kPhases; ++phase) {
    for (int row = kTaps * sources + source; row < rows; row += kSources)
      to[(phase * rows + row) * columns] = 0;
  }
}

// Kinds from `kKind` on, of those that are asked for.
template <int kKind>
__device__ inline void pack(float (&filters)[kWords], const float* __restrict__ w,
                            float* __restrict__ packed, int kind, int out, int in, int rows,
                            int columns, int block) {
  if constexpr (kKind < kKinds) {
    if constexpr ((KINDS >> kKind & 1) != 0) {
      if (kind == kKind) {
        if constexpr (kKind == kThreeOutputs) {
          const int i = block * kThreads + threadIdx.x;
          if (i < in * 48) packed[i] = three_outputs_weight(w, in, i);
        } else {
          pack_filters<kKind>(filters, w, packed, out, in, rows, columns, block);
        }
        return;
      }
    }
    pack<kKind + 1>(filters, w, packed, kind, out, in, rows, columns, block);
  }
}

#ifdef JOBS

struct Job {
  int kind, out, in, rows, columns, first_weight, first_packed, first_block;
};
__constant__ Job jobs[] = JOBS;
constexpr int kJobs = sizeof(jobs) / sizeof(Job);

extern "C" __global__ void __launch_bounds__(kThreads)
    pack_all(const float* __restrict__ parameters, float* __restrict__ packed) {
  const int block = blockIdx.x;
  int layer = 0;
#pragma unroll
  for (int next = 1; next < kJobs; ++next) layer += block >= jobs[next].first_block ? 1 : 0;
  const Job& job = jobs[layer];
  __shared__ float filters[kWords];
  pack<0>(filters, parameters + job.first_weight, packed + job.first_packed, job.kind, job.out,
          job.in, job.rows, job.columns, block - job.first_block);
}

#else

extern "C" __global__ void __launch_bounds__(kThreads)
    pack_weights(const float* __restrict__ w,  // [out, in, 3, 3]
                 float* __restrict__ packed,   // [phases, rows, columns], zeros at their ends
                 int kind, int out, int in, int rows, int columns) {
  __shared__ float filters[kWords];
  pack<0>(filters, w, packed, kind, out, in, rows, columns, blockIdx.x);
}

#endif
