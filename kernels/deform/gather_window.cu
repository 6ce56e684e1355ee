// kernels/deform/gather_window.cu: pieces from anywhere in a window that L1 holds: the ceiling of
// the scene's gathers.
//
//   SEGMENT  bytes that lie together: 64, a corner, or 128, two neighbouring ones; read by 4 or 8
//            lanes of 16 bytes each
//   WINDOW   bytes in which the pieces lie, the same for all blocks
//
// A piece begins at any multiple of 64 bytes. The groups of a warp have a part of the window each,
// so that no two pieces of a request are the same.

constexpr unsigned kLanes = SEGMENT / 16, kGroups = 32 / kLanes;
constexpr unsigned kPlaces = WINDOW / kGroups / 64;        // of a group's part
constexpr unsigned kFirst = kPlaces - (SEGMENT / 64 - 1);  // where a piece may begin
constexpr int kInFlight = 8;

extern "C" __global__ void __launch_bounds__(1024)
    gather_window(const uint4* __restrict__ from,  // [WINDOW / 16]
                  unsigned* sink, int turns) {
  const unsigned group = threadIdx.x % 32 / kLanes, lane = threadIdx.x % kLanes;
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes * 2654435761u + 12345u;
  unsigned bits = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    uint4 value[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      state = state * 1664525u + 1013904223u;
      const unsigned place = group * kPlaces + __umulhi(state, kFirst);
      value[u] = __ldg(from + place * 4 + lane);
    }
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) bits ^= value[u].x ^ value[u].y ^ value[u].z ^ value[u].w;
  }
  if (bits == 0x9e3779b1u) *sink = bits;
}
