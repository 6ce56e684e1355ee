// kernels/autoencoder/pack_weights.cu: weights are brought to the order in which tiles read them.
//
// Against a product that reads [out, in, 3, 3]: neighbouring targets lie side by side, so that a
// tile's row is copied in pieces of 16 bytes, and a stage has one tap. Look at the sectors of its
// loads, which are the price, and at the bytes, which are few beside a map's.
//
//   JOBS  where all layers are packed by one launch: kind, out, in, rows, columns, first weight and
//         first packed number of each, a layer of grid y
#include "autoencoder/packed_weights.cuh"

__device__ inline void pack(const float* __restrict__ w, float* __restrict__ packed, int i,
                            int kind, int out, int in, int rows, int columns) {
  if (kind == kThreeOutputs) {
    if (i < in * 48) packed[i] = three_outputs_weight(w, in, i);
    return;
  }
  const bool back = kind == kDgrad || kind == kFoldedDgrad;
  const int sources = back ? out : in, targets = back ? in : out;
  if (i >= phases_of(kind) * rows * columns) return;
  const int target = i % columns, row = i / columns % rows, phase = i / columns / rows;
  const int tap = row / sources;
  packed[i] = target < targets && tap < taps_of(kind)
                  ? packed_weight(kind, w, in, phase, tap, row % sources, target)
                  : 0.0f;
}

#ifdef JOBS

struct Job {
  int kind, out, in, rows, columns, first_weight, first_packed;
};
__constant__ Job jobs[] = JOBS;

extern "C" __global__ void __launch_bounds__(256)
    pack_all(const float* __restrict__ parameters, float* __restrict__ packed) {
  const Job job = jobs[blockIdx.y];
  pack(parameters + job.first_weight, packed + job.first_packed,
       blockIdx.x * blockDim.x + threadIdx.x, job.kind, job.out, job.in, job.rows, job.columns);
}

#else

extern "C" __global__ void __launch_bounds__(256)
    pack_weights(const float* __restrict__ w,  // [out, in, 3, 3]
                 float* __restrict__ packed,   // [phases, rows, columns], zeros at their ends
                 int kind, int out, int in, int rows, int columns) {
  pack(w, packed, blockIdx.x * blockDim.x + threadIdx.x, kind, out, in, rows, columns);
}

#endif
