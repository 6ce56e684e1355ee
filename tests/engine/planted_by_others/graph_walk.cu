// tests/engine/planted_by_others/graph_walk.cu: Random walks (as for DeepWalk / node2vec sampling)
// on a graph in which every vertex has exactly DEGREE neighbours: nbr is [nvert][DEGREE].
// Accumulates a signature of every walk and its last vertex.
#define DEGREE 8

extern "C" __global__ void graph_walk(const int* __restrict__ nbr, int* __restrict__ end_vertex,
                                      unsigned* __restrict__ signature, int nvert, int nwalks,
                                      int nsteps) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= nwalks) return;

  unsigned rng = 0x9e3779b9u * (unsigned)(w + 1);
  unsigned sig = 0u;
  int v = (int)(rng % (unsigned)nvert);
#pragma unroll 1
  for (int s = 0; s < nsteps; ++s) {
    rng = rng * 1664525u + 1013904223u;
    const int pick = (int)(rng >> 29);
    const size_t edge = (size_t)v * DEGREE + pick;
    v = nbr[edge];
    sig = sig * 31u + (unsigned)v;
  }
  end_vertex[w] = v;
  signature[w] = sig;
}
